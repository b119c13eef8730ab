#pragma once
// One rank of the sharded tiny model: its memory, and the local computations on
// it. A computation gets one memory and nothing else, so it cannot read another
// rank's data. Knows nothing of groups, schedules or rounds.

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/tiny_model.h"

namespace commflow::tiny {

struct Memory {
  // What the rank knows of itself from its coordinates.
  int first_token = 0;                                // global number of its first token
  int first_expert = 0;                               // of the experts that live here
  int experts = 0;                                    // how many of them
  std::map<std::pair<Tensor, int>, Matrix> matrices;  // by tensor and expert number (else 0)

  bool has(Tensor tensor, int index = 0) const { return matrices.count({tensor, index}) > 0; }
  const Matrix& at(Tensor tensor, int index = 0) const { return matrices.at({tensor, index}); }
  void put(Tensor tensor, Matrix matrix) { put(tensor, 0, std::move(matrix)); }
  void put(Tensor tensor, int index, Matrix matrix) { matrices[{tensor, index}] = std::move(matrix); }
};

// The trained matrices, and the gradients that they are updated by.
struct Trained {
  Tensor weight{}, gradient{};
};
inline constexpr std::array<Trained, 8> kTrained = {{{Tensor::gain1, Tensor::grad_gain1},
                                                     {Tensor::w_in, Tensor::grad_w_in},
                                                     {Tensor::w_out, Tensor::grad_w_out},
                                                     {Tensor::gain2, Tensor::grad_gain2},
                                                     {Tensor::router, Tensor::grad_router},
                                                     {Tensor::expert, Tensor::grad_expert},
                                                     {Tensor::mlp_in, Tensor::grad_mlp_in},
                                                     {Tensor::mlp_out, Tensor::grad_mlp_out}}};

// Appends what the rank has of a tensor: all its experts, or the one matrix, or nothing.
void append_shown(std::vector<NamedMatrix>& shown, const Memory& memory, Tensor tensor);

// A copy as its home knows it. The permutation orders them by expert, then token.
struct LocalCopy {
  int token = 0;  // local
  int choice = 0;
  int expert = 0;
};
std::vector<LocalCopy> permutation(const Matrix& choices);

// An expert of this rank and the number of copies it received: consecutive rows
// of copies_out, expert after expert.
struct LocalExpert {
  int id = 0;
  int copies = 0;
};
std::vector<LocalExpert> local_experts(const Memory& memory);

struct ComputeRow {
  Compute id{};
  void (*run)(Memory& memory) = nullptr;
  std::vector<Tensor> used, made;  // in the order in which a reader meets them
};
const std::vector<ComputeRow>& forward_rows();
const std::vector<ComputeRow>& backward_rows();
const ComputeRow& row_of(Compute compute);

}  // namespace commflow::tiny
