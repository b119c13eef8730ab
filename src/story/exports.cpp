#include "story/exports.h"

namespace commflow {
namespace {

std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string json_of(Place place) {
  return R"({"rank":)" + number(place.rank) + R"(,"area":")" + (place.area == Area::in ? "in" : "out") +
         R"(","slot":)" + number(place.slot) + "}";
}

std::string json_of(const Transfer& transfer) {
  return R"({"src":)" + json_of(transfer.src) + R"(,"dst":)" + json_of(transfer.dst) + R"(,"op":")" +
         (transfer.reduce ? "reduce" : "copy") + "\"}";
}

// "[" one, two, ... "]"
template <class List, class ToText>
std::string list_of(const List& list, ToText to_text) {
  std::string text = "[";
  for (const auto& each : list) text += (text.size() > 1 ? "," : "") + to_text(each);
  return text + "]";
}

using BlocksOf = std::vector<int> (*)(Collective collective, int ranks, int blocks, Rank root, Rank rank);

std::string places_of(Collective collective, Rank root, const Schedule& schedule, Area area, BlocksOf blocks_of) {
  std::string text = "[";
  for (Rank rank = 0; rank < schedule.ranks; ++rank) {
    const auto blocks = blocks_of(collective, schedule.ranks, schedule.slots, root, rank);
    text += (rank > 0 ? "," : "") + list_of(blocks, [&](int block) { return json_of(Place{rank, area, block}); });
  }
  return text + "]";
}

void add_counts(const CollectiveRun& run, const AlgorithmRun& made, std::string& text) {
  if (!made.works()) return;
  const Schedule& schedule = made.example.schedule;
  const auto bytes = slot_bytes_of(run, made);
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round) {
    Schedule one = schedule;
    one.rounds = {schedule.rounds[round]};
    const Traffic traffic = count_traffic(one, bytes);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(schedule.ranks); ++rank)
      text += std::string(name_of(made.algorithm)) + "," + number(static_cast<std::int64_t>(round) + 1) + "," +
              number(static_cast<std::int64_t>(rank)) + "," + number(traffic.sent[rank]) + "," +
              number(traffic.received[rank]) + "\n";
  }
}

}  // namespace

std::string schedule_json(Collective collective, Algorithm algorithm, Rank root, const Schedule& schedule) {
  const auto json_of_round = [](const Round& round) {
    return list_of(round, [](const Transfer& transfer) { return json_of(transfer); });
  };
  std::string text = R"({"collective":")" + std::string(name_of(collective)) + R"(","algorithm":")" +
                     std::string(name_of(algorithm)) + R"(","ranks":)" + number(schedule.ranks) + R"(,"root":)" +
                     number(root) + R"(,"slots":)" + number(schedule.slots);
  if (schedule.switches > 0) text += R"(,"switches":)" + number(schedule.switches);
  text += R"(,"rounds":)" + list_of(schedule.rounds, json_of_round);
  text += R"(,"inputs":)" + places_of(collective, root, schedule, Area::in, input_blocks);
  return text + R"(,"outputs":)" + places_of(collective, root, schedule, Area::out, output_blocks) + "}\n";
}

std::string counts_csv(const CollectiveRun& run) {
  std::string text = "algorithm,round,rank,sent_bytes,received_bytes\n";
  add_counts(run, run.first, text);
  if (run.second && run.second->algorithm != run.first.algorithm) add_counts(run, *run.second, text);
  return text;
}

}  // namespace commflow
