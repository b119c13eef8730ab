#include "core/tiny_rank.h"

namespace commflow::tiny {

void append_shown(std::vector<NamedMatrix>& shown, const Memory& memory, Tensor tensor) {
  for (auto entry = memory.matrices.lower_bound({tensor, 0}); entry != memory.matrices.end(); ++entry) {
    if (entry->first.first != tensor) break;
    shown.push_back({tensor, entry->first.second, entry->second});
  }
}

const ComputeRow& row_of(Compute compute) {
  for (const ComputeRow& row : forward_rows()) {
    if (row.id == compute) return row;
  }
  for (const ComputeRow& row : backward_rows()) {
    if (row.id == compute) return row;
  }
  return forward_rows().front();
}

}  // namespace commflow::tiny
