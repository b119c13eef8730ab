#include "core/expert_routing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/expert_cases.h"
#include "core/expert_skew.h"
#include "core/gate.h"

namespace commflow::experts {
namespace {

using Set = std::set<int>;

Set chosen_by(const Routing& routing, int token) {
  const auto first = routing.experts.begin() + static_cast<std::ptrdiff_t>(routing.at(token, 0));
  return {first, first + routing.topk};
}

Settings large_settings() {
  Settings s;
  s.nodes = 4;
  s.gpus_per_node = 8;
  s.experts = 64;
  s.topk = 6;
  s.tokens = 40;
  return s;
}

void expect_different_experts(const Settings& settings) {
  const Routing routing = route(settings);
  ASSERT_EQ(routing.all_tokens(), tokens_of_all(settings)) << settings;
  for (int token = 0; token < routing.all_tokens(); ++token) {
    const Set chosen = chosen_by(routing, token);
    ASSERT_EQ(std::ssize(chosen), settings.topk) << settings;
    EXPECT_GE(*chosen.begin(), 0);
    EXPECT_LT(*chosen.rbegin(), settings.experts);
    Set nodes;
    for (const int expert : chosen) nodes.insert(expert / experts_per_node(settings));
    if (settings.topk_nodes > 0) {
      EXPECT_LE(std::ssize(nodes), settings.topk_nodes) << settings;
    }
  }
}

TEST(ExpertRouting, EveryTokenGoesToDifferentExpertsOnAllowedNodes) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) expect_different_experts(random_settings(seed));
  for (const int zipf : {0, 100, 800}) {
    for (const int limit : {0, 1, 2, 4}) {
      Settings s = large_settings();
      s.zipf_hundredths = zipf;
      s.topk_nodes = limit;
      expect_different_experts(s);
    }
  }
}

TEST(ExpertRouting, ManyExpertsChosenOfVerySkewedOnes) {
  Settings s = large_settings();
  s.zipf_hundredths = kMaxZipfHundredths;
  s.topk = 64;
  expect_different_experts(s);
}

// By the definition, on the scores that are shown.
TEST(ExpertRouting, ChoiceIsTheBestOfTheBestNodes) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Settings s = random_settings(seed);
    const Routing routing = route(s);
    const int size = experts_per_node(s);
    const int limit = s.topk_nodes == 0 ? s.nodes : s.topk_nodes;
    for (int token = 0; token < routing.all_tokens(); ++token) {
      const Value* scores = &routing.scores[static_cast<std::size_t>(token * s.experts)];
      std::vector<std::pair<Value, int>> nodes;  // best first
      for (int node = 0; node < s.nodes; ++node) {
        std::vector<Value> own(scores + node * size, scores + (node + 1) * size);
        std::sort(own.rbegin(), own.rend());
        own.resize(static_cast<std::size_t>(std::min(size, (s.topk + limit - 1) / limit)));
        nodes.emplace_back(-std::accumulate(own.begin(), own.end(), Value{0}), node);
      }
      std::sort(nodes.begin(), nodes.end());
      std::vector<std::pair<Value, int>> open;
      for (int place = 0; place < limit; ++place) {
        const int first = nodes[static_cast<std::size_t>(place)].second * size;
        for (int expert = first; expert < first + size; ++expert) open.emplace_back(-scores[expert], expert);
      }
      std::sort(open.begin(), open.end());
      for (int choice = 0; choice < s.topk; ++choice) {
        ASSERT_EQ(routing.experts[routing.at(token, choice)], open[static_cast<std::size_t>(choice)].second) << s;
      }
    }
  }
}

TEST(ExpertRouting, ScoresOfATokenDifferAndWeightsSumTo64) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Settings s = random_settings(seed);
    const Routing routing = route(s);
    for (int token = 0; token < routing.all_tokens(); ++token) {
      const auto scores = routing.scores.begin() + token * s.experts;
      EXPECT_EQ(std::set<Value>(scores, scores + s.experts).size(), static_cast<std::size_t>(s.experts));
      const auto weights = routing.weights.begin() + token * s.topk;
      EXPECT_EQ(std::accumulate(weights, weights + s.topk, 0), kGateTotal);
      EXPECT_TRUE(std::is_sorted(weights, weights + s.topk, std::greater<>())) << "a better score never weighs less";
    }
  }
}

TEST(ExpertRouting, OneHundredPointsAreAFactorOfTwo) {
  EXPECT_EQ(weights_of(std::vector<Value>{300, 200, 200}), (std::vector<int>{32, 16, 16}));
  EXPECT_EQ(weights_of(std::vector<Value>{340, 260}), (std::vector<int>{32, 32})) << "rounded to whole factors";
}

TEST(ExpertRouting, ATableReplacesTheChoiceOnly) {
  Settings s;
  s.nodes = 1;
  s.gpus_per_node = 2;
  s.experts = 4;
  s.tokens = 2;
  const Routing drawn = route(s);
  s.table = {0, 1, 2, 3, 3, 0, 1, 2};
  const Routing given = route(s);
  EXPECT_EQ(given.experts, s.table);
  EXPECT_EQ(given.scores, drawn.scores);
  EXPECT_EQ(given.weights.size(), s.table.size());
}

