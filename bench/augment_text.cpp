// Augments a file of columns source, target and alignment, and prints the result in the same columns:
// augment_text FILE.tsv VOCABULARY RATES. The last line goes to standard error: pairs per second of CPU time
// of changing text alone, and of all that comes before batches (reading, changing and dividing it into
// tokens).
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>

#include "data/packed/packed_corpus.h"
#include "data/packed/packing.h"
#include "data/text_corpus.h"

namespace {

using namespace nmt;

constexpr std::uint64_t kKey = 1;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Returns pairs per second of CPU time of reading a pass over a corpus.
double feed_speed(const Corpus& corpus) {
  const std::vector<std::int64_t> numbers = corpus.order(1, 0, 0, corpus.size());
  Dropped dropped;
  const double begin = cpu_seconds();
  const std::size_t kept = corpus.examples(numbers, kKey, dropped, false).size();
  return static_cast<double>(kept) / (cpu_seconds() - begin);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "augment_text FILE.tsv VOCABULARY RATES\n";
    return 2;
  }
  const auto text = std::make_shared<const ParallelText>(
      PairReader::from_columns(arguments[1], {}, {Column::source, Column::target, Column::alignment}));
  const Vocabulary vocabulary = Vocabulary::load(arguments[2]);
  const Augmentation augmentation(modifier_rates({arguments[3]}));
  const Encoding encoding{.source = vocabulary, .target = vocabulary, .filter = {}, .has_alignment = true};

  const double begin = cpu_seconds();
  std::vector<LinePair> lines;
  for (std::int64_t number = 0; number < text->size(); ++number) {
    const auto read = [&](std::int64_t following) -> std::optional<AlignedWords> {
      const std::int64_t i = (number + following) % text->size();
      return aligned_words((*text)[i], encoding, text->names(), i + 1);
    };
    const AnnotatedLines pair = (*text)[number];
    const auto changed = augmentation.changed(kKey, number, most_links_in(pair.alignment), read);
    if (changed) {
      lines.push_back(changed->lines());
    } else {
      lines.push_back({std::string(pair.source), std::string(pair.target), std::string(pair.alignment), {}});
    }
  }
  const double of_text = cpu_seconds() - begin;

  const PackingSettings one_thread;
  const std::string packed = std::string(arguments[1]) + ".nmtc";
  PairReader reader =
      PairReader::from_columns(arguments[1], {}, {Column::source, Column::target, Column::alignment});
  pack(reader, encoding, one_thread, packed);
  const double of_feed = feed_speed(TextCorpus(text, encoding, augmentation)),
               of_packed = feed_speed(PackedCorpus(packed, encoding.filter.max_length, augmentation));
  std::remove(packed.c_str());

  for (const LinePair& pair : lines)
    std::cout << pair.source << '\t' << pair.target << '\t' << pair.alignment << '\n';
  std::fprintf(stderr, "%.0f %.0f %.0f\n", static_cast<double>(lines.size()) / of_text, of_feed, of_packed);
}
