#include "core/groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/ordering.h"

namespace commflow {

namespace {

constexpr std::int64_t kMaxWorld = 1 << 20;
constexpr std::array kDense = {Dimension::tp, Dimension::cp, Dimension::pp, Dimension::dp};

struct NamedDimension {
  std::string_view name;
  Dimension dimension;
};
constexpr std::array<NamedDimension, 5> kOrderNames = {{{"tp", Dimension::tp},
                                                        {"cp", Dimension::cp},
                                                        {"pp", Dimension::pp},
                                                        {"dp", Dimension::dp},
                                                        {"ep", Dimension::ep}}};

std::optional<Dimension> dimension_named(std::string_view name) {
  for (const NamedDimension& row : kOrderNames) {
    if (row.name == name) return row.dimension;
  }
  return std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::ptrdiff_t times_in(const std::vector<Dimension>& order, Dimension dimension) {
  return std::count(order.begin(), order.end(), dimension);
}

bool is_dense_permutation(const std::vector<Dimension>& order) {
  const auto once = [&](Dimension dimension) { return times_in(order, dimension) == 1; };
  return order.size() == kDense.size() && std::all_of(kDense.begin(), kDense.end(), once);
}

int size_of(const Layout& layout, Dimension dimension) {
  switch (dimension) {
    case Dimension::tp: return layout.tp;
    case Dimension::cp: return layout.cp;
    case Dimension::pp: return layout.pp;
    case Dimension::dp: return layout.dp;
    default: return 1;
  }
}

int& dense_coordinate(Coordinates& at, Dimension dimension) {
  switch (dimension) {
    case Dimension::tp: return at.tp;
    case Dimension::cp: return at.cp;
    case Dimension::pp: return at.pp;
    default: return at.dp;
  }
}

int coordinate(const Coordinates& at, Dimension dimension) {
  switch (dimension) {
    case Dimension::tp:
    case Dimension::sp: return at.tp;
    case Dimension::cp: return at.cp;
    case Dimension::pp: return at.pp;
    case Dimension::dp: return at.dp;
    case Dimension::ep: return at.ep;
    case Dimension::expert_dp: return at.expert_dp;
    case Dimension::none: break;
  }
  return 0;
}

// Equal for two ranks exactly if they are in the same group of `dimension`: all
// other coordinates of the folding that the dimension belongs to.
std::array<int, 4> group_key(const Coordinates& at, Dimension dimension) {
  switch (dimension) {
    case Dimension::tp:
    case Dimension::sp: return {0, at.cp, at.pp, at.dp};
    case Dimension::cp: return {at.tp, 0, at.pp, at.dp};
    case Dimension::pp: return {at.tp, at.cp, 0, at.dp};
    case Dimension::dp: return {at.tp, at.cp, at.pp, 0};
    case Dimension::ep: return {at.etp, 0, at.pp, at.expert_dp};
    case Dimension::expert_dp: return {at.etp, at.ep, at.pp, 0};
    case Dimension::none: break;
  }
  return {at.tp, at.cp, at.pp, at.dp};
}

std::string text(std::int64_t number) {
  return std::to_string(number);
}

std::string divisors_of(std::int64_t number) {
  std::string list;
  for (std::int64_t candidate = 1; candidate <= number; ++candidate) {
    if (number % candidate == 0) list += (list.empty() ? "" : ", ") + text(candidate);
  }
  return list;
}

std::optional<std::string> size_problem(const Layout& layout) {
  const std::array<std::pair<const char*, int>, 6> sizes = {{{"tp", layout.tp},
                                                             {"pp", layout.pp},
                                                             {"dp", layout.dp},
                                                             {"cp", layout.cp},
                                                             {"ep", layout.ep},
                                                             {"etp", layout.etp}}};
  for (const auto& [name, size] : sizes) {
    if (size < 1) return std::string(name) + " is " + text(size) + "; expected at least 1";
  }
  std::int64_t world = 1;
  for (const Dimension dimension : kDense) {
    world *= size_of(layout, dimension);
    if (world > kMaxWorld) return "tp * cp * pp * dp is too large; expected at most " + text(kMaxWorld) + " ranks";
  }
  return std::nullopt;
}

std::optional<std::string> expert_problem(const Layout& layout) {
  const std::int64_t stage = std::int64_t{layout.tp} * layout.cp * layout.dp;
  const std::string stage_text = "tp * cp * dp = " + text(stage);
  if (stage % layout.etp != 0) {
    return "etp " + text(layout.etp) + " does not divide " + stage_text + "; possible: " + divisors_of(stage);
  }
  const std::int64_t room = stage / layout.etp;
  if (room % layout.ep != 0) {
    return "ep " + text(layout.ep) + " times etp " + text(layout.etp) + " does not divide " + stage_text +
           "; with this etp ep can be: " + divisors_of(room);
  }
  return std::nullopt;
}

}  // namespace

RankOrder default_order() {
  return {{Dimension::tp, Dimension::cp, Dimension::pp, Dimension::dp}};
}

std::optional<RankOrder> parse_order(std::string_view order_text) {
  std::vector<Dimension> order;
  for (const std::string_view part : split(order_text, '-')) {
    const std::optional<Dimension> dimension = dimension_named(part);
    if (!dimension) return std::nullopt;
    order.push_back(*dimension);
  }
  if (times_in(order, Dimension::ep) > 1) return std::nullopt;
  std::erase(order, Dimension::ep);
  const auto tp = std::find(order.begin(), order.end(), Dimension::tp);
  if (times_in(order, Dimension::cp) == 0 && tp != order.end()) order.insert(tp + 1, Dimension::cp);
  if (!is_dense_permutation(order)) return std::nullopt;
  return RankOrder{order};
}

int world_size(const Layout& layout) {
  return layout.tp * layout.cp * layout.pp * layout.dp;
}

int expert_dp_size(const Layout& layout) {
  return layout.tp * layout.cp * layout.dp / (layout.etp * layout.ep);
}

std::optional<std::string> layout_problem(const Layout& layout) {
  if (!is_dense_permutation(layout.order.fastest_first)) {
    return "the rank order names something else; expected tp, cp, pp and dp once each";
  }
  if (auto problem = size_problem(layout)) return problem;
  return expert_problem(layout);
}

Coordinates coordinates_of(const Layout& layout, Rank rank) {
  Coordinates at;
  for (const Dimension dimension : layout.order.fastest_first) {
    dense_coordinate(at, dimension) = rank % size_of(layout, dimension);
    rank /= size_of(layout, dimension);
  }
  // The second folding: the ranks of a stage, tp fastest, then cp, then dp, are
  // cut into etp, then ep, then expert_dp. In Megatron-LM's own order (tp-dp-pp)
  // this is Megatron-LM's expert folding.
  int place = at.tp + layout.tp * (at.cp + layout.cp * at.dp);
  at.etp = place % layout.etp;
  place /= layout.etp;
  at.ep = place % layout.ep;
  at.expert_dp = place / layout.ep;
  return at;
}

Rank rank_at(const Layout& layout, int tp, int cp, int pp, int dp) {
  Coordinates at{.tp = tp, .pp = pp, .dp = dp, .cp = cp};
  Rank rank = 0;
  int stride = 1;
  for (const Dimension dimension : layout.order.fastest_first) {
    rank += stride * dense_coordinate(at, dimension);
    stride *= size_of(layout, dimension);
  }
  return rank;
}

namespace {

void order_by(Dimension dimension, const Layout& layout, std::vector<Rank>& group) {
  sort_stably(group, [&](Rank a, Rank b) {
    return coordinate(coordinates_of(layout, a), dimension) < coordinate(coordinates_of(layout, b), dimension);
  });
}

}  // namespace

std::vector<std::vector<Rank>> groups_of(const Layout& layout, Dimension dimension) {
  std::map<std::array<int, 4>, std::size_t> index;
  std::vector<std::vector<Rank>> groups;
  for (Rank rank = 0; rank < world_size(layout); ++rank) {
    const auto key = group_key(coordinates_of(layout, rank), dimension);
    const auto found = index.try_emplace(key, groups.size());
    if (found.second) groups.emplace_back();
    groups[found.first->second].push_back(rank);
  }
  for (std::vector<Rank>& group : groups) order_by(dimension, layout, group);
  return groups;
}

// Asked for many times in every frame.
std::vector<Rank> group_of(const Layout& layout, Dimension dimension, Rank rank) {
  std::vector<Rank> group;
  if (rank < 0 || rank >= world_size(layout)) return group;
  const auto key = group_key(coordinates_of(layout, rank), dimension);
  for (Rank other = 0; other < world_size(layout); ++other)
    if (group_key(coordinates_of(layout, other), dimension) == key) group.push_back(other);
  order_by(dimension, layout, group);
  return group;
}

}  // namespace commflow
