#include "core/tiny_exchange.h"

#include <algorithm>
#include <span>

#include "core/tiny_matrix.h"

namespace commflow::tiny {

namespace {

int size_of(const Flow& flow) {
  return static_cast<int>(flow.members.size());
}
Memory& memory_of(const Flow& flow, Rank local, std::vector<Memory>& world) {
  return world[index_of(flow.members[index_of(local)])];
}
const Memory& memory_of(const Flow& flow, Rank local, const std::vector<Memory>& world) {
  return world[index_of(flow.members[index_of(local)])];
}

// ---- even blocks

std::vector<Value> pack(const std::vector<Part>& parts, const Memory& memory) {
  std::vector<Value> values;
  for (const Part& part : parts) {
    const std::vector<Value>& data = memory.at(part.tensor, part.index).data;
    values.insert(values.end(), data.begin(), data.end());
  }
  return values;
}

void unpack(const std::vector<Part>& parts, std::span<const Value> values, Memory& memory) {
  for (const Part& part : parts) {
    const std::span<const Value> own = values.first(index_of(part.rows * part.cols));
    memory.put(part.tensor, part.index, {part.rows, part.cols, {own.begin(), own.end()}});
    values = values.subspan(own.size());
  }
}

// Slot b of a payload cut into `blocks`, as evenly as it goes.
std::vector<int> block_widths(int payload, int blocks) {
  std::vector<int> widths;
  for (int block = 0; block < blocks; ++block) {
    widths.push_back((block + 1) * payload / blocks - block * payload / blocks);
  }
  return widths;
}

int payload_of(const Flow& flow) {
  int size = 0;
  for (const Part& part : flow.sent) size += part.rows * part.cols;
  const bool one_block_each = flow.collective == Collective::all_gather || flow.collective == Collective::gather;
  return one_block_each ? size * size_of(flow) : size;
}

void pack_blocks(const Flow& flow, const std::vector<Memory>& world, Communication& communication) {
  communication.schedule = *make_schedule(flow.collective, flow.algorithm, size_of(flow), flow.root);
  std::vector<std::vector<Value>> values;
  for (Rank local = 0; local < size_of(flow); ++local) {
    values.push_back(sends(flow, local) ? pack(flow.sent, memory_of(flow, local, world)) : std::vector<Value>{});
  }
  const std::vector<int> widths = block_widths(payload_of(flow), communication.schedule.slots);
  communication.initial = initial_buffers(flow.collective, flow.root, widths, values);
}

// A moved slot has one origin, a sum has every member once.
bool complete(const Flow& flow, Origins from) {
  if (!reduces(flow.collective)) return !from.empty();
  for (Rank local = 0; local < size_of(flow); ++local) {
    if (from.count(local) != 1) return false;
  }
  return true;
}

bool unpack_blocks(const Flow& flow, Rank local, const Buffers& final, Memory& memory) {
  std::vector<Value> values;
  for (const int block : output_blocks(flow.collective, size_of(flow), final.slots(), flow.root, local)) {
    const Place place{local, Area::out, block};
    if (!complete(flow, final.from(place))) return false;
    const std::span<const Value> slot = final.values(place);
    values.insert(values.end(), slot.begin(), slot.end());
  }
  if (!values.empty()) unpack(flow.received, values, memory);
  return true;
}

// ---- one slot per copy

// Slots on a host are ordered by expert, then source, then the source's order.
// The first slot of each source, per expert, from the counts that the host received.
Matrix first_slots(const Matrix& received) {
  Matrix first = zeros(received.rows, received.cols);
  Value next = 0;
  for (int local_expert = 0; local_expert < received.cols; ++local_expert) {
    for (int source = 0; source < received.rows; ++source) {
      entry(first, source, local_expert) = next;
      next += received.at(source, local_expert);
    }
  }
  return first;
}

// What one home sends: in_slot as its permutation says, out_slot as the hosts say.
void append_copies(const Flow& flow, Rank home, const std::vector<Memory>& world, std::vector<Matrix>& next_slots,
                   std::vector<Copy>& copies) {
  const Memory& memory = memory_of(flow, home, world);
  int in_slot = 0;
  for (const LocalCopy& copy : permutation(memory.at(Tensor::choices))) {
    const Rank host = copy.expert / memory.experts;
    Value& out_slot = entry(next_slots[index_of(host)], home, copy.expert % memory.experts);
    const auto gate = static_cast<int>(memory.at(Tensor::gates).at(copy.token, copy.choice));
    copies.push_back({memory.first_token + copy.token, copy.choice, copy.expert, gate, flow.members[index_of(home)],
                      flow.members[index_of(host)], in_slot++, static_cast<int>(out_slot++)});
  }
}

std::vector<Copy> copies_of(const Flow& flow, const std::vector<Memory>& world) {
  std::vector<Matrix> next_slots;
  for (Rank host = 0; host < size_of(flow); ++host) {
    next_slots.push_back(first_slots(memory_of(flow, host, world).at(Tensor::received_counts)));
  }
  std::vector<Copy> copies;
  for (Rank home = 0; home < size_of(flow); ++home) append_copies(flow, home, world, next_slots, copies);
  return copies;
}

Rank local_of(const Flow& flow, Rank rank) {
  Rank local = 0;
  while (flow.members[index_of(local)] != rank) ++local;
  return local;
}

std::vector<Item> items_of(const Flow& flow, const std::vector<Copy>& copies) {
  std::vector<Item> items;
  for (const Copy& copy : copies) {
    const Rank home = local_of(flow, copy.home);
    const Rank host = local_of(flow, copy.host);
    items.push_back(flow.path == Path::to_experts ? Item{home, copy.in_slot, host, copy.out_slot}
                                                  : Item{host, copy.out_slot, home, copy.in_slot});
  }
  return items;
}

// Rows that a rank sends or receives on this path.
int rows_at_home(const Memory& memory) {
  return memory.at(Tensor::choices).rows * kTopk;
}
int rows_at_host(const Memory& memory) {
  int rows = 0;
  for (const LocalExpert& local : local_experts(memory)) rows += local.copies;
  return rows;
}
int rows_expected(const Flow& flow, const Memory& memory) {
  return flow.path == Path::to_experts ? rows_at_host(memory) : rows_at_home(memory);
}

int slots_needed(const Flow& flow, const std::vector<Memory>& world) {
  int slots = 0;
  for (Rank local = 0; local < size_of(flow); ++local) {
    const Memory& memory = memory_of(flow, local, world);
    slots = std::max({slots, rows_at_home(memory), rows_at_host(memory)});
  }
  return slots;
}

void pack_copies(const Flow& flow, const std::vector<Memory>& world, Communication& communication) {
  const int slots = slots_needed(flow, world);
  communication.copies = copies_of(flow, world);
  communication.schedule =
      uneven_all_to_all(flow.algorithm, size_of(flow), slots, items_of(flow, communication.copies));
  communication.initial = Buffers(size_of(flow), std::vector<int>(index_of(slots), flow.columns));
  for (Rank local = 0; local < size_of(flow); ++local) {
    const Matrix& rows = memory_of(flow, local, world).at(flow.sent.front().tensor);
    for (int row = 0; row < rows.rows; ++row) {
      communication.initial.put({local, Area::in, row}, rows_of(rows, row, 1).data, Origins::of(local));
    }
  }
}

bool unpack_copies(const Flow& flow, Rank local, const Buffers& final, Memory& memory) {
  Matrix rows = zeros(rows_expected(flow, memory), flow.columns);
  for (int row = 0; row < rows.rows; ++row) {
    const Place place{local, Area::out, row};
    if (!complete(flow, final.from(place))) return false;
    for (int col = 0; col < rows.cols; ++col) entry(rows, row, col) = final.values(place)[index_of(col)];
  }
  memory.put(flow.received.front().tensor, rows);
  return true;
}

}  // namespace

bool sends(const Flow& flow, Rank local) {
  return !input_blocks(flow.collective, size_of(flow), size_of(flow), flow.root, local).empty();
}

bool receives(const Flow& flow, Rank local) {
  return !output_blocks(flow.collective, size_of(flow), size_of(flow), flow.root, local).empty();
}

Communication packed(const Flow& flow, const std::vector<Memory>& world) {
  Communication communication;
  communication.dimension = flow.dimension;
  communication.collective = flow.collective;
  communication.algorithm = flow.algorithm;
  communication.subject = flow.subject;
  communication.columns = flow.columns;
  if (flow.bucket) communication.parts = flow.sent;
  communication.members = flow.members;
  communication.root = flow.root;
  flow.path == Path::blocks ? pack_blocks(flow, world, communication) : pack_copies(flow, world, communication);
  return communication;
}

bool run_and_unpack(const Flow& flow, Communication& communication, std::vector<Memory>& world) {
  communication.final = run(communication.schedule, communication.initial, communication.op);
  bool all_arrived = true;
  for (Rank local = 0; local < size_of(flow); ++local) {
    Memory& memory = memory_of(flow, local, world);
    const bool arrived = flow.path == Path::blocks ? unpack_blocks(flow, local, communication.final, memory)
                                                   : unpack_copies(flow, local, communication.final, memory);
    all_arrived = all_arrived && arrived;
  }
  return all_arrived;
}

void keep(const Flow& flow, Memory& memory) {
  if (flow.path == Path::blocks) return unpack(flow.received, pack(flow.sent, memory), memory);
  memory.put(flow.received.front().tensor, Matrix(memory.at(flow.sent.front().tensor)));
}

}  // namespace commflow::tiny
