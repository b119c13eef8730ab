#include "core/expert_count.h"

#include <algorithm>
#include <numeric>

#include "core/expert_capacity.h"
#include "core/placement.h"

namespace commflow::experts {
namespace {

// Marks what a token has met; nothing is cleared between tokens.
class Seen {
 public:
  explicit Seen(int size) : last_(index_of(size), -1) {}
  bool first_time(int id, int token) {
    int& last = last_[index_of(id)];
    const bool first = last != token;
    last = token;
    return first;
  }

 private:
  std::vector<int> last_;
};

class Counter {
 public:
  Counter(const Settings& settings, Counts& counts)
      : settings_(settings),
        counts_(counts),
        chooser_(counts.hosts),
        rank_seen_(ranks_of(settings)),
        node_seen_(settings.nodes) {
    for (Rank rank = 0; rank < ranks_of(settings); ++rank) node_.push_back(node_of(rank, settings.gpus_per_node));
  }

  // All tokens of a rank; `admission` is null where every copy is taken.
  void count(Rank home, std::span<const int> experts, Admission* admission) {
    chooser_.begin(home);
    split_ = &counts_.split.at(home, 0);
    to_ranks_ = &counts_.to_ranks.at(home, 0);
    to_nodes_ = &counts_.to_nodes[index_of(home) * index_of(settings_.nodes)];
    const std::size_t topk = index_of(settings_.topk);
    for (std::size_t first = 0; first < experts.size(); first += topk) {
      count_token(experts.subspan(first, topk), admission);
    }
  }

 private:
  void count_token(std::span<const int> experts, Admission* admission) {
    int nodes = 0, choice = 0;
    for (const int expert : experts) {
      if (admission != nullptr && !admission->admits(choice++, expert)) continue;
      nodes += count_copy(expert);
    }
    ++counts_.reach.tokens_by_nodes[index_of(nodes)];
    ++token_;
  }

  // How many nodes the token had not met before.
  int count_copy(int expert) {
    const Rank host = chooser_.host_of(expert);
    ++counts_.taken[index_of(expert)];
    ++split_[host];
    if (!rank_seen_.first_time(host, token_)) return 0;
    ++to_ranks_[host];
    const int node = node_[index_of(host)];
    if (!node_seen_.first_time(node, token_)) return 0;
    ++to_nodes_[node];
    return 1;
  }

