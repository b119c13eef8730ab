#include "core/tiny_program.h"

#include <utility>

#include "core/tiny_rank.h"

namespace commflow::tiny {

namespace {

using enum Tensor;

Tensor gradient_of(Tensor weight) {
  for (const Trained& row : kTrained) {
    if (row.weight == weight) return row.gradient;
  }
  return weight;
}

std::vector<Part> gradients_of(std::vector<Part> weights_parts) {
  for (Part& part : weights_parts) part.tensor = gradient_of(part.tensor);
  return weights_parts;
}

// What an exchange does, wherever it happens.
struct Exchange {
  Dimension dimension{};
  Collective collective{};
  Part sent, received;
};

class Writer {
 public:
  explicit Writer(const Setup& setup) : setup_(setup), layout_(setup.layout) {}

  std::vector<Move> write() {
    prepare();
    feed();
    for (int layer = 0; layer < layout_.pp; ++layer) forward_layer(layer);
    compute(Step::stage2, layout_.pp - 1, Compute::loss);
    for (int layer = layout_.pp; layer-- > 0;) backward_layer(layer);
    gradients_agree();
    finish_step();
    return std::move(moves_);
  }

 private:
  // ---- 1, 2: what is there before the first token is computed

  void prepare() {
    std::vector<Flow> flows;
    for (const auto& group : groups(Dimension::dp)) {
      flows.push_back(bucket(Dimension::dp, Collective::broadcast, group, weights, dense_parts(setup_)));
    }
    add(Step::prepare, 0, flows);
    if (!setup_.dense) expert_exchange(Step::prepare, Collective::broadcast, expert);
  }

  void feed() {
    const int last = layout_.pp - 1;
    if (last > 0) {  // different ranks: at the same moment
      add(Step::feed, 0, joined(split_batch(batch, sequence, 0), split_batch(label_batch, label_sequence, last)));
      add(Step::feed, 0, joined(split_sequence(sequence, x, 0), split_sequence(label_sequence, label, last)));
      return;
    }
    add(Step::feed, 0, split_batch(batch, sequence, 0));
    add(Step::feed, 0, split_sequence(sequence, x, 0));
    add(Step::feed, 0, split_batch(label_batch, label_sequence, 0));
    add(Step::feed, 0, split_sequence(label_sequence, label, 0));
  }

  std::vector<Flow> split_batch(Tensor whole, Tensor mine, int layer) const {
    const Part all{whole, 0, layout_.dp * kTokens, kHidden};
    return on_groups(layer, {Dimension::dp, Collective::scatter, all, full(mine)},
                     [](const Coordinates& at) { return at.tp == 0; });
  }

  std::vector<Flow> split_sequence(Tensor whole, Tensor mine, int layer) const {
    return on_groups(layer, {Dimension::tp, Collective::scatter, full(whole), local(mine)});
  }

  // ---- 3 to 9: forward

  void forward_layer(int layer) {
    if (layer > 0) send(layer == 1 ? Step::forward : Step::stage2, layer - 1, layer, x2, x);
    attention(layer);
    setup_.dense ? mlp(layer) : moe(layer);
  }

  void attention(int layer) {
    const Step gather = in_stage(Step::gather, layer);
    compute(gather, layer, Compute::norm);
    exchange(gather, layer, {Dimension::tp, Collective::all_gather, local(n1), full(n1_full)});
    compute(gather, layer, Compute::columns);
    const Step reduce = in_stage(Step::reduce, layer);
    compute(reduce, layer, Compute::rows);
    exchange(reduce, layer, {Dimension::tp, Collective::reduce_scatter, full(partial), local(Tensor::attention)});
    compute(reduce, layer, Compute::add_residual);
  }

  void moe(int layer) {
    const int local_experts = kExperts / layout_.ep;
    const Step route = in_stage(Step::route, layer);
    compute(route, layer, Compute::scores_and_top);
    exchange(route, layer,
             {Dimension::ep,
              Collective::all_to_all,
              {counts, 0, 1, kExperts},
              {received_counts, 0, layout_.ep, local_experts}});
    compute(route, layer, Compute::permute);
    travel(in_stage(Step::dispatch, layer), layer, Path::to_experts, copies_in, copies_out);
    const Step combine = in_stage(Step::combine, layer);
    compute(combine, layer, Compute::experts);
    travel(combine, layer, Path::to_homes, expert_out, returned);
    compute(combine, layer, Compute::weighted_sum);
  }

  void mlp(int layer) {
    const Step route = in_stage(Step::route, layer);
    compute(route, layer, Compute::mlp_norm);
    exchange(route, layer, {Dimension::tp, Collective::all_gather, local(n2), full(n2_full)});
    const Step dispatch = in_stage(Step::dispatch, layer);
    compute(dispatch, layer, Compute::mlp_columns);
    compute(dispatch, layer, Compute::mlp_rows);
    const Step combine = in_stage(Step::combine, layer);
    exchange(combine, layer, {Dimension::tp, Collective::reduce_scatter, full(mlp_partial), local(mlp_sum)});
    compute(combine, layer, Compute::mlp_residual);
  }

