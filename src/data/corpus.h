// Corpus: where training takes its pairs from.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/process/stop_request.h"
#include "data/example.h"
#include "data/text/filter.h"

namespace nmt {

/// Pairs of sentences by number, of any number, in memory that does not grow with it.
class Corpus {
 public:
  virtual ~Corpus() = default;

  /// What messages call it.
  virtual const std::string& name() const = 0;
  /// Pairs, those included that the filter will leave out.
  virtual std::int64_t size() const = 0;
  /// Tells one corpus from another: a checksum of its contents.
  virtual std::uint64_t fingerprint() const = 0;
  virtual const Filter& filter() const = 0;
  /// The most tokens of a side of a pair, EOS not counted, as far as can be told without reading all: those
  /// that the filter allows, or fewer.
  virtual std::int64_t longest() const = 0;
  /// "29000 pairs", for people.
  virtual std::string description() const;
  /// The corpora that it is a mixture of; any other is one part, itself.
  virtual std::vector<const Corpus*> parts() const { return {this}; }

  /// The numbers of the pairs at places [begin, end) of pass `epoch`, which has size() places and is in an
  /// order of its own for each seed: by default a permutation of all numbers below size().
  virtual std::vector<std::int64_t> order(std::uint64_t seed, std::int64_t epoch, std::int64_t begin,
                                          std::int64_t end) const;
  /// The pairs of these numbers in this order, each with its number as id, without those that the filter
  /// leaves out, which are counted. `key` keys what is drawn at random. Returns early with what there is when
  /// `stop` is set. May be called from any thread.
  virtual std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key,
                                        Dropped& dropped, const std::atomic<bool>& stop) const = 0;

 protected:
  Corpus() = default;
  Corpus(const Corpus&) = default;
  Corpus& operator=(const Corpus&) = default;
};

/// Throws Error, with the reasons, when the filter leaves nothing of a part of a corpus; Interrupted when
/// `stop` asks for the end.
void check_has_pairs(const Corpus& corpus, const StopRequest& stop = never_stopped());

/// For Corpus::examples: pairs are read in the order of their numbers, so that what is not in memory comes
/// from disk in long runs, and given in the order of `numbers`. `read` makes pair i, or returns false where
/// it is left out; `forget_pages` is called now and then and at the end, as what was read is not needed
/// again.
std::vector<Example> read_in_file_order(std::span<const std::int64_t> numbers, const std::atomic<bool>& stop,
                                        const std::function<bool(std::int64_t, Example&)>& read,
                                        const std::function<void()>& forget_pages);

}  // namespace nmt
