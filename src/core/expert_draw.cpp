#include "core/expert_draw.h"

#include <algorithm>
#include <limits>

#include "core/expert_skew.h"
#include "core/index.h"
#include "core/portion.h"

namespace commflow::experts {
namespace {

// topk different experts, one after the other. Where the popular ones are taken
// and drawn again and again, the rest is drawn from what is left: the same
// distribution.
class DistinctDraw {
 public:
  explicit DistinctDraw(const Settings& settings)
      : topk_(settings.topk),
        taken_(index_of(settings.experts), -1),
        draw_(unpopularity(settings.experts, settings.zipf_hundredths, settings.seed)) {}

  void choose(Rng& rng, int token, int* first) {
    constexpr int kPatience = 8;
    int* chosen = first;
    for (int choice = 0; choice < topk_; ++choice) {
      int expert = draw_.draw(rng);
      for (int tries = 0; tries < kPatience && taken_[index_of(expert)] == token; ++tries) expert = draw_.draw(rng);
      if (taken_[index_of(expert)] == token)
        expert = draw_.draw_rest(rng, draw_.left_by({first, chosen}), taken_, token);
      taken_[index_of(expert)] = token;
      *chosen++ = expert;
    }
  }

 private:
  int topk_;
  std::vector<int> taken_;  // per expert: the last token that chose it
  ExpertDraw draw_;
};

// The experts of one node in the order in which they come, where each comes again
// and again at random, as often as it is popular. A score, log2(popularity) + noise
// (see Noise), is distributed as -log2 of the time of an expert's first coming. So
// the first to come are those with the best scores, and those of all others need not
// be known.
class Race {
 public:
  Race(const Settings& settings, int node, const std::vector<std::int64_t>& unpopular)
      : first_(node * experts_per_node(settings)),
        draw_({unpopular.begin() + first_, unpopular.begin() + first_ + experts_per_node(settings)}),
        unit_(1.0 / static_cast<double>(draw_.total())),
        taken_(index_of(experts_per_node(settings)), -1) {}

  void begin(int token) {
    token_ = token;
    now_ = 1;
    left_ = draw_.total();
  }
  bool is_over() const { return left_ == 0; }
  // When the last one came; the product of two doubles is rounded alike everywhere.
  double time() const { return static_cast<double>(static_cast<std::int64_t>(now_)) * unit_; }

  // The next one that has not come yet.
  int next(Rng& rng, const QuickLog& log) {
    while (left_ * kPatience >= draw_.total()) {
      const std::uint64_t bits = rng.next();
      now_ += gap(bits, log);
      const int expert = draw_.of(static_cast<std::uint32_t>(bits >> 32));
      if (taken_[index_of(expert)] != token_) return taken(expert);
    }
    // Hardly any of those drawn would be new. Some expert of the rest comes left / total times as often as any.
    now_ += gap(rng.next(), log) * draw_.total() / left_;
    return taken(draw_.draw_rest(rng, left_, taken_, token_));
  }

 private:
  static constexpr std::uint64_t kPatience = 4;

  // Exponentially distributed, from the lower 32 bits.
  static std::uint64_t gap(std::uint64_t bits, const QuickLog& log) {
    return (32U << QuickLog::kBits) - log.of((bits & 0xFFFFFFFFU) + 1);
  }
  int taken(int expert) {
    taken_[index_of(expert)] = token_;
    left_ -= draw_.weight(expert);
    return first_ + expert;
  }

  int first_;
  ExpertDraw draw_;
  double unit_;             // rarer where the node is less popular
  std::vector<int> taken_;  // per expert: the last token for which it came
  int token_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t left_ = 0;  // weight of the experts that have not come
};

// Node-limited routing without a score for every expert: a node's sum of best scores
// is minus the logarithm of the product of the times at which its first experts
// came, and the best experts of the allowed nodes are those that came first. That
// takes some 20 draws instead of 256 scores.
class LimitedDraw {
 public:
  explicit LimitedDraw(const Settings& settings)
      : topk_(settings.topk),
        counted_(index_of(counted_per_node(settings))),
        best_(index_of(settings.topk_nodes)),
        heads_(best_.size()) {
    const std::vector<std::int64_t> unpopular = unpopularity(settings.experts, settings.zipf_hundredths, settings.seed);
    for (int node = 0; node < settings.nodes; ++node) races_.emplace_back(settings, node, unpopular);
    came_.resize(races_.size() * counted_);
  }

