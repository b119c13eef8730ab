#include "io/scenario_json.h"

#include <algorithm>

#include "io/asset.h"
#include "io/locale_json.h"
#include "story/fields.h"

namespace commflow {
namespace {

constexpr int kMostSteps = 64;                             // what the field `step` can count
constexpr std::int64_t kMostSeed = std::int64_t{1} << 53;  // exact in every JSON reader

constexpr std::string_view kTextNames[] = {"title", "short", "what", "why", "analogy", "compute", "scope"};
constexpr LocalText StepTexts::*kTextMembers[] = {&StepTexts::title, &StepTexts::label,   &StepTexts::what,
                                                  &StepTexts::why,   &StepTexts::analogy, &StepTexts::compute,
                                                  &StepTexts::scope};

// The groups that talk in a step.
constexpr std::string_view kDimensionNames[] = {"tp", "pp", "dp", "ep"};
constexpr Dimension kDimensions[] = {Dimension::tp, Dimension::pp, Dimension::dp, Dimension::ep};

template <class Enum, int count>
Enum named(const Node& node) {
  std::array<std::string_view, count> names;
  for (int i = 0; i < count; ++i) names[static_cast<std::size_t>(i)] = name_of(static_cast<Enum>(i));
  return static_cast<Enum>(node.one_of(names));
}

int within(const Node& node, FieldId id) {
  return node.whole(field(id).min, field(id).max);
}

// Names in addresses: a number there is a place in the list.
std::string read_step_id(const Node& node) {
  std::string id = read_asset_id(node);
  if (!id.empty() && id.front() >= '0' && id.front() <= '9') node.fail("an id that begins with a letter");
  return id;
}

// ---- texts: a key of the locale files, or {"en": ..., "zh": ...} ----

void check_placeholders(const Node& node, std::string_view text) {
  std::string names = placeholders_of(text) + " ";
  for (const std::string_view known : kTextPlaceholders) {
    const std::size_t found = names.find(std::string(known) + " ");
    if (found != std::string::npos && (found == 0 || names[found - 1] == ' ')) names.erase(found, known.size() + 1);
  }
  if (names != " " && !names.empty()) node.fail("no placeholders but " + alternatives(kTextPlaceholders));
}

std::optional<Text> read_key(const Node& node, const std::string& name) {
  const auto key = text_named(name);
  if (!key) node.fail("a key of locales/en.json (\"" + name + R"(" is none), or {"en": ..., "zh": ...})");
  return key;
}

LocalText read_text(const Node& node) {
  LocalText text;
  if (!node.json().is_object()) {
    text.key = read_key(node, node.text());
    return text;
  }
  const auto languages = field(FieldId::lang).names;
  node.allow({languages[0], languages[1]});
  for (std::size_t i = 0; i < text.given.size(); ++i) {
    const Node given = node.get(languages[i]);
    text.given[i] = given.text();
    check_placeholders(given, text.given[i]);
  }
  return text;
}

// "step.route" stands for step.route.title, step.route.short and so on.
StepTexts read_texts(const Node& node) {
  StepTexts texts;
  const bool prefix = !node.json().is_object();
  const std::string before = prefix ? node.text() + "." : "";
  if (!prefix) node.allow({std::begin(kTextNames), std::end(kTextNames)});
  for (std::size_t i = 0; i < std::size(kTextNames); ++i) {
    LocalText& text = texts.*kTextMembers[i];
    if (prefix) {
      text.key = read_key(node, before + std::string(kTextNames[i]));
    } else {
      text = read_text(node.get(kTextNames[i]));
    }
  }
  return texts;
}

// ---- steps ----

template <class T>
void add_once(std::vector<T>& values, T value, const Node& item) {
  if (std::find(values.begin(), values.end(), value) != values.end()) item.fail("each at most once");
  values.push_back(value);
}

std::vector<Dimension> read_dimensions(const Node& node) {
  std::vector<Dimension> values;
  for (const Node& item : node.items(1, std::size(kDimensions)))
    add_once(values, kDimensions[item.one_of(kDimensionNames)], item);
  return values;
}

std::vector<QuantityId> read_counts(const Node& node, int least) {
  std::vector<QuantityId> values;
  for (const Node& item : node.items(least, kQuantities)) add_once(values, named<QuantityId, kQuantities>(item), item);
  return values;
}

void read_dense(const Node& node, WalkStep& step) {
  node.allow({"counts", "texts"});
  if (const auto counts = node.find("counts")) step.dense_counts = read_counts(*counts, 1);
  if (const auto texts = node.find("texts")) step.dense_texts = read_texts(*texts);
}

WalkStep read_step(const Node& node) {
  node.allow({"id", "runs", "dimensions", "primitive", "counts", "texts", "dense", "notes"});
  WalkStep step;
  step.id = read_step_id(node.get("id"));
  step.runs = named<tiny::Step, tiny::kSteps>(node.get("runs"));
  step.dimensions = read_dimensions(node.get("dimensions"));
  step.primitive = named<Collective, kCollectives>(node.get("primitive"));
  step.counts = read_counts(node.get("counts"), 0);
  step.texts = read_texts(node.get("texts"));
  if (const auto dense = node.find("dense")) read_dense(*dense, step);
  if (const auto notes = node.find("notes"))
    for (const Node& note : notes->items(0, 16)) step.notes.push_back(read_text(note));
  return step;
}

std::vector<WalkStep> read_steps(const Node& node) {
  std::vector<WalkStep> steps;
  for (const Node& item : node.items(1, kMostSteps)) {
    WalkStep step = read_step(item);
    const bool taken = std::any_of(steps.begin(), steps.end(), [&](const WalkStep& s) { return s.id == step.id; });
    if (taken) item.get("id").fail("an id that no other step has");
    steps.push_back(std::move(step));
  }
  return steps;
}

// ---- the setting ----

void read_layout(const Node& node, Layout& layout) {
  node.allow({"tp", "pp", "dp", "ep", "order"});
  layout.tp = within(node.get("tp"), FieldId::tp);
  layout.pp = within(node.get("pp"), FieldId::pp);
  layout.dp = within(node.get("dp"), FieldId::dp);
  layout.ep = within(node.get("ep"), FieldId::ep);
  if (const auto order = node.find("order")) {
    const auto names = field(FieldId::order).names;
    const auto chosen = parse_order(names[static_cast<std::size_t>(order->one_of(names))]);
    if (chosen) layout.order = *chosen;
  }
  if (const auto problem = layout_problem(layout)) node.fail("sizes that fit together: " + *problem);
}

Algorithm read_algorithm(const Node& node, Collective collective) {
  std::vector<std::string_view> names;
  for (const AlgorithmRow& row : algorithms())
    if (row.collective == collective && tiny::offers(collective, row.id)) names.push_back(name_of(row.id));
  const int chosen = node.one_of(names);
  return algorithm_named(names[static_cast<std::size_t>(chosen)]).value_or(Algorithm::direct);
}

tiny::AlgorithmChoice read_algorithms(const Node& node) {
  using Choice = tiny::AlgorithmChoice;
  struct Entry {
    Collective collective;
    Algorithm Choice::*member;
  };
  static constexpr Entry kEntries[] = {
      {Collective::broadcast, &Choice::broadcast},   {Collective::scatter, &Choice::scatter},
      {Collective::all_gather, &Choice::all_gather}, {Collective::reduce_scatter, &Choice::reduce_scatter},
      {Collective::all_to_all, &Choice::all_to_all}, {Collective::all_reduce, &Choice::all_reduce},
      {Collective::reduce, &Choice::reduce},         {Collective::gather, &Choice::gather},
  };
  Choice choice;
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) {
    names.push_back(name_of(entry.collective));
    if (const auto given = node.find(names.back())) choice.*entry.member = read_algorithm(*given, entry.collective);
  }
  node.allow(names);
  return choice;
}

