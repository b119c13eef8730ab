#pragma once
// What the files of this folder offer to closed_form.cpp: a function per algorithm
// that enters all its messages, several at once where rounds are alike. ranks >= 2.

#include "core/closed_form.h"
#include "core/formulas/ledger.h"

namespace commflow {

struct Formulas {
  static void ring(Ledger& ledger, const Question& q);
  static void direct(Ledger& ledger, const Question& q);
  static void one_shot(Ledger& ledger, const Question& q);
  static void pairwise(Ledger& ledger, const Question& q);
  static void linear(Ledger& ledger, const Question& q);
  static void binomial(Ledger& ledger, const Question& q);
  static void double_tree(Ledger& ledger, const Question& q);
  static void halving_doubling(Ledger& ledger, const Question& q);
  static void recursive_doubling(Ledger& ledger, const Question& q);
  static void bruck(Ledger& ledger, const Question& q);
  static void chain(Ledger& ledger, const Question& q);
  static void in_switch(Ledger& ledger, const Question& q);
  static void scatter_allgather(Ledger& ledger, const Question& q);
  static void scatter_allgather_doubling(Ledger& ledger, const Question& q);
  static void reduce_scatter_gather(Ledger& ledger, const Question& q);
  static void hierarchical(Ledger& ledger, const Question& q);
  static LevelTraffic levels(const Question& q);  // hierarchical's
};

inline bool away_from_root(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::scatter;
}

}  // namespace commflow