TEST(ExpertRouting, MoreTokensPerRankChangeNoOthers) {
  Settings few = random_settings(3);
  few.tokens = 3;
  Settings many = few;
  many.tokens = 5;
  const Routing a = route(few);
  const Routing b = route(many);
  for (Rank rank = 0; rank < ranks_of(few); ++rank) {
    for (int token = 0; token < 3; ++token) {
      EXPECT_EQ(chosen_by(a, rank * 3 + token), chosen_by(b, rank * 5 + token));
    }
  }
}

// Fowler, Noll and Vo's hash, to write down what a seed means.
std::uint64_t hash_of(const std::vector<int>& values) {
  std::uint64_t hash = 14695981039346656037U;
  for (const int value : values) hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211U;
  return hash;
}

// Links name seeds: the same seed must route alike on every machine and in every version.
TEST(ExpertRouting, SeedsKeepTheirMeaning) {
  Settings small;
  small.zipf_hundredths = 120;
  EXPECT_EQ(hash_of(route(small).experts), 5598727909259239388U);
  Settings large = large_settings();
  large.zipf_hundredths = 120;
  EXPECT_EQ(hash_of(route(large).experts), 13090008322256776359U);
  large.topk_nodes = 2;
  EXPECT_EQ(hash_of(route(large).experts), 737275147560329223U);
}

// First choices in proportion to i^-1, whichever way they are drawn.
void expect_zipf(Settings s) {
  s.zipf_hundredths = 100;
  s.topk = 1;
  std::map<std::int64_t, double> count;  // by unpopularity
  const int repeats = executable(s) ? 40 : 4;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    s.seed = static_cast<std::uint64_t>(repeat) + 100;
    const std::vector<std::int64_t> below = unpopularity(s.experts, 100, s.seed);
    for (const int expert : route(s).experts) ++count[below[static_cast<std::size_t>(expert)]];
  }
  const double draws = static_cast<double>(tokens_of_all(s)) * repeats;
  double harmonic = 0;
  for (int i = 1; i <= s.experts; ++i) harmonic += 1.0 / i;
  int i = 0;
  for (const auto& [below, seen] : count) {
    const double share = 1 / (harmonic * ++i);
    EXPECT_NEAR(seen, draws * share, 4 * std::sqrt(draws * share * (1 - share))) << i << "th, " << s;
  }
  EXPECT_EQ(i, s.experts);
}

TEST(ExpertRouting, PopularExpertsAreChosenInProportion) {
  Settings small;
  small.tokens = 32;
  small.experts = 8;
  ASSERT_TRUE(executable(small));
  expect_zipf(small);
  Settings large = small;
  large.tokens = 1000;
  ASSERT_FALSE(executable(large));
  expect_zipf(large);
  large.nodes = 4;
  large.topk_nodes = 2;
  expect_zipf(large);
}

// A token's experts in order, by the definition of node-limited routing on scores in floating point.
std::vector<int> choice_by_definition(const Settings& s, const std::vector<double>& scores) {
  const int size = experts_per_node(s);
  const auto best_of = [&](int first, int last) {
    std::vector<std::pair<double, int>> best;
    for (int expert = first; expert < last; ++expert)
      best.emplace_back(-scores[static_cast<std::size_t>(expert)], expert);
    std::sort(best.begin(), best.end());
    return best;
  };
  std::vector<std::pair<double, int>> nodes;
  for (int node = 0; node < s.nodes; ++node) {
    double sum = 0;
    const auto best = best_of(node * size, (node + 1) * size);
    for (int i = 0; i < std::min(size, (s.topk + s.topk_nodes - 1) / s.topk_nodes); ++i) {
      sum += best[static_cast<std::size_t>(i)].first;
    }
    nodes.emplace_back(sum, node);
  }
  std::sort(nodes.begin(), nodes.end());
  std::vector<std::pair<double, int>> open;
  for (int place = 0; place < s.topk_nodes; ++place) {
    const int node = nodes[static_cast<std::size_t>(place)].second;
    for (const auto& expert : best_of(node * size, (node + 1) * size)) open.push_back(expert);
  }
  std::sort(open.begin(), open.end());
  std::vector<int> experts;
  for (int choice = 0; choice < s.topk; ++choice) experts.push_back(open[static_cast<std::size_t>(choice)].second);
  return experts;
}

// How often each order of experts is chosen, of so many tokens.
using Frequencies = std::map<std::vector<int>, double>;

Frequencies frequencies_by_definition(const Settings& s) {
  const std::vector<std::int64_t> below = unpopularity(s.experts, s.zipf_hundredths, s.seed);
  Rng rng(17);
  Frequencies seen;
  std::vector<double> scores(below.size());
  for (std::int64_t token = 0; token < tokens_of_all(s); ++token) {
    for (std::size_t expert = 0; expert < scores.size(); ++expert) {
      const double uniform = (static_cast<double>(rng.next() >> 11) + 0.5) / 9007199254740992.0;
      scores[expert] = -static_cast<double>(below[expert]) / 4294967296.0 - std::log2(-std::log(uniform));
    }
    ++seen[choice_by_definition(s, scores)];
  }
  return seen;
}

