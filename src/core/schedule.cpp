#include "core/schedule.h"

#include <algorithm>

#include "core/index.h"

namespace commflow {
namespace {

void overwrite(Buffers& after, const Buffers& before, const Transfer& transfer) {
  after.put(transfer.dst, before.values(transfer.src), before.from(transfer.src));
}

void reduce_into(Buffers& after, const Buffers& before, const Transfer& transfer, Operator op) {
  const std::span<const Value> source = before.values(transfer.src);
  const std::span<Value> target = after.mutable_values(transfer.dst);
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = combine(op, target[i], source[i]);
  Origins from = after.from(transfer.dst);
  from.add(before.from(transfer.src));
  after.set_from(transfer.dst, from);
}

std::string describe(Place place) {
  const char* area = place.area == Area::in ? " in[" : " out[";
  return "rank " + std::to_string(place.rank) + area + std::to_string(place.slot) + "]";
}

std::string shape(int ranks, int switches, int slots) {
  return std::to_string(ranks) + " ranks and " + std::to_string(switches) + " switches of " + std::to_string(slots) +
         " slots";
}

// What a round writes into one slot of `out`.
enum class Written : std::uint8_t { nothing, copied, reduced };

class RoundChecker {
 public:
  explicit RoundChecker(const Buffers& before)
      : before_(before), written_(index_of(before.nodes()) * index_of(before.slots()), Written::nothing) {}

  // nullptr, or what is wrong with this transfer.
  const char* problem(const Transfer& transfer) {
    if (!before_.contains(transfer.src)) return "reads outside the buffers";
    if (!before_.contains(transfer.dst)) return "writes outside the buffers";
    if (transfer.dst.area == Area::in) return "writes the input";
    if (!before_.filled(transfer.src)) return "reads an empty slot";
    if (before_.width(transfer.src.slot) != before_.width(transfer.dst.slot)) return "joins slots of different width";
    return conflict(transfer);
  }

 private:
  const char* conflict(const Transfer& transfer) {
    Written& written = written_[index_of(transfer.dst.rank) * index_of(before_.slots()) + index_of(transfer.dst.slot)];
    const Written wanted = transfer.reduce ? Written::reduced : Written::copied;
    if (written == Written::copied && wanted == Written::copied) return "is the second copy into its slot";
    if (written != Written::nothing && written != wanted) return "mixes a copy and a reduction in one slot";
    written = wanted;
    return nullptr;
  }

  const Buffers& before_;
  std::vector<Written> written_;
};

std::optional<std::string> validate_round(const Buffers& before, const Round& round, std::size_t number) {
  RoundChecker checker(before);
  for (const Transfer& transfer : round) {
    const char* problem = checker.problem(transfer);
    if (problem == nullptr) continue;
    return "round " + std::to_string(number + 1) + ": the transfer from " + describe(transfer.src) + " to " +
           describe(transfer.dst) + " " + problem;
  }
  return std::nullopt;
}

}  // namespace

Value combine(Operator op, Value a, Value b) {
  // Unsigned arithmetic: wrapping around is defined there.
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  switch (op) {
    case Operator::prod: return static_cast<Value>(x * y);
    case Operator::min: return std::min(a, b);
    case Operator::max: return std::max(a, b);
    case Operator::sum:
    case Operator::avg: break;
  }
  return static_cast<Value>(x + y);
}

Buffers run_round(const Buffers& before, const Round& round, Operator op) {
  Buffers after = before;
  for (const Transfer& transfer : round) {
    if (!before.filled(transfer.src)) continue;
    if (transfer.reduce && after.filled(transfer.dst)) {
      reduce_into(after, before, transfer, op);
    } else {
      overwrite(after, before, transfer);
    }
  }
  return after;
}

std::vector<Buffers> history(const Schedule& schedule, const Buffers& initial, Operator op) {
  std::vector<Buffers> states{initial};
  states.reserve(schedule.rounds.size() + 1);
  for (const Round& round : schedule.rounds) states.push_back(run_round(states.back(), round, op));
  return states;
}

Buffers run(const Schedule& schedule, const Buffers& initial, Operator op) {
  Buffers state = initial;
  for (const Round& round : schedule.rounds) state = run_round(state, round, op);
  return state;
}

std::optional<std::string> validate(const Schedule& schedule, const Buffers& initial) {
  if (schedule.ranks != initial.ranks() || schedule.slots != initial.slots() ||
      schedule.switches != initial.switches()) {
    return "the schedule is for " + shape(schedule.ranks, schedule.switches, schedule.slots) +
           ", the buffers are for " + shape(initial.ranks(), initial.switches(), initial.slots());
  }
  Buffers state = initial;
  for (std::size_t number = 0; number < schedule.rounds.size(); ++number) {
    const Round& round = schedule.rounds[number];
    if (auto problem = validate_round(state, round, number)) return problem;
    state = run_round(state, round, Operator::sum);  // only emptiness matters here
  }
  return std::nullopt;
}

}  // namespace commflow
