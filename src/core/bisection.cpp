// The bisection of a topology, by trying every way to halve the GPUs and by
// formula. A file of its own because each is an argument of its own.

#include <algorithm>
#include <bit>
#include <limits>

#include "core/index.h"
#include "core/ordering.h"
#include "core/topology.h"

namespace commflow {
namespace {

using Mask = std::uint32_t;  // a bit per GPU

// Switches and the links among them, which make a forest; each side of the cut costs
// a switch its links to the GPUs of the other side, and its links to switches there.
class Halves {
 public:
  explicit Halves(const Topology& topology) : topology_(topology), neighbours_(index_of(topology.vertices)) {
    for (const Link& link : topology.links) {
      if (topology.is_gpu(link.to)) neighbours_[index_of(link.from)] |= Mask{1} << link.to;
    }
    order_switches();
    for (Vertex gpu = 0; gpu < topology.gpus; ++gpu) twins_.push_back(gpu > 0 && are_twins(gpu - 1, gpu));
  }

  // GPUs join the two sides one after the other. What costs more already than the best way found is not tried further;
  // of twins, which could change places, the lower one is never on the other side alone.
  int fewest_links() {
    fewest_ = static_cast<int>(topology_.links.size());
    try_from(1, Mask{1}, 0, 0);  // the sides are alike: the first GPU is on the one
    return fewest_;
  }

 private:
  struct Choice {
    int here = 0;   // cost of the tree below if this switch is on the side of the mask
    int there = 0;  // if it is on the other one
  };

  // Every switch after the one that it hangs on.
  void order_switches() {
    std::vector<bool> seen(index_of(topology_.vertices));
    for (Vertex root = topology_.gpus; root < topology_.vertices; ++root) {
      if (seen[index_of(root)]) continue;
      seen[index_of(root)] = true;
      std::size_t next = order_.size();
      order_.push_back({root, -1});
      for (; next < order_.size(); ++next) {
        const Vertex vertex = order_[next].vertex;
        for (const Link& link : topology_.links_of(vertex)) {
          if (topology_.is_gpu(link.to) || seen[index_of(link.to)]) continue;
          seen[index_of(link.to)] = true;
          order_.push_back({link.to, static_cast<int>(next)});
        }
      }
    }
  }

  // Both have the same neighbours, apart from each other.
  bool are_twins(Vertex a, Vertex b) const {
    const auto others = [&](Vertex vertex) {
      std::vector<Vertex> others;
      for (const Link& link : topology_.links_of(vertex)) {
        if (link.to != a && link.to != b) others.push_back(link.to);
      }
      sort_stably(others);
      return others;
    };
    return others(a) == others(b);
  }

  void try_from(Vertex gpu, Mask side, Mask other, int links) {
    if (links >= fewest_) return;
    if (gpu == topology_.gpus) {
      fewest_ = std::min(fewest_, links + cut_of_switches(side));
      return;
    }
    const int most = (topology_.gpus + 1) / 2;
    const Mask own = Mask{1} << gpu, neighbours = neighbours_[index_of(gpu)];
    const bool after_twin = twins_[index_of(gpu)] && (other >> (gpu - 1) & 1U) != 0;
    if (std::popcount(side) < most && !after_twin) {
      try_from(gpu + 1, side | own, other, links + std::popcount(neighbours & other));
    }
    if (std::popcount(other) < most) try_from(gpu + 1, side, other | own, links + std::popcount(neighbours & side));
  }

  int cut_of_switches(Mask side) {
    choices_.assign(order_.size(), Choice{});
    int links = 0;
    for (std::size_t i = order_.size(); i-- > 0;) {
      Choice& choice = choices_[i];
      const Mask gpus = neighbours_[index_of(order_[i].vertex)];
      choice.here += std::popcount(gpus & ~side);
      choice.there += std::popcount(gpus & side);
      if (order_[i].hangs_on < 0) {
        links += std::min(choice.here, choice.there);
        continue;
      }
      Choice& above = choices_[index_of(order_[i].hangs_on)];
      above.here += std::min(choice.here, choice.there + 1);
      above.there += std::min(choice.there, choice.here + 1);
    }
    return links;
  }