// No order of experts is chosen more or less often than by scores: chi-square of two samples of the same size.
void expect_frequencies_of_scores(const Settings& s) {
  ASSERT_FALSE(settings_problem(s)) << s;
  ASSERT_FALSE(executable(s)) << s;
  Frequencies drawn;
  const Routing routing = route(s);
  for (int token = 0; token < routing.all_tokens(); ++token) {
    const auto first = routing.experts.begin() + static_cast<std::ptrdiff_t>(routing.at(token, 0));
    ++drawn[{first, first + s.topk}];
  }
  Frequencies scored = frequencies_by_definition(s);
  for (const auto& [experts, count] : drawn) scored[experts] += 0;
  double squares = 0, degrees = -1, few_drawn = 0, few_scored = 0;
  const auto add = [&](double a, double b) {
    squares += (a - b) * (a - b) / (a + b);
    ++degrees;
  };
  for (const auto& [experts, count] : scored) {
    if (count + drawn[experts] >= 20) {
      add(drawn[experts], count);
    } else {
      few_drawn += drawn[experts];
      few_scored += count;
    }
  }
  if (few_drawn + few_scored > 0) add(few_drawn, few_scored);
  EXPECT_GE(degrees, 2) << s;
  EXPECT_LT(squares, degrees + 4 * std::sqrt(2 * degrees) + 4) << s << ", " << degrees << " degrees of freedom";
}

TEST(ExpertRouting, LimitedDrawsAreDistributedLikeScores) {
  Settings s;
  s.gpus_per_node = 1;
  s.tokens = 6000;
  for (const int nodes : {3, 4}) {
    for (const int per_node : {2, 3}) {
      for (const int zipf : {0, 100, 300}) {
        for (const auto& [topk, limit] : {std::pair{1, 1}, {2, 1}, {2, 2}, {3, 2}, {4, 2}, {3, 3}}) {
          s.nodes = nodes;
          s.experts = nodes * per_node;
          s.zipf_hundredths = zipf;
          s.topk = topk;
          s.topk_nodes = std::min(limit, nodes - 1);
          s.seed = static_cast<std::uint64_t>(nodes * 100 + zipf + topk);
          expect_frequencies_of_scores(s);
        }
      }
    }
  }
}

TEST(ExpertRouting, CapacityTakesFirstChoicesFirst) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    Settings s = random_settings(seed);
    s.capacity_thousandths = 700;
    const Routing routing = route(s);
    const std::vector<std::uint8_t> kept = kept_copies(s, routing);
    std::map<int, std::vector<std::tuple<int, int>>> queues;  // of each expert: (choice, token)
    for (int token = 0; token < routing.all_tokens(); ++token) {
      for (int choice = 0; choice < s.topk; ++choice) {
        queues[routing.experts[routing.at(token, choice)]].emplace_back(choice, token);
      }
    }
    for (auto& [expert, queue] : queues) {
      std::sort(queue.begin(), queue.end());
      for (std::size_t place = 0; place < queue.size(); ++place) {
        const auto [choice, token] = queue[place];
        const bool fits = static_cast<std::int64_t>(place) < *capacity_of(s);
        ASSERT_EQ(kept[routing.at(token, choice)], fits ? 1 : 0) << s;
      }
    }
  }
}

TEST(ExpertRouting, ProblemsSayWhatWasExpected) {
  const auto problem = [](auto change) {
    Settings s;
    change(s);
    const std::optional<Problem> found = settings_problem(s);
    return found ? sentence_of(*found) : "";
  };
  EXPECT_EQ(problem([](Settings&) {}), "");
  EXPECT_EQ(problem([](Settings& s) { s.experts = 12; }), "12 experts do not divide over 8 ranks; expected a multiple");
  EXPECT_EQ(problem([](Settings& s) { s.topk = 17; }), "17 experts per token; expected 1 to 16");
  EXPECT_EQ(problem([](Settings& s) { s.topk_nodes = 3; }), "3 nodes that a token may reach; expected 1 to 2");
  EXPECT_NE(problem([](Settings& s) { s.topk = 9, s.topk_nodes = 1; }).find("expected at least 2 nodes"),
            std::string::npos);
  EXPECT_NE(problem([](Settings& s) { s.dedup = Dedup::per_node; }).find("two hops"), std::string::npos);
  EXPECT_NE(problem([](Settings& s) { s.table = {0, 1}; }).find("expected 128"), std::string::npos);
  EXPECT_NE(problem([](Settings& s) { s.table.assign(128, 0); }).find("one expert twice"), std::string::npos);
  EXPECT_NE(problem([](Settings& s) { s.table.assign(128, 16); }).find("expected 0 to 15"), std::string::npos);
  EXPECT_NE(problem([](Settings& s) { s.tokens = 1 << 24; }).find("tokens per rank"), std::string::npos);
}

}  // namespace
}  // namespace commflow::experts
