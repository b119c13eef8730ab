#include "core/expert_capacity.h"

#include <algorithm>
#include <limits>

namespace commflow::experts {

Admission::Admission(const Settings& settings, const ExpertsOfRank& experts_of)
    : capacity_(capacity_of(settings).value_or(std::numeric_limits<std::int64_t>::max())),
      wanted_(index_of(settings.experts)) {
  const std::size_t topk = index_of(settings.topk);
  std::vector<std::int64_t> asking(topk * wanted_.size());  // [choice][expert]
  for (Rank rank = 0; rank < ranks_of(settings); ++rank) {
    std::size_t choice = 0;
    for (const int expert : experts_of(rank)) {
      ++asking[choice * wanted_.size() + index_of(expert)];
      if (++choice == topk) choice = 0;
    }
  }
  for (std::size_t entry = 0; entry < asking.size(); ++entry) {
    std::int64_t& wanted = wanted_[entry % wanted_.size()];
    before_.push_back(wanted);
    wanted += asking[entry];
  }
}

std::vector<std::int64_t> Admission::taken() const {
  std::vector<std::int64_t> taken = wanted_;
  for (std::int64_t& copies : taken) copies = std::min(copies, capacity_);
  return taken;
}

}  // namespace commflow::experts