  struct Placed {
    Vertex vertex;
    int hangs_on;  // index into order_, -1 for a root
  };
  const Topology& topology_;
  std::vector<Mask> neighbours_;  // per vertex: the GPUs it is joined to
  std::vector<Placed> order_;
  std::vector<bool> twins_;      // per GPU: it is a twin of the one before
  std::vector<Choice> choices_;  // per place in that order
  int fewest_ = 0;
};

// All ways to halve a tree at its edges: fewest[k] = fewest edges cut so that k GPUs
// of the subtree are on the side of its top.
std::vector<int> fewest_cuts(const Topology& topology, Vertex gpu) {
  constexpr int kNever = std::numeric_limits<int>::max() / 4;
  std::vector<int> fewest{kNever, 0};
  for (const Link& link : topology.links_of(gpu)) {
    if (link.to < gpu) continue;
    const std::vector<int> child = fewest_cuts(topology, link.to);
    const int size = static_cast<int>(child.size()) - 1;
    std::vector<int> joined(fewest.size() + index_of(size), kNever);
    for (std::size_t k = 0; k < fewest.size(); ++k) {
      for (int with = 0; with <= size; ++with) {
        // Uncut, `with` GPUs of the child are on our side; cut, those that are not on the child's.
        const int cost = std::min(child[index_of(with)], child[index_of(size - with)] + 1);
        int& best = joined[k + index_of(with)];
        best = std::min(best, fewest[k] + cost);
      }
    }
    fewest = std::move(joined);
  }
  return fewest;
}

int bisection_of_tree(const Topology& topology) {
  const std::vector<int> fewest = fewest_cuts(topology, 0);
  const int half = topology.gpus / 2;
  return std::min(fewest[index_of(half)], fewest[index_of(topology.gpus - half)]);
}

// r rows of c >= r. An odd number of columns is halved with a step in the cut: one
// link more per closed or open column. Two rows of a torus are joined once only.
int bisection_of_mesh(const Topology& topology) {
  return topology.columns % 2 == 0 ? topology.rows : topology.rows + 1;
}

int bisection_of_torus(const Topology& topology) {
  const int r = topology.rows;
  const int c = topology.columns;
  if (c == 2) return 2;
  const int stepped = r == 2 ? 5 : 2 * r + 2;
  return std::min(c % 2 == 0 ? 2 * r : stepped, r == 2 ? c : std::numeric_limits<int>::max());
}

}  // namespace

int bisection_by_trial(const Topology& topology) {
  return topology.gpus < 2 ? 0 : Halves(topology).fewest_links();
}

std::optional<int> bisection_by_formula(const Topology& topology) {
  const int n = topology.gpus;
  const int half = n / 2;
  if (n < 2) return 0;
  switch (topology.kind) {
    case TopologyKind::ring: return n == 2 ? 1 : 2;
    case TopologyKind::line: return 1;
    case TopologyKind::full_mesh: return half * (n - half);
    case TopologyKind::single_switch:
    case TopologyKind::nvswitch: return topology.switches * half;
    case TopologyKind::two_level: {
      const int servers = n / topology.gpus_per_node;
      if (servers == 1) return half;
      if (servers % 2 == 1) return std::nullopt;
      return servers / 2 * topology.nics_per_node;
    }
    case TopologyKind::binary_tree: return bisection_of_tree(topology);
    case TopologyKind::mesh: return bisection_of_mesh(topology);
    case TopologyKind::torus: return bisection_of_torus(topology);
    case TopologyKind::hypercube: return half;
  }
  return std::nullopt;
}

}  // namespace commflow