int read_node_size(const Node& node) {
  const int size = within(node, FieldId::gpus_per_node);
  if ((size & (size - 1)) != 0) node.fail("1, 2, 4 or 8");
  return size;
}

}  // namespace

Walk read_scenario(const Node& node) {
  node.allow({"$schema", "id", "model", "hardware", "tokens", "micro_batches", "gpus_per_node", "nics_per_node",
              "layout", "seed", "algorithms", "steps"});
  Walk walk;
  walk.id = read_asset_id(node.get("id"));
  walk.model = read_asset_id(node.get("model"));
  walk.hardware = read_asset_id(node.get("hardware"));
  walk.tokens = within(node.get("tokens"), FieldId::tokens);
  walk.micro_batches = within(node.get("micro_batches"), FieldId::micro_batches);
  walk.gpus_per_node = read_node_size(node.get("gpus_per_node"));
  walk.nics_per_node = node.get("nics_per_node").whole(1, walk.gpus_per_node);
  read_layout(node.get("layout"), walk.layout);
  if (const auto seed = node.find("seed")) walk.seed = static_cast<std::uint64_t>(seed->integer(0, kMostSeed));
  if (const auto choice = node.find("algorithms")) walk.algorithms = read_algorithms(*choice);
  walk.steps = read_steps(node.get("steps"));
  return walk;
}

}  // namespace commflow
