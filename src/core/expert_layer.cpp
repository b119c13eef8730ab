#include "core/expert_layer.h"

#include <algorithm>

#include "core/gate.h"
#include "core/rng.h"
#include "core/tiny_matrix.h"

namespace commflow::experts {
namespace {

Matrix random_matrix(Rng& rng, int rows, int most) {
  Matrix matrix = tiny::zeros(rows, kTokenWidth);
  for (Value& value : matrix.data) value = rng.between(-most, most);
  return matrix;
}

ExpertWeights random_expert(Rng& rng) {
  constexpr int kMostWeight = 3;
  Matrix first = random_matrix(rng, kTokenWidth, kMostWeight);
  return {std::move(first), random_matrix(rng, kTokenWidth, kMostWeight)};
}

std::span<const Value> row_of(const Matrix& matrix, int row) {
  return {&matrix.data[index_of(row * matrix.cols)], index_of(matrix.cols)};
}

// matrix[row] += factor * values
void add_to_row(Matrix& matrix, int row, Value factor, std::span<const Value> values) {
  for (int col = 0; col < matrix.cols; ++col) tiny::entry(matrix, row, col) += factor * values[index_of(col)];
}

// Residual, shared expert, and what the experts gave.
Matrix finished(const Settings& settings, const LayerData& data, const Matrix& weighted) {
  Matrix output = data.tokens;
  if (settings.shared_expert) output = tiny::added(output, apply_expert(data.shared, data.tokens));
  for (std::size_t i = 0; i < output.data.size(); ++i) {
    output.data[i] += tiny::rounded_ratio(weighted.data[i], kGateTotal);
  }
  return output;
}

Buffers empty_buffers(const Settings& settings, int slots, int width) {
  return {ranks_of(settings), std::vector<int>(index_of(slots), width)};
}

// How many copies `home` sends for each expert of `host`.
std::vector<Value> counts_for(const LayerRun& run, Rank home, Rank host, int width) {
  std::vector<Value> counts(index_of(width));
  const std::vector<ExpertRows>& groups = run.plan.groups[index_of(host)];
  for (const Copy& copy : run.plan.copies) {
    if (copy.home != home || copy.host != host) continue;
    for (std::size_t local = 0; local < groups.size(); ++local) counts[local] += groups[local].expert == copy.expert;
  }
  return counts;
}

void exchange_counts(LayerRun& run) {
  const int ranks = ranks_of(run.settings);
  const int width = experts_per_rank(run.settings) + run.settings.replicas_per_rank;
  Movement& movement = run.counts_exchange;
  movement.schedule = *make_schedule(Collective::all_to_all, run.settings.algorithm, ranks);
  movement.initial = empty_buffers(run.settings, ranks, width);
  for (Rank home = 0; home < ranks; ++home) {
    for (Rank host = 0; host < ranks; ++host) {
      movement.initial.put({home, Area::in, host}, counts_for(run, home, host, width), Origins::of(home));
    }
  }
  movement.final = commflow::run(movement.schedule, movement.initial, Operator::sum);
}

// A host's rows as its experts take them, out of what arrived.
Matrix gathered_rows(LayerRun& run, Rank host) {
  const std::vector<int>& rows = run.plan.rows[index_of(host)];
  Matrix gathered = tiny::zeros(static_cast<int>(std::ssize(rows)), kTokenWidth);
  for (int row = 0; row < gathered.rows; ++row) {
    const Copy& copy = run.plan.copies[index_of(rows[index_of(row)])];
    const Place place{host, Area::out, run.plan.parcels[index_of(copy.parcel)].arrival};
    run.complete = run.complete && run.dispatch.final.filled(place);
    add_to_row(gathered, row, 1, run.dispatch.final.values(place));
  }
  return gathered;
}

// One expert after the other on its consecutive rows.
Matrix grouped_results(const LayerRun& run, Rank host, const Matrix& gathered) {
  Matrix results = tiny::zeros(gathered.rows, kTokenWidth);
  for (const ExpertRows& group : run.plan.groups[index_of(host)]) {
    const Matrix own =
        apply_expert(run.data.experts[index_of(group.expert)], tiny::rows_of(gathered, group.first, group.count));
    for (int row = 0; row < group.count; ++row) add_to_row(results, group.first + row, 1, row_of(own, row));
  }
  return results;
}

// What goes home for a parcel: the result itself, or the weighted sum of a token's results here.
std::vector<Value> returned(const LayerRun& run, const Parcel& parcel) {
  const Matrix& results = run.results[index_of(parcel.host)];
  Matrix sum = tiny::zeros(1, kTokenWidth);
  for (const int index : parcel.copies) {
    const Copy& copy = run.plan.copies[index_of(index)];
    add_to_row(sum, 0, run.settings.dedup == Dedup::none ? 1 : copy.weight, row_of(results, copy.row));
  }
  return sum.data;
}

// Of every departure: the hosts whose contributions come home to it.
std::vector<Origins> expected_origins(const Plan& plan) {
  std::vector<Origins> origins(plan.departures.size());
  for (const Parcel& parcel : plan.parcels) origins[index_of(parcel.departure)].add(Origins::of(parcel.host));
  return origins;
}

// Of every departure: what the vector that comes home to it is multiplied by.
std::vector<Value> return_factors(const LayerRun& run) {
  std::vector<Value> factors(run.plan.departures.size(), 1);
  if (run.settings.dedup != Dedup::none) return factors;  // the hosts have done it
  for (const Parcel& parcel : run.plan.parcels) {
    factors[index_of(parcel.departure)] = run.plan.copies[index_of(parcel.copies.front())].weight;
  }
  return factors;
}

}  // namespace

Matrix apply_expert(const ExpertWeights& weights, const Matrix& rows) {
  return tiny::product(tiny::relu(tiny::product(rows, weights.first)), weights.second);
}

LayerData layer_data(const Settings& settings) {
  constexpr std::uint64_t kApartFromRouting = 0x6C61796572U;
  constexpr int kMostToken = 9;
  Rng rng(settings.seed ^ kApartFromRouting);
  LayerData data;
  data.shared = random_expert(rng);
  for (int expert = 0; expert < settings.experts; ++expert) data.experts.push_back(random_expert(rng));
  data.tokens = random_matrix(rng, static_cast<int>(tokens_of_all(settings)), kMostToken);
  return data;
}

Matrix run_on_one_rank(const Settings& settings, const Routing& routing, const LayerData& data) {
  const std::vector<std::uint8_t> kept = kept_copies(settings, routing);
  Matrix weighted = tiny::zeros(data.tokens.rows, kTokenWidth);
  for (int token = 0; token < data.tokens.rows; ++token) {
    const Matrix own = tiny::rows_of(data.tokens, token, 1);
    for (int choice = 0; choice < routing.topk; ++choice) {
      const std::size_t copy = routing.at(token, choice);
      if (kept[copy] == 0) continue;
      const Matrix result = apply_expert(data.experts[index_of(routing.experts[copy])], own);
      add_to_row(weighted, token, routing.weights[copy], result.data);
    }
  }
  return finished(settings, data, weighted);
}

LayerRun prepare_layer(const Settings& settings) {
  LayerRun run;
  run.settings = settings;
  run.data = layer_data(settings);
  run.routing = route(settings);
  run.counts = count_layer(settings, run.routing);
  run.plan = make_plan(settings, run.routing, run.counts);
  exchange_counts(run);
  run.dispatch.schedule = dispatch_schedule(settings, run.plan);
  run.dispatch.initial = empty_buffers(settings, run.plan.slots, kTokenWidth);
  for (const Departure& departure : run.plan.departures) {
    run.dispatch.initial.put({departure.home, Area::in, departure.slot}, row_of(run.data.tokens, departure.token),
                             Origins::of(departure.home));
  }
  return run;
}

void dispatch_tokens(LayerRun& run) {
  run.dispatch.final = commflow::run(run.dispatch.schedule, run.dispatch.initial, Operator::sum);
}

void compute_experts(LayerRun& run) {
  run.results.clear();
  for (Rank host = 0; host < ranks_of(run.settings); ++host) {
    run.results.push_back(grouped_results(run, host, gathered_rows(run, host)));
  }
  run.combine.schedule = combine_schedule(run.settings, run.plan);
  run.combine.initial = empty_buffers(run.settings, run.plan.slots, kTokenWidth);
  for (const Parcel& parcel : run.plan.parcels) {
    run.combine.initial.put({parcel.host, Area::in, parcel.arrival}, returned(run, parcel), Origins::of(parcel.host));
  }
}

void combine_results(LayerRun& run) {
  run.combine.final = commflow::run(run.combine.schedule, run.combine.initial, Operator::sum);
  run.weighted = tiny::zeros(run.data.tokens.rows, kTokenWidth);
  const std::vector<Value> factors = return_factors(run);
  const std::vector<Origins> origins = expected_origins(run.plan);
  for (std::size_t index = 0; index < factors.size(); ++index) {
    const Departure& departure = run.plan.departures[index];
    const Place place{departure.home, Area::out, departure.slot};
    run.complete = run.complete && run.combine.final.from(place) == origins[index];
    add_to_row(run.weighted, departure.token, factors[index], run.combine.final.values(place));
  }
  run.output = finished(run.settings, run.data, run.weighted);
}

LayerRun run_layer(const Settings& settings) {
  LayerRun run = prepare_layer(settings);
  dispatch_tokens(run);
  compute_experts(run);
  combine_results(run);
  return run;
}

}  // namespace commflow::experts
