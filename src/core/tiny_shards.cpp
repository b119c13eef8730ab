#include "core/tiny_shards.h"

#include "core/tiny_matrix.h"
#include "core/tiny_program.h"

namespace commflow::tiny {

namespace {

using enum Tensor;

// ---- before

// Columns of w_in and mlp_in, rows of w_out and mlp_out, everything else in full.
void load_dense_weights(Memory& memory, const LayerWeights& weights, int shard, int shards, bool dense) {
  const int width = kInner / shards;
  memory.put(gain1, weights.gain1);
  memory.put(w_in, columns_of(weights.w_in, shard * width, width));
  memory.put(w_out, rows_of(weights.w_out, shard * width, width));
  memory.put(gain2, weights.gain2);
  if (dense) {
    memory.put(mlp_in, columns_of(weights.mlp_in, shard * width, width));
    memory.put(mlp_out, rows_of(weights.mlp_out, shard * width, width));
  } else {
    memory.put(router, weights.router);
  }
}

void load_experts(Memory& memory, const LayerWeights& weights) {
  for (int id = memory.first_expert; id < memory.first_expert + memory.experts; ++id) {
    memory.put(expert, id, weights.experts[index_of(id)]);
  }
}

Memory starting_memory(const Setup& setup, const Model& model, Rank rank) {
  const Layout& layout = setup.layout;
  const Coordinates at = coordinates_of(layout, rank);
  const ExpertRange range = experts_on(layout, rank);
  Memory memory{at.dp * kTokens + at.tp * (kTokens / layout.tp), range.first, range.count, {}};
  const LayerWeights& weights = model.weights[index_of(at.pp)];
  if (at.dp == 0) load_dense_weights(memory, weights, at.tp, layout.tp, setup.dense);
  if (at.expert_dp == 0 && !setup.dense) load_experts(memory, weights);
  const bool first = at.dp == 0 && at.tp == 0;
  if (first && at.pp == 0) memory.put(batch, on_top(model.tokens));
  if (first && at.pp == layout.pp - 1) memory.put(label_batch, on_top(model.labels));
  return memory;
}

// ---- after

class Assembly {
 public:
  Assembly(const Setup& setup, const std::vector<Memory>& world)
      : setup_(setup), layout_(setup.layout), world_(world) {}

  std::optional<Result> result() {
    Result result;
    for (int replica = 0; replica < layout_.dp; ++replica) {
      result.activations.emplace_back();
      for (int layer = 0; layer < layout_.pp; ++layer) {
        result.activations.back().push_back(on_top(shards(x2, layer, replica)));
      }
      result.input_gradients.push_back(on_top(shards(grad_x, 0, replica)));
    }
    for (int layer = 0; layer < layout_.pp; ++layer) {
      result.gradients.push_back(layer_weights(layer, true));
      result.updated.push_back(layer_weights(layer, false));
      result.checkpoint.push_back(gathered(layer));
    }
    result.loss = memory(0, layout_.pp - 1, 0).at(loss).at(0, 0);
    if (!agreed_) return std::nullopt;
    return result;
  }

 private:
  const Memory& memory(int tp, int layer, int dp) const { return world_[index_of(rank_at(layout_, tp, 0, layer, dp))]; }

  std::vector<Matrix> shards(Tensor tensor, int layer, int dp) const {
    std::vector<Matrix> parts;
    for (int tp = 0; tp < layout_.tp; ++tp) parts.push_back(memory(tp, layer, dp).at(tensor));
    return parts;
  }

  // What every rank of a stage holds alike.
  Matrix common(Tensor tensor, int layer) {
    const Matrix first = memory(0, layer, 0).at(tensor);
    for (int dp = 0; dp < layout_.dp; ++dp) {
      for (const Matrix& other : shards(tensor, layer, dp)) agreed_ = agreed_ && other == first;
    }
    return first;
  }

  // The shards that every replica holds alike.
  std::vector<Matrix> common_shards(Tensor tensor, int layer) {
    const std::vector<Matrix> first = shards(tensor, layer, 0);
    for (int dp = 1; dp < layout_.dp; ++dp) agreed_ = agreed_ && shards(tensor, layer, dp) == first;
    return first;
  }

  // All experts of a layer, equal wherever one is held more than once.
  std::vector<Matrix> all_experts(Tensor tensor, int layer) {
    std::vector<Matrix> experts(index_of(kExperts));
    for (Rank rank = 0; rank < world_size(layout_); ++rank) {
      if (coordinates_of(layout_, rank).pp != layer) continue;
      const Memory& own = world_[index_of(rank)];
      for (int id = own.first_expert; id < own.first_expert + own.experts; ++id) {
        Matrix& found = experts[index_of(id)];
        if (found.data.empty()) found = own.at(tensor, id);
        agreed_ = agreed_ && found == own.at(tensor, id);
      }
    }
    return experts;
  }

  // The weights of a layer, or their gradients.
  LayerWeights layer_weights(int layer, bool gradients) {
    LayerWeights full;
    full.gain1 = common(gradients ? grad_gain1 : gain1, layer);
    full.w_in = side_by_side(common_shards(gradients ? grad_w_in : w_in, layer));
    full.w_out = on_top(common_shards(gradients ? grad_w_out : w_out, layer));
    full.gain2 = common(gradients ? grad_gain2 : gain2, layer);
    if (setup_.dense) {
      full.mlp_in = side_by_side(common_shards(gradients ? grad_mlp_in : mlp_in, layer));
      full.mlp_out = on_top(common_shards(gradients ? grad_mlp_out : mlp_out, layer));
      return full;
    }
    full.router = common(gradients ? grad_router : router, layer);
    full.experts = all_experts(gradients ? grad_expert : expert, layer);
    return full;
  }

  // The shards came one under the other; side by side they are w_in again.
  Matrix gathered(int layer) const {
    const Matrix& column = memory(0, layer, 0).at(checkpoint);
    std::vector<Matrix> parts;
    for (int tp = 0; tp < layout_.tp; ++tp) parts.push_back(rows_of(column, tp * kHidden, kHidden));
    return side_by_side(parts);
  }

  const Setup& setup_;
  const Layout& layout_;
  const std::vector<Memory>& world_;
  bool agreed_ = true;
};

}  // namespace

std::vector<Memory> starting_memories(const Setup& setup, const Model& model) {
  std::vector<Memory> world;
  for (Rank rank = 0; rank < world_size(setup.layout); ++rank) world.push_back(starting_memory(setup, model, rank));
  return world;
}

std::optional<Result> assembled(const Setup& setup, const std::vector<Memory>& world) {
  return Assembly(setup, world).result();
}

}  // namespace commflow::tiny
