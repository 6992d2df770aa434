#include "data/parallel_text.h"

#include "common/error.h"
#include "common/log.h"

namespace nmt {
namespace {

const std::string& not_both_standard_input(const std::string& source, const std::string& target) {
  if (source == "-" && target == "-") {
    throw UsageError("source and target cannot both be standard input; name a file for one of them");
  }
  return source;
}

}  // namespace

ParallelText::ParallelText(const std::string& source, const std::string& target)
    : source_(not_both_standard_input(source, target)), target_(target) {
  if (source_.size() != target_.size()) {
    throw Error("'{}' has {} lines, but '{}' has {}; parallel text needs as many lines on both sides",
                source_.name(), source_.size(), target_.name(), target_.size());
  }
}

bool encode_pair(const ParallelText& text, std::int64_t i, const Encoding& encoding, Example& example,
                 Dropped& dropped) {
  const auto ids_of = [&encoding](const Vocabulary& vocabulary, std::string_view line) {
    return encoding.sampling_alpha > 0 ? vocabulary.encode_sampled(line, encoding.sampling_alpha)
                                       : vocabulary.encode(line);
  };
  example = {i, ids_of(encoding.source, text.source()[i]), ids_of(encoding.target, text.target()[i])};
  return keep(example, encoding.filter, dropped);
}

std::vector<Example> encode_all(const ParallelText& text, const Encoding& encoding) {
  std::vector<Example> examples;
  Dropped dropped;
  Example example;
  for (std::int64_t i = 0; i < text.size(); ++i) {
    if (encode_pair(text, i, encoding, example, dropped)) examples.push_back(std::move(example));
  }
  const std::string reasons = description(dropped, encoding.filter);
  if (!reasons.empty()) log_warning("'{}': dropped {}", text.source().name(), reasons);
  if (examples.empty()) throw Error("'{}' has no pair that can be used", text.source().name());
  return examples;
}

}  // namespace nmt