  // ---- 10: the same, mirrored

  void backward_layer(int layer) {
    setup_.dense ? backward_mlp(layer) : backward_moe(layer);
    backward_attention(layer);
    if (layer > 0) send(Step::backward, layer, layer - 1, grad_x, grad_x2);
  }

  void backward_moe(int layer) {
    compute(Step::backward, layer, Compute::grad_weighted_sum);
    travel(Step::backward, layer, Path::to_experts, grad_returned, grad_expert_out);
    compute(Step::backward, layer, Compute::grad_experts);
    travel(Step::backward, layer, Path::to_homes, grad_copies_out, grad_copies_in);
    compute(Step::backward, layer, Compute::grad_route);
  }

  void backward_mlp(int layer) {
    exchange(Step::backward, layer, {Dimension::tp, Collective::all_gather, local(grad_x2), full(grad_mlp_partial)});
    compute(Step::backward, layer, Compute::grad_mlp_rows);
    compute(Step::backward, layer, Compute::grad_mlp_columns);
    exchange(Step::backward, layer, {Dimension::tp, Collective::reduce_scatter, full(grad_n2_full), local(grad_n2)});
    compute(Step::backward, layer, Compute::grad_mlp_norm);
  }

  void backward_attention(int layer) {
    exchange(Step::backward, layer, {Dimension::tp, Collective::all_gather, local(grad_x1), full(grad_partial)});
    compute(Step::backward, layer, Compute::grad_rows);
    compute(Step::backward, layer, Compute::grad_columns);
    exchange(Step::backward, layer, {Dimension::tp, Collective::reduce_scatter, full(grad_n1_full), local(grad_n1)});
    compute(Step::backward, layer, Compute::grad_residual);
  }

  // ---- 11, 12

  void gradients_agree() {
    std::vector<Flow> in_tp, in_dp;
    for (const auto& group : groups(Dimension::tp)) {
      in_tp.push_back(bucket(Dimension::tp, Collective::all_reduce, group, gradients, gradients_of(sequence_parts())));
    }
    for (const auto& group : groups(Dimension::dp)) {
      in_dp.push_back(
          bucket(Dimension::dp, Collective::all_reduce, group, gradients, gradients_of(dense_parts(setup_))));
    }
    add(Step::gradients, 0, in_tp);
    add(Step::gradients, 0, in_dp);
    if (!setup_.dense) expert_exchange(Step::gradients, Collective::all_reduce, grad_expert);
  }

  // Weights that every rank of a TP group has in full but uses on its own tokens only.
  std::vector<Part> sequence_parts() const {
    std::vector<Part> parts;
    for (const Part& part : dense_parts(setup_)) {
      if (part.tensor == gain1 || part.tensor == gain2 || part.tensor == router) parts.push_back(part);
    }
    return parts;
  }

  void finish_step() {
    moves_.push_back(
        {Step::update, 0, false, Compute::update, ranks_where([](const Coordinates&) { return true; }), {}});
    const int last = layout_.pp - 1;
    const Part number{loss, 0, 1, 1};
    exchange(Step::update, last, {Dimension::tp, Collective::reduce, number, number});
    add(Step::update, last,
        on_groups(last, {Dimension::dp, Collective::reduce, number, number},
                  [](const Coordinates& at) { return at.tp == 0; }));
    const int columns = kInner / layout_.tp;
    const Exchange shards{
        Dimension::tp, Collective::gather, {w_in, 0, kHidden, columns}, {checkpoint, 0, layout_.tp * kHidden, columns}};
    std::vector<Flow> flows;
    for (int layer = 0; layer < layout_.pp; ++layer) {
      flows = joined(flows, on_groups(layer, shards, [](const Coordinates& at) { return at.dp == 0; }));
    }
    add(Step::update, 0, flows);
  }

  // ---- the words these are written in

  Part local(Tensor tensor) const { return {tensor, 0, kTokens / layout_.tp, kHidden}; }
  Part full(Tensor tensor) const { return {tensor, 0, kTokens, kHidden}; }

  // The first stage has steps of its own, later ones share one.
  static Step in_stage(Step step, int layer) { return layer == 0 ? step : Step::stage2; }

  static std::vector<Flow> joined(std::vector<Flow> a, const std::vector<Flow>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  template <class Condition>
  std::vector<Rank> ranks_where(Condition condition) const {
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < world_size(layout_); ++rank) {
      if (condition(coordinates_of(layout_, rank))) ranks.push_back(rank);
    }
    return ranks;
  }

  std::vector<std::vector<Rank>> groups(Dimension dimension) const { return groups_of(layout_, dimension); }

