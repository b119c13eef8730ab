#include "story/pages/pages.h"

#include "story/pages/page_rows.h"
#include "story/pages/parts.h"
#include "story/pages/share.h"

namespace commflow {
namespace {

using parts::Context;

Context context_of(const State& state, Deriver& deriver, const Refused* refused = nullptr) {
  const Library& library = deriver.library();
  return {state,
          deriver.derive(state),
          deriver.glance(state),
          library,
          library.catalogs[static_cast<std::size_t>(state.lang)],
          deriver,
          refused};
}

}  // namespace

const PageRow* page_row(const State& state) {
  for (const PageRow& row : page_rows())
    if (static_cast<int>(row.id) == state.page) return &row;
  return nullptr;
}

Page make_page(const State& state, Deriver& deriver, const Refused* refused) {
  const Context c = context_of(state, deriver, refused);
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

std::optional<File> make_file(Action action, const State& state, Deriver& deriver) {
  const PageRow* row = page_row(state);
  if (row == nullptr || row->file == nullptr) return std::nullopt;
  return row->file(action, context_of(state, deriver));
}

}  // namespace commflow
