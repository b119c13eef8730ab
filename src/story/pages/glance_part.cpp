#include "story/pages/glance_part.h"

#include "core/units.h"
#include "story/figures/glance_chart.h"
#include "story/figures/walk_links.h"

namespace commflow::parts {
namespace {

std::string bytes_or_zero(Bytes bytes) {
  return bytes > 0 ? text_of_bytes(bytes) : "0";
}

bool is_last_step(const Context& c) {
  return c.state.step == max_of(field(FieldId::step), c.library);
}

// Dimensions with anything in them, in the order in which the page names them.
constexpr Dimension kShown[] = {Dimension::tp, Dimension::pp, Dimension::ep, Dimension::dp};

// What one GPU sends in a training step, by dimension and link, and how long that takes.
Block dimension_table(const Context& c, Rank rank) {
  const TrainingStepCost& cost = c.glance.gpus[static_cast<std::size_t>(rank)];
  Block table = parts::table(
      "glance_dimensions", Region::figure,
      {c.words.get(Text::gpu_title, {{"rank", number(rank)}}), words(c, Text::counter_on_nvlink),
       words(c, Text::counter_on_network), words(c, Text::glance_estimated), words(c, Text::glance_hideable)});
  const LinkShare sum = cost.share();
  for (const Dimension dimension : kShown) {
    const auto& in = cost.dimensions[static_cast<std::size_t>(dimension)];
    if (in.share.sent() == 0) continue;
    table.rows.push_back({{dimension_name(c, dimension), bytes_or_zero(in.share.nvlink),
                           bytes_or_zero(in.share.network), about(in.us), about(in.hideable_us)},
                          false});
  }
  table.rows.push_back({{words(c, Text::glance_total), bytes_or_zero(sum.nvlink), bytes_or_zero(sum.network),
                         about(cost.communication_us()), about(cost.hideable_us())},
                        true});
  return table;
}

// What every GPU sends in a training step over which link.
Block gpu_table(const Context& c) {
  Block table = parts::table(
      "glance_gpus", Region::figure,
      {words(c, Text::glance_every_gpu), words(c, Text::counter_on_nvlink), words(c, Text::counter_on_network),
       words(c, Text::glance_estimated), words(c, Text::glance_compute)});
  for (std::size_t rank = 0; rank < c.glance.gpus.size(); ++rank) {
    const TrainingStepCost& cost = c.glance.gpus[rank];
    const LinkShare sum = cost.share();
    table.rows.push_back(
        {{c.words.get(Text::gpu_title, {{"rank", number(static_cast<std::int64_t>(rank))}}), bytes_or_zero(sum.nvlink),
          bytes_or_zero(sum.network), about(cost.communication_us()), about(cost.compute_us)},
         static_cast<int>(rank) == c.state.gpu});
  }
  return table;
}

std::string title_of_step(const Context& c) {
  const Glance::Step& step = c.glance.steps[static_cast<std::size_t>(c.state.step)];
  return c.words.get(Text::glance_step_title, {{"k", number(c.state.step + 1)}, {"rank", number(step.rank)}});
}

}  // namespace

std::string assumptions_text(const Context& c) {
  const Gpu& gpu = c.library.gpus[static_cast<std::size_t>(c.state.hardware)];
  const double flops = gpu.bf16_dense_flops ? static_cast<double>(gpu.bf16_dense_flops->value) : 0;
  const double network = static_cast<double>(gpu.nic.value) * c.state.nics_per_node / c.state.gpus_per_node;
  return c.words.get(Text::glance_assumptions,
                     {{"gpu", gpu.name},
                      {"rate", flops > 0 ? text_of_significant(flops / 1e12) : words(c, Text::glance_unknown_rate)},
                      {"compute", number(c.state.compute_percent)},
                      {"nvlink", text_of_rate(static_cast<double>(gpu.nvlink.value))},
                      {"network", text_of_rate(network)},
                      {"link", number(c.state.link_percent)},
                      {"latency", number(c.state.latency_us)}});
}

void add_glance(const Context& c, Page& page) {
  if (page.embed || c.glance.steps.empty()) return;
  page.blocks.push_back(heading("glance_title", Region::figure, 3, words(c, Text::glance_title)));
  page.blocks.push_back(paragraph("glance_intro", Region::figure, words(c, Text::glance_intro)));
  page.blocks.push_back(figure("glance", Region::figure, words(c, Text::glance_alt)));
  auto lines = glance_lines(c.state, c.glance, c.library, c.state.step);
  lines.insert(lines.begin(), title_of_step(c));
  page.blocks.push_back(list("glance_lines", Region::figure, std::move(lines)));
  if (is_last_step(c)) {
    page.blocks.push_back(dimension_table(c, c.state.gpu >= 0 ? c.state.gpu : 0));
    page.blocks.push_back(gpu_table(c));
  }
  page.blocks.push_back(note("glance_assumptions", Region::figure, assumptions_text(c)));
}

}  // namespace commflow::parts
