#pragma once
// Bookkeeping of closed_form.cpp: a payload in blocks, and messages entered by hand.

#include <algorithm>
#include <vector>

#include "core/index.h"
#include "core/traffic.h"

namespace commflow {

// S bytes over some blocks, as block_bytes() cuts them.
class Cut {
 public:
  Cut(Bytes payload, int blocks) : payload_(payload), blocks_(blocks) {}
  int blocks() const { return blocks_; }
  Bytes payload() const { return payload_; }
  Bytes at(int block) const { return between(block, block + 1); }
  Bytes between(int begin, int end) const { return start(end) - start(begin); }
  // `count` <= blocks of them from `begin` on, around the end; begin in 0 .. blocks - 1.
  Bytes around(int begin, int count) const {
    const int over = std::max(0, begin + count - blocks_);
    return between(begin, begin + count - over) + start(over);
  }
  Bytes largest() const { return payload_ / blocks_ + (payload_ % blocks_ > 0 ? 1 : 0); }
  bool is_large(int block) const { return at(block) > payload_ / blocks_; }

 private:
  Bytes start(int block) const { return payload_ / blocks_ * block + payload_ % blocks_ * block / blocks_; }
  Bytes payload_;
  int blocks_;
};

class Ledger {
 public:
  explicit Ledger(int ranks) : now_sent_(index_of(ranks)), now_received_(index_of(ranks)) {
    traffic_.sent.resize(index_of(ranks));
    traffic_.received.resize(index_of(ranks));
  }

  // One message of the present round.
  void send(Rank src, Rank dst, Bytes bytes) {
    put(src, dst, bytes);
    ++traffic_.messages;
  }
  // More of a message that is entered already.
  void put(Rank src, Rank dst, Bytes bytes) {
    now_sent_[index_of(src)] += bytes;
    now_received_[index_of(dst)] += bytes;
    touched_.push_back(src);
    touched_.push_back(dst);
  }
  void end_round() {
    Bytes busiest = 0;
    for (const Rank rank : touched_) {
      Bytes& sent = now_sent_[index_of(rank)];
      Bytes& received = now_received_[index_of(rank)];
      busiest = std::max({busiest, sent, received});
      add(rank, sent, received);
      sent = received = 0;
    }
    touched_.clear();
    rounds(1, 0, busiest);
  }

  // Whole rounds at once: what a rank sends and receives in all of them, and how many
  // they are, with so many messages and so many bytes through the busiest port.
  void add(Rank rank, Bytes sent, Bytes received) {
    traffic_.sent[index_of(rank)] += sent;
    traffic_.received[index_of(rank)] += received;
  }
  void rounds(int count, std::int64_t messages, Bytes critical_path_bytes) {
    traffic_.rounds += count;
    traffic_.messages += messages;
    traffic_.critical_path_bytes += critical_path_bytes;
  }

  Traffic take() { return std::move(traffic_); }

 private:
  Traffic traffic_;
  std::vector<Bytes> now_sent_;
  std::vector<Bytes> now_received_;
  std::vector<Rank> touched_;
};

}  // namespace commflow
