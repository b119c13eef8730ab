#include "core/faults.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/index.h"

namespace commflow {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Message {
  Rank src;
  Rank dst;
  double bytes;  // as many times as the link is slower
};

// All slots of a pair are one message, as in count_traffic().
std::vector<Message> messages_of(const Round& round, const std::vector<Bytes>& slot_bytes, const Fault& fault) {
  std::map<std::pair<Rank, Rank>, Bytes> pairs;
  for (const Transfer& transfer : round) {
    if (!transfer.local()) pairs[{transfer.src.rank, transfer.dst.rank}] += slot_bytes[index_of(transfer.src.slot)];
  }
  std::vector<Message> messages;
  for (const auto& [ends, bytes] : pairs) {
    const bool slow = fault.kind == Fault::Kind::slow_link &&
                      (ends == std::pair(fault.rank, fault.peer) || ends == std::pair(fault.peer, fault.rank));
    messages.push_back({ends.first, ends.second, static_cast<double>(bytes) * (slow ? fault.factor : 1)});
  }
  return messages;
}

class Clocks {
 public:
  Clocks(const Schedule& schedule, const PortModel& model)
      : ranks_(schedule.ranks), model_(model), now_(index_of(schedule.ranks + schedule.switches)) {}

  void delay(Rank rank, double us) { now_[index_of(rank)] += us; }
  void stop(Rank rank) { now_[index_of(rank)] = kNever; }

  Progress play(const std::vector<Message>& messages) {
    count_ports(messages);
    Progress progress{now_, {}};
    std::vector<Rank> last(now_.size());  // the partner that comes last, or itself
    for (std::size_t node = 0; node < now_.size(); ++node) last[node] = static_cast<Rank>(node);
    for (const Message& message : messages) {
      const double start = std::max(at(message.src), at(message.dst));
      const double end = start + duration_us(message);
      for (const Rank rank : {message.src, message.dst}) {
        double& done = progress.done_us[index_of(rank)];
        done = std::max(done, end);
      }
      meet(last, message.src, message.dst);
      meet(last, message.dst, message.src);
    }
    for (Rank rank = 0; rank < static_cast<Rank>(last.size()); ++rank) {
      const Rank on = last[index_of(rank)];
      if (at(on) > at(rank)) progress.waits.push_back({rank, on, at(on) - at(rank)});
    }
    now_ = progress.done_us;
    return progress;
  }

 private:
  double at(Rank rank) const { return now_[index_of(rank)]; }

  void meet(std::vector<Rank>& last, Rank rank, Rank partner) const {
    Rank& known = last[index_of(rank)];
    const bool later = at(partner) > at(known);
    const bool equal_and_lower = at(partner) == at(known) && known != rank && partner < known;
    if (later || equal_and_lower) known = partner;
  }

  // A switch has a port for every rank.
  void count_ports(const std::vector<Message>& messages) {
    out_.assign(now_.size(), 0);
    in_.assign(now_.size(), 0);
    for (const Message& message : messages) {
      if (message.src < ranks_) out_[index_of(message.src)] += message.bytes;
      if (message.dst < ranks_) in_[index_of(message.dst)] += message.bytes;
    }
  }

  double duration_us(const Message& message) const {
    constexpr double kBytesPerMicrosecondAtOneGbps = 1e3;
    const double busier = std::max({message.bytes, out_[index_of(message.src)], in_[index_of(message.dst)]});
    return model_.alpha_us + busier / (model_.gbps * kBytesPerMicrosecondAtOneGbps);
  }

  int ranks_;
  PortModel model_;
  std::vector<double> now_;  // per rank and switch
  std::vector<double> out_;
  std::vector<double> in_;
};

}  // namespace

std::vector<Progress> play_out(const Schedule& schedule, Bytes payload, const PortModel& model, const Fault& fault) {
  const std::vector<Bytes> slot_bytes = even_slots(payload, schedule.slots);
  Clocks clocks(schedule, model);
  if (fault.kind == Fault::Kind::late_gpu) clocks.delay(fault.rank, fault.late_us);
  std::vector<Progress> progress;
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round) {
    if (fault.kind == Fault::Kind::dead_gpu && static_cast<int>(round) == fault.from_round) clocks.stop(fault.rank);
    progress.push_back(clocks.play(messages_of(schedule.rounds[round], slot_bytes, fault)));
  }
  return progress;
}

double makespan_us(const Schedule& schedule, const std::vector<Progress>& progress) {
  if (progress.empty()) return 0;
  const std::vector<double>& done = progress.back().done_us;
  return *std::max_element(done.begin(), done.begin() + schedule.ranks);
}

}  // namespace commflow
