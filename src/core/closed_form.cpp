#include "core/closed_form.h"

#include <utility>

#include "core/algorithms/builders.h"
#include "core/algorithms/fold.h"
#include "core/double_tree.h"
#include "core/ledger.h"

namespace commflow {
namespace {

std::int64_t all_pairs(int n) {
  return std::int64_t{n} * (n - 1);
}

// ---- one step to all, rings, pairs: every round is alike ----

// Everyone a block to everyone, at once or in n - 1 rounds: the block of the receiver
// or that of the sender.
struct Exchange {
  bool own_block;  // the sender's
  int rounds;
};

void exchange(Ledger& ledger, const Cut& cut, const Exchange& how) {
  const int n = cut.blocks();
  Bytes busiest = 0;
  for (Rank rank = 0; rank < n; ++rank) {
    const Bytes own = (n - 1) * cut.at(rank);
    const Bytes others = cut.payload() - cut.at(rank);
    ledger.add(rank, how.own_block ? own : others, how.own_block ? others : own);
    busiest = std::max({busiest, own, others});
  }
  ledger.rounds(how.rounds, all_pairs(n), how.rounds == 1 ? busiest : how.rounds * cut.largest());
}

// `ranks` of a ring, all blocks under way in every round; rank r keeps block r when
// it has reduced, block r + 1 is the one it never passes on when it gathers.
void reduce_in_ring(Ledger& ledger, const Cut& cut) {
  const int n = cut.blocks();
  for (Rank rank = 0; rank < n; ++rank) {
    ledger.add(rank, cut.payload() - cut.at(rank), cut.payload() - cut.at(around(rank - 1, n)));
  }
  ledger.rounds(n - 1, all_pairs(n), (n - 1) * cut.largest());
}

void gather_in_ring(Ledger& ledger, const Cut& cut) {
  const int n = cut.blocks();
  for (Rank rank = 0; rank < n; ++rank) {
    ledger.add(rank, cut.payload() - cut.at(around(rank + 1, n)), cut.payload() - cut.at(rank));
  }
  ledger.rounds(n - 1, all_pairs(n), (n - 1) * cut.largest());
}

void ring(Ledger& ledger, const Question& q) {
  const Cut cut(q.payload, q.ranks);
  if (q.collective != Collective::all_gather) reduce_in_ring(ledger, cut);
  if (q.collective != Collective::reduce_scatter) gather_in_ring(ledger, cut);
}

void direct(Ledger& ledger, const Question& q) {
  if (q.collective == Collective::send_recv) {
    ledger.send(q.root, around(q.root + 1, q.ranks), q.payload);
    return ledger.end_round();
  }
  const Cut cut(q.payload, q.ranks);
  if (q.collective != Collective::all_gather) exchange(ledger, cut, {false, 1});
  if (q.collective == Collective::all_gather || q.collective == Collective::all_reduce)
    exchange(ledger, cut, {true, 1});
}

void one_shot(Ledger& ledger, const Question& q) {
  const Bytes bytes = (q.ranks - 1) * q.payload;
  for (Rank rank = 0; rank < q.ranks; ++rank) ledger.add(rank, bytes, bytes);
  ledger.rounds(1, all_pairs(q.ranks), bytes);
}

void pairwise(Ledger& ledger, const Question& q) {
  exchange(ledger, Cut(q.payload, q.ranks), {false, q.ranks - 1});
}

bool away_from_root(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::scatter;
}

void linear(Ledger& ledger, const Question& q) {
  const Cut cut(q.payload, q.ranks);
  for (int k = 1; k < q.ranks; ++k) {
    const Rank peer = around(q.root + k, q.ranks);
    const Bytes bytes = has_block_per_rank(q.collective) ? cut.at(peer) : q.payload;
    away_from_root(q.collective) ? ledger.send(q.root, peer, bytes) : ledger.send(peer, q.root, bytes);
    ledger.end_round();
  }
}

// ---- trees ----

// One of the rounds of a binomial tree over the first `size` positions, which are
// cut's blocks or carry the whole payload each.
template <class RankAt, class BytesOf>
void tree_round(Ledger& ledger, int size, int distance, bool away, RankAt rank_at, BytesOf bytes_of) {
  for (int parent = 0; parent + distance < size; parent += 2 * distance) {
    const int child = parent + distance;
    const Bytes bytes = bytes_of(child, std::min(child + distance, size));
    away ? ledger.send(rank_at(parent), rank_at(child), bytes) : ledger.send(rank_at(child), rank_at(parent), bytes);
  }
  ledger.end_round();
}

template <class RankAt, class BytesOf>
void tree(Ledger& ledger, int size, bool away, RankAt rank_at, BytesOf bytes_of) {
  int top = 1;
  while (2 * top < size) top *= 2;
  if (away) {
    for (int distance = top; distance >= 1; distance /= 2) tree_round(ledger, size, distance, true, rank_at, bytes_of);
  } else {
    for (int distance = 1; distance <= top; distance *= 2) tree_round(ledger, size, distance, false, rank_at, bytes_of);
  }
}

void binomial(Ledger& ledger, const Question& q) {
  const int n = q.ranks;
  const Cut cut(q.payload, n);
  const Rank root = q.collective == Collective::all_reduce ? 0 : q.root;
  const auto rank_at = [&](int position) { return around(root + position, n); };
  const auto bytes_of = [&](int begin, int end) {
    return has_block_per_rank(q.collective) ? cut.around(rank_at(begin), end - begin) : q.payload;
  };
  tree(ledger, n, away_from_root(q.collective), rank_at, bytes_of);
  if (q.collective == Collective::all_reduce) tree(ledger, n, true, rank_at, bytes_of);
}

// What a rank of one of the two trees sends up and is sent down in a round: a chunk,
// or -1.
struct Climb {
  int up = -1;
  int down = -1;
};

Climb climb_in(int round, const TreePlace& place, int height, int chunks) {
  const auto chunk = [&](int late) { return round >= late && round - late < chunks ? round - late : -1; };
  if (place.depth == 0) return {};
  return {chunk(place.height), chunk(height + place.depth - 1)};
}

void double_tree(Ledger& ledger, const Question& q) {
  const int chunks = q.tuning.chunks;
  const Cut cut(q.payload, 2 * chunks);
  const auto parents = double_binary_tree(q.ranks);
  const std::vector<TreePlace> places[]{tree_places(parents[0]), tree_places(parents[1])};
  int height = 0;
  for (const TreePlace& place : places[0]) height = std::max(height, place.height);
  const auto climb = [&](int round, int t, Rank rank) {
    return climb_in(round, places[t][index_of(rank)], height, chunks);
  };
  // Both trees may have something for the same pair in one round: it goes as one message.
  const auto enter = [&](bool joins, Rank src, Rank dst, Bytes bytes) {
    joins ? ledger.put(src, dst, bytes) : ledger.send(src, dst, bytes);
  };
  for (int round = 0; round < 2 * height + chunks - 1; ++round) {
    for (Rank rank = 0; rank < q.ranks; ++rank) {
      const Climb other = climb(round, 0, rank);
      const bool same_parent = parents[0][index_of(rank)] == parents[1][index_of(rank)];
      for (int t = 0; t < 2; ++t) {
        const Climb own = climb(round, t, rank);
        const Rank parent = parents[index_of(t)][index_of(rank)];
        if (own.up >= 0) {
          // Down from the parent's point of view in the other tree: rank is the parent of its parent there.
          const bool meets =
              parents[index_of(1 - t)][index_of(parent)] == rank && climb(round, 1 - t, parent).down >= 0;
          enter((t == 1 && same_parent && other.up >= 0) || meets, rank, parent, cut.at(t * chunks + own.up));
        }
        if (own.down >= 0) {
          enter(t == 1 && same_parent && other.down >= 0, parent, rank, cut.at(t * chunks + own.down));
        }
      }
    }
    ledger.end_round();
  }
}

// ---- halving and doubling ----

// Bytes of a run of seats: of one block per seat, or of their ranks' blocks.
struct SeatBytes {
  Fold fold;
  Cut cut;
  bool per_rank;
  Bytes operator()(Range seats) const {
    if (!per_rank) return cut.between(seats.begin, seats.end);
    return cut.between(fold.first_own_block(seats.begin), fold.first_own_block(seats.end));
  }
};

void halve(Ledger& ledger, const SeatBytes& bytes) {
  const Fold& fold = bytes.fold;
  for (int distance = fold.seats / 2; distance >= 1; distance /= 2) {
    for (int seat = 0; seat < fold.seats; ++seat) {
      const int partner = seat ^ distance;
      ledger.send(fold.rank_at(seat), fold.rank_at(partner), bytes(run_of(partner, distance)));
    }
    ledger.end_round();
  }
}

void double_up(Ledger& ledger, const SeatBytes& bytes) {
  const Fold& fold = bytes.fold;
  for (int distance = 1; distance < fold.seats; distance *= 2) {
    for (int seat = 0; seat < fold.seats; ++seat) {
      ledger.send(fold.rank_at(seat), fold.rank_at(seat ^ distance), bytes(run_of(seat, distance)));
    }
    ledger.end_round();
  }
}

// The round before or after all else, between those who sit and those who do not.
template <class BytesOf>
void fold_round(Ledger& ledger, const Fold& fold, bool in, BytesOf bytes_of) {
  if (fold.folded == 0) return;
  for (int seat = 0; seat < fold.folded; ++seat) {
    const Rank rank = fold.rank_at(seat);
    in ? ledger.send(rank - 1, rank, bytes_of(rank - 1)) : ledger.send(rank, rank - 1, bytes_of(rank - 1));
  }
  ledger.end_round();
}

void halving_doubling(Ledger& ledger, const Question& q) {
  const Fold fold(q.ranks);
  const bool per_rank = q.collective != Collective::all_reduce;
  const Cut cut(q.payload, per_rank ? q.ranks : fold.seats);
  const SeatBytes bytes{fold, cut, per_rank};
  const bool gathers = q.collective == Collective::all_gather;
  fold_round(ledger, fold, true, [&](Rank rank) { return gathers ? cut.at(rank) : q.payload; });
  if (!gathers) halve(ledger, bytes);
  if (q.collective != Collective::reduce_scatter) double_up(ledger, bytes);
  fold_round(ledger, fold, false, [&](Rank rank) {
    if (gathers) return q.payload - cut.at(rank);
    return per_rank ? cut.at(rank) : q.payload;
  });
}

void recursive_doubling(Ledger& ledger, const Question& q) {
  if (q.collective != Collective::all_reduce) return halving_doubling(ledger, q);
  const Fold fold(q.ranks);
  const auto whole = [&](Rank) { return q.payload; };
  fold_round(ledger, fold, true, whole);
  for (int distance = 1; distance < fold.seats; distance *= 2) {
    for (int seat = 0; seat < fold.seats; ++seat) {
      ledger.send(fold.rank_at(seat), fold.rank_at(seat ^ distance), q.payload);
    }
    ledger.end_round();
  }
  fold_round(ledger, fold, false, whole);
}

// ---- Bruck, chain, in-switch ----

// How many of 1 .. n - 1 have this bit.
Bytes with_bit(int n, int bit) {
  return n / (2 * bit) * bit + std::max(0, n % (2 * bit) - bit);
}

void bruck(Ledger& ledger, const Question& q) {
  const int n = q.ranks;
  const Cut cut(q.payload, n);
  for (int hop = 1; hop < n; hop *= 2) {
    for (Rank rank = 0; rank < n; ++rank) {
      if (q.collective == Collective::all_gather) {
        ledger.send(rank, around(rank - hop, n), cut.around(rank, std::min(hop, n - hop)));
      } else {
        ledger.send(rank, around(rank + hop, n), with_bit(n, hop) * cut.largest());
      }
    }
    ledger.end_round();
  }
}

// The largest chunk of first .. last, of which there is at least one.
class LargestChunk {
 public:
  explicit LargestChunk(const Cut& cut) : cut_(cut), large_before_(index_of(cut.blocks() + 1)) {
    for (int chunk = 0; chunk < cut.blocks(); ++chunk) {
      large_before_[index_of(chunk + 1)] = large_before_[index_of(chunk)] + (cut.is_large(chunk) ? 1 : 0);
    }
  }
  Bytes of(int first, int last) const {
    const bool any = large_before_[index_of(last + 1)] > large_before_[index_of(first)];
    return cut_.payload() / cut_.blocks() + (any ? 1 : 0);
  }

