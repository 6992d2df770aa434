// Sequences of ids in batches, which the workers of a device share.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "data/example.h"
#include "tensor/workers.h"

namespace nmt {

/// Sequences of ids, each one once.
class UniqueSequences {
 public:
  /// Returns the number of the sequence, which is added if it is new.
  std::size_t add(std::vector<int> ids);
  const std::vector<std::vector<int>>& all() const { return all_; }

 private:
  std::map<std::vector<int>, std::size_t> places_;
  std::vector<std::vector<int>> all_;
};

/// Calls compute(worker, numbers) with the numbers of sequences of similar length, on several threads at a
/// time. `done`: called after each batch with the number of its sequences, on its thread; may be empty.
void each_batch(Workers& workers, const std::vector<std::vector<int>>& sequences,
                const std::function<void(Worker& worker, const std::vector<std::size_t>& numbers)>& compute,
                const std::function<void(std::size_t)>& done);

/// Returns the sequences with these numbers as sources.
std::vector<Example> sources(const std::vector<std::vector<int>>& sequences,
                             const std::vector<std::size_t>& numbers);

/// Throws the Error that the network computes NaN or infinity.
[[noreturn]] void refuse_not_finite();

}  // namespace nmt
