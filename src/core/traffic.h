#pragma once
// Bytes and time of a schedule, counted on the schedule itself.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/collective.h"

namespace commflow {

using Bytes = std::int64_t;

// Block i of S bytes over n blocks is bytes floor(i*S/n) .. floor((i+1)*S/n):
// sizes that do not divide are handled exactly, no byte lost.
Bytes block_bytes(Bytes payload, int blocks, int block);
std::vector<Bytes> even_slots(Bytes payload, int slots);  // the bytes of all blocks

struct Traffic {
  int rounds = 0;
  std::int64_t messages = 0;      // all slots from one rank to another in one round are one message
  std::vector<Bytes> sent;        // per rank
  std::vector<Bytes> received;    // per rank
  Bytes critical_path_bytes = 0;  // sum over rounds of the largest max(sent, received) of a rank
  bool operator==(const Traffic&) const = default;
};

// slot_bytes[s] = bytes of slot s. Local moves count for nothing; a round with
// only local moves is no round.
Traffic count_traffic(const Schedule& schedule, const std::vector<Bytes>& slot_bytes);
// Payload S of the collective as facts of nccl-tests define it, cut into the
// schedule's slots by block_bytes().
Traffic count_traffic(const Schedule& schedule, Bytes payload);

// What every rank sends inside its node and to other nodes; ranks fill the nodes in
// order, gpus_per_node each.
struct LevelTraffic {
  std::vector<Bytes> intra;  // per rank
  std::vector<Bytes> inter;  // per rank
  bool operator==(const LevelTraffic&) const = default;
};
LevelTraffic count_levels(const Schedule& schedule, Bytes payload, int gpus_per_node);

// Port model: rounds * alpha + critical_path_bytes / bandwidth. alpha in
// microseconds, bandwidth in GB/s (10^9 bytes/s) per rank and direction.
struct PortModel {
  double alpha_us = 0;
  double gbps = 1;
};
double time_us(const Traffic& traffic, const PortModel& model);

// Where two algorithms, counted at the same payload, take equally long: a payload in
// bytes, taking critical_path_bytes as proportional to it. nullopt where the one with
// fewer rounds is at least as fast at every size.
std::optional<double> crossing_bytes(const Traffic& a, const Traffic& b, Bytes payload, const PortModel& model);

}  // namespace commflow
