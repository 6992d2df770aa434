#include "engine/forbidden_tokens.h"

#include <set>

#include "common/error.h"
#include "common/io/text_reader.h"

namespace nmt {
namespace {

std::int32_t piece_in(const std::string& line, const TextReader& reader, const Vocabulary& target) {
  const std::optional<int> id = target.find(line);
  if (!id) {
    throw Error(
        "'{}', line {}: '{}' is no piece of the target vocabulary; write one piece a line as the vocabulary "
        "has it, with \u2581 (U+2581) where a word begins",
        reader.name(), reader.line_number(), line);
  }
  if (*id == target.end()) {
    throw Error("'{}', line {}: '{}' ends translations and cannot be forbidden; remove the line",
                reader.name(), reader.line_number(), line);
  }
  return *id;
}

}  // namespace

std::vector<std::int32_t> forbidden_ids(const ForbiddenTokens& forbidden, const Vocabulary& target,
                                        const JobContext& job) {
  std::set<std::int32_t> ids;
  if (forbidden.file) {
    TextReader reader(*forbidden.file, CarriageReturn::drop, std::nullopt, job);
    for (std::string line; reader.next(line);) ids.insert(piece_in(line, reader, target));
  }
  ids.insert(forbidden.suppressed.begin(), forbidden.suppressed.end());
  if (!forbidden.unknown_allowed) ids.insert(target.unknown());
  for (int id = target.size(); id < target.rows(); ++id) ids.insert(id);  // rows that stand for nothing
  int left = target.rows() - static_cast<int>(ids.size()) - 1;            // EOS says nothing
  if (const auto begin = target.begin(); begin && !ids.contains(*begin)) --left;  // neither does this
  if (left <= 0) throw UsageError("`forbid` and `no_unk` leave no piece to translate with; forbid fewer");
  return {ids.begin(), ids.end()};
}

}  // namespace nmt
