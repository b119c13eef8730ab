#include "core/closed_form.h"

#include "core/formulas/formulas.h"

namespace commflow {
namespace {

using Formula = void (*)(Ledger& ledger, const Question& question);

Formula formula_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::ring: return Formulas::ring;
    case Algorithm::direct: return Formulas::direct;
    case Algorithm::recursive_halving:
    case Algorithm::halving_doubling: return Formulas::halving_doubling;
    case Algorithm::pairwise: return Formulas::pairwise;
    case Algorithm::linear: return Formulas::linear;
    case Algorithm::binomial: return Formulas::binomial;
    case Algorithm::one_shot: return Formulas::one_shot;
    case Algorithm::recursive_doubling: return Formulas::recursive_doubling;
    case Algorithm::double_binary_tree: return Formulas::double_tree;
    case Algorithm::bruck: return Formulas::bruck;
    case Algorithm::chain: return Formulas::chain;
    case Algorithm::scatter_allgather: return Formulas::scatter_allgather;
    case Algorithm::scatter_allgather_doubling: return Formulas::scatter_allgather_doubling;
    case Algorithm::reduce_scatter_gather: return Formulas::reduce_scatter_gather;
    case Algorithm::hierarchical: return Formulas::hierarchical;
    case Algorithm::in_switch: break;
  }
  return Formulas::in_switch;
}

}  // namespace

std::optional<Traffic> traffic_by_formula(const Question& question) {
  if (why_not(question.collective, question.algorithm, question.ranks, question.tuning)) return std::nullopt;
  Ledger ledger(question.ranks);
  if (question.ranks > 1) formula_of(question.algorithm)(ledger, question);
  return ledger.take();
}

std::optional<LevelTraffic> levels_by_formula(const Question& question) {
  if (!uses_nodes(question.algorithm)) return std::nullopt;
  if (why_not(question.collective, question.algorithm, question.ranks, question.tuning)) return std::nullopt;
  return Formulas::levels(question);
}

}  // namespace commflow
