#include "core/expert_routing.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/expert_skew.h"
#include "core/gate.h"
#include "core/portion.h"
#include "core/tiny_matrix.h"

namespace commflow::experts {
namespace {

// One stream of random numbers per rank: more tokens per rank change no other's.
std::vector<std::uint64_t> seeds_of_ranks(const Settings& settings) {
  Rng rng(settings.seed);
  std::vector<std::uint64_t> seeds(index_of(ranks_of(settings)));
  for (std::uint64_t& seed : seeds) seed = rng.next();
  return seeds;
}

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

// Of how many experts node-limited routing adds the scores, on each node.
int counted_per_node(const Settings& settings) {
  if (settings.topk_nodes == 0) return 1;
  const auto wanted = static_cast<int>(divide_up(settings.topk, settings.topk_nodes));
  return std::min(wanted, experts_per_node(settings));
}

// ---- small: scores that can be shown

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

void append(std::vector<int>& all, const std::vector<int>& more) {
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

// ---- large: experts drawn directly

// topk different experts, one after the other. Where the popular ones are taken
// and drawn again and again, the rest is drawn from what is left: the same
// distribution.
class DistinctDraw {
 public:
  explicit DistinctDraw(const Settings& settings)
      : topk_(settings.topk),
        taken_(index_of(settings.experts), -1),
        draw_(unpopularity(settings.experts, settings.zipf_hundredths, settings.seed)) {}

  int* choose(Rng& rng, int token, int* first) {
    constexpr int kPatience = 8;
    int* chosen = first;
    for (int choice = 0; choice < topk_; ++choice) {
      int expert = draw_.draw(rng);
      for (int tries = 0; tries < kPatience && taken_[index_of(expert)] == token; ++tries) expert = draw_.draw(rng);
      if (taken_[index_of(expert)] == token) expert = draw_.draw_rest(rng, {first, chosen}, taken_, token);
      taken_[index_of(expert)] = token;
      *chosen++ = expert;
    }
    return chosen;
  }

 private:
  int topk_;
  std::vector<int> taken_;  // per expert: the last token that chose it
  ExpertDraw draw_;
};

struct Scored {
  int score = 0;
  int id = 0;
};

// The best few of what was offered, best first; of equals the first offered.
class Best {
 public:
  explicit Best(int size) : kept_(index_of(size)) {}
  void clear() {
    filled_ = 0;
    floor_ = std::numeric_limits<int>::min();
  }
  void offer(Scored one) {
    if (one.score > floor_) insert(one);  // most are turned down here
  }
  std::span<const Scored> kept() const { return {kept_.data(), filled_}; }

 private:
  void insert(Scored one) {
    std::size_t place = filled_ < kept_.size() ? filled_++ : filled_ - 1;
    for (; place > 0 && kept_[place - 1].score < one.score; --place) kept_[place] = kept_[place - 1];
    kept_[place] = one;
    if (filled_ == kept_.size()) floor_ = kept_.back().score;
  }
  std::vector<Scored> kept_;
  std::size_t filled_ = 0;
  int floor_ = std::numeric_limits<int>::min();
};

// Node-limited routing by fine scores, none of which are kept.
class LimitedDraw {
 public:
  explicit LimitedDraw(const Settings& settings)
      : nodes_(settings.nodes),
        experts_per_node_(experts_per_node(settings)),
        scores_(index_of(settings.experts)),
        drawer_(settings),
        best_of_node_(counted_per_node(settings)),
        best_nodes_(settings.topk_nodes),
        best_experts_(settings.topk) {}

  int* choose(Rng& rng, int* chosen) {
    drawer_.draw(rng, scores_);
    best_nodes_.clear();
    for (int node = 0; node < nodes_; ++node) best_nodes_.offer({node_sum(node), node});
    best_experts_.clear();
    for (const Scored& node : best_nodes_.kept()) offer_experts(node.id, best_experts_);
    for (const Scored& expert : best_experts_.kept()) *chosen++ = expert.id;
    return chosen;
  }

 private:
  void offer_experts(int node, Best& best) const {
    const int first = node * experts_per_node_;
    for (int expert = first; expert < first + experts_per_node_; ++expert) {
      best.offer({scores_[index_of(expert)], expert});
    }
  }
  int node_sum(int node) {
    best_of_node_.clear();
    offer_experts(node, best_of_node_);
    int sum = 0;
    for (const Scored& expert : best_of_node_.kept()) sum += expert.score;
    return sum;
  }

  int nodes_, experts_per_node_;
  std::vector<int> scores_;
  FineScores drawer_;
  Best best_of_node_, best_nodes_, best_experts_;
};

Routing route_by_drawing(const Settings& settings) {
  Routing routing{settings.tokens, settings.topk, settings.table, {}, {}};
  if (!settings.table.empty()) return routing;
  routing.experts.resize(index_of(settings.tokens * ranks_of(settings)) * index_of(settings.topk));
  int* chosen = routing.experts.data();
  const auto all_tokens = [&](auto choose_next) {
    int token = 0;
    for (const std::uint64_t seed : seeds_of_ranks(settings)) {
      Rng rng(seed);
      for (int own = 0; own < settings.tokens; ++own) chosen = choose_next(rng, token++);
    }
  };
  if (settings.topk_nodes == 0) {
    DistinctDraw draw(settings);
    all_tokens([&](Rng& rng, int token) { return draw.choose(rng, token, chosen); });
  } else {
    LimitedDraw draw(settings);
    all_tokens([&](Rng& rng, int) { return draw.choose(rng, chosen); });
  }
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

std::vector<std::int64_t> copies_per_expert(const Settings& settings, const Routing& routing) {
  std::vector<std::int64_t> copies(index_of(settings.experts));
  for (const int expert : routing.experts) ++copies[index_of(expert)];
  return copies;
}

std::vector<std::uint8_t> kept_copies(const Settings& settings, const Routing& routing) {
  std::vector<std::uint8_t> kept(routing.experts.size(), 1);
  const std::optional<std::int64_t> capacity = capacity_of(settings);
  if (!capacity) return kept;
  std::vector<std::int64_t> taken(index_of(settings.experts));
  for (int choice = 0; choice < routing.topk; ++choice) {
    for (std::size_t copy = index_of(choice); copy < kept.size(); copy += index_of(routing.topk)) {
      std::int64_t& own = taken[index_of(routing.experts[copy])];
      kept[copy] = own < *capacity ? 1 : 0;
      own += kept[copy];
    }
  }
  return kept;
}

}  // namespace commflow::experts
