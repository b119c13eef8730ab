// One link, four numbers: the NVLink of the chosen GPU as it is advertised, sent over, planned with and measured.

#include "core/units.h"
#include "story/pages/concepts_page.h"

namespace commflow::parts {
namespace {

std::string rate(double bytes_per_second) {
  return text_of_rate(bytes_per_second);
}

// What a reading is of one direction of all links; nothing where it is not published.
void add_reading(const Context& c, Block& table, Text name, std::optional<double> value, std::string meaning) {
  const std::string nothing = words(c, Text::needs_nothing);
  const auto one_way = static_cast<double>(gpu_of(c).nvlink.value);
  Row row{{words(c, name), value ? rate(*value) : nothing,
           value ? text_of_decimal(*value / one_way * 100, 0) + " %" : nothing, std::move(meaning)}};
  table.rows.push_back(std::move(row));
}

std::string links_text(const Context& c, Text key, double each) {
  const Gpu& gpu = gpu_of(c);
  if (!gpu.nvlink_links) return words(c, Text::readings_unknown);
  return c.words.get(key, {{"links", number(gpu.nvlink_links->value)}, {"each", rate(each)}});
}

}  // namespace

void add_link_readings(const Context& c, Page& page) {
  const Gpu& gpu = gpu_of(c);
  const auto one_way = static_cast<double>(gpu.nvlink.value);
  const double links = gpu.nvlink_links ? static_cast<double>(gpu.nvlink_links->value) : 1;
  const double planned = gpu.nvlink_planned ? static_cast<double>(gpu.nvlink_planned->value) : 0;
  page.blocks.push_back(heading("readings_title", Region::story, 2, words(c, Text::readings_title)));
  page.blocks.push_back(paragraph(
      "readings_text", Region::story,
      c.words.get(Text::readings_text, {{"gpu", gpu.name}, {"both", rate(2 * one_way)}, {"one", rate(one_way)}})));
  Block readings = table(
      "readings", Region::story,
      {words(c, Text::readings_what), gpu.name, words(c, Text::readings_share), words(c, Text::readings_meaning)});
  add_reading(c, readings, Text::readings_both, 2 * one_way, words(c, Text::readings_both_meaning));
  add_reading(c, readings, Text::readings_one, one_way, links_text(c, Text::readings_one_meaning, one_way / links));
  const bool plans = gpu.nvlink_planned && gpu.nvlink_links;
  add_reading(c, readings, Text::readings_planned, plans ? std::optional(planned * links) : std::nullopt,
              plans ? links_text(c, Text::readings_planned_meaning, planned) : words(c, Text::readings_unknown));
  add_reading(c, readings, Text::readings_measured,
              gpu.nvlink_measured ? std::optional(static_cast<double>(gpu.nvlink_measured->value)) : std::nullopt,
              gpu.nvlink_measured ? gpu.nvlink_measured->source : words(c, Text::readings_unknown));
  page.blocks.push_back(std::move(readings));
  page.blocks.push_back(note("readings_note", Region::story, words(c, Text::readings_note)));
  page.blocks.push_back(controls("readings_sources", Region::story,
                                 {source_link(c, reference_named("engineering"), "readings"),
                                  source_link(c, reference_named("nccl_topo"), "readings"),
                                  source_link(c, reference_named("insights"), "readings")}));
}

}  // namespace commflow::parts
