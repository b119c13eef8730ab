// The numbers beside the figure: what the step counts of the real model, with
// formulas, and what is counted on the routing that is drawn.

#include <algorithm>
#include <map>

#include "core/placement.h"
#include "core/units.h"
#include "story/figures/card.h"
#include "story/pages/counters.h"

namespace commflow::parts {
namespace {

constexpr std::size_t kInFull = 2;  // quantities that get their own table; the others share one

bool over_ring(const Context& c, QuantityId id) {
  switch (quantity_row(id).collective) {
    case Collective::all_gather: return c.library.walk.algorithms.all_gather == Algorithm::ring;
    case Collective::reduce_scatter: return c.library.walk.algorithms.reduce_scatter == Algorithm::ring;
    case Collective::all_reduce: return c.library.walk.algorithms.all_reduce == Algorithm::ring;
    default: return false;
  }
}

std::string cadence_text(const Context& c, Cadence cadence) {
  switch (cadence) {
    case Cadence::per_job: return words(c, Text::cadence_per_job);
    case Cadence::per_layer: return words(c, Text::cadence_per_layer);
    case Cadence::per_micro_batch: return words(c, Text::cadence_per_micro_batch);
    case Cadence::per_step: return words(c, Text::cadence_per_step);
    case Cadence::rare: return words(c, Text::cadence_rare);
  }
  return {};
}

std::string fraction_text(Fraction fraction) {
  return std::to_string(fraction.numerator) + "/" + std::to_string(fraction.denominator);
}

// "4096 tokens x 8 experts each x ..."
std::string product_text(const Context& c, std::span<const Factor> factors) {
  std::string text;
  for (const Factor& factor : factors) {
    const auto key = text_named("factor." + std::string(name_of(factor.part)));
    if (!text.empty()) text += " " + words(c, Text::op_prod_sign) + " ";
    text += key ? c.words.get(*key, {{"value", text_of_count(factor.value)}}) : text_of_count(factor.value);
  }
  return text;
}

// "7168 numbers x 1 B + 56 scales x 4 B": pairs of a count and its bytes.
std::string message_text(const Context& c, std::span<const Factor> details) {
  std::string text;
  for (std::size_t i = 0; i + 1 < details.size(); i += 2)
    text += (text.empty() ? "" : " + ") + product_text(c, details.subspan(i, 2));
  return text;
}

void add_row(Block& table, std::string name, std::string value, bool emphasis = false) {
  table.rows.push_back({{std::move(name), std::move(value)}, emphasis});
}

Block quantity_table(const Context& c, QuantityId id, Rank rank) {
  const int stage = coordinates_of(c.derived.layout, rank).pp;
  const Quantity quantity = count_quantity(c.derived.work, id, stage);
  const LinkShare share = link_share(c.derived.work, id, rank, over_ring(c, id));
  const Gpu& gpu = c.library.gpus[static_cast<std::size_t>(c.state.hardware)];
  const LinkTime time = time_at_full_speed(share, gpu, c.state.gpus_per_node, c.state.nics_per_node);
  Block table = parts::table("quantity_" + std::string(quantity_row(id).name), Region::counters,
                             {quantity_name(c, id), c.words.get(Text::gpu_title, {{"rank", std::to_string(rank)}})});
  add_row(table, words(c, Text::counter_logical), text_of_bytes(quantity.logical));
  add_row(table, words(c, Text::counter_leaves) + " (" + fraction_text(quantity.leaving) + ")",
          text_of_bytes(quantity.off_gpu), true);
  if (share.nvlink > 0) add_row(table, words(c, Text::counter_on_nvlink), text_of_bytes(share.nvlink));
  if (share.network > 0) add_row(table, words(c, Text::counter_on_network), text_of_bytes(share.network));
  // Below a microsecond it is the latency that counts, not the link.
  const double us = std::max(time.nvlink_us, time.network_us);
  if (us >= 1) add_row(table, words(c, Text::counter_time), "~" + text_of_time(us));
  add_row(table, words(c, Text::table_often), cadence_text(c, quantity.cadence));
  if (quantity.times_per_step > 0)
    add_row(table, words(c, Text::table_total_step), text_of_bytes(quantity.off_gpu * quantity.times_per_step));
  return table;
}

Block short_table(const Context& c, std::span<const QuantityId> ids, Rank rank) {
  Block table =
      parts::table("quantities", Region::counters,
                   {words(c, Text::table_quantity), words(c, Text::table_leaves), words(c, Text::table_total_step)});
  for (const QuantityId id : ids) {
    const Quantity quantity = count_quantity(c.derived.work, id, coordinates_of(c.derived.layout, rank).pp);
    if (quantity.logical == 0) continue;
    table.rows.push_back({{quantity_name(c, id), text_of_bytes(quantity.off_gpu),
                           text_of_bytes(quantity.off_gpu * quantity.times_per_step)},
                          false});
  }
  return table;
}

bool about_tokens(const Context& c) {
  const tiny::Step step = c.step().runs;
  return c.derived.executed && !c.derived.dense &&
         (step == tiny::Step::route || step == tiny::Step::dispatch || step == tiny::Step::combine);
}

// Copies of the drawn tokens: who sends and receives how many.
void add_copies(const Context& c, Page& page, Rank rank) {
  const Scene scene{c.state, c.derived, c.library, {}, false, {}, {}, {}};
  const auto copies = copies_of(scene, coordinates_of(c.derived.layout, rank).pp, rank);
  std::map<Rank, std::array<int, 3>> counts;  // sent away, received from others, stays
  for (const tiny::Copy& copy : copies) {
    if (copy.home == copy.host) {
      ++counts[copy.home][2];
    } else {
      ++counts[copy.home][0];
      ++counts[copy.host][1];
    }
  }
  Block table = parts::table("copies", Region::counters,
                             {words(c, Text::counter_counted), words(c, Text::counter_sent),
                              words(c, Text::counter_received), words(c, Text::counter_stays)});
  int leaving = 0, fullest = 0;
  for (const auto& [gpu, row] : counts) {
    table.rows.push_back({{c.words.get(Text::gpu_title, {{"rank", std::to_string(gpu)}}), std::to_string(row[0]),
                           std::to_string(row[1]), std::to_string(row[2])},
                          gpu == rank});
    leaving += row[0];
    fullest = std::max(fullest, row[1] + row[2]);
  }
  page.blocks.push_back(std::move(table));
  const int all = static_cast<int>(copies.size()), group = c.derived.layout.ep;
  if (all == 0) return;
  const double mean = static_cast<double>(all) / group;
  page.blocks.push_back(
      paragraph("copies_line", Region::counters,
                c.words.get(Text::counter_copies_leaving, {{"leaving", std::to_string(leaving)},
                                                           {"copies", std::to_string(all)},
                                                           {"percent", text_of_significant(100.0 * leaving / all)}}) +
                    " " +
                    c.words.get(Text::counter_expected_leaving,
                                {{"num", std::to_string(group - 1)}, {"den", std::to_string(group)}}) +
                    " " +
                    c.words.get(Text::counter_max_over_mean, {{"max", std::to_string(fullest)},
                                                              {"mean", text_of_significant(mean)},
                                                              {"factor", text_of_significant(fullest / mean)}})));
}

}  // namespace

std::span<const QuantityId> counted_quantities(const Context& c) {
  return counts_of(c.step(), c.derived.dense);
}

std::string quantity_name(const Context& c, QuantityId id) {
  return name_in(c, "quantity", quantity_row(id).name, "");
}

std::vector<std::string> formula_lines(const Context& c, QuantityId id, int stage) {
  const Quantity quantity = count_quantity(c.derived.work, id, stage);
  std::vector<std::string> lines;
  if (!quantity.details.empty())
    lines.push_back(c.words.get(Text::formula_message,
                                {{"factors", message_text(c, quantity.details)},
                                 {"result", text_of_bytes(part_of(quantity, Part::message_bytes).value_or(0))}}));
  lines.push_back(c.words.get(Text::formula_product, {{"factors", product_text(c, quantity.factors)},
                                                      {"result", text_of_bytes(quantity.logical)}}));
  lines.push_back(c.words.get(Text::formula_leaves, {{"fraction", fraction_text(quantity.leaving)},
                                                     {"result", text_of_bytes(quantity.off_gpu)}}));
  if (quantity.times_per_step > 0 && !quantity.repeats.empty())
    lines.push_back(
        c.words.get(Text::formula_often, {{"value", text_of_bytes(quantity.off_gpu)},
                                          {"factors", product_text(c, quantity.repeats)},
                                          {"result", text_of_bytes(quantity.off_gpu * quantity.times_per_step)}}));
  return lines;
}

void add_counters(const Context& c, Page& page) {
  const Rank rank = shown_rank(c.state, c.derived.layout, c.step().runs);
  const int stage = coordinates_of(c.derived.layout, rank).pp;
  std::vector<QuantityId> ids;
  for (const QuantityId id : counted_quantities(c))
    if (count_quantity(c.derived.work, id, stage).off_gpu > 0) ids.push_back(id);
  if (ids.empty()) page.blocks.push_back(paragraph("nothing_sent", Region::counters, words(c, Text::formula_none)));
  const std::size_t full = std::min(kInFull, ids.size());
  for (std::size_t i = 0; i < full; ++i) {
    page.blocks.push_back(quantity_table(c, ids[i], rank));
    const std::string name(quantity_row(ids[i]).name);
    std::string formula;
    for (const std::string& line : formula_lines(c, ids[i], stage)) formula += (formula.empty() ? "" : "\n") + line;
    page.blocks.push_back(note("formula_" + name, Region::counters, std::move(formula)));
    page.blocks.push_back(
        controls("source_of_" + name, Region::counters, {source_link(c, reference_for(ids[i]), name)}));
  }
  if (ids.size() > full) page.blocks.push_back(short_table(c, std::span(ids).subspan(full), rank));
  if (about_tokens(c)) add_copies(c, page, rank);
}

}  // namespace commflow::parts
