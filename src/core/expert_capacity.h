#pragma once
// Who gets into an expert whose capacity is limited, and how many want to. Knows
// nothing of where experts lie.

#include <cstdint>
#include <vector>

#include "core/expert_draw.h"
#include "core/index.h"

namespace commflow::experts {

// First choices of all tokens come before second choices and so on, as in GShard
// (arXiv 2006.16668); among those of one choice the lower token comes first. The
// queues are known beforehand, so that tokens can be asked about one after the
// other, and need not be kept.
class Admission {
 public:
  Admission(const Settings& settings, const ExpertsOfRank& experts_of);
  // Copies that want to go to each expert.
  const std::vector<std::int64_t>& wanted() const { return wanted_; }
  // Those that get in: all of them without a capacity.
  std::vector<std::int64_t> taken() const;
  // Whether the expert takes the copy. Ask once per copy, lower tokens first.
  bool admits(int choice, int expert) {
    return before_[index_of(choice) * wanted_.size() + index_of(expert)]++ < capacity_;
  }

 private:
  std::int64_t capacity_;  // the largest number without one
  std::vector<std::int64_t> wanted_;
  std::vector<std::int64_t> before_;  // [choice][expert]: copies ahead of the next one that asks
};

}  // namespace commflow::experts
