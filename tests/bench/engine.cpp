// Measures, without a page: how long a page, a figure, a still and a whole run of the tiny model take to make, and how
// many rounds the engine plays in a second. Prints JSON. usage: commflow_bench ROOT

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/algorithms.h"
#include "core/collective.h"
#include "io/folder.h"
#include "io/library_json.h"
#include "story/pages/pages.h"
#include "story/stills.h"

namespace commflow {
namespace {

using Clock = std::chrono::steady_clock;

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

int measure(const std::string& root) {
  Library library;
  for (int lang = 0; lang < kLangs; ++lang) {
    const auto data = pack_folder(root, value_text(field(FieldId::lang), lang, library));
    const std::string error = data.value ? read_data(*data.value, static_cast<Lang>(lang), library) : data.error;
    if (!error.empty()) return std::fprintf(stderr, "%s\n", error.c_str()), 1;
  }
  Deriver deriver(library);
  State state = initial_state(library);
  const double derive = median_of(51, [&] {
    deriver.forget();
    deriver.derive(state);
  });
  double slowest_page = 0, slowest_figure = 0;
  for (int step = 0; step < static_cast<int>(library.walk.steps.size()); ++step) {
    state.step = step;
    slowest_page = std::max(slowest_page, median_of(51, [&] { make_page(state, deriver); }));
    slowest_figure =
        std::max(slowest_figure, median_of(51, [&] { make_figure("scene", {820}, state, deriver, false); }));
  }
  std::printf(R"({"derive_ms":%.3f,"slowest_page_ms":%.3f,"slowest_figure_ms":%.3f,"rounds_per_second":%.0f})"
              "\n",
              derive, slowest_page, slowest_figure, rounds_per_second());
  return 0;
}

}  // namespace
}  // namespace commflow

int main(int argc, char** argv) {
  return argc == 2 ? commflow::measure(argv[1]) : 2;
}
