#pragma once
// Who waits for whom when a link is slow, or a GPU late or dead: a clock per rank
// instead of rounds that all begin together. In a round a message starts when both
// ends are through with the rounds before, and takes alpha and the time of the
// busier of the two ports; a rank that has nothing to do goes on at once. Without a
// fault, and where every port is equally busy, this is the port model of traffic.h;
// otherwise never slower.

#include <optional>
#include <vector>

#include "core/traffic.h"

namespace commflow {

struct Fault {
  enum class Kind : std::uint8_t {
    none,
    slow_link,  // what rank and peer send each other takes `factor` times as long
    late_gpu,   // rank begins late_us after the others
    dead_gpu,   // rank does nothing from round `from_round` on (0 is the first)
  };
  Kind kind = Kind::none;
  Rank rank = 0;
  Rank peer = 0;
  double factor = 1;  // >= 1
  double late_us = 0;
  int from_round = 0;
};

struct Wait {
  Rank rank = 0;
  Rank on = 0;    // the partner of this round that comes last; of equals the lowest number
  double us = 0;  // infinite where it never comes
  bool operator==(const Wait&) const = default;
};

struct Progress {
  std::vector<double> done_us;  // per rank, then per switch: through with this round; infinite: never
  std::vector<Wait> waits;      // ascending by rank; switches, numbered after the ranks, may wait and be waited for
};

// One entry per round of the schedule. No message is lost or sent again: who waits for
// a dead GPU waits for ever, and so does who waits for that one.
std::vector<Progress> play_out(const Schedule& schedule, Bytes payload, const PortModel& model, const Fault& fault);

// When the last rank is through with everything; infinite where one never is.
double makespan_us(const Schedule& schedule, const std::vector<Progress>& progress);

}  // namespace commflow
