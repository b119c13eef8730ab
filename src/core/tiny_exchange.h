#pragma once
// The only way from one rank's memory to another's: pack what the members send
// into slots, run the schedule, unpack what has arrived. Knows nothing of layers.

#include <optional>
#include <vector>

#include "core/tiny_program.h"
#include "core/tiny_rank.h"

namespace commflow::tiny {

// Packs and makes the schedule; nothing has moved yet. members.size() >= 2.
Communication packed(const Flow& flow, const std::vector<Memory>& world);

// Runs the schedule and unpacks. False if something never arrived: an empty slot,
// or a sum that lacks a contribution. Then nothing of this flow is unpacked there.
bool run_and_unpack(const Flow& flow, Communication& communication, std::vector<Memory>& world);

// In a group of one what is sent is what is received.
void keep(const Flow& flow, Memory& memory);

// Who has something to send, and who receives.
bool sends(const Flow& flow, Rank local);
bool receives(const Flow& flow, Rank local);

}  // namespace commflow::tiny
