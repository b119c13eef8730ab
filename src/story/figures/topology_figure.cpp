#include "story/figures/topology_figure.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "story/figures/draw.h"
#include "story/figures/walk_links.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 8;
constexpr float kRadius = 15;  // of a GPU
constexpr float kSwitch = 18;  // least height of a switch with room for its letter
constexpr float kLeastHeight = 190, kMostHeight = 420;

using Points = std::vector<Point>;  // by vertex

Points circle(int count, Box room) {
  return draw::circle(count, room, kRadius + 4);
}

// Evenly over the width, at a height.
void add_row(Points& points, int count, Box room, float y) {
  for (int i = 0; i < count; ++i)
    points.push_back({room.x + room.w * (static_cast<float>(i) + 0.5F) / static_cast<float>(count), y});
}

Points grid(int rows, int columns, Box room) {
  Points points;
  for (int row = 0; row < rows; ++row)
    add_row(points, columns, room, room.y + room.h * (static_cast<float>(row) + 0.5F) / static_cast<float>(rows));
  return points;
}

// Places 0, 1 and 2, 3 to 6, ... row by row.
Points tree(int count, Box room) {
  Points points;
  int depth = 1;
  while ((1 << depth) - 1 < count) ++depth;
  for (int level = 0; level < depth; ++level) {
    const int first = (1 << level) - 1, width = 1 << level;
    const float y = room.y + room.h * (static_cast<float>(level) + 0.5F) / static_cast<float>(depth);
    for (int i = 0; i < width && first + i < count; ++i)
      points.push_back({room.x + room.w * (static_cast<float>(i) + 0.5F) / static_cast<float>(width), y});
  }
  return points;
}

// Two dimensions as a square, two more as a shift.
Points hypercube(int count, Box room) {
  Points points;
  const float w = room.w / 2, h = room.h / 2;
  for (int i = 0; i < count; ++i) {
    float x = room.x + w * 0.3F, y = room.y + h * 0.3F;
    if (i & 1) x += w * (count > 8 ? 0.5F : 0.9F);
    if (i & 2) y += h * (count > 8 ? 0.5F : 0.9F);
    if (i & 4) {
      x += w * 0.22F;
      y += h * 0.2F;
    }
    if (i & 8) x += w * 0.95F;
    points.push_back({x, y});
  }
  return points;
}

Points places_of(const Topology& topology, Box room) {
  const int gpus = topology.gpus, others = topology.vertices - gpus;
  Points points;
  switch (topology.kind) {
    case TopologyKind::ring:
    case TopologyKind::full_mesh: return circle(gpus, room);
    case TopologyKind::single_switch:
      points = circle(gpus, room);
      points.push_back(draw::center(room));
      return points;
    case TopologyKind::line: add_row(points, gpus, room, room.center_y()); return points;
    case TopologyKind::binary_tree: return tree(gpus, room);
    case TopologyKind::mesh:
    case TopologyKind::torus: return grid(topology.rows, topology.columns, draw::inset(room, 14));
    case TopologyKind::hypercube: return hypercube(gpus, room);
    case TopologyKind::nvswitch:
      add_row(points, gpus, room, room.bottom() - kRadius - 4);
      add_row(points, others, room, room.y + kRadius + 4);
      return points;
    case TopologyKind::two_level: break;
  }
  // GPUs below; every row above holds what only rows below lead to.
  add_row(points, gpus, room, room.bottom() - kRadius - 4);
  const int nodes = std::max(1, gpus / std::max(1, topology.gpus_per_node));
  const int rest = std::max(0, others - nodes);
  add_row(points, std::min(nodes, others), room, room.y + room.h * 0.62F);
  if (rest > 1) add_row(points, rest - 1, room, room.y + room.h * 0.33F);
  if (rest > 0) add_row(points, 1, room, room.y + kRadius + 4);
  return points;
}

Ink ink_of(LinkClass link_class) {
  return link_class == LinkClass::nvlink ? Ink::tp : link_class == LinkClass::network ? Ink::pp : Ink::dp;
}
Stroke stroke_of(LinkClass link_class) {
  return link_class == LinkClass::uplink ? Stroke::long_dashes : Stroke::solid;
}

// A topology with what it carries at the moment that is drawn.
struct Wires {
  TopologyKind kind;
  const Topology& topology;
  const std::optional<Routed>& routed;
  std::vector<Bytes> loads;  // per link
  int round = -1;            // -1: all together
};

