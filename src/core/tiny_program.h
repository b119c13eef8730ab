#pragma once
// The twelve steps as a list: who computes what, who exchanges what with whom.
// Written down before anything runs, from the layout alone; it knows no numbers.

#include <vector>

#include "core/tiny_model.h"

namespace commflow::tiny {

// Where the slots of an exchange come from: even blocks of the payload, or one
// slot per copy of a token, as the routing wants it.
enum class Path : std::uint8_t { blocks, to_experts, to_homes };

// One collective in one group. A group of one keeps what it sends.
struct Flow {
  Dimension dimension{};
  Collective collective{};
  Algorithm algorithm{};
  Path path = Path::blocks;
  std::vector<Rank> members;
  Rank root = 0;  // local
  Tensor subject{};
  int columns = 1;
  bool bucket = false;
  std::vector<Part> sent, received;  // of Path::to_*: the tensor only, rows follow from the routing
};

// Either a computation or flows, at one moment.
struct Move {
  Step step{};
  int layer = 0;
  bool backward = false;
  Compute compute = Compute::none;
  std::vector<Rank> active;
  std::vector<Flow> flows;
};

std::vector<Move> program(const Setup& setup);

Algorithm algorithm_for(const AlgorithmChoice& choice, Collective collective);

// Shapes of the weights that a rank holds; gradients have the same.
std::vector<Part> dense_parts(const Setup& setup);
std::vector<Part> expert_parts(const Setup& setup, Rank rank);
// The experts that live on a rank: experts first .. first + count.
struct ExpertRange {
  int first = 0;
  int count = 0;
};
ExpertRange experts_on(const Layout& layout, Rank rank);

}  // namespace commflow::tiny
