#pragma once
// What happens in the expert layer, in words: a line per token or rank and stage,
// read off the run that is drawn. Live sentence, log and the way of the followed
// token are made of the same lines.

#include <string>
#include <vector>

#include "story/expert_view.h"
#include "story/text.h"

namespace commflow {

// The token that sentences speak of: the followed one, else the first with a copy that leaves its rank.
int token_in_focus(const State& state, const ExpertView& view);

// What a stage does to one token; "" where it does nothing to it. For exchanges: in one round, or with round < 0 in
// all.
std::string expert_token_line(const ExpertView& view, const Catalog& words, ExpertStage stage, int round, int token);
// What a stage does on one rank; "" where it is told token by token.
std::string expert_rank_line(const ExpertView& view, const Catalog& words, ExpertStage stage, Rank rank);

// The layer is drawn.
std::string expert_live(const State& state, const ExpertView& view, const Catalog& words);
std::vector<std::string> expert_log(const State& state, const ExpertView& view, const Catalog& words);
// A line per stage; empty if no token is followed.
std::vector<std::string> expert_journey(const State& state, const ExpertView& view, const Catalog& words);

// Why a layer cannot be, or cannot be drawn; "" if it is drawn.
std::string expert_problem_text(const ExpertView& view, const Catalog& words);

}  // namespace commflow
