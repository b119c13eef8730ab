#include "core/rendezvous.h"

#include <algorithm>
#include <utility>

#include "core/index.h"
#include "core/ordering.h"

namespace commflow::rendezvous {
namespace {

// ---- programs --------------------------------------------------------------

std::vector<Call> calls_of(Pattern pattern, Rank self, int ranks) {
  const int furthest = pattern == Pattern::ring ? 1 : ranks - 1;
  std::vector<Call> calls;
  for (int distance = 1; distance <= furthest; ++distance) {
    calls.push_back({Kind::send, (self + distance) % ranks});
    calls.push_back({Kind::receive, (self - distance + ranks) % ranks});
  }
  return calls;
}

bool by_peer(Order order) {
  return order == Order::by_number || order == Order::lower_first || order == Order::grouped;
}

bool receives_first(Order order, Rank self, Rank peer) {
  if (order == Order::even_odd) return self % 2 != 0;
  return order == Order::lower_first && self > peer;
}

int distance_of(const Call& call, Rank self, int ranks) {
  return (call.kind == Kind::send ? call.peer - self + ranks : self - call.peer + ranks) % ranks;
}

// ---- execution -------------------------------------------------------------

class Run {
 public:
  explicit Run(const std::vector<Program>& programs) : programs_(programs), at_(programs.size()) {
    for (const Program& program : programs) {
      outcome_.over.emplace_back();
      for (const Group& group : program) outcome_.over.back().emplace_back(group.size(), kAhead);
    }
  }

  Outcome finish() {
    post();
    while (step()) post();
    for (Rank rank = 0; rank < ranks(); ++rank) {
      if (through(rank)) continue;
      for (const auto i : posted(rank)) outcome_.stuck.push_back({rank, group(rank)[i]});
    }
    return std::move(outcome_);
  }

 private:
  int ranks() const { return static_cast<int>(programs_.size()); }
  bool through(Rank rank) const { return at_[index_of(rank)] == programs_[index_of(rank)].size(); }
  const Group& group(Rank rank) const { return programs_[index_of(rank)][at_[index_of(rank)]]; }
  std::vector<int>& over(Rank rank) { return outcome_.over[index_of(rank)][at_[index_of(rank)]]; }

  std::vector<std::size_t> posted(Rank rank) {
    std::vector<std::size_t> calls;
    if (through(rank)) return calls;
    for (std::size_t i = 0; i < over(rank).size(); ++i)
      if (over(rank)[i] == kPosted) calls.push_back(i);
    return calls;
  }

  // Goes on to the first group that is not over, and posts it.
  void post() {
    for (Rank rank = 0; rank < ranks(); ++rank) {
      while (!through(rank) && std::all_of(over(rank).begin(), over(rank).end(), [](int step) { return step >= 0; }))
        ++at_[index_of(rank)];
      if (through(rank)) continue;
      for (int& step : over(rank))
        if (step == kAhead) step = kPosted;
    }
  }

  bool step() {
    std::vector<Meeting> met;
    const int now = static_cast<int>(outcome_.steps.size());
    for (Rank src = 0; src < ranks(); ++src)
      for (const std::size_t i : posted(src)) {
        const Call call = group(src)[i];
        if (call.kind != Kind::send || !receive(call.peer, src, now)) continue;
        over(src)[i] = now;
        met.push_back({src, call.peer});
      }
    if (met.empty()) return false;
    outcome_.steps.push_back(std::move(met));
    return true;
  }

  // The first receive from src that dst has posted.
  bool receive(Rank dst, Rank src, int now) {
    for (const std::size_t i : posted(dst))
      if (group(dst)[i] == Call{Kind::receive, src}) {
        over(dst)[i] = now;
        return true;
      }
    return false;
  }

  const std::vector<Program>& programs_;
  std::vector<std::size_t> at_;  // by rank: the group under way
  Outcome outcome_;
};

// ---- who waits for whom ----------------------------------------------------

// The shortest way along waits from `start` back to it, lowest numbers first; empty if there is none.
std::vector<Rank> ring_from(const std::vector<std::vector<Rank>>& waits, Rank start) {
  std::vector<Rank> before(waits.size(), -1), queue{start};
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const Rank on : waits[index_of(queue[next])]) {
      if (on == start) {
        std::vector<Rank> ring;
        for (Rank rank = queue[next]; rank != start; rank = before[index_of(rank)]) ring.push_back(rank);
        ring.push_back(start);
        std::reverse(ring.begin(), ring.end());
        return ring;
      }
      if (before[index_of(on)] >= 0) continue;
      before[index_of(on)] = queue[next];
      queue.push_back(on);
    }
  return {};
}

std::vector<Rank> shortest_ring(const std::vector<Stuck>& stuck, std::size_t ranks) {
  std::vector<std::vector<Rank>> waits(ranks);
  for (const Stuck& one : stuck) waits[index_of(one.rank)].push_back(one.call.peer);
  std::vector<Rank> best;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    sort_stably(waits[rank]);
    const auto ring = ring_from(waits, static_cast<Rank>(rank));
    if (!ring.empty() && (best.empty() || ring.size() < best.size())) best = ring;
  }
  return best;
}

}  // namespace

std::vector<Program> make_programs(Pattern pattern, Order order, int ranks) {
  std::vector<Program> programs;
  for (Rank self = 0; self < ranks; ++self) {
    std::vector<Call> calls = calls_of(pattern, self, ranks);
    const auto key = [&](const Call& call) {
      return std::pair(by_peer(order) ? call.peer : distance_of(call, self, ranks),
                       (call.kind == Kind::receive) != receives_first(order, self, call.peer));
    };
    sort_stably(calls, [&](const Call& a, const Call& b) { return key(a) < key(b); });
    Program program;
    if (order == Order::grouped) program.push_back(calls);
    for (const Call& call : calls)
      if (order != Order::grouped) program.push_back({call});
    programs.push_back(std::move(program));
  }
  return programs;
}

Outcome execute(const std::vector<Program>& programs) {
  Outcome outcome = Run(programs).finish();
  outcome.cycle = shortest_ring(outcome.stuck, programs.size());
  return outcome;
}

int blocks_through_port(const Outcome& outcome, int ranks) {
  int blocks = 0;
  for (const auto& step : outcome.steps) {
    std::vector<int> sent(index_of(ranks)), received(index_of(ranks));
    for (const Meeting& meeting : step) {
      ++sent[index_of(meeting.src)];
      ++received[index_of(meeting.dst)];
    }
    blocks +=
        std::max(*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end()));
  }
  return blocks;
}

}  // namespace commflow::rendezvous
