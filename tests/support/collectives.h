#pragma once
// States of the collectives page.

#include "story/reduce.h"
#include "support/pages.h"

namespace commflow::support {

inline State settled(State state) {
  state.page = static_cast<int>(PageId::collectives);
  return reduce(state, Open{state}, deriver());
}
inline State with(Collective collective, Algorithm algorithm, int ranks) {
  State state = initial_state(real_library());
  state.collective = static_cast<int>(collective);
  state.algorithm = static_cast<int>(algorithm);
  state.ranks = ranks;
  return settled(state);
}

}  // namespace commflow::support
