#include "story/figures/topology_figure.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 8;
constexpr float kRadius = 15;  // of a GPU
constexpr float kPi = 3.14159265F;
constexpr float kLeastHeight = 190, kMostHeight = 420;

using Points = std::vector<Point>;  // by vertex

Point on_circle(Point middle, float radius, float turn) {
  const float angle = 2 * kPi * turn - kPi / 2;
  return {middle.x + radius * std::cos(angle), middle.y + radius * std::sin(angle)};
}

Points circle(int count, Box room) {
  Points points;
  const float radius = std::min(room.w, room.h) / 2 - kRadius - 4;
  for (int i = 0; i < count; ++i)
    points.push_back(on_circle(draw::center(room), radius, static_cast<float>(i) / static_cast<float>(count)));
  return points;
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

std::vector<Bytes> loads_of(const CollectiveRun& run, int round) {
  const Schedule& schedule = run.first.example.schedule;
  if (!run.first.routed) return std::vector<Bytes>(run.topology.links.size());
  if (round < 0) return run.first.routed->load;
  // Uneven blocks are all as large as an even one.
  std::vector<Bytes> slot_bytes;
  if (run.first.example.uneven)
    slot_bytes.assign(static_cast<std::size_t>(schedule.slots), std::max<Bytes>(1, run.payload / run.ranks));
  for (int slot = static_cast<int>(slot_bytes.size()); slot < schedule.slots; ++slot)
    slot_bytes.push_back(block_bytes(run.payload, schedule.slots, slot));
  return load_of_round(run.topology, schedule.rounds[static_cast<std::size_t>(round)], slot_bytes);
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

// Around a wrap of a torus the way is bent, so that it does not hide the links it passes.
std::vector<Point> way(const Topology& topology, const Link& link, const Points& places, float shift) {
  const Point a = places[static_cast<std::size_t>(link.from)], b = places[static_cast<std::size_t>(link.to)];
  const float dx = b.x - a.x, dy = b.y - a.y;
  const float length = std::max(1.0F, std::sqrt(dx * dx + dy * dy));
  const Point side{-dy / length * shift, dx / length * shift};
  const Point from{a.x + dx / length * kRadius + side.x, a.y + dy / length * kRadius + side.y};
  const Point to{b.x - dx / length * kRadius + side.x, b.y - dy / length * kRadius + side.y};
  const bool wraps = topology.kind == TopologyKind::torus &&
                     (std::abs(link.from % topology.columns - link.to % topology.columns) > 1 ||
                      std::abs(link.from / topology.columns - link.to / topology.columns) > 1);
  if (!wraps) return {from, to};
  const float bend = 20 + std::fabs(shift);
  const bool flat = std::fabs(dx) > std::fabs(dy);
  const Point out = flat ? Point{0, -bend} : Point{-bend, 0};
  return {{a.x, a.y + (flat ? -kRadius : 0)},
          {a.x + out.x, a.y + out.y},
          {b.x + out.x, b.y + out.y},
          {b.x, b.y + (flat ? -kRadius : 0)}};
}

void draw_links(Figure& figure, const CollectiveRun& run, const Points& places, const std::vector<Bytes>& loads) {
  const Bytes most = loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
  const int bottleneck = busiest_of(run.topology, loads);
  for (std::size_t i = 0; i < run.topology.links.size(); ++i) {
    const Link& link = run.topology.links[i];
    const bool used = loads[i] > 0;
    const float width =
        used ? 1.5F + 4.0F * static_cast<float>(static_cast<double>(loads[i]) / static_cast<double>(most)) : 1.0F;
    // Both directions of a pair lie beside each other.
    Shape line = draw::path(way(run.topology, link, places, 3), used ? ink_of(link.link_class) : Ink::hairline, width,
                            used ? stroke_of(link.link_class) : Stroke::solid, used);
    line.id = "link." + std::to_string(link.from) + "." + std::to_string(link.to);
    if (used && static_cast<int>(i) == bottleneck) line.line = Ink::broken;
    figure.shapes.push_back(std::move(line));
  }
}

void draw_vertices(Figure& figure, const Topology& topology, const Points& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool gpu = topology.is_gpu(static_cast<Vertex>(i));
    const Box box = draw::centered(places[i], 2 * kRadius, 2 * kRadius - (gpu ? 0.0F : 8.0F));
    Shape shape = draw::rect(box, gpu ? origin_ink(static_cast<int>(i)) : Ink::raised, Ink::ink, gpu ? kRadius : 3);
    shape.id = (gpu ? "gpu." : "switch.") + std::to_string(i);
    figure.shapes.push_back(draw::cell(box, gpu ? std::to_string(i) : "S",
                                       gpu ? std::vector<Ink>{origin_ink(static_cast<int>(i))} : std::vector<Ink>{}));
    figure.shapes.back().id = shape.id;
    figure.shapes.back().radius = gpu ? kRadius : 3;
  }
}

std::string vertex_name(const Topology& topology, Vertex vertex, const Catalog& words) {
  if (topology.is_gpu(vertex)) return words.get(Text::scene_gpu, {{"gpu", std::to_string(vertex)}});
  return words.get(Text::topology_switch_number, {{"number", std::to_string(vertex - topology.gpus)}});
}

std::string caption(const CollectiveRun& run, int round, const std::vector<Bytes>& loads, const Catalog& words) {
  if (!run.first.routed) return std::string(words.get(Text::topology_no_route));
  const int busiest = busiest_of(run.topology, loads);
  if (busiest < 0) return std::string(words.get(Text::topology_idle));
  const Link& link = run.topology.links[static_cast<std::size_t>(busiest)];
  return words.get(round < 0 ? Text::topology_busiest : Text::topology_busiest_round,
                   {{"from", vertex_name(run.topology, link.from, words)},
                    {"to", vertex_name(run.topology, link.to, words)},
                    {"bytes", text_of_bytes(loads[static_cast<std::size_t>(busiest)])},
                    {"round", std::to_string(round + 1)}});
}

}  // namespace

Figure topology_figure(const CollectiveRun& run, int round, const Catalog& words, FigureSpace space) {
  Figure figure;
  figure.width = space.width;
  if (run.topology.vertices == 0 || !run.first.works()) return figure;
  const auto loads = loads_of(run, round);
  figure.shapes.push_back(draw::text({kPad, 2, space.width - 2 * kPad, 20}, caption(run, round, loads, words), 14,
                                     Ink::ink, Anchor::left, Weight::bold));
  const float height =
      run.topology.kind == TopologyKind::line ? 90.0F : std::clamp(space.width * 0.62F, kLeastHeight, kMostHeight);
  const Box room{kPad + 6, 30, space.width - 2 * kPad - 12, height};
  const Points places = places_of(run.topology, room);
  draw_links(figure, run, places, loads);
  draw_vertices(figure, run.topology, places);
  figure.height = room.bottom() + 8;
  return figure;
}

}  // namespace commflow
