// Judgments: translations with scores, for training a metric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/job_context.h"

namespace nmt {

/// A translation of a source with its score, and a reference if one is wanted.
struct RatedText {
  std::string source, translation, reference;
  double score = 0;
};

struct Judgments {
  std::string name;  // of the file
  std::vector<RatedText> texts;
  std::uint64_t fingerprint = 0;  // checksum of the texts and scores
};

/// Reads a table of judgments. Its first line names the columns: src, mt, score and, if `has_reference`, ref,
/// in any order; other columns are ignored. Columns are separated by tabs; or, if that line has none, by
/// commas, with texts in quotes as in RFC 4180. Throws Error for a table without judgments, with another
/// header or a line that does not fit it, or with a score that is not a finite number; and as TextReader
/// does.
Judgments read_judgments(const std::string& path, bool has_reference, const JobContext& job = {});

}  // namespace nmt
