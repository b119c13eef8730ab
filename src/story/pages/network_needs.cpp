// The table of network needs: computed for the chosen model, layout and hardware.

#include <algorithm>

#include "core/ordering.h"
#include "core/sequence_split.h"
#include "core/units.h"
#include "story/figures/walk_links.h"
#include "story/pages/concepts_page.h"

namespace commflow::parts {
namespace {

double network_rate(const Context& c) {
  return static_cast<double>(gpu_of(c).nic.value) * c.state.nics_per_node / c.state.gpus_per_node;
}

// What one way asks, of the first GPU of the first stage.
struct Need {
  Dimension dimension{};
  LinkShare share;          // per training step
  std::int64_t rounds = 0;  // per training step
  Bytes bytes() const { return share.sent(); }
};

Need need_of(const Context& c, Dimension dimension) {
  Need need{dimension};
  const Workload& work = c.derived.work;
  const Setting setting{work, gpu_of(c), c.library.walk.algorithms, assumptions_of(c.state)};
  for (const QuantityRow& row : quantities()) {
    const bool mine =
        row.dimension == dimension || (dimension == Dimension::dp && row.dimension == Dimension::expert_dp);
    const std::int64_t times = row.count(work, 0).times_per_step;
    if (!mine || row.phase == Phase::zero || times == 0) continue;
    const MessageTime message = time_of(setting, row.id, 0);
    need.share.add(message.share, times);
    need.rounds += message.rounds * times;
  }
  return need;
}

// Bytes per second at which messages take as long as computing; 0 where that is not known.
double needed_rate(const Context& c, Bytes bytes) {
  const double us = c.glance.gpus.front().compute_us;
  return us > 0 ? static_cast<double>(bytes) / (us / 1e6) : 0;
}

bool exceeds(const Context& c, const Need& need) {
  return needed_rate(c, need.share.nvlink) > static_cast<double>(gpu_of(c).nvlink.value) ||
         needed_rate(c, need.share.network) > network_rate(c);
}

std::string link_text(const Context& c, const Need& need) {
  if (need.bytes() == 0) return words(c, Text::needs_unused);
  if (need.share.network == 0) return words(c, Text::link_nvlink);
  return words(c, need.share.nvlink == 0 ? Text::link_network : Text::needs_both_links);
}

std::string rate_text(const Context& c, Bytes bytes, double given) {
  const double needed = needed_rate(c, bytes);
  if (needed == 0) return text_of_rate(given);
  return c.words.get(Text::needs_rate, {{"needed", "~" + text_of_rate(needed)}, {"given", text_of_rate(given)}});
}

std::string bandwidth_text(const Context& c, const Need& need) {
  std::string text;
  if (need.share.nvlink > 0)
    text = words(c, Text::link_nvlink) + " " +
           rate_text(c, need.share.nvlink, static_cast<double>(gpu_of(c).nvlink.value));
  if (need.share.network > 0)
    text += (text.empty() ? std::string{} : words(c, Text::log_join)) + words(c, Text::link_network) + " " +
            rate_text(c, need.share.network, network_rate(c));
  return text;
}

std::string latency_text(const Context& c, std::int64_t rounds) {
  const double us = static_cast<double>(rounds) * c.state.latency_us;
  return c.words.get(
      Text::needs_rounds,
      {{"rounds", text_of_count(rounds)}, {"latency", number(c.state.latency_us)}, {"time", text_of_time(us)}});
}

Text topology_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::tp: return Text::needs_topology_node;
    case Dimension::pp: return Text::needs_topology_pairs;
    case Dimension::ep: return Text::needs_topology_all;
    case Dimension::sp: return Text::needs_topology_as_tp;
    default: return Text::needs_topology_ring;
  }
}

Text hardware_of(const Need& need) {
  if (need.share.network == 0) return Text::needs_hardware_node;
  return need.share.nvlink == 0 ? Text::needs_hardware_network : Text::needs_hardware_both;
}

void add_row(const Context& c, Block& table, const Need& need) {
  if (need.bytes() == 0) {
    const std::string nothing = words(c, Text::needs_nothing);
    table.rows.push_back({{dimension_name(c, need.dimension), words(c, Text::needs_unused), nothing, nothing,
                           words(c, topology_of(need.dimension)), nothing},
                          false});
    return;
  }
  table.rows.push_back(
      {{dimension_name(c, need.dimension), link_text(c, need), bandwidth_text(c, need), latency_text(c, need.rounds),
        words(c, topology_of(need.dimension)), words(c, hardware_of(need))},
       false});
}

