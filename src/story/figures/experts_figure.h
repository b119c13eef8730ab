#pragma once
// The experts page's main figure: a card per rank with its tokens, what it sends
// and its experts; vectors that travel between the cards; beside them the split
// matrix and how long everybody waits for the fullest rank.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "story/expert_view.h"
#include "story/figure.h"
#include "story/text.h"

namespace commflow {

struct ExpertPicture {
  const State& state;
  const ExpertView& view;  // drawn
  const Catalog& words;
  Moment moment;
  FigureSpace space;
  Figure figure;

  ExpertStage stage() const { return stage_of(moment); }
  // Whether a stage has begun to show: it is under way or over.
  bool reached(ExpertStage wanted) const { return moment.started && stage() >= wanted; }
  bool finished(ExpertStage wanted) const;
  // 0 before the stage, 1 after it, in between how far it has got.
  float progress(ExpertStage wanted) const;
  void add(Shape shape) { figure.shapes.push_back(std::move(shape)); }
  bool follows(int token) const { return token >= 0 && token == state.expert_token; }
};

// Sizes that all cards share, so that nothing jumps between stages.
struct ExpertGrid {
  int columns = 0;  // cards side by side
  float card_w = 0, card_h = 0;
  float top = 0;  // of the first row of cards
  float chip_w = 0;
  int chips_per_line = 0;
  float token_h = 0;   // of a token's row
  float tokens_y = 0;  // relative to the card, of its parts
  float packed_y = 0;
  float relay_y = 0;
  float experts_y = 0;
  std::vector<float> expert_y;  // of the local experts
  float cell_w = 0;
  float label_w = 0;
  float height = 0;
};

// One value for every place of a movement's buffers.
template <class Value>
class PerPlace {
 public:
  explicit PerPlace(const experts::LayerRun& run)
      : slots_(run.plan.slots), values_(index_of(ranks_of(run.settings) * 2 * slots_)) {}
  int slots() const { return slots_; }
  Value& operator[](Place place) { return values_[at(place)]; }
  const Value& operator[](Place place) const { return values_[at(place)]; }

 private:
  std::size_t at(Place place) const {
    return index_of((place.rank * 2 + static_cast<int>(place.area)) * slots_ + place.slot);
  }
  int slots_;
  std::vector<Value> values_;
};

// Which box a vector has there, whose token it is.
struct Spot {
  Box box;
  int token = -1;  // none
};
struct ExpertPlaces {
  explicit ExpertPlaces(const experts::LayerRun& run) : dispatch(run), combine(run) {}
  PerPlace<Spot> dispatch;
  PerPlace<Spot> combine;
  std::vector<Box> tokens;                       // by token
  std::vector<Box> chips;                        // by copy
  std::vector<std::vector<Box>> rows;            // by host, row
  std::map<std::pair<Rank, Rank>, Box> targets;  // the mark of what a rank sends to another
};

// One of the two exchanges at the moment.
struct ExpertExchange {
  const experts::Movement& movement;
  const Buffers& now;
  const Round* under_way = nullptr;  // the round that moves or has just moved
  PerPlace<std::uint8_t> sent;       // 1 where what lies there is gone or on its way
};
ExpertExchange expert_exchange(const ExpertPicture& picture, ExpertStage stage);  // dispatch or combine
// A vector as it lies somewhere: the tints of its origins, the token's number; results are framed.
Shape expert_cell(const Buffers& buffers, Place place, int token, Box box, bool result);

ExpertGrid expert_grid(const ExpertPicture& picture);
Box expert_card(const ExpertPicture& picture, const ExpertGrid& grid, Rank rank);
ExpertPlaces expert_places(const ExpertPicture& picture, const ExpertGrid& grid);

void draw_expert_cards(ExpertPicture& picture, const ExpertGrid& grid, const ExpertPlaces& places);
void draw_expert_travel(ExpertPicture& picture, const ExpertGrid& grid, const ExpertPlaces& places);
// The split matrix and the load of the ranks, at the top of `room`; returns its height.
float draw_expert_side(ExpertPicture& picture, Box room);

Figure experts_figure(const State& state, const ExpertView& view, const Catalog& words, FigureSpace space,
                      bool reduced_motion);

}  // namespace commflow
