#include "story/pages/pages.h"

#include "story/pages/page_rows.h"
#include "story/pages/parts.h"
#include "story/pages/share.h"

namespace commflow {
namespace {

using parts::Context;

Context context_of(const State& state, Deriver& deriver) {
  const Library& library = deriver.library();
  return {state,
          deriver.derive(state),
          deriver.glance(state),
          library,
          library.catalogs[static_cast<std::size_t>(state.lang)],
          deriver};
}

}  // namespace

const PageRow* page_row(const State& state) {
  for (const PageRow& row : page_rows())
    if (static_cast<int>(row.id) == state.page) return &row;
  return nullptr;
}

Page make_page(const State& state, Deriver& deriver) {
  const Context c = context_of(state, deriver);
  Page page;
  page.lang = state.lang == static_cast<int>(Lang::zh) ? "zh" : "en";
  page.embed = state.embed != 0;
  page.playing = state.playing != 0;
  parts::add_bar(c, page);
  if (const PageRow* row = page_row(state)) row->add(c, page);
  if (page.embed) parts::add_way_out(c, page);
  return page;
}

Figure make_figure(std::string_view block_id, FigureSpace space, const State& state, Deriver& deriver,
                   bool reduced_motion) {
  const Context c = context_of(state, deriver);
  const PageRow* row = page_row(state);
  return row == nullptr ? Figure{} : row->figure(block_id, space, c, reduced_motion);
}

}  // namespace commflow
