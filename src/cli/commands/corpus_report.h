// A description of a packed corpus for people.
#pragma once

#include <cstdint>
#include <string>

#include "data/packed/packed_corpus.h"

namespace nmt {

/// Returns lines about a corpus: its counts, what was dropped from it, the batches of training for budgets of
/// `batch_tokens` and some others, and the distribution of sentence lengths. Reads the corpus once per
/// budget. Throws Error if the corpus is damaged.
std::string corpus_report(const PackedCorpus& corpus, std::int64_t batch_tokens);

}  // namespace nmt
