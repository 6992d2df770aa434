#include "data/text/text_corpus.h"

#include <algorithm>
#include <future>

namespace nmt {

std::int64_t TextCorpus::longest() const {
  const std::int64_t source = text_.source().longest() + encoding_.source.added_tokens(),
                     target = text_.target().longest() + encoding_.target.added_tokens();
  return std::min(filter().max_length, std::max(source, target) + 1);
}

std::vector<Example> TextCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t key,
                                          Dropped& dropped, const std::atomic<bool>& stop) const {
  if (encoding_.sampling_alpha == 0) return encode(numbers, dropped, stop);
  // The seed has an effect only on threads that have not drawn before.
  Vocabulary::seed_sampling(static_cast<std::uint32_t>(key));
  return std::async(std::launch::async, [&] { return encode(numbers, dropped, stop); }).get();
}

std::vector<Example> TextCorpus::encode(std::span<const std::int64_t> numbers, Dropped& dropped,
                                        const std::atomic<bool>& stop) const {
  const auto read = [&](std::int64_t i, Example& example) {
    return encode_pair(text_, i, encoding_, example, dropped);
  };
  return read_in_file_order(numbers, stop, read, [this] { text_.forget_pages(); });
}

}  // namespace nmt
