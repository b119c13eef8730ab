#include "core/tiny_model.h"

#include <algorithm>

#include "core/index.h"
#include "core/ordering.h"
#include "core/tiny_exchange.h"
#include "core/tiny_program.h"
#include "core/tiny_rank.h"
#include "core/tiny_shards.h"

namespace commflow::tiny {

namespace {

constexpr std::array<std::string_view, kTensors> kTensorNames = {"batch",
                                                                 "sequence",
                                                                 "label_batch",
                                                                 "label_sequence",
                                                                 "x",
                                                                 "gain1",
                                                                 "n1",
                                                                 "n1_full",
                                                                 "w_in",
                                                                 "v",
                                                                 "u",
                                                                 "w_out",
                                                                 "partial",
                                                                 "attention",
                                                                 "x1",
                                                                 "gain2",
                                                                 "n2",
                                                                 "router",
                                                                 "scores",
                                                                 "choices",
                                                                 "gates",
                                                                 "counts",
                                                                 "received_counts",
                                                                 "copies_in",
                                                                 "copies_out",
                                                                 "expert",
                                                                 "expert_out",
                                                                 "returned",
                                                                 "x2",
                                                                 "label",
                                                                 "loss",
                                                                 "n2_full",
                                                                 "mlp_in",
                                                                 "mlp_hidden",
                                                                 "mlp_out",
                                                                 "mlp_partial",
                                                                 "mlp_sum",
                                                                 "grad_x2",
                                                                 "grad_scores",
                                                                 "grad_returned",
                                                                 "grad_expert_out",
                                                                 "grad_expert",
                                                                 "grad_copies_out",
                                                                 "grad_copies_in",
                                                                 "grad_n2",
                                                                 "grad_router",
                                                                 "grad_gain2",
                                                                 "grad_x1",
                                                                 "grad_partial",
                                                                 "grad_w_out",
                                                                 "grad_u",
                                                                 "grad_v",
                                                                 "grad_w_in",
                                                                 "grad_n1_full",
                                                                 "grad_n1",
                                                                 "grad_gain1",
                                                                 "grad_x",
                                                                 "grad_mlp_partial",
                                                                 "grad_mlp_out",
                                                                 "grad_mlp_hidden",
                                                                 "grad_mlp_in",
                                                                 "grad_n2_full",
                                                                 "checkpoint",
                                                                 "weights",
                                                                 "gradients"};

constexpr std::array<std::string_view, kSteps> kStepNames = {"prepare", "feed",     "gather",    "reduce",
                                                             "route",   "dispatch", "combine",   "forward",
                                                             "stage2",  "backward", "gradients", "update"};

constexpr std::array<std::string_view, kComputes> kComputeNames = {"none",
                                                                   "norm",
                                                                   "columns",
                                                                   "rows",
                                                                   "add_residual",
                                                                   "scores_and_top",
                                                                   "permute",
                                                                   "experts",
                                                                   "weighted_sum",
                                                                   "mlp_norm",
                                                                   "mlp_columns",
                                                                   "mlp_rows",
                                                                   "mlp_residual",
                                                                   "loss",
                                                                   "grad_weighted_sum",
                                                                   "grad_experts",
                                                                   "grad_route",
                                                                   "grad_rows",
                                                                   "grad_columns",
                                                                   "grad_residual",
                                                                   "grad_mlp_rows",
                                                                   "grad_mlp_columns",
                                                                   "grad_mlp_norm",
                                                                   "update"};

bool within(int value, int most) {
  return value >= 1 && value <= most;
}

bool algorithms_exist(const AlgorithmChoice& choice) {
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    if (!offers(collective, algorithm_for(choice, collective))) return false;
  }
  return true;
}

// Replays the program on the memories of all ranks and writes down what happened.
class Walker {
 public:
  Walker(const Setup& setup, const std::optional<TransferId>& left_out)
      : setup_(setup), left_out_(left_out), world_(starting_memories(setup, make_model(setup))) {}

  Run walk() {
    for (const Move& move : program(setup_)) {
      if (!(move.flows.empty() ? compute(move) : communicate(move))) return std::move(run_);
    }
    run_.result = assembled(setup_, world_);
    return std::move(run_);
  }

