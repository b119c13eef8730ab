// What is counted on the expert layer, and what would be expected by formula.
#include <algorithm>
#include <numeric>

#include "core/expert_bytes.h"
#include "core/units.h"
#include "story/pages/experts_page.h"

namespace commflow::parts {
namespace {

using experts::Exchange;
using experts::ExchangeBytes;

// The exchanges of a layer, with the settings they belong to.
struct Counted {
  const experts::Settings& settings;
  const experts::Counts& counts;
  const ExchangeBytes &out, &home;
  const std::vector<std::int64_t>& load;  // copies that each rank computes
};

Counted counted_of(const Context& c) {
  const ExpertView& view = c.derived.experts;
  return {view.counted, view.counted_counts, view.bytes_of(Exchange::dispatch), view.bytes_of(Exchange::combine),
          view.counted_load};
}

Bytes most(const std::vector<Bytes>& values) {
  return *std::max_element(values.begin(), values.end());
}

double ratio(Fraction fraction) {
  return static_cast<double>(fraction.numerator) / static_cast<double>(fraction.denominator);
}

// ---- bytes -------------------------------------------------------------------

void add_volumes(const Context& c, const Counted& counted, Page& page) {
  Block table = parts::table(
      "volumes", Region::figure,
      {words(c, Text::experts_meter_what), words(c, Text::experts_meter_out), words(c, Text::experts_meter_home)},
      words(c, Text::experts_meter_volumes));
  const auto row = [&](Text name, std::string out, std::string home, bool emphasis = false) {
    table.rows.push_back({{words(c, name), std::move(out), std::move(home)}, emphasis});
  };
  const auto bytes = [&](Text name, Bytes out, Bytes home, bool emphasis = false) {
    row(name, text_of_bytes(out), text_of_bytes(home), emphasis);
  };
  const ExchangeBytes &out = counted.out, &home = counted.home;
  const experts::Reach& reach = counted.counts.reach;
  bytes(Text::experts_meter_message, out.message, home.message);
  bytes(Text::experts_meter_logical, experts::logical_bytes(counted.settings, out.message),
        experts::logical_bytes(counted.settings, home.message));
  bytes(Text::experts_meter_off_rank, reach.off_rank_copies * out.message, reach.off_rank_copies * home.message);
  bytes(Text::experts_meter_off_node, reach.off_node_copies * out.message, reach.off_node_copies * home.message);
  bytes(Text::experts_meter_sent, out.nvlink + out.network, home.nvlink + home.network, true);
  bytes(Text::experts_meter_nvlink, out.nvlink, home.nvlink);
  bytes(Text::experts_meter_network, out.network, home.network, true);
  row(Text::experts_meter_messages, text_of_count(out.messages), text_of_count(home.messages));
  bytes(Text::experts_meter_smallest, out.smallest_message, home.smallest_message);
  page.blocks.push_back(std::move(table));
}

Block rank_table(const Context& c) {
  return parts::table("by_rank", Region::figure,
                      {words(c, Text::experts_meter_rank), words(c, Text::experts_meter_rank_sent),
                       words(c, Text::experts_meter_rank_received), words(c, Text::experts_meter_rank_computed)},
                      words(c, Text::experts_meter_by_rank));
}

// Of too many ranks for a table of all.
void add_extremes(const Context& c, const Counted& counted, Page& page) {
  Block table = rank_table(c);
  const std::vector<std::int64_t>* columns[] = {&counted.out.sent, &counted.out.received, &counted.load};
  Row most_row{{words(c, Text::experts_meter_most)}, true}, mean_row{{words(c, Text::experts_meter_mean)}, false},
      least_row{{words(c, Text::experts_meter_least)}, false};
  for (const auto* column : columns) {
    const auto text = [&](std::int64_t value) {
      return column == &counted.load ? text_of_count(value) : text_of_bytes(value);
    };
    const std::int64_t all = std::accumulate(column->begin(), column->end(), std::int64_t{0});
    most_row.cells.push_back(text(most(*column)));
    mean_row.cells.push_back(text(all / static_cast<std::int64_t>(column->size())));
    least_row.cells.push_back(text(*std::min_element(column->begin(), column->end())));
  }
  table.rows = {most_row, mean_row, least_row};
  page.blocks.push_back(std::move(table));
}

void add_ranks(const Context& c, const Counted& counted, Page& page) {
  constexpr std::size_t kMostRows = 16;
  if (counted.load.size() > kMostRows) return add_extremes(c, counted, page);
  Block table = rank_table(c);
  for (std::size_t rank = 0; rank < std::min(kMostRows, counted.load.size()); ++rank)
    table.rows.push_back(
        {{c.words.get(Text::scene_gpu, {{"gpu", number(static_cast<std::int64_t>(rank))}}),
          text_of_bytes(counted.out.sent[rank]), text_of_bytes(counted.out.received[rank]), number(counted.load[rank])},
         counted.load[rank] == most(counted.load)});
  page.blocks.push_back(std::move(table));
}

// ---- counted against expected -----------------------------------------------

// k copies over so many equal places, of which one is the token's own.
struct Spread {
  Text copies, distinct;  // names
  int places = 1;
  std::int64_t copies_counted = 0, distinct_counted = 0;
  double copies_expected = 0, distinct_expected = 0;
};

void add_spread(const Context& c, const Counted& counted, const Spread& spread, bool expected, Block& table) {
  const experts::Settings& s = counted.settings;
  const auto tokens = static_cast<double>(experts::tokens_of_all(s));
  const std::string k = number(s.topk), places = number(spread.places), all = number(s.experts);
  const std::string rest = number(s.experts - s.experts / spread.places);
  const auto row = [&](Text name, std::int64_t count, std::string formula) {
    if (!expected) formula = words(c, Text::experts_meter_no_formula);
    table.rows.push_back(
        {{words(c, name), text_of_decimal(static_cast<double>(count) / tokens, 3), std::move(formula)}, false});
  };
  row(spread.copies, spread.copies_counted,
      c.words.get(Text::experts_formula_copies,
                  {{"k", k}, {"places", places}, {"value", text_of_decimal(spread.copies_expected, 3)}}));
  row(spread.distinct, spread.distinct_counted,
      c.words.get(Text::experts_formula_distinct, {{"k", k},
                                                   {"places", places},
                                                   {"rest", rest},
                                                   {"all", all},
                                                   {"value", text_of_decimal(spread.distinct_expected, 3)}}));
}

void add_expected(const Context& c, const Counted& counted, Page& page) {
  const auto expected = experts::expected_of(counted.settings);
  const experts::Expected value = expected.value_or(experts::Expected{});
  const experts::Reach& reach = counted.counts.reach;
  Block table = parts::table("expected", Region::figure,
                             {words(c, Text::experts_meter_per_token), words(c, Text::experts_meter_counted),
                              words(c, Text::experts_meter_formula)},
                             words(c, Text::experts_meter_expected));
  add_spread(c, counted,
             {Text::experts_meter_copies_off_rank, Text::experts_meter_ranks, experts::ranks_of(counted.settings),
              reach.off_rank_copies, reach.ranks, value.off_rank_copies, value.ranks},
             expected.has_value(), table);
  add_spread(c, counted,
             {Text::experts_meter_copies_off_node, Text::experts_meter_nodes, counted.settings.nodes,
              reach.off_node_copies, reach.nodes, value.off_node_copies, value.nodes},
             expected.has_value(), table);
  page.blocks.push_back(std::move(table));
}

// ---- what it means -----------------------------------------------------------

std::string straggler_text(const Context& c, const Counted& counted) {
  const double factor = ratio(experts::max_over_mean(counted.load));
  std::int64_t all = 0;
  for (const std::int64_t copies : counted.load) all += copies;
  const double mean = static_cast<double>(all) / static_cast<double>(counted.load.size());
  return c.words.get(
      Text::experts_meter_straggler,
      {{"most", text_of_count(most(counted.load))},
       {"mean", mean >= 1000 ? text_of_count(static_cast<std::int64_t>(mean)) : text_of_decimal(mean, 2)},
       {"factor", text_of_decimal(factor, 2)},
       {"percent", text_of_decimal(100 * (1 - 1 / std::max(1.0, factor)), 0)}});
}

std::string asymmetry_text(const Context& c, const Counted& counted) {
  const auto out = static_cast<double>(counted.out.message), home = static_cast<double>(counted.home.message);
  return c.words.get(Text::experts_meter_asymmetry, {{"out", text_of_count(counted.out.message)},
                                                     {"home", text_of_count(counted.home.message)},
                                                     {"factor", text_of_decimal(home / out, 3)},
                                                     {"hidden", number(counted.settings.hidden)}});
}

// How long the busiest GPU needs for what it sends over each kind of link.
std::string links_text(const Context& c, const Counted& counted) {
  const Gpu& gpu = c.library.gpus[static_cast<std::size_t>(c.state.hardware)];
  Bytes nvlink = 0, network = 0;
  for (std::size_t rank = 0; rank < counted.out.sent.size(); ++rank) {
    nvlink = std::max(nvlink, counted.out.sent[rank] - counted.out.network_sent[rank]);
    network = std::max(network, counted.out.network_sent[rank]);
  }
  const auto time = [](Bytes bytes, const Published& rate) {
    return "~" + text_of_time(static_cast<double>(bytes) / static_cast<double>(rate.value) * 1e6);
  };
  return c.words.get(
      Text::experts_meter_links,
      {{"gpu", gpu.name},
       {"nvlink", text_of_rate(static_cast<double>(gpu.nvlink.value))},
       {"network", text_of_rate(static_cast<double>(gpu.nic.value))},
       {"nvlink_bytes", text_of_bytes(nvlink)},
       {"network_bytes", text_of_bytes(network)},
       {"nvlink_time", time(nvlink, gpu.nvlink)},
       {"network_time", time(network, gpu.nic)},
       {"equal", text_of_decimal(experts::experts_per_node_at_equal_cost(static_cast<double>(gpu.nvlink.value),
                                                                         static_cast<double>(gpu.nic.value)),
                                 1)}});
}

std::string dropped_text(const Context& c, const Counted& counted) {
  return c.words.get(Text::experts_meter_dropped,
                     {{"dropped", text_of_count(counted.counts.dropped)},
                      {"copies", text_of_count(experts::tokens_of_all(counted.settings) * counted.settings.topk)},
                      {"capacity", number(*counted.counts.capacity)},
                      {"experts", number(counted.settings.experts)}});
}

std::string replicas_text(const Context& c, const Counted& counted) {
  const Model& model = c.derived.work.model;
  return c.words.get(Text::experts_meter_replicas,
                     {{"count", number(counted.settings.replicas_per_rank)},
                      {"bytes", text_of_bytes(2 * experts::replica_params(counted.settings, expert_params(model)))},
                      {"model", model.name}});
}

// What the numbers are counted on.
void add_meters_text(const Context& c, const Counted& counted, Page& page) {
  const experts::Settings& s = counted.settings;
  if (c.state.preset == 0) {
    page.blocks.push_back(paragraph(
        "meters_text", Region::story,
        c.words.get(Text::experts_meters_text, {{"hidden", number(s.hidden)}, {"model", c.derived.work.model.name}})));
    return;
  }
  const auto lang = static_cast<std::size_t>(c.state.lang);
  const ExpertPreset& preset = c.library.presets[static_cast<std::size_t>(c.state.preset - 1)];
  page.blocks.push_back(paragraph("meters_text", Region::story,
                                  c.words.get(Text::experts_counted_full, {{"name", preset.name[lang]},
                                                                           {"gpus", number(experts::ranks_of(s))},
                                                                           {"nodes", number(s.nodes)},
                                                                           {"experts", number(s.experts)},
                                                                           {"topk", number(s.topk)},
                                                                           {"tokens", text_of_count(s.tokens)},
                                                                           {"hidden", number(s.hidden)},
                                                                           {"model", c.derived.work.model.name}})));
  page.blocks.push_back(note("meters_note", Region::story, preset.note[lang]));
  page.blocks.push_back(
      note("meters_source", Region::story, c.words.get(Text::experts_preset_source, {{"source", preset.source}})));
}

}  // namespace

void add_expert_meters(const Context& c, Page& page) {
  const Counted counted = counted_of(c);
  page.blocks.push_back(heading("meters_title", Region::story, 2, words(c, Text::experts_meters)));
  add_meters_text(c, counted, page);
  std::vector<std::string> items{straggler_text(c, counted), asymmetry_text(c, counted), links_text(c, counted)};
  if (counted.counts.capacity) items.push_back(dropped_text(c, counted));
  if (counted.settings.replicas_per_rank > 0 && has_experts(c.derived.work.model))
    items.push_back(replicas_text(c, counted));
  page.blocks.push_back(list("meters_say", Region::story, std::move(items)));
  add_volumes(c, counted, page);
  add_ranks(c, counted, page);
  add_expected(c, counted, page);
}

}  // namespace commflow::parts