  const Settings& settings_;
  Counts& counts_;
  HostChooser chooser_;
  Seen rank_seen_, node_seen_;
  std::vector<int> node_;                                                      // of each rank
  std::int64_t *split_ = nullptr, *to_ranks_ = nullptr, *to_nodes_ = nullptr;  // those of the home
  int token_ = 0;
};

Counts empty_counts(const Settings& settings) {
  Counts counts;
  counts.taken.resize(index_of(settings.experts));
  counts.capacity = capacity_of(settings);
  counts.split = counts.to_ranks = Flow(ranks_of(settings));
  counts.to_nodes.resize(index_of(ranks_of(settings)) * index_of(settings.nodes));
  counts.reach.tokens_by_nodes.resize(index_of(settings.nodes) + 1);
  return counts;
}

// What was counted per token apart, all else about the reach can be read off the flows.
void sum_reach(const Settings& settings, Counts& counts) {
  Reach& reach = counts.reach;
  const int gpus = settings.gpus_per_node;
  for (Rank home = 0; home < ranks_of(settings); ++home) {
    for (Rank host = 0; host < ranks_of(settings); ++host) {
      const std::int64_t copies = counts.split.at(home, host), tokens = counts.to_ranks.at(home, host);
      const bool off_rank = home != host, off_node = node_of(home, gpus) != node_of(host, gpus);
      reach.copies += copies;
      reach.ranks += tokens;
      reach.off_rank_copies += off_rank ? copies : 0;
      reach.off_rank_ranks += off_rank ? tokens : 0;
      reach.off_node_copies += off_node ? copies : 0;
      reach.off_node_ranks += off_node ? tokens : 0;
    }
    for (int node = 0; node < settings.nodes; ++node) {
      const std::int64_t tokens = counts.to_nodes[index_of(home * settings.nodes + node)];
      reach.nodes += tokens;
      reach.off_node_nodes += node_of(home, gpus) != node ? tokens : 0;
    }
  }
}

Counts count(const Settings& settings, const ExpertsOfRank& experts_of) {
  Counts counts = empty_counts(settings);
  // Without these three nobody must know all tokens before the first one is counted.
  std::optional<Admission> admission;
  const bool by_load = settings.replicas_per_rank > 0 || settings.placement == Placement::balanced;
  if (counts.capacity || by_load) admission.emplace(settings, experts_of);
  counts.hosts = place_experts(settings, admission ? admission->taken() : counts.taken);
  Counter counter(settings, counts);
  for (Rank home = 0; home < ranks_of(settings); ++home) {
    counter.count(home, experts_of(home), counts.capacity ? &*admission : nullptr);
  }
  counts.wanted = admission ? admission->wanted() : counts.taken;
  sum_reach(settings, counts);
  counts.dropped = tokens_of_all(settings) * settings.topk - counts.reach.copies;
  return by_way_of(settings, std::move(counts));
}

}  // namespace

Flow transposed(const Flow& flow) {
  Flow result(flow.ranks);
  for (Rank source = 0; source < flow.ranks; ++source) {
    for (Rank destination = 0; destination < flow.ranks; ++destination) {
      result.vectors[index_of(destination) * index_of(flow.ranks) + index_of(source)] = flow.at(source, destination);
    }
  }
  return result;
}

std::vector<std::int64_t> row_sums(const Flow& flow) {
  std::vector<std::int64_t> sums;
  for (auto row = flow.vectors.begin(); row != flow.vectors.end(); row += flow.ranks) {
    sums.push_back(std::accumulate(row, row + flow.ranks, std::int64_t{0}));
  }
  return sums;
}

std::vector<std::int64_t> column_sums(const Flow& flow) {
  std::vector<std::int64_t> sums(index_of(flow.ranks));
  for (std::size_t i = 0; i < flow.vectors.size(); ++i) sums[i % sums.size()] += flow.vectors[i];
  return sums;
}

Rank relay_of(const Settings& settings, Rank home, Rank host) {
  const int gpus = settings.gpus_per_node;
  return host / gpus * gpus + home % gpus;
}

Counts count_layer(const Settings& settings, const Routing& routing) {
  return count(settings, experts_of_routing(routing));
}

Counts count_layer(const Settings& settings) {
  const bool drawn = settings.table.empty() && !executable(settings);
  return drawn ? count(settings, drawn_experts(settings)) : count_layer(settings, route(settings));
}

Counts by_way_of(const Settings& settings, Counts counts) {
  const Flow& sent = settings.dedup == Dedup::none ? counts.split : counts.to_ranks;
  if (settings.path == Path::one_hop) {
    counts.legs = {sent};
    return counts;
  }
  counts.legs.assign(2, Flow(ranks_of(settings)));
  for (Rank home = 0; home < ranks_of(settings); ++home) {
    for (Rank host = 0; host < ranks_of(settings); ++host) {
      const Rank relay = relay_of(settings, home, host);
      if (settings.dedup != Dedup::per_node) counts.legs[0].at(home, relay) += sent.at(home, host);
      counts.legs[1].at(relay, host) += sent.at(home, host);
    }
    if (settings.dedup != Dedup::per_node) continue;
    for (int node = 0; node < settings.nodes; ++node) {
      const Rank relay = relay_of(settings, home, node * settings.gpus_per_node);
      counts.legs[0].at(home, relay) = counts.to_nodes[index_of(home * settings.nodes + node)];
    }
  }
  return counts;
}

bool counted_alike(const Settings& a, const Settings& b) {
  return a.nodes == b.nodes && a.gpus_per_node == b.gpus_per_node && a.experts == b.experts && a.topk == b.topk &&
         a.tokens == b.tokens && a.seed == b.seed && a.zipf_hundredths == b.zipf_hundredths &&
         a.topk_nodes == b.topk_nodes && a.table == b.table && a.capacity_thousandths == b.capacity_thousandths &&
         a.replicas_per_rank == b.replicas_per_rank && a.placement == b.placement;
}

std::optional<Expected> expected_of(const Settings& settings) {
  const bool even = settings.zipf_hundredths == 0 && settings.topk_nodes == 0 && settings.capacity_thousandths == 0 &&
                    settings.replicas_per_rank == 0 && settings.table.empty();
  if (!even) return std::nullopt;
  const double ranks = ranks_of(settings);
  const double off_rank = (ranks - 1) / ranks;
  const double off_node = (settings.nodes - 1.0) / settings.nodes;
  Expected expected;
  expected.off_rank_copies = settings.topk * off_rank;
  expected.off_node_copies = settings.topk * off_node;
  expected.ranks = expected_distinct_ranks(settings.experts, ranks_of(settings), settings.topk);
  expected.nodes = expected_distinct_ranks(settings.experts, settings.nodes, settings.topk);
  expected.off_rank_ranks = off_rank * expected.ranks;
  expected.off_node_ranks = off_node * expected.ranks;
  expected.off_node_nodes = off_node * expected.nodes;
  return expected;
}

}  // namespace commflow::experts
