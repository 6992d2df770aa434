#include "data/text_corpus.h"

namespace nmt {

std::vector<Example> TextCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t /*key*/,
                                          Dropped& dropped, const std::atomic<bool>& stop) const {
  std::vector<Example> examples;
  Example example;
  for (const std::int64_t number : numbers) {
    if (stop) break;
    if (encode_pair(text_, number, encoding_, example, dropped)) examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace nmt
