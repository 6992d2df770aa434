#include "engine/forbidden_tokens.h"

#include <set>
#include <sstream>
#include <utility>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/spelling.h"
#include "translate/search/phrase.h"

namespace nmt {
namespace {

/// Calls use(line, reader) for each line of a file.
template <class Use>
void for_each_line(const std::optional<std::string>& file, const JobContext& job, const Use& use) {
  if (!file) return;
  TextReader reader(*file, CarriageReturn::drop, std::nullopt, job);
  for (std::string line; reader.next(line);) use(line, reader);
}

std::int32_t piece_in(const std::string& piece, const TextReader& reader, const Vocabulary& target) {
  const std::optional<int> id = target.find(piece);
  if (!id) {
    throw Error(
        "'{}', line {}: {} is not a piece of the target vocabulary; write one piece per line as in the "
        "vocabulary, with \u2581 (U+2581) where a word begins, or several with spaces between them",
        reader.name(), reader.line_number(), quoted(piece));
  }
  if (*id == target.end()) {
    throw Error("'{}', line {}: '{}' ends translations and cannot be forbidden; remove the line",
                reader.name(), reader.line_number(), piece);
  }
  return *id;
}

/// Returns the pieces of a line: one that includes spaces, or several separated by spaces.
std::vector<std::int32_t> pieces_in(const std::string& line, const TextReader& reader,
                                    const Vocabulary& target) {
  std::istringstream words(line);
  std::vector<std::int32_t> ids;
  if (!target.find(line)) {
    for (std::string piece; words >> piece;) ids.push_back(piece_in(piece, reader, target));
  }
  if (ids.empty()) ids = {piece_in(line, reader, target)};
  return ids;
}

std::vector<std::int32_t> all_of(std::set<std::int32_t> ids, const ForbiddenTokens& forbidden,
                                 const Vocabulary& target) {
  ids.insert(forbidden.suppressed.begin(), forbidden.suppressed.end());
  if (!forbidden.unknown_allowed) ids.insert(target.unknown());
  for (int id = target.size(); id < target.rows(); ++id) ids.insert(id);          // rows without a piece
  int left = target.rows() - static_cast<int>(ids.size()) - 1;                    // EOS has no text
  if (const auto begin = target.begin(); begin && !ids.contains(*begin)) --left;  // nor has BOS
  if (left <= 0) throw UsageError("`forbid` and `no_unk` leave no piece to translate with; forbid fewer");
  return {ids.begin(), ids.end()};
}

}  // namespace

AllowedTokens allowed_tokens(const ForbiddenTokens& forbidden, std::shared_ptr<const Shortlist> shortlist,
                             const Vocabulary& target, const JobContext& job) {
  std::set<std::int32_t> single;
  std::vector<Phrase> phrases;
  for_each_line(forbidden.file, job, [&](const std::string& line, const TextReader& reader) {
    const std::vector<std::int32_t> ids = pieces_in(line, reader, target);
    if (ids.size() == 1)
      single.insert(ids[0]);
    else
      phrases.emplace_back(ids);
  });
  for_each_line(forbidden.phrase_file, job, [&](const std::string& line, const TextReader& reader) {
    try {
      phrases.emplace_back(line, target);
    } catch (const Error& error) {
      throw Error("'{}', line {}: {}", reader.name(), reader.line_number(), error.what());
    }
  });
  for (const std::string& text : forbidden.phrases) phrases.emplace_back(text, target);
  AllowedTokens allowed{.forbidden = token_list(all_of(std::move(single), forbidden, target)),
                        .shortlist = std::move(shortlist)};
  if (!phrases.empty())
    allowed.forbidden_phrases = std::make_shared<const std::vector<Phrase>>(std::move(phrases));
  return allowed;
}

}  // namespace nmt
