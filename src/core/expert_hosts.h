#pragma once
// On which ranks each expert lies. Every rank has experts / ranks of its own, which
// ones Placement says;
// replicas of hot experts take load off the rank where the expert is at home, and
// cost memory. In the manner of EPLB (deepseek-ai/EPLB): the expert with the
// largest load per copy gets the next copy.

#include <cstdint>
#include <vector>

#include "core/expert_settings.h"

namespace commflow::experts {

struct Hosts {
  // Of each expert: its home first, then its replicas in the order in which they
  // were given out. No rank twice.
  std::vector<std::vector<Rank>> of_expert;
  // Of each rank: its own experts ascending, then replicas in that order.
  std::vector<std::vector<int>> on_rank;
};

// load: copies that each expert gets. Replicas are given out one by one: the
// expert with the largest load per copy (of equals the lower one) among those
// that a rank with room lacks; of these ranks it goes to the one with the least
// load (of equals the lower one). With node-limited routing replicas stay on the
// expert's node, so that the limit holds. Loads are as large as they are when
// an expert's copies share its tokens evenly.
Hosts place_experts(const Settings& settings, const std::vector<std::int64_t>& load);

// Which host takes a copy: the i-th one that `home` sends to an expert with c
// hosts goes to number (home + i) mod c. Every rank knows that without asking.
class HostChooser {
 public:
  explicit HostChooser(const Hosts& hosts) : hosts_(&hosts), next_(hosts.of_expert.size()) {}
  // Call before the first copy of each home.
  void begin(Rank home);
  Rank host_of(int expert) {
    const std::vector<Rank>& hosts = hosts_->of_expert[static_cast<std::size_t>(expert)];
    if (hosts.size() == 1) return hosts.front();
    return hosts[next_[static_cast<std::size_t>(expert)]++ % hosts.size()];
  }

 private:
  const Hosts* hosts_;
  std::vector<std::size_t> next_;
};

// Parameters that the replicas add, on one rank with all its places for replicas
// filled and in one layer.
std::int64_t replica_params(const Settings& settings, std::int64_t params_of_expert);

}  // namespace commflow::experts
