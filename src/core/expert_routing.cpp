#include "core/expert_routing.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/expert_capacity.h"
#include "core/expert_skew.h"
#include "core/gate.h"
#include "core/tiny_matrix.h"

namespace commflow::experts {
namespace {

const Noise& shared_noise() {
  static const Noise noise;
  return noise;
}

// log2(popularity) + noise of all experts for one token, in units of 2^-16.
class FineScores {
 public:
  explicit FineScores(const Settings& settings) {
    for (const std::int64_t below : unpopularity(settings.experts, settings.zipf_hundredths, settings.seed)) {
      popular_.push_back(-static_cast<int>(below >> (kLogBits - 16)));
    }
  }

  void draw(Rng& rng, std::vector<int>& scores) const {
    const Noise& noise = *noise_;
    std::size_t expert = 0;
    for (; expert + 1 < popular_.size(); expert += 2) {
      const std::uint64_t bits = rng.next();
      scores[expert] = popular_[expert] + noise.of(static_cast<std::uint32_t>(bits >> 32));
      scores[expert + 1] = popular_[expert + 1] + noise.of(static_cast<std::uint32_t>(bits));
    }
    if (expert < popular_.size()) {
      scores[expert] = popular_[expert] + noise.of(static_cast<std::uint32_t>(rng.next() >> 32));
    }
  }

 private:
  const Noise* noise_ = &shared_noise();
  std::vector<int> popular_;
};

// Scores in points, all different and in the order of the fine ones: of two that
// round to the same, the better one gets a point more.
std::vector<Value> shown_scores(const std::vector<int>& fine) {
  std::vector<std::size_t> order(fine.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return fine[a] < fine[b]; });
  std::vector<Value> scores(fine.size());
  Value last = std::numeric_limits<int>::min();
  for (const std::size_t expert : order) {
    last = std::max(last + 1, (Value{fine[expert]} * kScorePoints) >> 16);
    scores[expert] = last;
  }
  return scores;
}

void append(std::vector<int>& all, std::span<const int> more) {
  all.insert(all.end(), more.begin(), more.end());
}

Routing route_by_scores(const Settings& settings) {
  Routing routing{settings.tokens, settings.topk, settings.table, {}, {}};
  const FineScores drawer(settings);
  std::vector<int> fine(index_of(settings.experts));
  for (const std::uint64_t seed : seeds_of_ranks(settings)) {
    Rng rng(seed);
    for (int token = 0; token < settings.tokens; ++token) {
      drawer.draw(rng, fine);
      const std::vector<Value> scores = shown_scores(fine);
      routing.scores.insert(routing.scores.end(), scores.begin(), scores.end());
      if (settings.table.empty()) append(routing.experts, choose(settings, scores));
    }
  }
  for (int token = 0; token < routing.all_tokens(); ++token) {
    std::vector<Value> chosen;
    for (int choice = 0; choice < settings.topk; ++choice) {
      const int expert = routing.experts[routing.at(token, choice)];
      chosen.push_back(routing.scores[index_of(token) * index_of(settings.experts) + index_of(expert)]);
    }
    append(routing.weights, weights_of(chosen));
  }
  return routing;
}

Routing route_by_drawing(const Settings& settings) {
  Routing routing{settings.tokens, settings.topk, settings.table, {}, {}};
  if (!settings.table.empty()) return routing;
  const ExpertsOfRank experts_of = drawn_experts(settings);
  for (Rank rank = 0; rank < ranks_of(settings); ++rank) append(routing.experts, experts_of(rank));
  return routing;
}

}  // namespace

Routing route(const Settings& settings) {
  return executable(settings) ? route_by_scores(settings) : route_by_drawing(settings);
}

std::vector<int> allowed_nodes(const Settings& settings, std::span<const Value> scores) {
  const auto size = index_of(experts_per_node(settings));
  std::vector<Value> sums;
  for (int node = 0; node < settings.nodes; ++node) {
    const std::span<const Value> own = scores.subspan(index_of(node) * size, size);
    sums.push_back(0);
    for (const int expert : top_k(own, counted_per_node(settings))) sums.back() += own[index_of(expert)];
  }
  return top_k(sums, settings.topk_nodes == 0 ? settings.nodes : settings.topk_nodes);
}

std::vector<int> choose(const Settings& settings, std::span<const Value> scores) {
  std::vector<Value> open(scores.size(), std::numeric_limits<Value>::min());
  const int size = experts_per_node(settings);
  for (const int node : allowed_nodes(settings, scores)) {
    for (int expert = node * size; expert < (node + 1) * size; ++expert) {
      open[index_of(expert)] = scores[index_of(expert)];
    }
  }
  return top_k(open, settings.topk);
}

std::vector<int> weights_of(std::span<const Value> chosen_scores) {
  std::vector<Value> factors;
  for (const Value score : chosen_scores) factors.push_back(tiny::rounded_ratio(score, kScorePoints));
  return gate_weights(factors);
}

ExpertsOfRank experts_of_routing(const Routing& routing) {
  return [&routing, size = index_of(routing.tokens) * index_of(routing.topk)](Rank rank) {
    return std::span<const int>(routing.experts).subspan(index_of(rank) * size, size);
  };
}

std::vector<std::uint8_t> kept_copies(const Settings& settings, const Routing& routing) {
  Admission admission(settings, experts_of_routing(routing));
  std::vector<std::uint8_t> kept;
  int choice = 0;
  for (const int expert : routing.experts) {
    kept.push_back(admission.admits(choice, expert) ? 1 : 0);
    if (++choice == routing.topk) choice = 0;
  }
  return kept;
}

}  // namespace commflow::experts
