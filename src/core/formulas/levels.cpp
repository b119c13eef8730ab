// Hierarchical: what every GPU sends and receives in its node and between nodes.

#include "core/algorithms/builders.h"
#include "core/formulas/formulas.h"

namespace commflow {
namespace {

struct Grid {
  int gpus;  // per node
  int nodes;
  bool flat() const { return gpus == 1 || nodes == 1; }
};

Grid grid_of(const Question& q) {
  const int gpus = gpus_per_node(q.tuning, q.ranks);
  return {gpus, q.ranks / gpus};
}

// What GPU `index` of a node sends and receives on each level.
struct LevelBytes {
  Bytes intra_sent, intra_received, inter_sent, inter_received;
};

// Rings over blocks of `nodes` parts in the node, over the parts of the own block between nodes.
LevelBytes of_all_reduce(const Cut& cut, const Grid& grid, int node, int index) {
  const auto block = [&](int i) {
    const int at = around(i, grid.gpus);
    return cut.between(at * grid.nodes, (at + 1) * grid.nodes);
  };
  const auto part = [&](int j) { return cut.at(index * grid.nodes + around(j, grid.nodes)); };
  const Bytes own = block(index);
  return {2 * cut.payload() - own - block(index + 1), 2 * cut.payload() - own - block(index - 1),
          2 * own - part(node) - part(node + 1), 2 * own - part(node) - part(node - 1)};
}

// Blocks for GPU `index` of any node.
Bytes for_index(const Cut& cut, const Grid& grid, int index) {
  Bytes bytes = 0;
  for (int node = 0; node < grid.nodes; ++node) bytes += cut.at(node * grid.gpus + index);
  return bytes;
}

LevelBytes of_all_to_all(const Cut& cut, const Grid& grid, int node, Bytes for_index) {
  const Bytes for_node = cut.between(node * grid.gpus, (node + 1) * grid.gpus);
  return {cut.payload() - for_index, (grid.gpus - 1) * for_index, cut.payload() - for_node,
          (grid.nodes - 1) * for_node};
}

// visit(rank, bytes) for all ranks.
template <class Visit>
void for_all_gpus(const Question& q, const Grid& grid, Visit visit) {
  const Cut cut(q.payload, q.ranks);
  for (int index = 0; index < grid.gpus; ++index) {
    const Bytes to_index = q.collective == Collective::all_to_all ? for_index(cut, grid, index) : 0;
    for (int node = 0; node < grid.nodes; ++node) {
      visit(node * grid.gpus + index, q.collective == Collective::all_to_all ? of_all_to_all(cut, grid, node, to_index)
                                                                             : of_all_reduce(cut, grid, node, index));
    }
  }
}

}  // namespace

void Formulas::hierarchical(Ledger& ledger, const Question& q) {
  const Grid grid = grid_of(q);
  if (grid.flat()) return q.collective == Collective::all_to_all ? direct(ledger, q) : ring(ledger, q);
  Bytes busiest_intra = 0;
  Bytes busiest_inter = 0;
  for_all_gpus(q, grid, [&](Rank rank, const LevelBytes& bytes) {
    ledger.add(rank, bytes.intra_sent + bytes.inter_sent, bytes.intra_received + bytes.inter_received);
    busiest_intra = std::max({busiest_intra, bytes.intra_sent, bytes.intra_received});
    busiest_inter = std::max({busiest_inter, bytes.inter_sent, bytes.inter_received});
  });
  const std::int64_t peers = grid.gpus - 1 + grid.nodes - 1;
  if (q.collective == Collective::all_to_all) return ledger.rounds(2, q.ranks * peers, busiest_intra + busiest_inter);
  const Bytes block = Cut(q.payload, grid.gpus).largest();
  const Bytes part = Cut(q.payload, q.ranks).largest();
  ledger.rounds(static_cast<int>(2 * peers), 2 * q.ranks * peers,
                2 * (grid.gpus - 1) * block + 2 * (grid.nodes - 1) * part);
}

LevelTraffic Formulas::levels(const Question& q) {
  const Grid grid = grid_of(q);
  const std::vector<Bytes> nothing(index_of(q.ranks));
  LevelTraffic levels{nothing, nothing};
  if (grid.flat()) {
    Ledger ledger(q.ranks);
    if (q.ranks > 1) hierarchical(ledger, q);
    (grid.nodes == 1 ? levels.intra : levels.inter) = ledger.take().sent;
    return levels;
  }
  for_all_gpus(q, grid, [&](Rank rank, const LevelBytes& bytes) {
    levels.intra[index_of(rank)] = bytes.intra_sent;
    levels.inter[index_of(rank)] = bytes.inter_sent;
  });
  return levels;
}

}  // namespace commflow
