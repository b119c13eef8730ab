#include "story/figures/overlap_figure.h"

#include <algorithm>
#include <string>

#include "core/units.h"
#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kLine = 20;  // of text
constexpr float kBar = 18;
constexpr float kRowGap = 10;
constexpr float kTitle = 26;

enum class Does : std::uint8_t { compute, communicate };

// Puts rows below each other: a line of words, then bars.
class Bars {
 public:
  Bars(const Catalog& words, float width) : words_(words) { figure_.width = width; }

  void title(Text key) {
    add(draw::text({0, y_, figure_.width, kLine}, std::string(words_.get(key)), 14, Ink::ink, Anchor::left,
                   Weight::bold));
    y_ += kTitle;
  }
  // The right one goes below the left where both do not fit.
  void line(std::string left, std::string right) {
    constexpr float kGap = 12;
    const float needed = text_width(left, draw::kSmall) + kGap + text_width(right, draw::kSmall);
    const bool below = needed > figure_.width;
    add(draw::text({0, y_, below ? figure_.width : needed - text_width(right, draw::kSmall), kLine}, std::move(left),
                   draw::kSmall, Ink::ink));
    if (below) y_ += kLine;
    const float x = below ? 0 : figure_.width - text_width(right, draw::kSmall);
    add(draw::text({x, y_, figure_.width - x, kLine}, std::move(right), draw::kSmall, Ink::muted, Anchor::right));
    y_ += kLine;
  }
  // From and to as shares of the width.
  void bar(Does what, double from, double to, const std::string& id, bool longer = false) {
    const float left = figure_.width * static_cast<float>(from);
    Shape bar = draw::rect({left, y_, std::max(1.0F, figure_.width * static_cast<float>(to) - left), kBar},
                           what == Does::communicate ? Ink::tp_soft : Ink::hairline,
                           what == Does::communicate ? Ink::tp : Ink::muted, 3);
    if (longer) {
      bar.fill = Ink::page;
      bar.hatch = true;
    }
    bar.id = id;
    add(std::move(bar));
  }
  // Where there is no more to have.
  void limit(double at) {
    const float x = figure_.width * static_cast<float>(at);
    add(draw::path({{x, y_ - 3}, {x, y_ + kBar + 3}}, Ink::broken, 2));
    figure_.shapes.back().id = "limit";
  }
  void next() { y_ += kBar + kRowGap; }
  Figure done() {
    figure_.height = y_;
    return std::move(figure_);
  }

 private:
  void add(Shape shape) { figure_.shapes.push_back(std::move(shape)); }
  const Catalog& words_;
  Figure figure_;
  float y_ = 2;
};

std::string time_text(double us) {
  return "~" + text_of_time(us);
}

std::string longer_text(double us, double alone_us) {
  const double percent = alone_us > 0 ? (us / alone_us - 1) * 100 : 0;
  return time_text(us) + " (+" + text_of_decimal(percent, 1) + " %)";
}

void add_shares(Bars& bars, const OverlapCost& cost, const Catalog& words) {
  bars.title(Text::overlap_shared);
  const double sms = cost.time.sm_share;
  bars.line(words.get(Text::overlap_sms, {{"compute", std::to_string(cost.gpu.sms - cost.gpu.comm_sms)},
                                          {"comm", std::to_string(cost.gpu.comm_sms)}}),
            words.get(Text::overlap_of, {{"all", std::to_string(cost.gpu.sms)}}));
  bars.bar(Does::compute, 0, 1 - sms, "sms.compute");
  if (sms > 0) bars.bar(Does::communicate, 1 - sms, 1, "sms.communicate");
  bars.next();
  const bool asks = cost.alone.memory_bound > 0 && cost.alone.compute_us > 0;
  const double asked = cost.time.memory_share + (asks ? 1 : 0);
  const double scale = std::max(1.0, asked);
  const double rate = cost.gpu.memory_gbps * 1e9;
  bars.line(words.get(Text::overlap_memory, {{"comm", text_of_rate(rate * cost.time.memory_share)}}),
            words.get(Text::overlap_of, {{"all", text_of_rate(rate)}}));
  if (asks) bars.bar(Does::compute, 0, 1 / scale, "memory.compute");
  bars.bar(Does::communicate, (asks ? 1 : 0) / scale, asked / scale, "memory.communicate");
  bars.limit(1 / scale);
  bars.next();
}

void add_times(Bars& bars, const OverlapCost& cost, const Catalog& words) {
  const double all = std::max({cost.apart_us(), cost.time.total_us, 1e-9});
  const double compute = cost.alone.compute_us / all, comm = cost.comm_us / all;
  const auto name = [&](Text key) { return std::string(words.get(key)); };
  bars.title(Text::overlap_times);
  bars.line(name(Text::overlap_apart), time_text(cost.apart_us()));
  bars.bar(Does::compute, 0, compute, "time.apart.compute");
  bars.bar(Does::communicate, compute, compute + comm, "time.apart.communicate");
  bars.next();
  bars.line(name(Text::overlap_ideal), time_text(std::max(cost.alone.compute_us, cost.comm_us)));
  bars.bar(Does::compute, 0, compute, "time.compute");
  bars.next();
  bars.bar(Does::communicate, 0, comm, "time.communicate");
  bars.next();
  bars.line(name(Text::overlap_together), time_text(cost.time.total_us));
  bars.line(name(Text::overlap_computes), longer_text(cost.time.compute_us, cost.alone.compute_us));
  bars.bar(Does::compute, 0, compute, "together.compute");
  bars.bar(Does::compute, compute, cost.time.compute_us / all, "longer.compute", true);
  bars.next();
  bars.line(name(Text::overlap_communicates), longer_text(cost.time.comm_us, cost.comm_us));
  bars.bar(Does::communicate, 0, comm, "together.communicate");
  bars.bar(Does::communicate, comm, cost.time.comm_us / all, "longer.communicate", true);
  bars.next();
}

}  // namespace

Figure overlap_figure(const OverlapCost& cost, const Catalog& words, FigureSpace space) {
  constexpr float kWidest = 640;
  Bars bars(words, std::min(space.width, kWidest));
  add_shares(bars, cost, words);
  add_times(bars, cost, words);
  return bars.done();
}

}  // namespace commflow
