#include "core/expert_hosts.h"

#include <algorithm>
#include <numeric>

#include "core/index.h"
#include "core/ordering.h"
#include "core/placement.h"

namespace commflow::experts {
namespace {

// Loads are divided by numbers of copies; as fractions of this they stay whole.
constexpr std::int64_t kLoadUnit = 1 << 16;

class Placing {
 public:
  Placing(const Settings& settings, const std::vector<std::int64_t>& load) : settings_(settings), load_(load) {
    hosts_.on_rank.resize(index_of(ranks_of(settings)));
    hosts_.of_expert.resize(index_of(settings.experts));
    settings.placement == Placement::balanced ? place_by_load() : place_in_order();
  }

  // False when no further replica has a place.
  bool add_replica() {
    const std::vector<std::int64_t> loads = loads_of_ranks();
    int hottest = -1;
    Rank place = -1;
    for (int expert = 0; expert < settings_.experts; ++expert) {
      if (hottest >= 0 && load_per_copy(expert) <= load_per_copy(hottest)) continue;
      const Rank rank = place_for(expert, loads);
      if (rank < 0) continue;
      hottest = expert;
      place = rank;
    }
    if (hottest < 0) return false;
    hosts_.of_expert[index_of(hottest)].push_back(place);
    hosts_.on_rank[index_of(place)].push_back(hottest);
    return true;
  }

  const Hosts& hosts() const { return hosts_; }

 private:
  void place(int expert, Rank home) {
    hosts_.of_expert[index_of(expert)] = {home};
    hosts_.on_rank[index_of(home)].push_back(expert);
  }

  void place_in_order() {
    for (int expert = 0; expert < settings_.experts; ++expert) place(expert, home_of_expert(settings_, expert));
  }

  void place_by_load() {
    std::vector<int> order(load_.size());
    std::iota(order.begin(), order.end(), 0);
    sort_stably(order, [&](int a, int b) { return load_[index_of(a)] > load_[index_of(b)]; });
    std::vector<std::int64_t> loads(hosts_.on_rank.size());
    for (const int expert : order) {
      Rank home = -1;
      for (Rank rank = 0; rank < std::ssize(loads); ++rank) {
        const bool full = std::ssize(hosts_.on_rank[index_of(rank)]) == experts_per_rank(settings_);
        if (full || !on_its_node(rank, home_of_expert(settings_, expert))) continue;
        if (home < 0 || loads[index_of(rank)] < loads[index_of(home)]) home = rank;
      }
      loads[index_of(home)] += load_[index_of(expert)];
      place(expert, home);
    }
    for (std::vector<int>& own : hosts_.on_rank) sort_stably(own);
  }

  // The limit of nodes counts experts by their number; a node's stay on it.
  bool on_its_node(Rank rank, Rank home) const {
    return settings_.topk_nodes == 0 ||
           node_of(rank, settings_.gpus_per_node) == node_of(home, settings_.gpus_per_node);
  }

  std::int64_t load_per_copy(int expert) const {
    return load_[index_of(expert)] * kLoadUnit / std::ssize(hosts_.of_expert[index_of(expert)]);
  }

  std::vector<std::int64_t> loads_of_ranks() const {
    std::vector<std::int64_t> loads;
    for (const std::vector<int>& own : hosts_.on_rank) {
      loads.push_back(0);
      for (const int expert : own) loads.back() += load_per_copy(expert);
    }
    return loads;
  }

  bool may_host(Rank rank, int expert) const {
    const std::vector<int>& own = hosts_.on_rank[index_of(rank)];
    if (std::ssize(own) >= experts_per_rank(settings_) + settings_.replicas_per_rank) return false;
    if (std::find(own.begin(), own.end(), expert) != own.end()) return false;
    return on_its_node(rank, hosts_.of_expert[index_of(expert)].front());
  }

  // The least loaded rank that may have a further copy, or -1.
  Rank place_for(int expert, const std::vector<std::int64_t>& loads) const {
    Rank place = -1;
    for (Rank rank = 0; rank < std::ssize(loads); ++rank) {
      if (!may_host(rank, expert)) continue;
      if (place < 0 || loads[index_of(rank)] < loads[index_of(place)]) place = rank;
    }
    return place;
  }

  const Settings& settings_;
  const std::vector<std::int64_t>& load_;
  Hosts hosts_;
};

}  // namespace

Hosts place_experts(const Settings& settings, const std::vector<std::int64_t>& load) {
  Placing placing(settings, load);
  for (int replica = 0; replica < settings.replicas_per_rank * ranks_of(settings); ++replica) {
    if (!placing.add_replica()) break;
  }
  return placing.hosts();
}

void HostChooser::begin(Rank home) {
  std::fill(next_.begin(), next_.end(), index_of(home));
}

std::int64_t replica_params(const Settings& settings, std::int64_t params_of_expert) {
  return settings.replicas_per_rank * params_of_expert;
}

}  // namespace commflow::experts
