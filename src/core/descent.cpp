#include "core/descent.h"

namespace commflow {

std::vector<DescentStep> descend(const Descent& start, int steps) {
  std::vector<DescentStep> done;
  double weight = start.weight;
  for (int i = 0; i < steps; ++i) {
    DescentStep step;
    step.weight = weight;
    step.prediction = weight * start.input;
    const double error = step.prediction - start.label;
    step.loss = error * error;
    step.gradient = 2 * start.input * error;
    weight -= start.rate * step.gradient;
    step.updated = weight;
    done.push_back(step);
  }
  return done;
}

}  // namespace commflow
