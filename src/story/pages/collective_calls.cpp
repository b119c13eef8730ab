// The collectives page on sends and receives that wait for each other.

#include <algorithm>
#include <set>

#include "core/units.h"
#include "story/pages/collectives_page.h"

namespace commflow::parts {
namespace {

const Calls& calls_of(const Context& c) {
  return c.derived.collective.calls;
}

std::string_view order_of(const Calls& calls) {
  return rendezvous::kOrderNames[static_cast<std::size_t>(calls.order)];
}

std::string waits_text(const Context& c, const std::vector<Rank>& cycle) {
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i)
    text += (text.empty() ? std::string{} : words(c, Text::log_join)) +
            c.words.get(Text::calls_wait, {{"rank", number(cycle[i])}, {"on", number(cycle[(i + 1) % cycle.size()])}});
  return text;
}

std::int64_t messages_of(const rendezvous::Outcome& outcome) {
  std::int64_t messages = 0;
  for (const auto& step : outcome.steps) messages += static_cast<std::int64_t>(step.size());
  return messages;
}

std::int64_t sends_of(const Calls& calls) {
  std::int64_t sends = 0;
  for (const auto& program : calls.programs)
    for (const auto& group : program)
      sends += std::count_if(group.begin(), group.end(),
                             [](const rendezvous::Call& call) { return call.kind == rendezvous::Kind::send; });
  return sends;
}

std::string stuck_text(const Context& c) {
  const Calls& calls = calls_of(c);
  std::set<Rank> stuck;
  for (const rendezvous::Stuck& one : calls.outcome.stuck) stuck.insert(one.rank);
  const auto others = static_cast<std::int64_t>(stuck.size() - calls.outcome.cycle.size());
  return c.words.get(Text::calls_stuck, {{"waits", waits_text(c, calls.outcome.cycle)},
                                         {"others", number(others)},
                                         {"through", number(messages_of(calls.outcome))},
                                         {"messages", number(sends_of(calls))}});
}

std::string through_text(const Context& c) {
  const Calls& calls = calls_of(c);
  const int blocks = rendezvous::blocks_through_port(calls.outcome, static_cast<int>(calls.programs.size()));
  return c.words.get(Text::calls_through, {{"messages", number(messages_of(calls.outcome))},
                                           {"steps", number(static_cast<std::int64_t>(calls.outcome.steps.size()))},
                                           {"blocks", number(blocks)},
                                           {"bytes", text_of_bytes(calls.block)},
                                           {"time", text_of_time(calls.time_us)}});
}

}  // namespace

void add_calls(const Context& c, Page& page) {
  const Calls& calls = calls_of(c);
  page.blocks.push_back(heading("calls_title", Region::story, 2, words(c, Text::calls_title)));
  page.blocks.push_back(paragraph("calls_text", Region::story, words(c, Text::calls_text)));
  page.blocks.push_back(controls(
      "call_choices", Region::story,
      {choice(c, FieldId::call_pattern, Text::calls_what,
              {Text::calls_pattern_all_to_all_name, Text::calls_pattern_ring_name}),
       choice(c, FieldId::call_order, Text::calls_how,
              {Text::calls_order_by_number_name, Text::calls_order_neighbours_name, Text::calls_order_even_odd_name,
               Text::calls_order_lower_first_name, Text::calls_order_grouped_name})}));
  page.blocks.push_back(paragraph("calls_order", Region::story, name_in(c, "calls.order", order_of(calls), ".text")));
  page.blocks.push_back(
      paragraph("calls_outcome", Region::live, calls.outcome.stuck.empty() ? through_text(c) : stuck_text(c)));
  page.blocks.push_back(
      figure("calls", Region::figure,
             c.words.get(Text::calls_alt, {{"ranks", number(static_cast<std::int64_t>(calls.programs.size()))}})));
  page.blocks.push_back(note("calls_legend", Region::story, words(c, Text::calls_legend)));
  page.blocks.push_back(controls("calls_sources", Region::story,
                                 {source_link(c, reference_named("nccl_calls"), "calls"),
                                  source_link(c, reference_named("nccl_groups"), "calls")}));
}

}  // namespace commflow::parts
