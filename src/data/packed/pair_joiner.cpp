#include "data/packed/pair_joiner.h"

#include <algorithm>
#include <utility>

#include "data/augmentation/draws.h"
#include "data/text/context.h"

namespace nmt {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint32_t kUse = 0;

/// Returns a weight for each token of the target, EOS included.
std::vector<float> weights_of_tokens(const Example& example) {
  const std::size_t tokens = example.target.size() + 1;
  if (example.weights.size() == tokens) return example.weights;
  return std::vector<float>(tokens, example.weights.empty() ? 1 : example.weights.front());
}

}  // namespace

PairJoiner::PairJoiner(std::int64_t context, const Encoding& encoding)
    : context_(context),
      max_length_(encoding.filter.max_length),
      source_separator_(separator_of(encoding.source)),
      target_separator_(separator_of(encoding.target)) {}

bool PairJoiner::continues(const Example& pair, std::int64_t number) const {
  return number == last_ + 1 && pairs_ < most_pairs_ &&
         std::ssize(now_->source) + 1 + std::ssize(pair.source) <= max_length_ &&
         std::ssize(now_->target) + 1 + std::ssize(pair.target) <= max_length_;
}

void PairJoiner::append(Example pair) {
  Example& example = *now_;
  if (!example.weights.empty() || !pair.weights.empty()) {
    // The separator has the place, and so the weight, of EOS.
    example.weights = weights_of_tokens(example);
    const std::vector<float> weights = weights_of_tokens(pair);
    example.weights.insert(example.weights.end(), weights.begin(), weights.end());
  }
  example.source.push_back(source_separator_);
  example.target.push_back(target_separator_);
  const auto source_begin = static_cast<int>(example.source.size()),
             target_begin = static_cast<int>(example.target.size());
  for (const Link& link : pair.links)
    example.links.push_back({link.target + target_begin, link.source + source_begin});
  example.source.insert(example.source.end(), pair.source.begin(), pair.source.end());
  example.target.insert(example.target.end(), pair.target.begin(), pair.target.end());
}

std::optional<Example> PairJoiner::add(Example pair, std::int64_t number) {
  const bool continues_example = now_ && continues(pair, number);
  last_ = number;
  if (continues_example) {
    append(std::move(pair));
    ++pairs_;
    return std::nullopt;
  }
  pairs_ = 1;
  most_pairs_ = 1 + Draws(kSeed, number, kUse).below(context_ + 1);
  return std::exchange(now_, std::move(pair));
}

std::optional<Example> PairJoiner::finish() {
  return std::exchange(now_, std::nullopt);
}

}  // namespace nmt
