#include "story/reduce.h"

#include <gtest/gtest.h>

#include "support/pages.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::deriver;
using support::real_library;

int length(const State& state) {
  return deriver().derive(state).timeline(state).length();
}

State press(const State& state, Action action) {
  return reduce(state, Press{action}, deriver());
}

State first_state(int step = 0) {
  return reduce(initial_state(real_library()), Set{FieldId::step, step}, deriver());
}

void expect_valid(const State& state) {
  ASSERT_EQ(normalise(state, real_library()), state);
  ASSERT_GE(state.at, 0);
  ASSERT_LE(state.at, length(state));
  ASSERT_FALSE(state.at == length(state) && state.playing != 0);
}

// A handful of states per run of the tiny model: what is tested here does not depend on the layout's numbers.
template <class Check>
void for_random_states(std::uint64_t seed, int layouts, Check check) {
  Rng random(seed);
  for (int i = 0; i < layouts; ++i) {
    State state = support::likely_state(random, real_library());
    for (int j = 0; j < 20; ++j) {
      state.step = support::between(random, 0, 11);
      state.at = support::between(random, 0, length(state));
      state.playing = static_cast<int>(random.next() % 3);
      state.speed = static_cast<int>(random.next() % 5);
      check(reduce(state, Open{state}, deriver()), random);
    }
  }
}

TEST(Tick, IsExactlyAdditive) {
  for_random_states(11, 60, [](const State& state, Rng& random) {
    const int a = support::between(random, 0, 3000), b = support::between(random, 0, 3000);
    ASSERT_EQ(tick(tick(state, a, deriver()), b, deriver()), tick(state, a + b, deriver()));
  });
}

TEST(Tick, MovesNothingButThePosition) {
  for_random_states(12, 30, [](const State& state, Rng& random) {
    State later = tick(state, support::between(random, -5, 5000), deriver());
    expect_valid(later);
    ASSERT_GE(later.at, state.at);
    later.at = state.at;
    later.playing = state.playing;
    ASSERT_EQ(later, state);
  });
}

TEST(Tick, RunsAtTheChosenSpeed) {
  State state = press(first_state(5), Action::play);
  const int quarters[] = {1, 2, 4, 8, 16};
  for (int speed = 0; speed < 5; ++speed) {
    state.speed = speed;
    EXPECT_EQ(tick(state, 100, deriver()).at, 100 * quarters[speed]);
  }
}

TEST(Tick, EndsWithTheStepOrTheRound) {
  State state = press(first_state(5), Action::play);
  EXPECT_EQ(tick(state, 1 << 30, deriver()).at, length(state));
  EXPECT_EQ(tick(state, 1 << 30, deriver()).playing, 0);
  state = press(first_state(5), Action::forward);
  EXPECT_EQ(state.playing, 2);
  EXPECT_EQ(tick(state, 1 << 30, deriver()).at, kBeat);
}

// Playing up to a moment and seeking to it are the same state.
TEST(Seek, EqualsPlay) {
  for_random_states(13, 40, [](const State& state, Rng& random) {
    State start = state;
    start.at = 0;
    const State played = tick(press(start, Action::play), support::between(random, 0, 9000), deriver());
    ASSERT_EQ(press(played, Action::pause), reduce(start, Set{FieldId::at, played.at}, deriver()));
  });
}

TEST(Press, EveryActionKeepsTheInvariants) {
  for_random_states(14, 60, [](const State& state, Rng&) {
    for (int i = 0; i < kActions; ++i) expect_valid(press(state, static_cast<Action>(i)));
  });
}

TEST(Press, ActionsHaveNamesThatAreFound) {
  for (int i = 0; i < kActions; ++i) EXPECT_EQ(action_named(name_of(static_cast<Action>(i))), static_cast<Action>(i));
  EXPECT_EQ(action_named(""), std::nullopt);
}

TEST(Press, PlayingTwiceIsPausing) {
  const State playing = press(first_state(5), Action::toggle_play);
  EXPECT_EQ(playing.playing, 1);
  EXPECT_EQ(press(playing, Action::toggle_play), first_state(5));
  EXPECT_EQ(press(playing, Action::play), playing);
}

TEST(Press, PlayAtTheEndGoesOnWithTheNextStepAndFromTheLastToTheFirst) {
  State state = first_state(5);
  state.at = length(state);
  EXPECT_EQ(press(state, Action::play).step, 6);
  EXPECT_EQ(press(state, Action::play).at, 0);
  state = first_state(11);
  state.at = length(state);
  EXPECT_EQ(press(state, Action::play).step, 0);
}

