// The routing table: who goes where, to be edited square by square or pasted.
#include "story/pages/experts_page.h"
#include "story/pages/typed.h"

namespace commflow::parts {
namespace {

constexpr int kMostLines = 12;

Rows rows_of(const experts::Routing& routing) {
  Rows rows;
  for (int token = 0; token < routing.all_tokens(); ++token)
    rows.add(std::span(&routing.experts[routing.at(token, 0)], static_cast<std::size_t>(routing.topk)));
  return rows;
}

}  // namespace

void add_expert_routing(const Context& c, Page& page) {
  const ExpertView& view = c.derived.experts;
  page.blocks.push_back(heading("routing_title", Region::story, 2, words(c, Text::routing_title)));
  page.blocks.push_back(
      paragraph("routing_text", Region::story,
                c.words.get(Text::typed_routing_note, {{"last", number(view.settings.experts - 1)}})));
  if (!c.state.routing.empty())
    page.blocks.push_back(note("routing_yours", Region::story, words(c, Text::routing_yours)));
  page.blocks.push_back(
      controls("routing_panel", Region::story, {panel_button(c, Panel::typed, Text::routing_edit, "")}));
  if (c.state.panel != static_cast<int>(Panel::typed)) return;
  add_typed(c, page, Region::story, InputId::routing, Text::typed_routing, rows_of(view.run.routing), kMostLines);
  page.blocks.push_back(figure("routing_squares", Region::figure, words(c, Text::routing_alt)));
}

}  // namespace commflow::parts
