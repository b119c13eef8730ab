#pragma once
// What count and time share: the counted report of a request.

#include "cli/request.h"
#include "core/traffic.h"

namespace commflow {

inline constexpr int kMaxCountedRanks = 1024;                // by the schedule itself
inline constexpr int kMaxFormulaRanks = 100000;              // by formula
inline constexpr Bytes kMaxPayload = Bytes{1} << 50;         // 1 PiB: sums over all ranks stay far below 2^63
inline constexpr Bytes kMaxFormulaPayload = Bytes{1} << 44;  // so they do among more ranks

inline constexpr Option kCountedRanksOption{"--ranks", "N", "1 to 100000"};
inline constexpr Option kBytesOption{"--bytes", "S",
                                     "payload as nccl-tests count it: the buffer of one rank; all-gather: the\n"
                                     "output, reduce-scatter and all-to-all: the input of one rank; gather and\n"
                                     "scatter: the buffer of the root; 1 to 2^50, to 2^44 beyond 1024 ranks"};

struct Count {
  Request request;
  Bytes payload = 1;
  bool by_formula = false;
  Traffic traffic;
  LevelTraffic levels;  // only where the algorithm knows nodes
};

Count read_count(Arguments& arguments);
Report report_of(const Count& count);
double as_number(const Fraction& fraction);

}  // namespace commflow