  // The exchange in every group of its dimension on this stage whose first member fits.
  template <class Condition>
  std::vector<Flow> on_groups(int layer, const Exchange& what, Condition condition) const {
    std::vector<Flow> flows;
    for (const auto& group : groups(what.dimension)) {
      const Coordinates at = coordinates_of(layout_, group.front());
      if (at.pp != layer || !condition(at)) continue;
      flows.push_back({what.dimension,
                       what.collective,
                       algorithm_for(what.collective),
                       Path::blocks,
                       group,
                       0,
                       what.sent.tensor,
                       what.received.cols,
                       false,
                       {what.sent},
                       {what.received}});
    }
    return flows;
  }
  std::vector<Flow> on_groups(int layer, const Exchange& what) const {
    return on_groups(layer, what, [](const Coordinates&) { return true; });
  }

  Flow bucket(Dimension dimension, Collective collective, const std::vector<Rank>& group, Tensor subject,
              const std::vector<Part>& parts) const {
    return {dimension, collective, algorithm_for(collective), Path::blocks, group, 0, subject, 1, true, parts, parts};
  }

  void expert_exchange(Step step, Collective collective, Tensor subject) {
    std::vector<Flow> flows;
    for (const auto& group : groups(Dimension::expert_dp)) {
      std::vector<Part> parts = expert_parts(setup_, group.front());
      if (subject == grad_expert) parts = gradients_of(parts);
      flows.push_back(bucket(Dimension::expert_dp, collective, group, subject, parts));
    }
    add(step, 0, flows);
  }

  // Copies of tokens between homes and experts.
  void travel(Step step, int layer, Path path, Tensor leaving, Tensor arriving) {
    std::vector<Flow> flows =
        on_groups(layer, {Dimension::ep, Collective::all_to_all, {leaving, 0, 0, kHidden}, {arriving, 0, 0, kHidden}});
    for (Flow& flow : flows) flow.path = path;
    add(step, layer, flows);
  }

  void send(Step step, int from_layer, int to_layer, Tensor leaving, Tensor arriving) {
    std::vector<Flow> flows;
    for (const Rank sender : ranks_where([&](const Coordinates& at) { return at.pp == from_layer; })) {
      const Coordinates at = coordinates_of(layout_, sender);
      const Rank receiver = rank_at(layout_, at.tp, at.cp, to_layer, at.dp);
      flows.push_back({Dimension::pp,
                       Collective::send_recv,
                       Algorithm::direct,
                       Path::blocks,
                       {sender, receiver},
                       0,
                       leaving,
                       kHidden,
                       false,
                       {local(leaving)},
                       {local(arriving)}});
    }
    add(step, from_layer, flows);
  }

  Algorithm algorithm_for(Collective collective) const { return tiny::algorithm_for(setup_.algorithms, collective); }

  void compute(Step step, int layer, Compute what) {
    const std::vector<Rank> ranks = ranks_where([&](const Coordinates& at) { return at.pp == layer; });
    moves_.push_back({step, layer, step == Step::backward, what, ranks, {}});
  }
  void exchange(Step step, int layer, const Exchange& what) { add(step, layer, on_groups(layer, what)); }
  void add(Step step, int layer, const std::vector<Flow>& flows) {
    moves_.push_back({step, layer, step == Step::backward, Compute::none, {}, flows});
  }

  const Setup& setup_;
  const Layout& layout_;
  std::vector<Move> moves_;
};

}  // namespace

std::vector<Move> program(const Setup& setup) {
  return Writer(setup).write();
}

ExpertRange experts_on(const Layout& layout, Rank rank) {
  const int count = kExperts / layout.ep;
  return {coordinates_of(layout, rank).ep * count, count};
}

std::vector<Part> dense_parts(const Setup& setup) {
  const int shard = kInner / setup.layout.tp;
  std::vector<Part> parts = {
      {gain1, 0, 1, kHidden}, {w_in, 0, kHidden, shard}, {w_out, 0, shard, kHidden}, {gain2, 0, 1, kHidden}};
  if (setup.dense) {
    parts.push_back({mlp_in, 0, kHidden, shard});
    parts.push_back({mlp_out, 0, shard, kHidden});
  } else {
    parts.push_back({router, 0, kHidden, kExperts});
  }
  return parts;
}

std::vector<Part> expert_parts(const Setup& setup, Rank rank) {
  const ExpertRange range = experts_on(setup.layout, rank);
  std::vector<Part> parts;
  for (int i = 0; i < range.count; ++i) parts.push_back({expert, range.first + i, kHidden, kHidden});
  return parts;
}

Algorithm algorithm_for(const AlgorithmChoice& choice, Collective collective) {
  switch (collective) {
    case Collective::broadcast: return choice.broadcast;
    case Collective::scatter: return choice.scatter;
    case Collective::all_gather: return choice.all_gather;
    case Collective::reduce_scatter: return choice.reduce_scatter;
    case Collective::all_to_all: return choice.all_to_all;
    case Collective::all_reduce: return choice.all_reduce;
    case Collective::reduce: return choice.reduce;
    case Collective::gather: return choice.gather;
    case Collective::send_recv: break;
  }
  return Algorithm::direct;
}

}  // namespace commflow::tiny
