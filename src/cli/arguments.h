#pragma once
// The arguments of one command: "--name value" or "--name=value". Getters check
// range and spelling; the first thing wrong is kept as a sentence, after it all
// getters still answer, with harmless values, so that commands need no ifs.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace commflow {

struct Option {
  std::string_view name;   // "--ranks"
  std::string_view value;  // "N" in the help; empty for a switch
  std::string_view help;
};

class Arguments {
 public:
  Arguments(std::span<const Option> options, std::span<const std::string_view> args);

  bool given(std::string_view name) const { return values_.contains(name); }
  // The value as it was typed; without a fallback it must be given.
  std::string_view text(std::string_view name, std::string_view expected);
  std::string_view text_or(std::string_view name, std::string_view fallback) const;

  std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max,
                       std::optional<std::int64_t> fallback = std::nullopt);
  int whole(std::string_view name, int min, int max, std::optional<int> fallback = std::nullopt);
  double number(std::string_view name, double min, double max, std::optional<double> fallback = std::nullopt);
  // Index into names.
  std::size_t one_of(std::string_view name, std::span<const std::string_view> names,
                     std::optional<std::string_view> fallback = std::nullopt);

  // "--name is "given"; expected ...": for what the getters cannot know.
  void refuse(std::string_view name, std::string_view expected);
  // A sentence of one's own.
  void fail(std::string sentence);
  const std::string& problem() const { return problem_; }  // "" if all is well

  // Something the reader should know although the answer is given.
  void note(std::string sentence) { notes_.push_back(std::move(sentence)); }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void read(std::span<const Option> options, std::span<const std::string_view> args);
  std::map<std::string_view, std::string_view, std::less<>> values_;
  std::string problem_;
  std::vector<std::string> notes_;
};

// "ring, direct or halving-doubling"
std::string listed(std::span<const std::string_view> names);

}  // namespace commflow
