#pragma once
// A report for people: names and values in columns.

#include <string>
#include <vector>

#include "cli/command.h"

namespace commflow {

// One line per field. A list of numbers, one per rank, is shown in runs of equal
// ones: "rank 0: 5, ranks 1-3: 10".
void print_fields(const Report& report, std::ostream& out);

// Rows of cells, the first row being the heading; columns as wide as needed,
// numbers to the right.
void print_table(const std::vector<std::vector<std::string>>& rows, std::ostream& out);

// A value without quotes; the elements of a list with a blank between them; "-" for null.
std::string shown(const Report& value);

}  // namespace commflow