 private:
  Cut cut_;
  std::vector<int> large_before_;
};

void chain(Ledger& ledger, const Question& q) {
  const int n = q.ranks;
  const int chunks = q.tuning.chunks;
  const LargestChunk largest(Cut(q.payload, chunks));
  const bool away = q.collective == Collective::broadcast;
  for (int position = 0; position < n; ++position) {
    const Bytes out = position + 1 < n ? q.payload : 0;  // away from the root
    const Bytes in = position > 0 ? q.payload : 0;
    ledger.add(around(q.root + position, n), away ? out : in, away ? in : out);
  }
  Bytes critical = 0;
  for (int round = 0; round < n - 2 + chunks; ++round) {
    critical += largest.of(std::max(0, round - (n - 2)), std::min(chunks - 1, round));
  }
  ledger.rounds(n - 2 + chunks, std::int64_t{n - 1} * chunks, critical);
}

void in_switch(Ledger& ledger, const Question& q) {
  const int chunks = q.tuning.chunks;
  const LargestChunk largest(Cut(q.payload, chunks));
  for (Rank rank = 0; rank < q.ranks; ++rank) ledger.add(rank, q.payload, q.payload);
  Bytes critical = 0;
  for (int round = 0; round <= chunks; ++round) {
    critical += largest.of(std::max(0, round - 1), std::min(chunks - 1, round));
  }
  ledger.rounds(chunks + 1, 2 * std::int64_t{q.ranks} * chunks, critical);
}

// ---- two halves ----

// Ring all-gather among ranks that hold what a scatter over a binomial tree has left
// with them: position q holds blocks q .. q + lowest bit of q. Nobody is sent what it has.
class GatherAfterScatter {
 public:
  GatherAfterScatter(const Cut& cut, Rank root) : cut_(cut), n_(cut.blocks()), root_(root) {
    for (int block = 0; block < n_; ++block) {
      if (cut.is_large(block)) large_.push_back(block);
    }
  }

