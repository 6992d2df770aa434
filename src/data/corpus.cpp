#include "data/corpus.h"

#include <algorithm>
#include <future>
#include <numeric>
#include <thread>

#include "common/error.h"
#include "common/text/number.h"
#include "data/batches/example_order.h"

namespace nmt {
namespace {

void check_part_has_pairs(const Corpus& corpus, const StopRequest& stop_request) {
  constexpr std::int64_t kAtOnce = 1024;
  const std::atomic<bool> stop = false;
  Dropped dropped;
  for (std::int64_t begin = 0; begin < corpus.size(); begin += kAtOnce) {
    stop_request.check();
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(std::min(kAtOnce, corpus.size() - begin)));
    std::iota(numbers.begin(), numbers.end(), begin);
    if (!corpus.examples(numbers, 0, dropped, stop).empty()) return;
  }
  const std::string reasons = description(dropped, corpus.filter());
  throw Error("'{}' has no pair to train on: {}; check the text, and the settings that drop pairs",
              corpus.name(), reasons.empty() ? "it is empty" : reasons);
}

}  // namespace

std::string Corpus::description() const {
  return count_of(size(), "pair");
}

std::vector<std::int64_t> Corpus::order(std::uint64_t seed, std::int64_t epoch, std::int64_t begin,
                                        std::int64_t end) const {
  const Permutation permutation(size(), seed, static_cast<std::uint64_t>(epoch));
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = begin; i < end; ++i) numbers.push_back(permutation(i));
  return numbers;
}

void check_has_pairs(const Corpus& corpus, const StopRequest& stop) {
  for (const Corpus* part : corpus.parts()) check_part_has_pairs(*part, stop);
}

int preparing_threads() {
  constexpr unsigned kMost = 4;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMost));
}

std::vector<Example> read_in_file_order(std::span<const std::int64_t> numbers, int threads, Dropped& dropped,
                                        const std::atomic<bool>& stop, const ReadExample& read,
                                        const std::function<void()>& forget_pages) {
  constexpr std::int64_t kLeftOut = -1;
  constexpr std::size_t kPairsKept = 16'384;  // some tens of MB if a pool is spread over a large corpus
  constexpr std::size_t kLeastPairs = 1024;   // of a thread
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  std::vector<Example> examples(numbers.size(), Example{.id = kLeftOut});
  const auto read_part = [&](std::size_t begin, std::size_t end) {
    Dropped of_part;
    Example example;
    for (std::size_t i = begin; i < end && !stop; ++i) {
      const std::size_t place = order[i];
      if (read(numbers[place], example, of_part)) examples[place] = std::move(example);
      if (i % kPairsKept == 0) forget_pages();
    }
    return of_part;
  };
  const std::size_t parts =
      std::clamp(order.size() / kLeastPairs, std::size_t{1}, static_cast<std::size_t>(threads));
  std::vector<std::future<Dropped>> others;
  for (std::size_t i = 1; i < parts; ++i) {
    others.push_back(
        std::async(std::launch::async, read_part, i * order.size() / parts, (i + 1) * order.size() / parts));
  }
  dropped += read_part(0, order.size() / parts);
  for (std::future<Dropped>& other : others) dropped += other.get();
  forget_pages();
  std::erase_if(examples, [](const Example& one) { return one.id == kLeftOut; });
  return examples;
}

}  // namespace nmt
