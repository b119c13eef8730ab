#include "core/expert_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/placement.h"

namespace commflow::experts {
namespace {

class Planner {
 public:
  Planner(const Settings& settings, const Counts& counts) : settings_(settings), counts_(counts) {}

  Plan plan(const Routing& routing) {
    add_copies(routing);
    for (Rank home = 0; home < ranks_of(settings_); ++home) add_parcels(home);
    number_arrivals();
    number_relays();
    for (Rank host = 0; host < ranks_of(settings_); ++host) add_rows(host);
    return std::move(plan_);
  }

 private:
  bool merged() const { return settings_.dedup != Dedup::none; }
  Copy& copy(int index) { return plan_.copies[index_of(index)]; }

  void add_copies(const Routing& routing) {
    const std::vector<std::uint8_t> kept = kept_copies(settings_, routing);
    HostChooser chooser(counts_.hosts);
    for (int token = 0; token < routing.all_tokens(); ++token) {
      const Rank home = token / settings_.tokens;
      if (token % settings_.tokens == 0) chooser.begin(home);
      for (int choice = 0; choice < routing.topk; ++choice) {
        const std::size_t at = routing.at(token, choice);
        Copy copy{token, choice, routing.experts[at], routing.weights[at], home};
        if (kept[at] != 0) copy.host = chooser.host_of(copy.expert);
        plan_.copies.push_back(copy);
      }
    }
  }

  // The kept copies of a home in the order in which they are packed.
  std::vector<int> packed(Rank home) {
    std::vector<int> order;
    const int per_rank = settings_.tokens * settings_.topk;
    for (int index = home * per_rank; index < (home + 1) * per_rank; ++index) {
      if (copy(index).host >= 0) order.push_back(index);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      const auto key = [&](const Copy& c) { return std::tuple(c.host, merged() ? 0 : c.expert); };
      return key(copy(a)) < key(copy(b));
    });
    return order;
  }

  void add_parcels(Rank home) {
    const std::size_t first = plan_.parcels.size();
    for (const int index : packed(home)) {
      const bool joins = merged() && plan_.parcels.size() > first &&
                         copy(plan_.parcels.back().copies.front()).token == copy(index).token &&
                         plan_.parcels.back().host == copy(index).host;
      if (!joins) plan_.parcels.push_back({0, copy(index).host, 0, {}});
      plan_.parcels.back().copies.push_back(index);
      copy(index).parcel = static_cast<int>(std::ssize(plan_.parcels)) - 1;
    }
    add_departures(home, first);
  }

  // One departure per parcel, or one for all parcels of a token to one node.
  void add_departures(Rank home, std::size_t first_parcel) {
    std::map<std::tuple<int, int>, std::vector<std::size_t>> shared;  // in send order
    for (std::size_t parcel = first_parcel; parcel < plan_.parcels.size(); ++parcel) {
      const int node = node_of(plan_.parcels[parcel].host, settings_.gpus_per_node);
      const bool per_node = settings_.dedup == Dedup::per_node;
      const std::tuple key(per_node ? node : static_cast<int>(parcel), per_node ? token_of(parcel) : 0);
      shared[key].push_back(parcel);
    }
    int slot = 0;
    for (const auto& [key, parcels] : shared) {
      Departure departure{token_of(parcels.front()), home, slot++};
      if (settings_.path == Path::two_hop) {
        departure.relay = relay_of(settings_, home, plan_.parcels[parcels.front()].host);
      }
      for (const std::size_t parcel : parcels) {
        plan_.parcels[parcel].departure = static_cast<int>(std::ssize(plan_.departures));
      }
      plan_.departures.push_back(departure);
    }
    plan_.slots = std::max(plan_.slots, slot);
  }

  int token_of(std::size_t parcel) { return copy(plan_.parcels[parcel].copies.front()).token; }

  // By home; single copies by expert first, so that they arrive as the experts need them.
  void number_arrivals() {
    std::vector<std::size_t> order(plan_.parcels.size());
    for (std::size_t parcel = 0; parcel < order.size(); ++parcel) order[parcel] = parcel;
    const auto group = [&](std::size_t parcel) {
      return merged() ? 0 : local_number(copy(plan_.parcels[parcel].copies.front()));
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return group(a) < group(b); });
    std::vector<int> next(index_of(ranks_of(settings_)));
    for (const std::size_t parcel : order) {
      int& arrival = next[index_of(plan_.parcels[parcel].host)];
      plan_.parcels[parcel].arrival = arrival++;
      plan_.slots = std::max(plan_.slots, arrival);
    }
  }