  void enter(Ledger& ledger) const {
    std::int64_t messages = 0;
    for (int position = 1; position < n_; ++position) {
      const Rank rank = around(root_ + position, n_);
      const Bytes missing = cut_.payload() - cut_.around(rank, held(position));
      ledger.add(around(rank - 1, n_), missing, 0);
      ledger.add(rank, 0, missing);
      messages += n_ - held(position);
    }
    Bytes critical = 0;
    for (int k = 0; k < n_ - 1; ++k) critical += cut_.payload() / n_ + (sends_a_large_one(k) ? 1 : 0);
    ledger.rounds(n_ - 1, messages, critical);
  }

 private:
  int held(int position) const { return std::min(position & -position, n_ - position); }
  // In round k a block goes to the rank k + 1 after its own. Few ranks hold it already, so few blocks are looked at.
  bool sends_a_large_one(int k) const {
    for (const int block : large_) {
      const int own = around(block - root_, n_);
      const int to = around(own + k + 1, n_);
      const bool has_it = to == 0 || (own >= to && own - to < held(to));
      if (!has_it) return true;
    }
    return false;
  }

  Cut cut_;
  int n_;
  Rank root_;
  std::vector<int> large_;
};

void scatter_allgather(Ledger& ledger, const Question& q) {
  Question scatter = q;
  scatter.collective = Collective::scatter;
  binomial(ledger, scatter);
  GatherAfterScatter(Cut(q.payload, q.ranks), q.root).enter(ledger);
}

void scatter_allgather_doubling(Ledger& ledger, const Question& q) {
  const int power = largest_power_up_to(q.ranks);
  const Cut cut(q.payload, power);
  const auto rank_at = [&](int position) { return around(q.root + position, q.ranks); };
  tree(ledger, power, true, rank_at, [&](int begin, int end) { return cut.between(begin, end); });
  for (int distance = 1; distance < power; distance *= 2) {
    for (int position = 0; position < power; ++position) {
      const int partner = position ^ distance;
      if (partner % (2 * distance) == 0) continue;  // the scatter has left this half with it
      const Range known = run_of(position, distance);
      ledger.send(rank_at(position), rank_at(partner), cut.between(known.begin, known.end));
    }
    ledger.end_round();
  }
  if (power == q.ranks) return;
  for (int position = power; position < q.ranks; ++position) {
    ledger.send(rank_at(position - power), rank_at(position), q.payload);
  }
  ledger.end_round();
}

void reduce_scatter_gather(Ledger& ledger, const Question& q) {
  const int power = largest_power_up_to(q.ranks);
  const Cut cut(q.payload, power);
  const auto rank_at = [&](int position) { return around(q.root + position, q.ranks); };
  for (int position = power; position < q.ranks; ++position) {
    ledger.send(rank_at(position), rank_at(position - power), q.payload);
  }
  if (power < q.ranks) ledger.end_round();
  for (int distance = power / 2; distance >= 1; distance /= 2) {
    for (int position = 0; position < power; ++position) {
      const Range given = run_of(position ^ distance, distance);
      ledger.send(rank_at(position), rank_at(position ^ distance), cut.between(given.begin, given.end));
    }
    ledger.end_round();
  }
  tree(ledger, power, false, rank_at, [&](int begin, int end) { return cut.between(begin, end); });
}

// ---- two levels ----

struct Grid {
  int gpus;  // per node
  int nodes;
  bool flat() const { return gpus == 1 || nodes == 1; }
};

Grid grid_of(const Question& q) {
  const int gpus = gpus_per_node(q.tuning, q.ranks);
  return {gpus, q.ranks / gpus};
}

// What GPU `index` of a node sends and receives on each level.
struct LevelBytes {
  Bytes intra_sent, intra_received, inter_sent, inter_received;
};

// Rings over blocks of `nodes` parts in the node, over the parts of the own block between nodes.
LevelBytes of_all_reduce(const Cut& cut, const Grid& grid, int node, int index) {
  const auto block = [&](int i) {
    const int at = around(i, grid.gpus);
    return cut.between(at * grid.nodes, (at + 1) * grid.nodes);
  };
  const auto part = [&](int j) { return cut.at(index * grid.nodes + around(j, grid.nodes)); };
  const Bytes own = block(index);
  return {2 * cut.payload() - own - block(index + 1), 2 * cut.payload() - own - block(index - 1),
          2 * own - part(node) - part(node + 1), 2 * own - part(node) - part(node - 1)};
}

// Blocks for GPU `index` of any node.
Bytes for_index(const Cut& cut, const Grid& grid, int index) {
  Bytes bytes = 0;
  for (int node = 0; node < grid.nodes; ++node) bytes += cut.at(node * grid.gpus + index);
  return bytes;
}

LevelBytes of_all_to_all(const Cut& cut, const Grid& grid, int node, Bytes for_index) {
  const Bytes for_node = cut.between(node * grid.gpus, (node + 1) * grid.gpus);
  return {cut.payload() - for_index, (grid.gpus - 1) * for_index, cut.payload() - for_node,
          (grid.nodes - 1) * for_node};
}

// visit(rank, bytes) for all ranks.
template <class Visit>
void for_all_gpus(const Question& q, const Grid& grid, Visit visit) {
  const Cut cut(q.payload, q.ranks);
  for (int index = 0; index < grid.gpus; ++index) {
    const Bytes to_index = q.collective == Collective::all_to_all ? for_index(cut, grid, index) : 0;
    for (int node = 0; node < grid.nodes; ++node) {
      visit(node * grid.gpus + index, q.collective == Collective::all_to_all ? of_all_to_all(cut, grid, node, to_index)
                                                                             : of_all_reduce(cut, grid, node, index));
    }
  }
}

void hierarchical(Ledger& ledger, const Question& q) {
  const Grid grid = grid_of(q);
  if (grid.flat()) return q.collective == Collective::all_to_all ? direct(ledger, q) : ring(ledger, q);
  Bytes busiest_intra = 0;
  Bytes busiest_inter = 0;
  for_all_gpus(q, grid, [&](Rank rank, const LevelBytes& bytes) {
    ledger.add(rank, bytes.intra_sent + bytes.inter_sent, bytes.intra_received + bytes.inter_received);
    busiest_intra = std::max({busiest_intra, bytes.intra_sent, bytes.intra_received});
    busiest_inter = std::max({busiest_inter, bytes.inter_sent, bytes.inter_received});
  });
  const std::int64_t peers = grid.gpus - 1 + grid.nodes - 1;
  if (q.collective == Collective::all_to_all) return ledger.rounds(2, q.ranks * peers, busiest_intra + busiest_inter);
  const Bytes block = Cut(q.payload, grid.gpus).largest();
  const Bytes part = Cut(q.payload, q.ranks).largest();
  ledger.rounds(static_cast<int>(2 * peers), 2 * q.ranks * peers,
                2 * (grid.gpus - 1) * block + 2 * (grid.nodes - 1) * part);
}

using Formula = void (*)(Ledger& ledger, const Question& question);

Formula formula_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::ring: return ring;
    case Algorithm::direct: return direct;
    case Algorithm::recursive_halving:
    case Algorithm::halving_doubling: return halving_doubling;
    case Algorithm::pairwise: return pairwise;
    case Algorithm::linear: return linear;
    case Algorithm::binomial: return binomial;
    case Algorithm::one_shot: return one_shot;
    case Algorithm::recursive_doubling: return recursive_doubling;
    case Algorithm::double_binary_tree: return double_tree;
    case Algorithm::bruck: return bruck;
    case Algorithm::chain: return chain;
    case Algorithm::scatter_allgather: return scatter_allgather;
    case Algorithm::scatter_allgather_doubling: return scatter_allgather_doubling;
    case Algorithm::reduce_scatter_gather: return reduce_scatter_gather;
    case Algorithm::hierarchical: return hierarchical;
    case Algorithm::in_switch: break;
  }
  return in_switch;
}

}  // namespace

std::optional<Traffic> traffic_by_formula(const Question& question) {
  if (why_not(question.collective, question.algorithm, question.ranks, question.tuning)) return std::nullopt;
  Ledger ledger(question.ranks);
  if (question.ranks > 1) formula_of(question.algorithm)(ledger, question);
  return ledger.take();
}

std::optional<LevelTraffic> levels_by_formula(const Question& question) {
  if (!uses_nodes(question.algorithm)) return std::nullopt;
  const auto traffic = traffic_by_formula(question);
  if (!traffic) return std::nullopt;
  const Grid grid = grid_of(question);
  const std::vector<Bytes> nothing(index_of(question.ranks));
  if (grid.flat()) return grid.nodes == 1 ? LevelTraffic{traffic->sent, nothing} : LevelTraffic{nothing, traffic->sent};
  LevelTraffic levels{nothing, nothing};
  for_all_gpus(question, grid, [&](Rank rank, const LevelBytes& bytes) {
    levels.intra[index_of(rank)] = bytes.intra_sent;
    levels.inter[index_of(rank)] = bytes.inter_sent;
  });
  return levels;
}

}  // namespace commflow
