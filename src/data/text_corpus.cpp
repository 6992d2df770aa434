#include "data/text_corpus.h"

#include <future>

namespace nmt {

std::vector<Example> TextCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t key,
                                          Dropped& dropped, const std::atomic<bool>& stop) const {
  if (encoding_.sampling_alpha == 0) return encode(numbers, dropped, stop);
  // Only a thread that has never drawn follows the seed.
  Vocabulary::seed_sampling(static_cast<std::uint32_t>(key));
  return std::async(std::launch::async, [&] { return encode(numbers, dropped, stop); }).get();
}

std::vector<Example> TextCorpus::encode(std::span<const std::int64_t> numbers, Dropped& dropped,
                                        const std::atomic<bool>& stop) const {
  std::vector<Example> examples;
  Example example;
  for (const std::int64_t number : numbers) {
    if (stop) break;
    if (encode_pair(text_, number, encoding_, example, dropped)) examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace nmt
