// The layer in a training step: backward, by other exchanges, and behind computation.
#include "core/expert_bytes.h"
#include "core/units.h"
#include "story/expert_costs.h"
#include "story/figures/expert_charts.h"
#include "story/pages/experts_page.h"

namespace commflow::parts {
namespace {

void add_section(const Context& c, Page& page, const char* id, Text title, std::initializer_list<Text> paragraphs) {
  page.blocks.push_back(heading(std::string(id) + "_title", Region::story, 2, words(c, title)));
  int index = 0;
  for (const Text key : paragraphs)
    page.blocks.push_back(paragraph(std::string(id) + "_" + number(index++), Region::story, words(c, key)));
}

void add_backward(const Context& c, Page& page) {
  const ExpertView& view = c.derived.experts;
  add_section(c, page, "backward", Text::experts_backward, {Text::experts_backward_text, Text::experts_backward_count});
  Block table = parts::table("exchanges", Region::figure,
                             {words(c, Text::experts_exchange), words(c, Text::experts_exchange_carries),
                              words(c, Text::experts_meter_nvlink), words(c, Text::experts_meter_network)});
  for (int index = 0; index < experts::kExchanges; ++index) {
    const auto exchange = static_cast<experts::Exchange>(index);
    const experts::ExchangeBytes& bytes = view.bytes_of(exchange);
    const auto say = [&](const char* part) { return name_in(c, "experts.exchange", experts::name_of(exchange), part); };
    table.rows.push_back({{number(index + 1) + "  " + say(".name"), say(".carries"), text_of_bytes(bytes.nvlink),
                           text_of_bytes(bytes.network)},
                          false});
  }
  page.blocks.push_back(std::move(table));
}

std::string crossing_text(const Context& c) {
  const auto ways = expert_ways(c.derived.experts);
  const auto& merged = ways[static_cast<std::size_t>(experts::Way::merged)];
  const auto& gathered = ways[static_cast<std::size_t>(experts::Way::gathered)];
  const auto tokens = experts::crossing_tokens(merged, gathered, expert_port(c.state, c.derived.experts, c.library));
  if (!tokens) return words(c, Text::experts_ways_never);
  return c.words.get(Text::experts_ways_crossing, {{"tokens", "~" + text_of_significant(*tokens)}});
}

void add_ways(const Context& c, Page& page) {
  const ExpertView& view = c.derived.experts;
  const PortModel port = expert_port(c.state, view, c.library);
  const int tokens = usual_tokens(c.state, view);
  add_section(c, page, "other", Text::experts_ways,
              {Text::experts_ways_gathered, Text::experts_ways_order, Text::experts_ways_tp});
  page.blocks.push_back(paragraph("other_crossing", Region::story, crossing_text(c)));
  Block table = parts::table(
      "alternatives", Region::figure,
      {words(c, Text::experts_ways_way), words(c, Text::experts_ways_sent), words(c, Text::experts_ways_rounds),
       words(c, Text::experts_ways_held), words(c, Text::experts_ways_time), words(c, Text::experts_ways_even)},
      c.words.get(Text::experts_ways_caption, {{"tokens", text_of_count(usual_tokens(c.state, c.derived.experts))},
                                               {"rate", text_of_rate(port.gbps * 1e9)},
                                               {"latency", number(c.state.latency_us)}}));
  for (const experts::Alternative& way : expert_ways(view))
    table.rows.push_back({{way_name(c.words, way.way), text_of_bytes(static_cast<Bytes>(way.bytes_per_token * tokens)),
                           number(way.rounds), text_of_decimal(way.copies_per_token, 2),
                           "~" + text_of_time(experts::time_us(way, tokens, port)),
                           words(c, way.even ? Text::experts_ways_yes : Text::experts_ways_no)},
                          false});
  page.blocks.push_back(
      figure("expert_ways", Region::figure, c.words.get(Text::experts_ways_alt, {{"count", number(experts::kWays)}})));
  page.blocks.push_back(std::move(table));
}

void add_decode_limit(const Context& c, Page& page) {
  const auto limit = expert_decode_limit(c.state, c.derived.experts, c.library);
  if (!limit || limit->step_ms <= 0) return;
  page.blocks.push_back(paragraph(
      "decode_limit", Region::story,
      c.words.get(Text::experts_decode_limit, {{"tokens", number(c.derived.experts.counted.tokens)},
                                               {"exchange", "~" + text_of_time(limit->exchange_us)},
                                               {"layer", "~" + text_of_time(limit->layer_us)},
                                               {"layers", number(moe_layers(c.derived.work.model))},
                                               {"step", "~" + text_of_time(limit->step_ms * 1e3)},
                                               {"rate", "~" + text_of_significant(limit->tokens_per_second)}})));
}

void add_overlap(const Context& c, Page& page) {
  const auto overlap = expert_overlap(c.state, c.derived.experts, c.library);
  if (!overlap) return;
  add_section(c, page, "overlap", Text::experts_overlap, {Text::experts_overlap_text, Text::experts_overlap_kernels});
  const auto apart = 2 * overlap->alone.total, together = overlap->together.total;
  const auto exchanges = 2 * overlap->alone.communication;
  const auto hidden = apart - together;
  page.blocks.push_back(paragraph("overlap_saves", Region::story,
                                  c.words.get(Text::experts_overlap_saves,
                                              {{"percent", number(100 * hidden / std::max<std::int64_t>(1, exchanges))},
                                               {"shorter", number(100 * hidden / std::max<std::int64_t>(1, apart))}})));
  add_decode_limit(c, page);
  page.blocks.push_back(figure("expert_overlap", Region::figure,
                               c.words.get(Text::experts_overlap_alt, {{"layers", number(kOverlappedLayers)}})));
  page.blocks.push_back(note(
      "overlap_note", Region::figure,
      c.words.get(Text::experts_overlap_note, {{"tokens", text_of_count(usual_tokens(c.state, c.derived.experts))},
                                               {"model", c.derived.work.model.name},
                                               {"gpu", c.library.gpus[static_cast<std::size_t>(c.state.hardware)].name},
                                               {"compute", number(c.state.compute_percent)},
                                               {"link", number(c.state.link_percent)}})));
}

}  // namespace

void add_expert_context(const Context& c, Page& page) {
  add_backward(c, page);
  add_ways(c, page);
  add_overlap(c, page);
}

Figure expert_context_figure(std::string_view block_id, FigureSpace space, const Context& c) {
  const ExpertView& view = c.derived.experts;
  const auto overlap = expert_overlap(c.state, view, c.library);
  if (block_id == "expert_ways" && !view.problem) return expert_ways_chart(c.state, view, c.library, space);
  if (block_id == "expert_overlap" && overlap) return expert_overlap_chart(*overlap, c.words, space);
  Figure figure;
  figure.width = space.width;
  return figure;
}

}  // namespace commflow::parts
