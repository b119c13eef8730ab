#include "core/traffic.h"

#include <algorithm>
#include <span>

#include "core/index.h"

namespace commflow {
namespace {

constexpr double kBytesPerMicrosecondAtOneGbps = 1e3;

// Bytes through the ports of every rank in one round, and who met whom.
class Ports {
 public:
  Ports(int ranks, int switches)
      : ranks_(ranks),
        nodes_(ranks + switches),
        sent_(index_of(nodes_)),
        received_(index_of(nodes_)),
        last_met_(index_of(nodes_) * index_of(nodes_)) {}

  void count_round(const Round& round, const std::vector<Bytes>& slot_bytes, Traffic& traffic) {
    const bool any = std::any_of(round.begin(), round.end(), [](const Transfer& t) { return !t.local(); });
    if (!any) return;
    ++traffic.rounds;
    std::fill(sent_.begin(), sent_.end(), 0);
    std::fill(received_.begin(), received_.end(), 0);
    for (const Transfer& transfer : round) {
      if (!transfer.local()) count_transfer(transfer, slot_bytes[index_of(transfer.src.slot)], traffic);
    }
    add_round_to(traffic);
  }

 private:
  void count_transfer(const Transfer& transfer, Bytes bytes, Traffic& traffic) {
    sent_[index_of(transfer.src.rank)] += bytes;
    received_[index_of(transfer.dst.rank)] += bytes;
    int& met = last_met_[index_of(transfer.src.rank) * index_of(nodes_) + index_of(transfer.dst.rank)];
    if (met != traffic.rounds) ++traffic.messages;  // the first slot of this pair in this round
    met = traffic.rounds;
  }

  void add_round_to(Traffic& traffic) const {
    Bytes busiest = 0;
    for (std::size_t rank = 0; rank < index_of(ranks_); ++rank) {
      traffic.sent[rank] += sent_[rank];
      traffic.received[rank] += received_[rank];
      busiest = std::max({busiest, sent_[rank], received_[rank]});
    }
    traffic.critical_path_bytes += busiest;
  }

  int ranks_;
  int nodes_;  // ranks and switches; a switch has a port for every rank, which never is the busiest
  std::vector<Bytes> sent_;
  std::vector<Bytes> received_;
  std::vector<int> last_met_;  // [src][dst]: number of the round of their last message
};

}  // namespace

Bytes block_bytes(Bytes payload, int blocks, int block) {
  // floor(i * S / n) without the product, which could overflow.
  const Bytes quotient = payload / blocks;
  const Bytes rest = payload % blocks;
  const auto start = [&](Bytes i) { return quotient * i + rest * i / blocks; };
  return start(block + 1) - start(block);
}

Traffic count_traffic(const Schedule& schedule, const std::vector<Bytes>& slot_bytes) {
  Traffic traffic;
  traffic.sent.resize(index_of(schedule.ranks));
  traffic.received.resize(index_of(schedule.ranks));
  Ports ports(schedule.ranks, schedule.switches);
  for (const Round& round : schedule.rounds) ports.count_round(round, slot_bytes, traffic);
  return traffic;
}

std::vector<Bytes> even_slots(Bytes payload, int slots) {
  std::vector<Bytes> slot_bytes;
  slot_bytes.reserve(index_of(slots));
  for (int slot = 0; slot < slots; ++slot) slot_bytes.push_back(block_bytes(payload, slots, slot));
  return slot_bytes;
}

Traffic count_traffic(const Schedule& schedule, Bytes payload) {
  return count_traffic(schedule, even_slots(payload, schedule.slots));
}

LevelTraffic count_levels(const Schedule& schedule, Bytes payload, int gpus_per_node) {
  LevelTraffic levels{std::vector<Bytes>(index_of(schedule.ranks)), std::vector<Bytes>(index_of(schedule.ranks))};
  const std::vector<Bytes> slot_bytes = even_slots(payload, schedule.slots);
  for (const Round& round : schedule.rounds) {
    for (const Transfer& transfer : round) {
      if (transfer.local() || transfer.src.rank >= schedule.ranks) continue;
      const bool inside = transfer.src.rank / gpus_per_node == transfer.dst.rank / gpus_per_node;
      (inside ? levels.intra : levels.inter)[index_of(transfer.src.rank)] += slot_bytes[index_of(transfer.src.slot)];
    }
  }
  return levels;
}

double time_us(const Traffic& traffic, const PortModel& model) {
  const double bytes_per_us = model.gbps * kBytesPerMicrosecondAtOneGbps;
  return traffic.rounds * model.alpha_us + static_cast<double>(traffic.critical_path_bytes) / bytes_per_us;
}

std::optional<double> crossing_bytes(const Traffic& a, const Traffic& b, Bytes payload, const PortModel& model) {
  const Traffic& fewer = a.rounds < b.rounds ? a : b;
  const Traffic& more = a.rounds < b.rounds ? b : a;
  const double dearer_per_byte =
      static_cast<double>(fewer.critical_path_bytes - more.critical_path_bytes) / static_cast<double>(payload);
  if (more.rounds == fewer.rounds || dearer_per_byte <= 0) return std::nullopt;
  const double bytes_per_us = model.gbps * kBytesPerMicrosecondAtOneGbps;
  return (more.rounds - fewer.rounds) * model.alpha_us * bytes_per_us / dearer_per_byte;
}

}  // namespace commflow
