#include "core/expert_count.h"

#include <algorithm>
#include <numeric>

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
  Counter(const Settings& settings, const Routing& routing, Counts& counts)
      : settings_(settings),
        routing_(routing),
        counts_(counts),
        chooser_(counts.hosts),
        rank_seen_(ranks_of(settings)),
        node_seen_(settings.nodes) {
    counts_.reach.tokens_by_nodes.resize(index_of(settings.nodes) + 1);
    for (Rank rank = 0; rank < ranks_of(settings); ++rank) node_.push_back(node_of(rank, settings.gpus_per_node));
  }

  void count(const std::vector<std::uint8_t>& kept) {
    int token = 0;
    for (Rank home = 0; home < ranks_of(settings_); ++home) {
      chooser_.begin(home);
      for (int own = 0; own < settings_.tokens; ++own) count_token(home, token++, kept);
    }
  }

 private:
  void count_token(Rank home, int token, const std::vector<std::uint8_t>& kept) {
    nodes_of_token_ = 0;
    const std::size_t first = routing_.at(token, 0);
    for (std::size_t copy = first; copy < first + index_of(routing_.topk); ++copy) {
      if (kept[copy] != 0) count_copy(home, token, routing_.experts[copy]);
    }
    ++counts_.reach.tokens_by_nodes[index_of(nodes_of_token_)];
  }

  void count_copy(Rank home, int token, int expert) {
    const Rank host = chooser_.host_of(expert);
    ++counts_.taken[index_of(expert)];
    counts_.split.add(home, host);
    const int node = node_[index_of(host)];
    const bool new_rank = rank_seen_.first_time(host, token);
    const bool new_node = node_seen_.first_time(node, token);
    reach(home != host, node_[index_of(home)] != node, new_rank, new_node);
    move(home, host, new_rank, new_node);
  }

  void reach(bool off_rank, bool off_node, bool new_rank, bool new_node) {
    Reach& reach = counts_.reach;
    ++reach.copies;
    reach.off_rank_copies += off_rank;
    reach.off_node_copies += off_node;
    reach.ranks += new_rank;
    reach.off_rank_ranks += off_rank && new_rank;
    reach.off_node_ranks += off_node && new_rank;
    reach.nodes += new_node;
    reach.off_node_nodes += off_node && new_node;
    nodes_of_token_ += new_node;
  }

  void move(Rank home, Rank host, bool new_rank, bool new_node) {
    const bool to_rank = settings_.dedup == Dedup::none || new_rank;
    if (settings_.path == Path::one_hop) {
      if (to_rank) counts_.legs[0].add(home, host);
      return;
    }
    const Rank relay = relay_of(settings_, home, host);
    if (settings_.dedup == Dedup::per_node ? new_node : to_rank) counts_.legs[0].add(home, relay);
    if (to_rank) counts_.legs[1].add(relay, host);
  }

  const Settings& settings_;
  const Routing& routing_;
  Counts& counts_;
  HostChooser chooser_;
  Seen rank_seen_, node_seen_;
  std::vector<int> node_;  // of each rank
  int nodes_of_token_ = 0;
};

std::vector<std::int64_t> kept_load(const Settings& settings, const Routing& routing,
                                    const std::vector<std::uint8_t>& kept) {
  std::vector<std::int64_t> load(index_of(settings.experts));
  for (std::size_t copy = 0; copy < kept.size(); ++copy) load[index_of(routing.experts[copy])] += kept[copy];
  return load;
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
  return row_sums(transposed(flow));
}

Rank relay_of(const Settings& settings, Rank home, Rank host) {
  const int gpus = settings.gpus_per_node;
  return host / gpus * gpus + home % gpus;
}

Counts count_layer(const Settings& settings, const Routing& routing) {
  const int ranks = ranks_of(settings);
  const std::vector<std::uint8_t> kept = kept_copies(settings, routing);
  Counts counts{copies_per_expert(settings, routing),
                std::vector<std::int64_t>(index_of(settings.experts)),
                capacity_of(settings),
                std::count(kept.begin(), kept.end(), 0),
                place_experts(settings, kept_load(settings, routing, kept)),
                Flow(ranks),
                std::vector<Flow>(settings.path == Path::one_hop ? 1 : 2, Flow(ranks)),
                {}};
  Counter(settings, routing, counts).count(kept);
  return counts;
}

Counts count_layer(const Settings& settings) {
  return count_layer(settings, route(settings));
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
