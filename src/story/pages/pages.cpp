#include "story/pages/pages.h"

#include "story/pages/collectives_page.h"
#include "story/pages/concepts_page.h"
#include "story/pages/experts_page.h"
#include "story/pages/share.h"
#include "story/pages/walk_page.h"

namespace commflow {
namespace {

using parts::Context;

Context context_of(const State& state, Deriver& deriver) {
  const Library& library = deriver.library();
  return {state, deriver.derive(state), deriver.glance(state), library,
          library.catalogs[static_cast<std::size_t>(state.lang)]};
}

PageId page_of(const State& state) {
  return static_cast<PageId>(state.page);
}

}  // namespace

Page make_page(const State& state, Deriver& deriver) {
  const Context c = context_of(state, deriver);
  Page page;
  page.lang = state.lang == static_cast<int>(Lang::zh) ? "zh" : "en";
  page.embed = state.embed != 0;
  page.playing = state.playing != 0;
  parts::add_bar(c, page);
  switch (page_of(state)) {
    case PageId::walk: add_walk_page(c, page); break;
    case PageId::concepts: add_concepts_page(c, page); break;
    case PageId::collectives: add_collectives_page(c, page); break;
    case PageId::experts: add_experts_page(c, page); break;
  }
  if (page.embed) parts::add_way_out(c, page);
  return page;
}

Figure make_figure(std::string_view block_id, FigureSpace space, const State& state, Deriver& deriver,
                   bool reduced_motion) {
  const Context c = context_of(state, deriver);
  if (page_of(state) == PageId::collectives) return collectives_figure(block_id, space, c, reduced_motion);
  if (page_of(state) == PageId::concepts) return concepts_figure(block_id, space, c, reduced_motion);
  if (page_of(state) == PageId::experts) return experts_page_figure(block_id, space, c, reduced_motion);
  return walk_figure(block_id, space, c, reduced_motion);
}

}  // namespace commflow