std::vector<Bytes> loads_of(const CollectiveRun& run, const Wires& wires) {
  if (!wires.routed) return std::vector<Bytes>(wires.topology.links.size());
  if (wires.round < 0) return wires.routed->load;
  const Round& round = run.first.example.schedule.rounds[static_cast<std::size_t>(wires.round)];
  return load_of_round(wires.topology, round, slot_bytes_of(run, run.first));
}

Bytes most_of(const Wires& wires) {
  return wires.loads.empty() ? 0 : *std::max_element(wires.loads.begin(), wires.loads.end());
}

// The link that takes longest, the first of equals; -1 where nothing is sent.
int busiest_of(const Topology& topology, const std::vector<Bytes>& loads) {
  int busiest = -1;
  double longest = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const double time = static_cast<double>(loads[i]) / topology.links[i].gbps;
    if (time <= longest) continue;
    longest = time;
    busiest = static_cast<int>(i);
  }
  return busiest;
}

// Of GPUs, smaller where they stand so close that they would cover each other.
float radius_of(const Points& places) {
  float nearest = 2 * kRadius + 2;
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      nearest = std::min(nearest, std::hypot(places[i].x - places[j].x, places[i].y - places[j].y));
  return nearest / 2 - 1;
}

// Around a wrap of a torus the way is bent, so that it does not hide the links it passes.
std::vector<Point> way(const Topology& topology, const Link& link, const Points& places, float radius, float shift) {
  const Point a = places[static_cast<std::size_t>(link.from)], b = places[static_cast<std::size_t>(link.to)];
  const bool wraps = topology.kind == TopologyKind::torus &&
                     (std::abs(link.from % topology.columns - link.to % topology.columns) > 1 ||
                      std::abs(link.from / topology.columns - link.to / topology.columns) > 1);
  if (!wraps) return draw::between(a, b, radius, shift);
  const float bend = 20 + std::fabs(shift);
  const bool flat = std::fabs(b.x - a.x) > std::fabs(b.y - a.y);
  const Point out = flat ? Point{0, -bend} : Point{-bend, 0};
  return {{a.x, a.y + (flat ? -radius : 0)},
          {a.x + out.x, a.y + out.y},
          {b.x + out.x, b.y + out.y},
          {b.x, b.y + (flat ? -radius : 0)}};
}

// most: bytes of the widest line, the same for all topologies of a figure.
void draw_links(Figure& figure, const Wires& wires, const Points& places, float radius, Bytes most,
                const std::string& prefix) {
  const int bottleneck = busiest_of(wires.topology, wires.loads);
  for (std::size_t i = 0; i < wires.topology.links.size(); ++i) {
    const Link& link = wires.topology.links[i];
    const Bytes load = wires.loads[i];
    const bool used = load > 0;
    const float width =
        used ? 1.5F + 4.0F * static_cast<float>(static_cast<double>(load) / static_cast<double>(most)) : 1.0F;
    // Both directions of a pair lie beside each other.
    Shape line =
        draw::path(way(wires.topology, link, places, radius, 3), used ? ink_of(link.link_class) : Ink::hairline, width,
                   used ? stroke_of(link.link_class) : Stroke::solid, used);
    line.id = prefix + "link." + std::to_string(link.from) + "." + std::to_string(link.to);
    if (used && static_cast<int>(i) == bottleneck) line.line = Ink::broken;
    figure.shapes.push_back(std::move(line));
  }
}

void draw_vertices(Figure& figure, const Topology& topology, const Points& places, float radius,
                   const std::string& prefix) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool gpu = topology.is_gpu(static_cast<Vertex>(i));
    const Box box = draw::centered(places[i], 2 * radius,
                                   gpu ? 2 * radius : std::max(2 * radius - 8, std::min(2 * radius, kSwitch)));
    figure.shapes.push_back(draw::cell(box, gpu ? std::to_string(i) : "S",
                                       gpu ? std::vector<Ink>{origin_ink(static_cast<int>(i))} : std::vector<Ink>{}));
    figure.shapes.back().id = prefix + (gpu ? "gpu." : "switch.") + std::to_string(i);
    if (!gpu) figure.shapes.back().fill = Ink::raised;  // lines end behind it
    figure.shapes.back().radius = gpu ? radius : 3;
  }
}

std::string vertex_name(const Topology& topology, Vertex vertex, const Catalog& words) {
  if (topology.is_gpu(vertex)) return words.get(Text::scene_gpu, {{"gpu", std::to_string(vertex)}});
  return words.get(Text::topology_switch_number, {{"number", std::to_string(vertex - topology.gpus)}});
}

