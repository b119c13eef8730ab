// Measures, without a browser, what a reader waits for: how long runs, counts, pages and figures take to make, and how
// many rounds the engine plays in a second. Prints rows of milliseconds, medians. usage: commflow_bench ROOT

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/algorithms.h"
#include "core/collective.h"
#include "core/expert_count.h"
#include "io/folder.h"
#include "io/library_json.h"
#include "story/pages/pages.h"
#include "story/stills.h"

namespace commflow {
namespace {

using Clock = std::chrono::steady_clock;
constexpr float kFigureWidth = 820;

double milliseconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median_of(int times, const std::function<void()>& work) {
  std::vector<double> each;
  for (int i = 0; i < times; ++i) each.push_back(milliseconds_of(work));
  std::nth_element(each.begin(), each.begin() + times / 2, each.end());
  return each[static_cast<std::size_t>(times / 2)];
}

// Rounds of ring all-reduce among eight ranks.
double rounds_per_second() {
  const Schedule schedule = *make_schedule(Collective::all_reduce, Algorithm::ring, 8);
  const Buffers start = initial_buffers(Collective::all_reduce, 0, std::vector<int>(8, 1),
                                        std::vector<std::vector<Value>>(8, std::vector<Value>(8, 3)));
  int rounds = 0;
  const double spent = milliseconds_of([&] {
    for (int i = 0; i < 2000; ++i) {
      Buffers buffers = start;
      for (const Round& round : schedule.rounds) buffers = run_round(buffers, round, Operator::sum);
      rounds += static_cast<int>(schedule.rounds.size());
    }
  });
  return rounds / spent * 1000;
}

// Of DeepSeek-V3's size: 256 experts on 8 nodes of 8 GPUs, 4096 tokens on each, 8 experts per token.
double count_of_layer(int topk_nodes) {
  experts::Settings settings;
  settings.nodes = 8;
  settings.gpus_per_node = 8;
  settings.experts = 256;
  settings.topk = 8;
  settings.tokens = 4096;
  settings.topk_nodes = topk_nodes;
  return median_of(5, [&] { experts::count_layer(settings); });
}

// A page with all its figures, as after a choice.
void make_all(const State& state, Deriver& deriver) {
  const Page page = make_page(state, deriver);
  for (const Block& block : page.blocks)
    if (block.kind == BlockKind::figure) make_figure(block.id, {kFigureWidth}, state, deriver, false);
}

double opening_of(State state, Deriver& deriver, PageId page) {
  state.page = static_cast<int>(page);
  return median_of(9, [&] {
    deriver.forget();
    make_all(state, deriver);
  });
}

State collectives_state(const Library& library) {
  State state = initial_state(library);
  state.page = static_cast<int>(PageId::collectives);
  state.ranks = 16;
  return state;
}

double moving(int State::*slider, int value, Deriver& deriver) {
  State state = collectives_state(deriver.library());
  return median_of(21, [&] {
    state.*slider = state.*slider == value ? value + 1 : value;
    make_all(state, deriver);
  });
}

double slowest_slider(Deriver& deriver) {
  return std::max({moving(&State::size_bits, 30, deriver), moving(&State::latency_us, 20, deriver),
                   moving(&State::port_gbps, 900, deriver), moving(&State::ranks, 15, deriver)});
}

// Every page: the steps of the walk, its panels, the largest layers and collectives that are drawn, the real settings.
std::vector<State> states_to_look_at(const Library& library) {
  std::vector<State> states;
  State state = initial_state(library);
  for (state.step = 0; state.step < static_cast<int>(library.walk.steps.size()); ++state.step)
    for (state.panel = 0; state.panel <= field(FieldId::panel).max; ++state.panel) states.push_back(state);
  state = initial_state(library);
  state.page = static_cast<int>(PageId::concepts);
  states.push_back(state);
  states.push_back(collectives_state(library));
  state.page = static_cast<int>(PageId::experts);
  for (state.preset = 0; state.preset <= static_cast<int>(library.presets.size()); ++state.preset)
    states.push_back(with_preset(state, library));
  state.preset = 0;
  state.expert_nodes = 4;
  state.expert_gpus = 4;
  state.experts = 64;
  state.expert_topk = 8;
  state.expert_tokens = field(FieldId::expert_tokens).max;
  states.push_back(state);
  return states;
}

struct Slowest {
  double page = 0, walk_figure = 0, experts_figure = 0, other_figure = 0;
};

void look_at_figures(State state, Deriver& deriver, const Page& page, double& slowest) {
  const int end = deriver.derive(state).timeline(state).length();
  for (const Block& block : page.blocks) {
    if (block.kind != BlockKind::figure) continue;
    for (int part = 0; part < 8; ++part) {
      state.at = end / 8 * part + kMotion / 2;  // something flies
      slowest = std::max(slowest, median_of(9, [&] { make_figure(block.id, {kFigureWidth}, state, deriver, false); }));
    }
  }
}

// What is made anew while nothing but the position changes.
Slowest slowest_makings(Deriver& deriver) {
  Slowest slowest;
  for (const State& state : states_to_look_at(deriver.library())) {
    const Page page = make_page(state, deriver);
    slowest.page = std::max(slowest.page, median_of(21, [&] { make_page(state, deriver); }));
    const auto id = static_cast<PageId>(state.page);
    look_at_figures(state, deriver, page,
                    id == PageId::walk      ? slowest.walk_figure
                    : id == PageId::experts ? slowest.experts_figure
                                            : slowest.other_figure);
  }
  return slowest;
}

State with_training_preset(State state, const Library& library) {
  for (std::size_t i = 0; i < library.presets.size(); ++i)
    if (library.presets[i].id == "deepseek-v3-training") state.preset = static_cast<int>(i) + 1;
  return with_preset(state, library);
}

void print(const char* name, double value) {
  std::printf("  %-34s %10.3f\n", name, value);
}

int measure(const std::string& root) {
  Library library;
  for (int lang = 0; lang < kLangs; ++lang) {
    const auto data = pack_folder(root, value_text(field(FieldId::lang), lang, library));
    const std::string error = data.value ? read_data(*data.value, static_cast<Lang>(lang), library) : data.error;
    if (!error.empty()) return std::fprintf(stderr, "%s\n", error.c_str()), 1;
  }
  Deriver deriver(library);
  const State state = initial_state(library);
  print("run of the tiny model", median_of(51, [&] {
          deriver.forget();
          deriver.derive(state);
        }));
  print("ring all-reduce of 16 ranks",
        median_of(21, [&] { make_collective_run(collectives_state(library), library); }));
  print("a slider of the collectives page", slowest_slider(deriver));
  print("count, 256 experts, 64 GPUs", count_of_layer(0));
  print("count, 4 of 8 nodes", count_of_layer(4));
  print("opening the experts page", opening_of(state, deriver, PageId::experts));
  print("opening DeepSeek-V3 training", opening_of(with_training_preset(state, library), deriver, PageId::experts));
  const Slowest slowest = slowest_makings(deriver);
  print("slowest page", slowest.page);
  print("slowest figure of the walk", slowest.walk_figure);
  print("slowest figure of the experts", slowest.experts_figure);
  print("slowest figure of the others", slowest.other_figure);
  std::printf("  %-34s %10.0f\n", "rounds per second", rounds_per_second());
  return 0;
}

}  // namespace
}  // namespace commflow

int main(int argc, char** argv) {
  return argc == 2 ? commflow::measure(argv[1]) : 2;
}
