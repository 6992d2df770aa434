// Corpus: the source of pairs for training.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/example.h"
#include "data/text/filter.h"

namespace nmt {

/// Numbered pairs of sentences. Memory does not grow with their number.
class Corpus {
 public:
  virtual ~Corpus() = default;

  /// Returns the name of the corpus for messages.
  virtual const std::string& name() const = 0;
  /// Returns the number of pairs, including pairs that the filter will leave out.
  virtual std::int64_t size() const = 0;
  /// Returns a checksum of the contents, which identifies the corpus.
  virtual std::uint64_t fingerprint() const = 0;
  virtual const Filter& filter() const = 0;
  /// Returns an upper bound of the tokens on a side of a pair, without EOS, that needs no reading of all
  /// pairs: the limit of the filter, or less.
  virtual std::int64_t longest() const = 0;
  /// Returns a description for people: "29000 pairs".
  virtual std::string description() const;
  /// Returns the corpora of a mixture; any other corpus returns itself.
  virtual std::vector<const Corpus*> parts() const { return {this}; }

  /// Returns the numbers of the pairs at places [begin, end) of pass `epoch`, which has size() places; each
  /// seed and pass has its own order. By default, a pass is a permutation of all numbers below size().
  virtual std::vector<std::int64_t> order(std::uint64_t seed, std::int64_t epoch, std::int64_t begin,
                                          std::int64_t end) const;
  /// Returns the pairs of these numbers in order, with the numbers as ids, without those that the filter
  /// leaves out, which are counted. A number of size() or more stands for the pair number % size(), with
  /// random draws of its own. `key` seeds random draws. If `stop` is set, returns early with what it
  /// has. May be called on any thread.
  virtual std::vector<Example> examples(std::span<const std::int64_t> numbers, std::uint64_t key,
                                        Dropped& dropped, const std::atomic<bool>& stop) const = 0;

 protected:
  Corpus() = default;
  Corpus(const Corpus&) = default;
  Corpus& operator=(const Corpus&) = default;
};

/// Throws Error with the reasons if the filter leaves no pair of a part of a corpus; Interrupted if `stop`
/// requests to stop.
void check_has_pairs(const Corpus& corpus, const StopRequest& stop = never_stopped());

/// Makes the pair of a number, or returns false and counts it if it is left out.
using ReadExample = std::function<bool(std::int64_t number, Example& example, Dropped& dropped)>;

/// Helps to implement Corpus::examples(): reads pairs in the order of their numbers, for long sequential
/// reads from disk, and returns them in the order of `numbers`. Up to `threads` threads call `read`, and all
/// results are independent of their number. `forget_pages` is called occasionally and at the end, as data
/// that was read is not needed again.
std::vector<Example> read_in_file_order(std::span<const std::int64_t> numbers, int threads, Dropped& dropped,
                                        const std::atomic<bool>& stop, const ReadExample& read,
                                        const std::function<void()>& forget_pages);

/// Returns the number of threads that prepare pairs beside training: that of the cores, but at most 4.
int preparing_threads();

}  // namespace nmt
