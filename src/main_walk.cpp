// The light program of the web: the walk alone. A state of another page makes it ask for the whole program.

#include "story/pages/page_rows.h"
#include "story/pages/walk_page.h"

namespace commflow {

std::span<const PageRow> page_rows() {
  static constexpr PageRow kWalk[] = {{PageId::walk, add_walk_page, walk_figure, walk_timeline, nullptr}};
  return kWalk;
}

}  // namespace commflow
