#include "data/mixed_corpus.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.h"
#include "common/io/checksum.h"
#include "common/text/number.h"
#include "data/batches/example_order.h"

namespace nmt {
namespace {

/// Divides `total` in proportion to `ratios`: each gets the whole part of its share, and the rest goes, one
/// each, to those with the largest remainders (Hamilton's method).
std::vector<std::int64_t> apportion(std::int64_t total, const std::vector<double>& ratios) {
  const double sum = std::accumulate(ratios.begin(), ratios.end(), 0.0);
  std::vector<std::int64_t> shares;
  std::vector<double> remainders;
  for (const double ratio : ratios) {
    const double share = static_cast<double>(total) * (ratio / sum);
    shares.push_back(static_cast<std::int64_t>(share));
    remainders.push_back(share - std::floor(share));
  }
  std::vector<std::size_t> largest(ratios.size());
  std::iota(largest.begin(), largest.end(), std::size_t{0});
  std::ranges::stable_sort(largest, std::ranges::greater(), [&](std::size_t i) { return remainders[i]; });
  std::int64_t left = total - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  for (std::size_t i = 0; left > 0; ++i, --left) ++shares[largest[i]];
  return shares;
}

}  // namespace

MixedCorpus::MixedCorpus(const std::vector<const Corpus*>& corpora, const std::vector<double>& ratios) {
  std::vector<std::int64_t> draws;
  for (const Corpus* corpus : corpora) {
    if (corpus->size() == 0) throw Error("'{}' is empty; leave it out", corpus->name());
    draws.push_back(corpus->size());
    size_ += corpus->size();
  }
  if (!ratios.empty()) draws = apportion(size_, ratios);
  filter_ = corpora.front()->filter();
  for (std::size_t i = 0; i < corpora.size(); ++i) {
    const Corpus& corpus = *corpora[i];
    if (draws[i] == 0) {
      throw Error(
          "the ratio of '{}' is too small to give it any of the {} of a pass; raise it, or leave the corpus "
          "out",
          corpus.name(), count_of(size_, "pair"));
    }
    parts_.push_back({&corpus, draws[i]});
    name_ += (i == 0 ? "" : ", ") + corpus.name();
    filter_.max_length = std::max(filter_.max_length, corpus.filter().max_length);
  }
}

std::uint64_t MixedCorpus::fingerprint() const {
  Checksum checksum;
  for (const Part& part : parts_) {
    const std::uint64_t contents = part.corpus->fingerprint();
    checksum.add(&contents, sizeof contents).add(&part.draws, sizeof part.draws);
  }
  return checksum.value();
}

std::int64_t MixedCorpus::longest() const {
  std::int64_t longest = 0;
  for (const Part& part : parts_) longest = std::max(longest, part.corpus->longest());
  return longest;
}

std::string MixedCorpus::description() const {
  std::string text;
  for (const auto& [corpus, draws] : parts_) {
    text += fmt::format("{}{} of the {} of '{}'", text.empty() ? "" : ", ", draws, corpus->size(),
                        corpus->name());
  }
  return fmt::format("{} a pass: {}", count_of(size_, "pair"), text);
}

std::vector<const Corpus*> MixedCorpus::parts() const {
  std::vector<const Corpus*> corpora;
  for (const Part& part : parts_) corpora.push_back(part.corpus);
  return corpora;
}

MixedCorpus::Pair MixedCorpus::pair(std::int64_t number) const {
  Pair pair{.part = 0, .number = number % size_};
  while (pair.number >= parts_[pair.part].corpus->size()) pair.number -= parts_[pair.part++].corpus->size();
  pair.number += number / size_ * parts_[pair.part].corpus->size();
  return pair;
}

/// A pass has a slot for each of its pairs, corpus by corpus; each pass orders the slots at random. The slots
/// of a corpus, pass after pass, are the places of the corpus's own passes.
std::vector<std::int64_t> MixedCorpus::order(std::uint64_t seed, std::int64_t epoch, std::int64_t begin,
                                             std::int64_t end) const {
  constexpr int kPassBits =
      48;  // the key of an order: bits of the pass; above them, the number of the corpus from 1
  const Permutation slots(size_, seed, static_cast<std::uint64_t>(epoch));
  std::vector<std::int64_t> numbers;
  for (std::int64_t place = begin; place < end; ++place) {
    std::int64_t slot = slots(place), first = 0;
    std::size_t i = 0;
    for (; slot >= parts_[i].draws; ++i) {
      slot -= parts_[i].draws;
      first += parts_[i].corpus->size();
    }
    const std::int64_t draw = epoch * parts_[i].draws + slot, size = parts_[i].corpus->size();
    const std::int64_t pass = draw / size;
    const Permutation own(size, seed,
                          static_cast<std::uint64_t>(i + 1) << kPassBits | static_cast<std::uint64_t>(pass));
    numbers.push_back(pass * size_ + first + own(draw % size));
  }
  return numbers;
}

std::vector<Example> MixedCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t key,
                                           Dropped& dropped, const std::atomic<bool>& stop) const {
  std::vector<std::vector<std::int64_t>> asked(parts_.size());
  for (const std::int64_t number : numbers) {
    const Pair of = pair(number);
    asked[of.part].push_back(of.number);
  }
  std::vector<std::vector<Example>> read;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    read.push_back(parts_[i].corpus->examples(asked[i], key, dropped, stop));
  std::vector<std::size_t> taken(parts_.size());
  std::vector<Example> examples;
  for (const std::int64_t number : numbers) {
    const Pair of = pair(number);
    std::size_t& next = taken[of.part];
    if (next == read[of.part].size() || read[of.part][next].id != of.number)
      continue;  // the filter has dropped it
    examples.push_back(std::move(read[of.part][next++]));
    examples.back().id = number;
  }
  return examples;
}

}  // namespace nmt
