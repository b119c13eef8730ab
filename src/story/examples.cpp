#include "story/examples.h"

#include <array>

#include "core/descent.h"
#include "core/rng.h"
#include "core/tiny_matrix.h"

namespace commflow {
namespace {

using tiny::Matrix;

constexpr int kRanks = 4;
constexpr int kPair = 2;
constexpr std::uint64_t kSeed = 7;

struct Plan {
  ExampleId id;
  Collective collective;
  Algorithm algorithm;
};
constexpr Plan kPrimitives[] = {
    {ExampleId::broadcast, Collective::broadcast, Algorithm::binomial},
    {ExampleId::reduce, Collective::reduce, Algorithm::binomial},
    {ExampleId::all_reduce, Collective::all_reduce, Algorithm::ring},
    {ExampleId::all_gather, Collective::all_gather, Algorithm::ring},
    {ExampleId::reduce_scatter, Collective::reduce_scatter, Algorithm::ring},
    {ExampleId::all_to_all, Collective::all_to_all, Algorithm::pairwise},
    {ExampleId::send_recv, Collective::send_recv, Algorithm::direct},
    {ExampleId::scatter, Collective::scatter, Algorithm::linear},
    {ExampleId::gather, Collective::gather, Algorithm::linear},
};

Matrix matrix_of(int rows, int cols, std::vector<Value> data) {
  return {rows, cols, std::move(data)};
}

Example played(Plan plan, Dimension dimension, Schedule schedule, const Buffers& initial) {
  Example example;
  example.id = plan.id;
  example.collective = plan.collective;
  example.algorithm = plan.algorithm;
  example.dimension = dimension;
  example.history = history(schedule, initial, Operator::sum);
  example.schedule = std::move(schedule);
  return example;
}

// values[r]: what rank r holds in its input blocks, in order.
Example collective(Plan plan, Dimension dimension, const std::vector<std::vector<Value>>& values) {
  const int ranks = static_cast<int>(values.size());
  Schedule schedule = *make_schedule(plan.collective, plan.algorithm, ranks);
  const std::vector<int> widths(static_cast<std::size_t>(schedule.slots), 1);
  return played(plan, dimension, std::move(schedule), initial_buffers(plan.collective, 0, widths, values));
}

Example primitive(Plan plan) {
  const int slots = make_schedule(plan.collective, plan.algorithm, kRanks)->slots;
  Rng rng(kSeed + static_cast<std::uint64_t>(plan.id));
  std::vector<std::vector<Value>> values(kRanks);
  for (Rank rank = 0; rank < kRanks; ++rank)
    for ([[maybe_unused]] const int block : input_blocks(plan.collective, kRanks, slots, 0, rank))
      values[static_cast<std::size_t>(rank)].push_back(rng.between(1, 9));
  return collective(plan, Dimension::none, values);
}

// Row split: each GPU has two of the four columns of x and the matching rows of w, so a part of every sum.
Example tensor_parallel() {
  const SplitProduct split = make_split_product();
  std::vector<std::vector<Value>> parts;
  for (const Matrix& part : split.by_rows) parts.push_back(part.data);
  return collective({ExampleId::tp, Collective::all_reduce, Algorithm::ring}, Dimension::tp, parts);
}

// Each GPU has half of the tokens of the sequence, one number each.
Example sequence_parallel() {
  return collective({ExampleId::sp, Collective::all_gather, Algorithm::ring}, Dimension::sp, {{3}, {8}, {5}, {2}});
}

// The first stage's product, handed to the second.
Example pipeline_parallel() {
  const Matrix out = product(matrix_of(1, 2, {2, 3}), matrix_of(2, 1, {1, 2}));
  return collective({ExampleId::pp, Collective::send_recv, Algorithm::direct}, Dimension::pp, {out.data, {}});
}

// Four weights and four replicas, each with examples of its own, and the gradients that descent gets from them.
Example data_parallel() {
  Rng rng(kSeed);
  std::vector<std::vector<Value>> gradients(kRanks);
  for (auto& own : gradients)
    for (int weight = 0; weight < kRanks; ++weight) {
      const double input = rng.between(1, 2), label = rng.between(1, 5);
      own.push_back(static_cast<Value>(descend({.input = input, .label = label}, 1).front().gradient));
    }
  return collective({ExampleId::dp, Collective::all_reduce, Algorithm::ring}, Dimension::dp, gradients);
}

// Tokens choose one expert each, one expert per GPU; what stays is moved without a message.
Example expert_parallel() {
  Rng rng(kSeed);
  std::vector<Item> items;
  std::array<int, kRanks> arriving{};
  constexpr int kTokensEach = 3;
  int slots = kTokensEach;
  std::vector<std::array<Value, kTokensEach>> tokens(kRanks);
  for (Rank home = 0; home < kRanks; ++home)
    for (int token = 0; token < kTokensEach; ++token) {
      tokens[static_cast<std::size_t>(home)][static_cast<std::size_t>(token)] = rng.between(1, 9);
      const Rank expert = std::min(rng.below(kRanks), rng.below(kRanks));  // the first ones are popular
      const int place = arriving[static_cast<std::size_t>(expert)]++;
      slots = std::max(slots, place + 1);
      items.push_back({home, token, expert, place});
    }
  Buffers initial(kRanks, std::vector<int>(static_cast<std::size_t>(slots), 1));
  for (Rank home = 0; home < kRanks; ++home)
    for (int token = 0; token < kTokensEach; ++token)
      initial.put({home, Area::in, token},
                  std::span(&tokens[static_cast<std::size_t>(home)][static_cast<std::size_t>(token)], 1),
                  Origins::of(home));
  return played({ExampleId::ep, Collective::all_to_all, Algorithm::pairwise}, Dimension::ep,
                uneven_all_to_all(Algorithm::pairwise, kRanks, slots, items), initial);
}

// Keys and values of each GPU's part of the sequence go round the ring.
Example context_parallel() {
  return collective({ExampleId::cp, Collective::all_gather, Algorithm::ring}, Dimension::cp, {{4}, {1}, {7}, {6}});
}

}  // namespace

std::vector<Example> make_examples() {
  std::vector<Example> examples;
  for (const Plan& plan : kPrimitives) examples.push_back(primitive(plan));
  examples.push_back(tensor_parallel());
  examples.push_back(sequence_parallel());
  examples.push_back(pipeline_parallel());
  examples.push_back(data_parallel());
  examples.push_back(expert_parallel());
  examples.push_back(context_parallel());
  return examples;
}

Timeline timeline_of(const Example& example) {
  Timeline timeline;
  for (int round = 0; round < example.rounds(); ++round) timeline.beats.push_back({-1, round});
  if (timeline.beats.empty()) timeline.beats.push_back({});
  return timeline;
}

SplitProduct make_split_product() {
  SplitProduct split;
  split.x = matrix_of(1, 4, {2, 1, 3, 1});
  split.w = matrix_of(4, 2, {1, 2, 3, 0, 2, 1, 0, 4});
  const int half = split.w.rows / kPair;
  std::vector<std::vector<Value>> parts;
  for (int gpu = 0; gpu < kPair; ++gpu) {
    split.by_columns.push_back(product(split.x, columns_of(split.w, gpu, 1)));
    split.by_rows.push_back(product(columns_of(split.x, gpu * half, half), rows_of(split.w, gpu * half, half)));
    parts.push_back(split.by_rows.back().data);
  }
  split.side_by_side = side_by_side(split.by_columns);
  const Example sum = collective({ExampleId::tp, Collective::all_reduce, Algorithm::ring}, Dimension::tp, parts);
  split.added = tiny::zeros(1, split.w.cols);
  for (int slot = 0; slot < split.w.cols; ++slot)
    tiny::entry(split.added, 0, slot) = sum.history.back().values({0, Area::out, slot}).front();
  return split;
}

}  // namespace commflow