std::string caption(const Wires& wires, const Catalog& words) {
  if (!wires.routed) return std::string(words.get(Text::topology_no_route));
  const int busiest = busiest_of(wires.topology, wires.loads);
  if (busiest < 0) return std::string(words.get(Text::topology_idle));
  const Link& link = wires.topology.links[static_cast<std::size_t>(busiest)];
  return words.get(wires.round < 0 ? Text::topology_busiest : Text::topology_busiest_round,
                   {{"from", vertex_name(wires.topology, link.from, words)},
                    {"to", vertex_name(wires.topology, link.to, words)},
                    {"bytes", text_of_bytes(wires.loads[static_cast<std::size_t>(busiest)])},
                    {"round", std::to_string(wires.round + 1)}});
}

// Of two that stand beside each other: which it is, and how long it takes until here.
std::string title_of(const Wires& wires, double time_us, const Catalog& words) {
  const auto key = text_named("topology." + underscored(name_of(wires.kind)) + ".name");
  const std::string name = key ? std::string(words.get(*key)) : std::string(name_of(wires.kind));
  if (!wires.routed) return name;
  return words.get(wires.round < 0 ? Text::topology_beside_all : Text::topology_beside_round,
                   {{"name", name},
                    {"time", text_of_time(time_us)},
                    {"total", text_of_time(wires.routed->time_us)},
                    {"round", std::to_string(wires.round + 1)}});
}

float graph_height(TopologyKind kind, float width) {
  return kind == TopologyKind::line ? 90.0F : std::clamp(width * 0.62F, kLeastHeight, kMostHeight);
}

void draw_graph(Figure& figure, const Wires& wires, Box box, Bytes most, const std::string& prefix) {
  const Box room{box.x + kPad + 6, box.y, box.w - 2 * kPad - 12, box.h};
  const Points places = places_of(wires.topology, room);
  const float radius = radius_of(places);
  draw_links(figure, wires, places, radius, most, prefix);
  draw_vertices(figure, wires.topology, places, radius, prefix);
}

constexpr float kCaption = 20;
constexpr float kBesideGap = 20;
// Narrower than this the two stand below each other.
constexpr float kLeastBeside = 300;

void add_text(Figure& figure, Box box, std::string text, Weight weight) {
  figure.shapes.push_back(
      draw::text(box, std::move(text), weight == Weight::bold ? 14.0F : draw::kSmall, Ink::ink, Anchor::left, weight));
}

}  // namespace

Figure topology_figure(const CollectiveRun& run, int round, const Catalog& words, FigureSpace space) {
  Figure figure;
  figure.width = space.width;
  if (run.topology.vertices == 0 || !run.first.works()) return figure;
  std::vector<Wires> all{{run.topology.kind, run.topology, run.first.routed, {}, round}};
  if (run.beside && run.beside->problem == SizeProblem::none)
    all.push_back({run.beside->kind, run.beside->topology, run.beside->routed, {}, round});
  Bytes most = 0;
  for (Wires& wires : all) {
    wires.loads = loads_of(run, wires);
    most = std::max(most, most_of(wires));
  }
  if (all.size() == 1) {
    add_text(figure, {kPad, 2, space.width - 2 * kPad, kCaption}, caption(all[0], words), Weight::bold);
    const float height = graph_height(run.topology.kind, space.width);
    draw_graph(figure, all[0], {0, 30, space.width, height}, most, "");
    figure.height = 30 + height + 8;
    return figure;
  }
  const bool stacked = space.width < 2 * kLeastBeside + kBesideGap;
  const float width = stacked ? space.width : (space.width - kBesideGap) / 2;
  float x = 0, y = 2;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Wires& wires = all[i];
    const double until =
        wires.routed ? time_until_us(*wires.routed, run.first.example.schedule, round, run.ports.alpha_us) : 0;
    add_text(figure, {x + kPad, y, width - 2 * kPad, kCaption}, title_of(wires, until, words), Weight::bold);
    add_text(figure, {x + kPad, y + kCaption, width - 2 * kPad, kCaption}, caption(wires, words), Weight::regular);
    const float height = stacked ? graph_height(wires.kind, width)
                                 : std::max(graph_height(all[0].kind, width), graph_height(all[1].kind, width));
    draw_graph(figure, wires, {x, y + 2 * kCaption + 8, width, height}, most, i == 0 ? "" : "beside.");
    figure.height = std::max(figure.height, y + 2 * kCaption + 8 + height + 8);
    if (stacked) y = figure.height + 8;
    if (!stacked) x += width + kBesideGap;
  }
  return figure;
}

}  // namespace commflow