 private:
  Phase begin(const Move& move) const {
    Phase phase;
    phase.step = move.step;
    phase.layer = move.layer;
    phase.backward = move.backward;
    phase.compute = move.compute;
    phase.active = move.active;
    phase.shown.resize(world_.size());
    return phase;
  }

  bool compute(const Move& move) {
    Phase phase = begin(move);
    const ComputeRow& row = row_of(move.compute);
    for (const Rank rank : move.active) {
      Memory& memory = world_[index_of(rank)];
      std::vector<NamedMatrix>& shown = phase.shown[index_of(rank)];
      for (const Tensor tensor : row.used) append_shown(shown, memory, tensor);
      row.run(memory);
      for (const Tensor tensor : row.made) append_shown(shown, memory, tensor);
    }
    run_.phases.push_back(std::move(phase));
    return true;
  }

  // All flows of a move have groups of the same size.
  bool communicate(const Move& move) {
    if (move.flows.front().members.size() == 1) {
      for (const Flow& flow : move.flows) keep(flow, world_[index_of(flow.members.front())]);
      return true;
    }
    Phase phase = begin(move);
    bool all_arrived = true;
    for (const Flow& flow : move.flows) all_arrived = execute(flow, phase) && all_arrived;
    sort_stably(phase.active);
    run_.phases.push_back(std::move(phase));
    return all_arrived;
  }

  bool execute(const Flow& flow, Phase& phase) {
    phase.active.insert(phase.active.end(), flow.members.begin(), flow.members.end());
    Communication communication = packed(flow, world_);
    leave_out(static_cast<int>(phase.communications.size()), communication.schedule);
    show(flow, flow.sent, sends, phase);
    const bool all_arrived = run_and_unpack(flow, communication, world_);
    if (all_arrived) show(flow, flow.received, receives, phase);
    phase.communications.push_back(std::move(communication));
    return all_arrived;
  }

  void show(const Flow& flow, const std::vector<Part>& parts, bool (*concerns)(const Flow&, Rank), Phase& phase) const {
    for (std::size_t local = 0; local < flow.members.size(); ++local) {
      if (!concerns(flow, static_cast<Rank>(local))) continue;
      const Rank rank = flow.members[local];
      for (const Part& part : parts) {
        phase.shown[index_of(rank)].push_back(
            {part.tensor, part.index, world_[index_of(rank)].at(part.tensor, part.index)});
      }
    }
  }

  void leave_out(int communication, Schedule& schedule) const {
    if (!left_out_ || left_out_->phase != static_cast<int>(run_.phases.size())) return;
    if (left_out_->communication != communication) return;
    Round& round = schedule.rounds[index_of(left_out_->round)];
    round.erase(round.begin() + left_out_->transfer);
  }

  const Setup& setup_;
  const std::optional<TransferId>& left_out_;
  std::vector<Memory> world_;
  Run run_;
};

}  // namespace

std::string_view name_of(Tensor tensor) {
  return kTensorNames[static_cast<std::size_t>(tensor)];
}
std::string_view name_of(Step step) {
  return kStepNames[static_cast<std::size_t>(step)];
}
std::string_view name_of(Compute compute) {
  return kComputeNames[static_cast<std::size_t>(compute)];
}

bool offers(Collective collective, Algorithm algorithm) {
  return algorithm <= Algorithm::binomial && !why_not(collective, algorithm, 2);
}

bool can_execute(const Setup& setup) {
  const Layout& layout = setup.layout;
  if (!within(layout.tp, kMaxTp) || !within(layout.pp, kMaxPp) || !within(layout.dp, kMaxDp) ||
      !within(layout.ep, setup.dense ? 1 : kMaxEp)) {
    return false;
  }
  if (layout.cp != 1 || layout.etp != 1 || layout_problem(layout)) return false;
  if (kTokens % layout.tp != 0 || kInner % layout.tp != 0 || kExperts % layout.ep != 0) return false;
  return algorithms_exist(setup.algorithms);
}

Run run_sharded(const Setup& setup, const std::optional<TransferId>& left_out) {
  return Walker(setup, left_out).walk();
}

}  // namespace commflow::tiny
