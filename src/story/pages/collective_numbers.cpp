// The numbers of the collectives page: meters, topologies beside each other, curves,
// faults, and every round with its arithmetic.

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "story/exports.h"
#include "story/figures/walk_links.h"
#include "story/pages/collectives_page.h"

namespace commflow::parts {
namespace {

const CollectiveRun& run_of(const Context& c) {
  return c.derived.collective;
}
Bytes largest(const std::vector<Bytes>& list) {
  return list.empty() ? 0 : *std::max_element(list.begin(), list.end());
}
std::string fraction_text(Fraction fraction) {
  return number(fraction.numerator) + "/" + number(fraction.denominator);
}
std::string rate_text(double bytes, double us) {
  return us > 0 ? text_of_rate(bytes / us * 1e6) : std::string("0");
}

std::vector<const AlgorithmRun*> made_runs(const CollectiveRun& run) {
  std::vector<const AlgorithmRun*> list;
  if (run.first.works()) list.push_back(&run.first);
  if (run.second && run.second->works()) list.push_back(&*run.second);
  return list;
}

// Which counting argument gives the factor of nccl-tests.
Text why_factor(Collective collective) {
  switch (collective) {
    case Collective::all_reduce: return Text::meter_why_reduce_all;
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::send_recv: return Text::meter_why_whole;
    default: return Text::meter_why_all_but_own;
  }
}

// How far the model is from what was measured.
std::string misses_text(const Context& c) {
  const auto& curves = run_of(c).curves;
  const auto ring =
      std::find_if(curves.begin(), curves.end(), [](const Curve& curve) { return curve.algorithm == Algorithm::ring; });
  if (ring == curves.end()) return {};
  const MeasuredFit fit = fit_measured(*ring);
  return c.words.get(Text::curve_misses, {{"latency", text_of_time(fit.ports.alpha_us)},
                                          {"rate", text_of_rate(fit.ports.gbps * 1e9)},
                                          {"factor", text_of_significant(fit.most)}});
}

}  // namespace

void add_meters(const Context& c, Page& page) {
  const CollectiveRun& run = run_of(c);
  const auto runs = made_runs(run);
  if (runs.empty()) return;
  const Fraction factor = busbw_factor(run.collective, run.ranks);
  page.blocks.push_back(heading("meters_title", Region::story, 2, words(c, Text::meter_title)));
  page.blocks.push_back(paragraph("meters_text", Region::story, words(c, Text::meter_text)));
  page.blocks.push_back(paragraph("meters_why", Region::story,
                                  c.words.get(why_factor(run.collective), {{"factor", fraction_text(factor)}})));
  Block table = parts::table("meters", Region::figure, {words(c, Text::meter_name)});
  for (const AlgorithmRun* made : runs) table.columns.push_back(name_in(c, "algorithm", name_of(made->algorithm)));
  const auto row = [&](std::string name, auto value, bool emphasis = false) {
    Row line{{std::move(name)}, emphasis};
    for (const AlgorithmRun* made : runs) line.cells.push_back(value(*made));
    table.rows.push_back(std::move(line));
  };
  const double payload = static_cast<double>(run.payload);
  const double least = least_port_bytes(run.collective, run.ranks, run.payload);
  const auto port = [](const AlgorithmRun& made) { return static_cast<double>(made.traffic.critical_path_bytes); };
  row(words(c, Text::meter_rounds), [](const AlgorithmRun& made) { return number(made.traffic.rounds); });
  row(words(c, Text::meter_messages), [](const AlgorithmRun& made) { return number(made.traffic.messages); });
  row(words(c, Text::meter_sent), [](const AlgorithmRun& made) { return text_of_bytes(largest(made.traffic.sent)); });
  row(words(c, Text::meter_received),
      [](const AlgorithmRun& made) { return text_of_bytes(largest(made.traffic.received)); });
  row(
      words(c, Text::meter_port),
      [](const AlgorithmRun& made) { return text_of_bytes(made.traffic.critical_path_bytes); }, true);
  row(words(c, Text::meter_factor),
      [&](const AlgorithmRun& made) { return text_of_significant(port(made) / payload); });
  // Bounds and factors are those of even blocks.
  const bool even = !run.first.example.uneven;
  if (even)
    row(words(c, Text::meter_least),
        [&](const AlgorithmRun&) { return text_of_bytes(static_cast<Bytes>(std::llround(least))); });
  if (even && least > 0)
    row(words(c, Text::meter_over_least),
        [&](const AlgorithmRun& made) { return text_of_significant(port(made) / least); });
  row(
      c.words.get(Text::meter_time,
                  {{"latency", number(c.state.latency_us)}, {"rate", text_of_rate(run.ports.gbps * 1e9)}}),
      [](const AlgorithmRun& made) { return about(made.port_us); }, true);
  row(words(c, Text::meter_algbw), [&](const AlgorithmRun& made) { return "~" + rate_text(payload, made.port_us); });
  if (even)
    row(c.words.get(Text::meter_busbw, {{"factor", fraction_text(factor)}}), [&](const AlgorithmRun& made) {
      return "~" + rate_text(payload * static_cast<double>(factor.numerator) / static_cast<double>(factor.denominator),
                             made.port_us);
    });
  page.blocks.push_back(std::move(table));
}

void add_topologies(const Context& c, Page& page) {
  const CollectiveRun& run = run_of(c);
  if (!run.first.works()) return;
  page.blocks.push_back(heading("topologies_title", Region::figure, 3, words(c, Text::topology_each_title)));
  Block table = parts::table(
      "topologies", Region::figure,
      {words(c, Text::topology_each_column), words(c, Text::topology_links), words(c, Text::topology_diameter),
       words(c, Text::topology_bisection), words(c, Text::topology_degree), words(c, Text::topology_estimated),
       words(c, Text::topology_bottleneck)});
  const std::string nothing = words(c, Text::needs_nothing);
  for (const TopologyFacts& facts : run.topologies) {
    Row line{{name_in(c, "topology", name_of(facts.kind))}, static_cast<int>(facts.kind) == c.state.topology};
    if (facts.problem != SizeProblem::none) {
      line.cells.insert(line.cells.end(), 4, nothing);
      line.cells.push_back(c.words.get(Text::topology_unfit, {{"ranks", number(run.ranks)}}));
      line.cells.push_back(nothing);
    } else {
      line.cells.push_back(number(facts.links));
      line.cells.push_back(number(facts.diameter));
      line.cells.push_back(facts.bisection ? number(*facts.bisection) : nothing);
      line.cells.push_back(number(facts.degree));
      line.cells.push_back(facts.routed ? about(facts.time_us) : nothing);
      line.cells.push_back(facts.routed ? text_of_bytes(facts.busiest) : nothing);
    }
    table.rows.push_back(std::move(line));
  }
  page.blocks.push_back(std::move(table));
}

void add_curves(const Context& c, Page& page) {
  const CollectiveRun& run = run_of(c);
  const auto& curves = run.curves;
  page.blocks.push_back(heading("curves_title", Region::story, 2, words(c, Text::curve_title)));
  page.blocks.push_back(paragraph("curves_text", Region::story, words(c, Text::curve_text)));
  const auto crossings = crossings_of(curves, run.ports);
  std::vector<std::string> lines;
  if (!crossings.empty())
    lines.push_back(
        c.words.get(Text::curve_first, {{"name", name_in(c, "algorithm", name_of(crossings.front().from))}}));
  for (const Crossing& crossing : crossings)
    lines.push_back(
        c.words.get(Text::curve_crossing, {{"bytes", text_of_bytes(static_cast<Bytes>(std::ceil(crossing.bytes)))},
                                           {"from", name_in(c, "algorithm", name_of(crossing.from))},
                                           {"to", name_in(c, "algorithm", name_of(crossing.to))}}));
  if (!lines.empty()) page.blocks.push_back(list("crossings", Region::story, std::move(lines)));
  if (is_measured(run)) page.blocks.push_back(note("curves_misses", Region::story, misses_text(c)));
  page.blocks.push_back(figure("curves", Region::figure,
                               c.words.get(Text::curve_alt, {{"most", text_of_bytes(Bytes{1} << kMostSizeBits)}})));
}

namespace {

std::string waits_text(const Context& c, const Progress& progress) {
  std::string text;
  for (const Wait& wait : progress.waits) {
    const bool never = std::isinf(wait.us);
    text +=
        (text.empty() ? "" : words(c, Text::log_join)) +
        c.words.get(
            never ? Text::fault_for_ever : Text::fault_wait,
            {{"rank", number(wait.rank)}, {"on", number(wait.on)}, {"time", never ? std::string{} : about(wait.us)}});
  }
  return text.empty() ? words(c, Text::fault_nobody) : text;
}

bool waits_for_ever(const Progress& progress) {
  return std::any_of(progress.waits.begin(), progress.waits.end(),
                     [](const Wait& wait) { return std::isinf(wait.us); });
}

// After a round that never ends nobody comes to the next one.
std::string round_text(const Context& c, const std::vector<Progress>& rounds, std::size_t round) {
  const auto before = rounds.begin() + static_cast<std::ptrdiff_t>(round);
  const bool stuck = rounds[round].waits.empty() && std::any_of(rounds.begin(), before, waits_for_ever);
  return stuck ? words(c, Text::fault_not_reached) : waits_text(c, rounds[round]);
}

std::vector<std::string> fault_lines(const Context& c) {
  const CollectiveRun& run = run_of(c);
  if (run.progress.empty()) return {words(c, Text::fault_healthy)};
  std::vector<std::string> lines;
  const double done = makespan_us(run.first.example.schedule, run.progress);
  lines.push_back(std::isinf(done) ? words(c, Text::fault_never)
                                   : c.words.get(Text::fault_total, {{"time", text_of_time(done)},
                                                                     {"usual", text_of_time(run.first.port_us)}}));
  // Rounds in which the same happens stand in one line.
  const std::size_t rounds = run.progress.size();
  for (std::size_t first = 0, next = 0; first < rounds; first = next) {
    const std::string text = round_text(c, run.progress, first);
    for (next = first + 1; next < rounds && round_text(c, run.progress, next) == text;) ++next;
    const std::string one = number(static_cast<std::int64_t>(first) + 1);
    const std::string last = number(static_cast<std::int64_t>(next));
    lines.push_back(next == first + 1
                        ? c.words.get(Text::fault_line, {{"round", one}, {"waits", text}})
                        : c.words.get(Text::fault_lines, {{"first", one}, {"last", last}, {"waits", text}}));
  }
  return lines;
}

Control fault_choice(const Context& c) {
  return options(c, FieldId::fault, Text::fault_what,
                 {{static_cast<int>(Fault::Kind::none), words(c, Text::fault_none)},
                  {static_cast<int>(Fault::Kind::slow_link),
                   c.words.get(Text::fault_slow_link, {{"factor", text_of_significant(kSlowFactor)}})},
                  {static_cast<int>(Fault::Kind::late_gpu),
                   c.words.get(Text::fault_late_gpu, {{"time", text_of_time(kLateMs * 1000)}})},
                  {static_cast<int>(Fault::Kind::dead_gpu), words(c, Text::fault_dead_gpu)}});
}

}  // namespace

void add_faults(const Context& c, Page& page) {
  page.blocks.push_back(heading("faults_title", Region::story, 2, words(c, Text::fault_title)));
  page.blocks.push_back(paragraph("faults_text", Region::story, words(c, Text::fault_text)));
  page.blocks.push_back(
      controls("fault_choices", Region::story,
               {fault_choice(c), numbers_between(c, FieldId::fault_gpu, Text::fault_where, 0, run_of(c).ranks - 1)}));
  page.blocks.push_back(list("faults", Region::figure, fault_lines(c)));
}

namespace {

constexpr std::size_t kMostLines = 200;

std::string arithmetic(const Context& c, const Example& example, std::size_t round, const Transfer& transfer) {
  const Buffers& before = example.history[round];
  const Buffers& after = example.history[round + 1];
  const bool adds = transfer.reduce && before.filled(transfer.dst);
  const auto sign = text_named("op." + std::string(name_of(example.op)) + ".sign");
  const auto value = [](const Buffers& buffers, Place place) {
    return buffers.filled(place) ? number(buffers.values(place).front()) : std::string{};
  };
  return c.words.get(adds              ? Text::rounds_add
                     : transfer.reduce ? Text::rounds_first
                                       : Text::rounds_copy,
                     {{"round", number(static_cast<std::int64_t>(round) + 1)},
                      {"src", number(transfer.src.rank)},
                      {"dst", number(transfer.dst.rank)},
                      {"block", number(transfer.dst.slot)},
                      {"before", value(before, transfer.dst)},
                      {"sign", sign ? words(c, *sign) : std::string{}},
                      {"value", value(before, transfer.src)},
                      {"after", value(after, transfer.dst)}});
}

// Of every transfer between GPUs, in order.
std::vector<std::string> lines_of_rounds(const Context& c) {
  const Example& example = run_of(c).first.example;
  std::vector<std::string> lines;
  for (std::size_t round = 0; round < example.schedule.rounds.size(); ++round)
    for (const Transfer& transfer : example.schedule.rounds[round])
      if (!transfer.local()) lines.push_back(arithmetic(c, example, round, transfer));
  return lines;
}

// The rounds as the panel shows them. A page of some thousand lines would be slow, so the rest is for the clipboard.
void add_lines(const Context& c, Page& page) {
  std::vector<std::string> lines = lines_of_rounds(c);
  const std::size_t all = lines.size();
  if (all > kMostLines) {
    lines.resize(kMostLines);
    page.blocks.push_back(note("rounds_more", Region::story,
                               c.words.get(Text::rounds_more, {{"shown", number(kMostLines)},
                                                               {"all", number(static_cast<std::int64_t>(all))}})));
  }
  page.blocks.push_back(list("rounds", Region::story, std::move(lines)));
}

}  // namespace

void add_rounds(const Context& c, Page& page) {
  if (!run_of(c).first.works()) return;
  page.blocks.push_back(heading("rounds_title", Region::story, 2, words(c, Text::rounds_title)));
  page.blocks.push_back(controls(
      "rounds_panel", Region::story,
      {panel_button(c, Panel::log, Text::rounds_shown, ""), button(c, Action::copy_rounds, Text::rounds_copy_all),
       button(c, Action::download_schedule, Text::rounds_schedule),
       button(c, Action::download_counts, Text::rounds_counts)}));
  if (c.state.panel == static_cast<int>(Panel::log)) add_lines(c, page);
}

}  // namespace commflow::parts

namespace commflow {

std::optional<File> collectives_file(Action action, const parts::Context& c) {
  const CollectiveRun& run = c.derived.collective;
  const AlgorithmRun& made = run.first;
  if (!made.works()) return std::nullopt;
  const std::string name =
      "commflow-" + std::string(name_of(run.collective)) + "-" + std::string(name_of(made.algorithm));
  switch (action) {
    case Action::copy_rounds: {
      std::string text;
      for (const std::string& line : parts::lines_of_rounds(c)) text += line + "\n";
      return File{name + ".txt", "text/plain", std::move(text), true};
    }
    case Action::download_schedule:
      return File{name + ".json", "application/json",
                  schedule_json(run.collective, made.algorithm, run.root, made.example.schedule)};
    case Action::download_counts: return File{name + ".csv", "text/csv", counts_csv(run)};
    default: return std::nullopt;
  }
}

}  // namespace commflow
