#include "cli/values.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "cli/input.h"
#include "core/index.h"
#include "io/json.h"

namespace commflow {
namespace {

constexpr int kMaxValues = 65536;  // per rank

bool has_input(const Request& request, Rank rank) {
  return !input_blocks(request.collective, request.ranks, request.ranks, request.root, rank).empty();
}

// A rank begins with one block for every rank, so its values fall into n equal parts.
bool is_cut_per_rank(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::all_to_all ||
         collective == Collective::scatter;
}

std::optional<Value> letter_code(std::string_view text) {
  if (text.size() != 1 || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return std::nullopt;
  return static_cast<Value>(text[0]);
}

// Reads the ranks of the list one after the other, holding each against those before.
class Reader {
 public:
  explicit Reader(const Request& request) : request_(request) {}

  RankValues read(const Node& root) {
    if (!root.json().is_array() || root.json().size() != index_of(request_.ranks)) {
      root.fail("a list of " + std::to_string(request_.ranks) + ", one element per rank");
      return {};
    }
    const std::vector<Node> ranks = root.items(request_.ranks, request_.ranks);
    for (Rank rank = 0; rank < request_.ranks; ++rank) read_rank(ranks[index_of(rank)], rank);
    return std::move(result_);
  }

 private:
  void read_rank(const Node& node, Rank rank) {
    std::vector<Value>& values = result_.values.emplace_back();
    if (!has_input(request_, rank)) {
      if (!node.json().is_null()) node.fail("null: rank " + std::to_string(rank) + " has no input");
      return;
    }
    if (node.json().is_string()) {
      agree_on(Spelling::words, node);
      for (const char letter : node.text()) values.push_back(code_of({&letter, 1}, node));
    } else if (node.json().is_array() && !node.json().empty()) {
      for (const Node& value : node.items(1, kMaxValues)) values.push_back(read_value(value));
    } else {
      node.fail(expected_rank());
    }
    check_length(node, values.size());
  }

  Value read_value(const Node& node) {
    if (node.json().is_string()) {
      agree_on(Spelling::letters, node);
      return code_of(node.text(), node);
    }
    agree_on(Spelling::numbers, node);
    return node.integer(std::numeric_limits<Value>::min(), std::numeric_limits<Value>::max());
  }

  Value code_of(std::string_view text, const Node& node) {
    const auto code = letter_code(text);
    if (!code) node.fail("letters a to z or A to Z");
    return code.value_or(0);
  }

  void agree_on(Spelling spelling, const Node& node) {
    if (spelling != Spelling::numbers && reduces(request_.collective)) {
      node.fail("whole numbers: " + std::string(name_of(request_.collective)) + " cannot combine letters");
    }
    if (spelling_ && *spelling_ != spelling) node.fail("the same kind of values as before it");
    spelling_ = result_.spelling = spelling;
  }

  void check_length(const Node& node, std::size_t length) {
    if (length_ && *length_ != length) {
      node.fail("as many values as the rank before it has: " + std::to_string(*length_));
    }
    length_ = length;
    if (is_cut_per_rank(request_.collective) && length % index_of(request_.ranks) != 0) {
      node.fail("a number of values that " + std::to_string(request_.ranks) + " ranks divide");
    }
  }

  std::string expected_rank() const {
    return "a list of whole numbers" + std::string(reduces(request_.collective) ? "" : ", or letters");
  }

  const Request& request_;
  RankValues result_;
  std::optional<Spelling> spelling_;
  std::optional<std::size_t> length_;
};

}  // namespace

RankValues default_values(const Request& request, int slots, Operator op) {
  RankValues result;
  for (Rank rank = 0; rank < request.ranks; ++rank) {
    std::vector<Value>& values = result.values.emplace_back();
    for (const int block : input_blocks(request.collective, request.ranks, slots, request.root, rank)) {
      // Products of 16 factors up to 3 stay small.
      values.push_back(op == Operator::prod ? 1 + (rank + block) % 3 : 100 * (rank + 1) + block);
    }
  }
  return result;
}

RankValues read_values(Arguments& arguments, const Request& request) {
  const std::optional<InputText> input = read_input(arguments, "--input");
  if (!input) return {};
  const Parsed<Json> json = parse_json(input->text, input->name);
  if (!json.value) {
    arguments.fail("--input " + json.error);
    return {};
  }
  Problem problem{input->name, {}};
  RankValues values = Reader(request).read(Node(*json.value, problem));
  if (!problem.none()) arguments.fail("--input " + problem.error);
  return values;
}

std::vector<int> slot_widths(const Request& request, int slots, const RankValues& input) {
  std::size_t length = 0;
  for (const auto& values : input.values) length = std::max(length, values.size());
  const int total = static_cast<int>(length);
  std::vector<int> widths;
  for (int slot = 0; slot < slots; ++slot) {
    const bool one_block_each = has_block_per_rank(request.collective) && !is_cut_per_rank(request.collective);
    widths.push_back(one_block_each ? total : (slot + 1) * total / slots - slot * total / slots);
  }
  return widths;
}

Report spelt(const std::vector<Fraction>& values, Spelling spelling) {
  std::string word;
  Report list = Report::array();
  for (const Fraction& value : values) {
    if (spelling != Spelling::numbers) {
      word += static_cast<char>(value.numerator);
      list.push_back(std::string(1, word.back()));
    } else if (value.denominator == 1) {
      list.push_back(value.numerator);
    } else {
      list.push_back(static_cast<double>(value.numerator) / static_cast<double>(value.denominator));
    }
  }
  return spelling == Spelling::words ? Report(word) : list;
}

}  // namespace commflow
