// What a packed corpus holds, for people to read.
#pragma once

#include <cstdint>
#include <string>

#include "data/packed/packed_corpus.h"

namespace nmt {

/// Lines that tell the counts of a corpus, what was left out of it, the batches of training with budgets of
/// `batch_tokens` and some others, and how long the sentences are. Reads the corpus once a budget. Throws
/// Error when it is damaged.
std::string corpus_report(const PackedCorpus& corpus, std::int64_t batch_tokens);

}  // namespace nmt