  void choose(Rng& rng, int token, int* chosen) {
    std::size_t ranked = 0;
    for (std::size_t node = 0; node < races_.size(); ++node) {
      races_[node].begin(token);
      double product = 1;
      Came* came = came_of(node);
      for (const Came* const end = came + counted_; came != end; ++came) {
        *came = next_of(node, rng);
        product *= came->time;
      }
      ranked = rank({product, node}, ranked);
    }
    merge(rng, chosen);
  }

 private:
  struct Came {
    double time = 0;
    int expert = 0;
  };
  struct Ranked {
    double product = 0;
    std::size_t node = 0;
  };
  // The experts of an allowed node that are still to be chosen.
  struct Head {
    Came came;  // the next of them
    std::size_t node = 0;
    std::size_t seen = 0;  // how many of came_of(node) it has been
  };

  Came* came_of(std::size_t node) { return came_.data() + node * counted_; }
  Came next_of(std::size_t node, Rng& rng) {
    Race& race = races_[node];
    if (race.is_over()) return {std::numeric_limits<double>::infinity(), -1};
    const int expert = race.next(rng, log_);
    return {race.time(), expert};
  }

  // Puts a node among the best, of which there are `ranked`; how many there are then.
  std::size_t rank(Ranked node, std::size_t ranked) {
    if (ranked == best_.size() && best_.back().product <= node.product) return ranked;
    std::size_t place = ranked < best_.size() ? ranked++ : ranked - 1;
    for (; place > 0 && best_[place - 1].product > node.product; --place) best_[place] = best_[place - 1];
    best_[place] = node;
    return ranked;
  }

  void merge(Rng& rng, int* chosen) {
    for (std::size_t i = 0; i < best_.size(); ++i) heads_[i] = {*came_of(best_[i].node), best_[i].node, 1};
    for (int* const last = chosen + topk_ - 1;; ++chosen) {
      Head* earliest = heads_.data();
      for (Head& head : heads_) {
        if (head.came.time < earliest->came.time) earliest = &head;
      }
      *chosen = earliest->came.expert;
      if (chosen == last) return;
      earliest->came =
          earliest->seen < counted_ ? came_of(earliest->node)[earliest->seen++] : next_of(earliest->node, rng);
    }
  }

  int topk_;
  std::size_t counted_;
  QuickLog log_;
  std::vector<Race> races_;   // of each node
  std::vector<Came> came_;    // [node][counted]
  std::vector<Ranked> best_;  // the allowed nodes, best first
  std::vector<Head> heads_;   // of each of them
};

template <class Draw>
ExpertsOfRank with(const Settings& settings) {
  return [draw = Draw(settings), seeds = seeds_of_ranks(settings), topk = index_of(settings.topk),
          experts = std::vector<int>(index_of(settings.tokens) * index_of(settings.topk)),
          token = 0](Rank rank) mutable -> std::span<const int> {
    Rng rng(seeds[index_of(rank)]);
    for (std::size_t first = 0; first < experts.size(); first += topk) draw.choose(rng, token++, &experts[first]);
    return experts;
  };
}

}  // namespace

std::vector<std::uint64_t> seeds_of_ranks(const Settings& settings) {
  Rng rng(settings.seed);
  std::vector<std::uint64_t> seeds(index_of(ranks_of(settings)));
  for (std::uint64_t& seed : seeds) seed = rng.next();
  return seeds;
}

int counted_per_node(const Settings& settings) {
  if (settings.topk_nodes == 0) return 1;
  const auto wanted = static_cast<int>(divide_up(settings.topk, settings.topk_nodes));
  return std::min(wanted, experts_per_node(settings));
}

ExpertsOfRank drawn_experts(const Settings& settings) {
  const bool limited = settings.topk_nodes > 0 && settings.topk_nodes < settings.nodes;
  return limited ? with<LimitedDraw>(settings) : with<DistinctDraw>(settings);
}

}  // namespace commflow::experts
