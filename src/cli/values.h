#pragma once
// The values that `commflow run` starts from: read from JSON, or made up. The
// engine computes with integers; letters travel as their codes and come back as
// they came, as one text per rank or as lists of one-letter texts.

#include <string>
#include <vector>

#include "cli/request.h"

namespace commflow {

enum class Spelling : std::uint8_t { numbers, letters, words };

struct RankValues {
  std::vector<std::vector<Value>> values;  // per rank; empty where the rank has no input
  Spelling spelling = Spelling::numbers;
};

// One value per slot that a rank begins with.
RankValues default_values(const Request& request, int slots, Operator op);

// From a file, or from standard input for "-". Lengths are what the collective needs.
RankValues read_values(Arguments& arguments, const Request& request);

// How wide each slot is when these are cut into the slots of a schedule.
std::vector<int> slot_widths(const Request& request, int slots, const RankValues& input);

// One rank's values as they were spelt; an average may be a fraction.
Report spelt(const std::vector<Fraction>& values, Spelling spelling);

}  // namespace commflow