TEST(Press, ForwardRoundByRoundReachesTheEndOfTheWalk) {
  State state = first_state();
  int presses = 0;
  for (; !(state.step == 11 && state.at == length(state)) && presses < 1000; ++presses)
    state = tick(press(state, Action::forward), 100000, deriver());
  EXPECT_EQ(state.step, 11);
  EXPECT_GT(presses, 24);
  EXPECT_EQ(press(state, Action::forward), state);
  for (; !(state.step == 0 && state.at == 0) && presses > 0; --presses) state = press(state, Action::back);
  EXPECT_EQ(state, first_state());
  EXPECT_EQ(press(state, Action::back), state);
}

TEST(Press, ForwardDuringARoundFinishesIt) {
  State state = tick(press(first_state(5), Action::forward), 100, deriver());
  EXPECT_EQ(state.playing, 2);
  state = press(state, Action::forward);
  EXPECT_EQ(state.at, kBeat);
}

TEST(Press, ASuggestionWorks) {
  Rng random(15);
  int problems = 0;
  for (int i = 0; i < 400; ++i) {
    const State state = support::random_state(random, real_library());
    const auto problem = deriver().derive(state).problem;
    if (!problem || !(problem->suggestion || problem->suggested_tokens)) continue;
    ++problems;
    const State fixed = press(state, Action::use_suggestion);
    EXPECT_FALSE(deriver().derive(fixed).problem)
        << fixed.tp << " " << fixed.pp << " " << fixed.dp << " " << fixed.ep << " " << fixed.tokens;
  }
  EXPECT_GT(problems, 50);
}

TEST(Set, OutOfRangeIsClamped) {
  Rng random(16);
  for (int i = 0; i < 200; ++i) {
    const State wild = support::wild_state(random, real_library());
    const State state = first_state(support::between(random, 0, 11));
    for (const Field& f : fields()) {
      if (f.id == FieldId::tp || f.id == FieldId::pp || f.id == FieldId::dp || f.id == FieldId::ep) continue;  // below
      expect_valid(reduce(state, Set{f.id, wild.*f.member}, deriver()));
    }
  }
  for (const FieldId size : {FieldId::tp, FieldId::pp, FieldId::dp, FieldId::ep})
    for (const int value : {-1, 0, 1, 3, 16, 17, 1 << 30})
      expect_valid(reduce(first_state(), Set{size, value}, deriver()));
}

TEST(Set, AnotherStepBeginsAtItsStart) {
  State state = press(first_state(5), Action::play);
  state = reduce(tick(state, 500, deriver()), Set{FieldId::step, 6}, deriver());
  EXPECT_EQ(state.at, 0);
  EXPECT_EQ(state.playing, 0);
}

TEST(Moment, MovesFromRestToRestInEveryBeat) {
  const State state = first_state(5);
  const Timeline& timeline = deriver().derive(state).timeline(state);
  EXPECT_FALSE(moment_at(timeline, 0, false).started);
  float last = 0;
  int beat = 0;
  for (int at = 1; at <= timeline.length(); at += 10) {
    const Moment moment = moment_at(timeline, at, false);
    ASSERT_TRUE(moment.started);
    if (moment.beat != beat) last = 0;
    ASSERT_GE(moment.fraction, last);
    ASSERT_LE(moment.fraction, 1);
    ASSERT_EQ(moment.beat, (at - 1) / kBeat);
    last = moment.fraction;
    beat = moment.beat;
  }
  EXPECT_EQ(beat, static_cast<int>(timeline.beats.size()) - 1);
}

// Reduced motion shows the same beats and ends where full motion ends.
TEST(Moment, ReducedMotionEndsWhereFullMotionEnds) {
  for (int step = 0; step < 12; ++step) {
    const State state = first_state(step);
    const Timeline& timeline = deriver().derive(state).timeline(state);
    for (int at = 0; at <= timeline.length(); at += 97) {
      const Moment full = moment_at(timeline, at, false), reduced = moment_at(timeline, at, true);
      ASSERT_EQ(full.beat, reduced.beat);
      ASSERT_EQ(full.started, reduced.started);
      ASSERT_EQ(reduced.fraction, at > 0 ? 1 : 0);
    }
    for (int beat = 1; beat <= static_cast<int>(timeline.beats.size()); ++beat)
      ASSERT_EQ(moment_at(timeline, beat * kBeat, false).fraction, 1);
  }
}

}  // namespace
}  // namespace commflow
