#include "story/fields.h"

#include <gtest/gtest.h>

#include <set>

#include "story/inputs.h"
#include "support/library.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::real_library;

TEST(Fields, NamesAreUniqueAndFoundAgain) {
  std::set<std::string_view> names;
  for (const Field& f : fields()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_EQ(field_named(f.name), &f);
    EXPECT_EQ(&field(f.id), &f);
    EXPECT_LE(f.min, f.max);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kFields));
  EXPECT_EQ(field_named("nonsense"), nullptr);
  EXPECT_EQ(field_named(""), nullptr);
}

// Each member of State is in the table: a state of which no field is at its default has no equal member.
TEST(Fields, CoverTheWholeState) {
  constexpr std::size_t kInts = sizeof(int) * static_cast<std::size_t>(kFields);
  constexpr std::size_t kAligned = (kInts + alignof(Rows) - 1) / alignof(Rows) * alignof(Rows);
  EXPECT_EQ(sizeof(State), kAligned + sizeof(Rows) * static_cast<std::size_t>(kInputs));
}

TEST(Fields, AScenariosOrderIsWhereItsReadersStart) {
  Library library = real_library();
  EXPECT_EQ(initial_state(library).order, 0);
  library.walk.layout.order = *parse_order("tp-dp-pp");
  EXPECT_EQ(initial_state(library).order, 1);
  EXPECT_EQ(value_text(field(FieldId::order), 1, library), "tp-dp-pp");
}

TEST(Fields, EveryValueHasATextThatMeansIt) {
  const Library& library = real_library();
  for (const Field& f : fields()) {
    const int last = std::min(max_of(f, library), f.min + 600);
    for (int value = f.min; value <= last; ++value)
      EXPECT_EQ(parse_value(f, value_text(f, value, library), library), value) << f.name << " " << value;
  }
}

TEST(Fields, RubbishIsNoValue) {
  for (const Field& f : fields())
    for (const char* text : {"", " ", "4 ", " 4", "4x", "0x4", "99999999999", "-", "--1", "1e3", "2.0", "\xff"})
      EXPECT_EQ(parse_value(f, text, real_library()), std::nullopt) << f.name << " '" << text << "'";
}

TEST(Normalise, IsTotalAndIdempotent) {
  Rng random(1);
  const Library& library = real_library();
  for (int i = 0; i < 100000; ++i) {
    const State state = support::random_state(random, library);
    ASSERT_EQ(normalise(state, library), state);
    for (const Field& f : fields()) {
      ASSERT_GE(state.*f.member, f.min) << f.name;
      ASSERT_LE(state.*f.member, max_of(f, library)) << f.name;
    }
    ASSERT_EQ(state.tokens % state.tp, 0);
    ASSERT_LE(state.nics_per_node, state.gpus_per_node);
    ASSERT_LT(state.gpu, state.tp * state.pp * state.dp);
  }
}

TEST(Normalise, LeavesTheFirstStateAlone) {
  const State state = initial_state(real_library());
  EXPECT_EQ(normalise(state, real_library()), state);
}

// What nothing is loaded for is still a state.
TEST(Normalise, HoldsWithoutDocuments) {
  const Library nothing;
  Rng random(2);
  for (int i = 0; i < 1000; ++i) {
    const State state = normalise(support::wild_state(random, real_library()), nothing);
    ASSERT_EQ(state.step, 0);
    ASSERT_EQ(state.model, 0);
    ASSERT_EQ(normalise(state, nothing), state);
  }
}

}  // namespace
}  // namespace commflow
