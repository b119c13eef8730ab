// What training keeps in memory, against what one GPU has.

#include <algorithm>

#include "core/memory.h"
#include "core/units.h"
#include "story/figures/concept_figures.h"
#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 8;
constexpr float kLabel = 22;
constexpr float kBar = 26;
constexpr float kGap = 14;

struct Bar {
  std::string label;
  ModelState state;
};

constexpr std::array kInks{Ink::origin0, Ink::origin2, Ink::origin5};
constexpr std::array kNames{Text::memory_weights, Text::memory_gradients, Text::memory_optimizer};

std::array<Bytes, 3> parts_of(const ModelState& state) {
  return {state.weights, state.gradients, state.optimizer};
}

float draw_legend(Figure& figure, const Catalog& words) {
  float x = kPad, y = 2;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::string name(words.get(kNames[i]));
    const float width = text_width(name, draw::kSmall) + 34;
    if (x > kPad && x + width > figure.width - kPad) {
      x = kPad;
      y += 22;
    }
    figure.shapes.push_back(draw::cell({x, y + 2, 18, 16}, std::to_string(i + 1), {kInks[i]}));
    figure.shapes.push_back(draw::text({x + 24, y, width - 24, 20}, name, draw::kSmall, Ink::muted));
    x += width;
  }
  return y + 30;
}

void draw_bar(Figure& figure, const Bar& bar, float y, double scale) {
  figure.shapes.push_back(draw::text({kPad, y, figure.width - 2 * kPad, kLabel - 2}, bar.label, draw::kSmall));
  float x = kPad;
  const auto parts = parts_of(bar.state);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const float width = static_cast<float>(static_cast<double>(parts[i]) * scale);
    if (width < 0.5F) continue;
    const std::string digit = width >= 16 ? std::to_string(i + 1) : std::string{};
    figure.shapes.push_back(draw::cell({x, y + kLabel, width, kBar}, digit, {kInks[i]}));
    x += width;
  }
}

}  // namespace

Figure memory_figure(const State& state, const Derived& derived, const Library& library, FigureSpace space) {
  const Catalog& words = library.catalogs[static_cast<std::size_t>(state.lang)];
  Figure figure;
  figure.width = space.width;
  const Model& model = derived.work.model;
  const Gpu& gpu = library.gpus[static_cast<std::size_t>(state.hardware)];
  const Layout& layout = derived.layout;
  const auto label = [&](Text key, const ModelState& held) {
    return words.get(key, {{"bytes", text_of_bytes(held.total())},
                           {"tp", std::to_string(layout.tp)},
                           {"pp", std::to_string(layout.pp)},
                           {"dp", std::to_string(layout.dp)},
                           {"ep", std::to_string(layout.ep)}});
  };
  std::vector<Bar> bars;
  const ModelState whole = model_state(total_params(model));
  bars.push_back({label(Text::memory_one_gpu, whole), whole});
  if (!derived.problem) {
    const ModelState split = largest_model_state(model, layout, false);
    const ModelState sharded = largest_model_state(model, layout, true);
    bars.push_back({label(Text::memory_split, split), split});
    bars.push_back({label(Text::memory_zero, sharded), sharded});
  }
  float y = draw_legend(figure, words);
  Bytes most = gpu.memory.value;
  for (const Bar& bar : bars) most = std::max(most, bar.state.total());
  const double scale = static_cast<double>(space.width - 2 * kPad) / static_cast<double>(most);
  const float line = kPad + static_cast<float>(static_cast<double>(gpu.memory.value) * scale);
  for (const Bar& bar : bars) {
    draw_bar(figure, bar, y, scale);
    const float middle = y + kLabel;
    figure.shapes.push_back(draw::path({{line, middle - 2}, {line, middle + kBar + 2}}, Ink::ink, 2));
    y += kLabel + kBar + kGap;
  }
  y -= kGap - 4;
  const std::string name = words.get(
      Text::memory_limit,
      {{"gpu", gpu.name}, {"memory", text_of_significant(static_cast<double>(gpu.memory.value) / 1e9) + " GB"}});
  const float width = text_width(name, draw::kSmall);
  const float x = std::clamp(line - width / 2, kPad, std::max(kPad, space.width - kPad - width));
  figure.shapes.push_back(draw::text({x, y, width, 20}, name, draw::kSmall, Ink::ink));
  figure.height = y + 24;
  return figure;
}

}  // namespace commflow
