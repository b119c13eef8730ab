#pragma once
// Which pages a program has. The web has two programs: one with the walk alone, which
// is what most readers see first and must be light, and one with all pages.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "story/derive.h"
#include "story/event.h"
#include "story/figure.h"
#include "story/page.h"

namespace commflow {

namespace parts {
struct Context;
}

// Something for the clipboard or the disk.
struct File {
  std::string name;  // commflow-all-reduce-ring.json
  std::string type;  // of its content: application/json
  std::string text;
  bool copied = false;  // to the clipboard, else to the disk
};

struct PageRow {
  PageId id{};
  void (*add)(const parts::Context& c, Page& page) = nullptr;
  Figure (*figure)(std::string_view block_id, FigureSpace space, const parts::Context& c,
                   bool reduced_motion) = nullptr;
  // Of what plays on it.
  const Timeline& (*timeline)(const State& state, const Derived& derived) = nullptr;
  // Fills the part of Derived that only this page shows, unless `key` says that it is there already: the fields it
  // reads, as they were last. Null where there is no such part.
  void (*derive)(const State& state, const Library& library, Derived& derived, std::optional<State>& key) = nullptr;
  // What an action hands out; null where the page has nothing.
  std::optional<File> (*file)(Action action, const parts::Context& c) = nullptr;
};

// Defined in all_pages.cpp, unless the program that is linked defines it first (main_walk.cpp).
std::span<const PageRow> page_rows();

// Null where this program does not have the page of the state.
const PageRow* page_row(const State& state);

}  // namespace commflow
