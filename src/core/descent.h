#pragma once
// The smallest training there is: one weight, one example, gradient descent. The
// numbers are chosen so that all of them are exact in binary.

#include <vector>

namespace commflow {

// prediction = weight * input; loss = (prediction - label)^2;
// gradient = 2 * input * (prediction - label); weight -= rate * gradient.
struct Descent {
  double input = 2, label = 6, weight = 1, rate = 0.0625;
};
struct DescentStep {
  double weight = 0, prediction = 0, loss = 0, gradient = 0, updated = 0;
};
std::vector<DescentStep> descend(const Descent& start, int steps);

}  // namespace commflow
