// The collectives page on computing and communicating at the same time.

#include <algorithm>

#include "core/units.h"
#include "story/pages/collectives_page.h"

namespace commflow::parts {
namespace {

std::string percent(double share) {
  return text_of_decimal(share * 100, 1);
}

// How much longer than alone.
std::string longer(double us, double alone_us) {
  return percent(alone_us > 0 ? us / alone_us - 1 : 0);
}

std::string counted_text(const Context& c, const OverlapCost& cost) {
  const double rate = cost.gpu.memory_gbps * 1e9;
  return c.words.get(Text::overlap_counted,
                     {{"algorithm", name_in(c, "algorithm", name_of(c.derived.collective.first.algorithm))},
                      {"memory", text_of_bytes(cost.memory_bytes)},
                      {"time", text_of_time(cost.comm_us)},
                      {"rate", text_of_rate(rate * cost.time.memory_share)},
                      {"share", percent(cost.time.memory_share)},
                      {"gpu", gpu_of(c).name},
                      {"all", text_of_rate(rate)}});
}

std::string outcome_text(const Context& c, const OverlapCost& cost) {
  const double ideal = std::max(cost.alone.compute_us, cost.comm_us), apart = cost.apart_us();
  return c.words.get(Text::overlap_outcome, {{"total", text_of_time(cost.time.total_us)},
                                             {"saved", percent(apart > 0 ? 1 - cost.time.total_us / apart : 0)},
                                             {"lost", longer(cost.time.total_us, ideal)},
                                             {"compute", longer(cost.time.compute_us, cost.alone.compute_us)},
                                             {"comm", longer(cost.time.comm_us, cost.comm_us)}});
}

}  // namespace

void add_overlap(const Context& c, Page& page) {
  if (!c.derived.collective.overlap) return;
  const OverlapCost& cost = *c.derived.collective.overlap;
  page.blocks.push_back(heading("overlap_title", Region::story, 2, words(c, Text::overlap_title)));
  page.blocks.push_back(paragraph("overlap_text", Region::story, words(c, Text::overlap_text)));
  page.blocks.push_back(
      controls("overlap_choices", Region::story,
               {numbers(c, FieldId::comm_sms, Text::overlap_comm_sms, {0, 4, 8, 12, 16, 20, 24, 32, 64}),
                numbers(c, FieldId::sms, Text::overlap_all_sms, {64, 96, 132, 160, 192}),
                numbers(c, FieldId::compute_to_comm, Text::overlap_compute, {25, 50, 100, 150, 200, 400}),
                numbers(c, FieldId::memory_bound, Text::overlap_bound, {0, 10, 20, 30, 50, 70, 100})}));
  page.blocks.push_back(paragraph("overlap_counted", Region::story, counted_text(c, cost)));
  page.blocks.push_back(paragraph("overlap_outcome", Region::live, outcome_text(c, cost)));
  page.blocks.push_back(figure("overlap", Region::figure, words(c, Text::overlap_alt)));
  page.blocks.push_back(note("overlap_legend", Region::story, words(c, Text::overlap_legend)));
  page.blocks.push_back(note("overlap_assumed", Region::story, words(c, Text::overlap_assumed)));
  page.blocks.push_back(controls("overlap_sources", Region::story,
                                 {source_link(c, reference_named("nccl_sms"), "overlap"),
                                  source_link(c, reference_named("nccl_memory"), "overlap"),
                                  source_link(c, reference_named("deepseek"), "overlap")}));
}

}  // namespace commflow::parts
