#include "data/text_corpus.h"

#include <algorithm>
#include <future>
#include <utility>

namespace nmt {

TextCorpus::TextCorpus(std::shared_ptr<const ParallelText> text, Encoding encoding,
                       const Augmentation& augmentation)
    : text_(std::move(text)),
      encoding_(std::move(encoding)),
      augmentation_(augmentation),
      augmented_encoding_(encoding_) {}

std::int64_t TextCorpus::longest() const {
  if (augmentation_.rates().change_text()) return filter().max_length;
  const std::int64_t source = text_->source().longest() + encoding_.source.added_tokens(),
                     target = text_->target().longest() + encoding_.target.added_tokens();
  return std::min(filter().max_length, std::max(source, target) + 1);
}

std::vector<Example> TextCorpus::examples(std::span<const std::int64_t> numbers, std::uint64_t key,
                                          Dropped& dropped, const std::atomic<bool>& stop) const {
  if (encoding_.sampling_alpha == 0) return encode(numbers, key, preparing_threads(), dropped, stop);
  // The seed has an effect only on threads that have not drawn before; draws follow from the order of pairs.
  Vocabulary::seed_sampling(static_cast<std::uint32_t>(key));
  return std::async(std::launch::async, [&] { return encode(numbers, key, 1, dropped, stop); }).get();
}

void TextCorpus::change(std::int64_t number, std::uint64_t key, Example& example) const {
  const auto read = [&](std::int64_t following) -> std::optional<AlignedWords> {
    const std::int64_t i = (number + following) % size();
    return aligned_words((*text_)[i], encoding_, text_->names(), i + 1);
  };
  const std::size_t most_links = most_links_in((*text_)[number % size()].alignment);
  const std::optional<AlignedWords> changed = augmentation_.changed(key, number, most_links, read);
  Example encoded{.id = number};
  if (changed && augmented_encoding_.encode(*changed, encoded)) example = std::move(encoded);
}

std::vector<Example> TextCorpus::encode(std::span<const std::int64_t> numbers, std::uint64_t key, int threads,
                                        Dropped& dropped, const std::atomic<bool>& stop) const {
  const AnnotationNames names = text_->names();
  const auto read = [&](std::int64_t number, Example& example, Dropped& left_out) {
    example.id = number;
    const std::int64_t i = number % size();
    if (const auto drop = encode_pair((*text_)[i], encoding_, names, i + 1, example)) {
      ++left_out[drop->filter];
      return false;
    }
    change(number, key, example);
    augmentation_.change_tokens(key, number, encoding_.source, example);
    return true;
  };
  return read_in_file_order(numbers, threads, dropped, stop, read, [this] { text_->forget_pages(); });
}

}  // namespace nmt