  // Behind all other slots, since a relay may be a home or a host, too.
  void number_relays() {
    if (settings_.path == Path::one_hop) return;
    std::vector<int> next(index_of(ranks_of(settings_)), plan_.slots);
    for (Departure& departure : plan_.departures) departure.relay_slot = next[index_of(departure.relay)]++;
    plan_.slots = *std::max_element(next.begin(), next.end());
  }

  // Which of its host's experts a copy is for.
  int local_number(const Copy& copy) const {
    const std::vector<int>& own = counts_.hosts.on_rank[index_of(copy.host)];
    return static_cast<int>(std::find(own.begin(), own.end(), copy.expert) - own.begin());
  }

  void add_rows(Rank host) {
    std::vector<int>& rows = plan_.rows.emplace_back();
    std::vector<ExpertRows>& groups = plan_.groups.emplace_back();
    for (const int expert : counts_.hosts.on_rank[index_of(host)]) {
      const auto first = static_cast<int>(std::ssize(rows));
      for (int index = 0; index < std::ssize(plan_.copies); ++index) {
        if (copy(index).host != host || copy(index).expert != expert) continue;
        copy(index).row = static_cast<int>(std::ssize(rows));
        rows.push_back(index);
      }
      groups.push_back({expert, first, static_cast<int>(std::ssize(rows)) - first});
    }
  }

  const Settings& settings_;
  const Counts& counts_;
  Plan plan_;
};

Schedule exchange(const Settings& settings, const Plan& plan, const std::vector<Item>& items) {
  return uneven_all_to_all(settings.algorithm, ranks_of(settings), plan.slots, items);
}

// A second exchange of what the first one left in `out`.
void append_second(Schedule& schedule, Schedule second) {
  for (Round& round : second.rounds) {
    for (Transfer& transfer : round) transfer.src.area = Area::out;
    schedule.rounds.push_back(std::move(round));
  }
}

void add_up(Schedule& schedule) {
  for (Round& round : schedule.rounds) {
    for (Transfer& transfer : round) transfer.reduce = true;
  }
}

Item reversed(const Item& item) {
  return {item.dst_rank, item.dst_slot, item.src_rank, item.src_slot};
}

// Of the way out.
std::vector<Item> straight(const Plan& plan) {
  std::vector<Item> items;
  for (const Parcel& parcel : plan.parcels) {
    const Departure& from = plan.departures[index_of(parcel.departure)];
    items.push_back({from.home, from.slot, parcel.host, parcel.arrival});
  }
  return items;
}
std::vector<Item> over_the_rail(const Plan& plan) {
  std::vector<Item> items;
  for (const Departure& from : plan.departures) items.push_back({from.home, from.slot, from.relay, from.relay_slot});
  return items;
}
std::vector<Item> within_the_node(const Plan& plan) {
  std::vector<Item> items;
  for (const Parcel& parcel : plan.parcels) {
    const Departure& from = plan.departures[index_of(parcel.departure)];
    items.push_back({from.relay, from.relay_slot, parcel.host, parcel.arrival});
  }
  return items;
}

std::vector<Item> all_reversed(std::vector<Item> items) {
  std::transform(items.begin(), items.end(), items.begin(), reversed);
  return items;
}

}  // namespace

Plan make_plan(const Settings& settings, const Routing& routing, const Counts& counts) {
  return Planner(settings, counts).plan(routing);
}

Schedule dispatch_schedule(const Settings& settings, const Plan& plan) {
  if (settings.path == Path::one_hop) return exchange(settings, plan, straight(plan));
  Schedule schedule = exchange(settings, plan, over_the_rail(plan));
  append_second(schedule, exchange(settings, plan, within_the_node(plan)));
  return schedule;
}

Schedule combine_schedule(const Settings& settings, const Plan& plan) {
  if (settings.path == Path::one_hop) return exchange(settings, plan, all_reversed(straight(plan)));
  Schedule schedule = exchange(settings, plan, all_reversed(within_the_node(plan)));
  if (settings.dedup == Dedup::per_node) add_up(schedule);
  append_second(schedule, exchange(settings, plan, all_reversed(over_the_rail(plan))));
  return schedule;
}

}  // namespace commflow::experts