std::string order_text(const Context& c, std::vector<Need> needs) {
  sort_stably(needs, [](const Need& a, const Need& b) { return a.bytes() > b.bytes(); });
  std::string text;
  for (const Need& need : needs) {
    if (need.bytes() == 0) continue;
    text += (text.empty() ? std::string{} : words(c, Text::scene_and)) +
            c.words.get(Text::needs_order_item, {{"name", dimension_name(c, need.dimension, ".short")},
                                                 {"bytes", text_of_bytes(need.bytes())}});
  }
  return text;
}

const Need& of(const std::vector<Need>& needs, Dimension dimension) {
  return *std::find_if(needs.begin(), needs.end(), [&](const Need& need) { return need.dimension == dimension; });
}

std::string units_text(const Context& c) {
  const Gpu& gpu = gpu_of(c);
  const auto nvlink = static_cast<double>(gpu.nvlink.value), network = static_cast<double>(gpu.nic.value);
  return c.words.get(Text::needs_conclusion_units, {{"gpu", gpu.name},
                                                    {"both", text_of_rate(2 * nvlink)},
                                                    {"one_way", text_of_rate(nvlink)},
                                                    {"bits", text_of_significant(8 * network / 1e9)},
                                                    {"network", text_of_rate(network)}});
}

std::vector<std::string> conclusions(const Context& c, const std::vector<Need>& needs) {
  std::vector<std::string> lines;
  const std::string order = order_text(c, needs);
  if (!order.empty()) lines.push_back(c.words.get(Text::needs_conclusion_order, {{"order", order}}));
  const Bytes pp = of(needs, Dimension::pp).bytes(), dp = of(needs, Dimension::dp).bytes();
  if (pp > 0 && dp > 0)
    lines.push_back(c.words.get(Text::needs_conclusion_pp,
                                {{"pp", text_of_bytes(pp)},
                                 {"dp", text_of_bytes(dp)},
                                 {"verdict", words(c, pp < dp ? Text::needs_pp_less : Text::needs_pp_more)}}));
  std::string over;
  for (const Need& need : needs)
    if (exceeds(c, need))
      over += (over.empty() ? std::string{} : words(c, Text::scene_and)) + dimension_name(c, need.dimension, ".short");
  // Nothing to compare with where the GPU's rate is not published.
  if (c.glance.gpus.front().compute_us > 0)
    lines.push_back(over.empty() ? words(c, Text::needs_conclusion_within)
                                 : c.words.get(Text::needs_conclusion_over, {{"names", over}}));
  lines.push_back(units_text(c));
  lines.push_back(words(c, Text::needs_conclusion_latency));
  return lines;
}

// Sequence parallelism has the messages of TP; context parallelism is no part of the layout.
Need sequence_need(const Need& tp) {
  Need need = tp;
  need.dimension = Dimension::sp;
  return need;
}

}  // namespace

void add_network_needs(const Context& c, Page& page) {
  if (c.glance.gpus.empty()) return;
  const Layout& layout = c.derived.layout;
  page.blocks.push_back(heading("needs_title", Region::story, 2, words(c, Text::needs_title)));
  page.blocks.push_back(
      paragraph("needs_text", Region::story,
                c.words.get(Text::needs_text, {{"model", c.derived.work.model.name},
                                               {"gpu", gpu_of(c).name},
                                               {"gpus", number(world_size(layout))},
                                               {"tp", number(layout.tp)},
                                               {"pp", number(layout.pp)},
                                               {"dp", number(layout.dp)},
                                               {"ep", number(layout.ep)},
                                               {"tokens", text_of_count(c.derived.work.tokens)},
                                               {"micro_batches", number(c.derived.work.micro_batches)}})));
  std::vector<Need> needs;
  for (const Dimension dimension : {Dimension::tp, Dimension::pp, Dimension::dp, Dimension::ep})
    needs.push_back(need_of(c, dimension));
  Block table =
      parts::table("needs", Region::story,
                   {words(c, Text::needs_way), words(c, Text::needs_link), words(c, Text::needs_bandwidth),
                    words(c, Text::needs_latency), words(c, Text::needs_topology), words(c, Text::needs_hardware)});
  for (const Need& need : needs) add_row(c, table, need);
  add_row(c, table, sequence_need(needs.front()));
  add_row(c, table, {Dimension::cp});
  page.blocks.push_back(std::move(table));
  page.blocks.push_back(list("needs_conclusions", Region::story, conclusions(c, needs)));
}

}  // namespace commflow::parts
