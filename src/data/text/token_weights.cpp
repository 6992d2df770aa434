#include "data/text/token_weights.h"

#include <cmath>
#include <iterator>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "common/text/words.h"

namespace nmt {

bool is_weight(float number) {
  return std::isfinite(number) && number >= 0;
}

std::vector<float> parse_weights(std::string_view line, const std::string& place) {
  std::vector<float> weights;
  for (const std::string_view field : words_in(line)) {
    const auto number = number_of<double>(field);  // numbers too small for float become 0
    const auto weight = static_cast<float>(number.value_or(-1));
    if (!is_weight(weight)) {
      throw Error("{}: {} is not a weight; a line has numbers of at least 0, such as 0.5", place,
                  quoted(std::string(field)));
    }
    weights.push_back(weight);
  }
  return weights;
}

std::vector<float> token_weights(const std::vector<float>& given, const Words& target,
                                 const std::string& place) {
  if (given.size() == 1) return given;
  const std::int64_t more = std::ssize(given) - target.count;
  if (more != 0 && more != 1) {
    throw Error(
        "{}: {}, but the target has {}; give one weight for the pair, or one for each target word (separated "
        "by white space), and optionally one for the end",
        place, count_of(std::ssize(given), "weight"), count_of(target.count, "word"));
  }
  std::vector<float> of_words = given;
  of_words.resize(static_cast<std::size_t>(target.count) + 1, 1);
  std::vector<float> weights;
  for (const std::int64_t word : target.of_piece) weights.push_back(of_words[static_cast<std::size_t>(word)]);
  weights.push_back(of_words.back());
  return weights;
}

}  // namespace nmt
