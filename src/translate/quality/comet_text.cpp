#include "translate/quality/comet_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/text/words.h"
#include "translate/quality/written_tokens.h"

namespace nmt {
namespace {

// <pad> is left out of texts, as it is no word.
constexpr std::array<std::string_view, 5> kWritten = {"<s>", "</s>", "<unk>", "<mask>", "<pad>"};
constexpr std::string_view kPad = "<pad>", kMask = "<mask>";

/// Returns the bytes of the space at a place; 0: there is none. The mark that stands for a space is one.
std::size_t space_at(std::string_view text, std::size_t place) {
  if (text.substr(place).starts_with(kSpaceMark)) return kSpaceMark.size();
  return separates_words(text[place]) ? 1 : 0;
}

}  // namespace

CometText::CometText(Vocabulary vocabulary, std::int64_t longest, bool with_space)
    : vocabulary_(std::move(vocabulary)),
      longest_(static_cast<std::size_t>(longest)),
      with_space_(with_space) {}

void CometText::add_plain(std::string_view text, std::size_t begin, std::vector<CometToken>& tokens) const {
  for (const TextPiece& piece : vocabulary_.divide(text)) {
    const Place place = place_of(text, piece.begin, piece.end);
    tokens.push_back({piece.id, begin + place.begin, begin + place.end});
  }
}

CometText::Place CometText::place_of(std::string_view text, std::size_t begin, std::size_t end) const {
  std::size_t from = begin, last_space = begin;
  for (std::size_t size = 1; from < end && size > 0; from += size) {
    size = space_at(text, from);
    if (size > 0) last_space = from;
  }
  const bool is_space = from == end;
  if (with_space_ && from > begin) return {last_space, end};
  if (!is_space) return {from, end};
  // A token of a space that is not there, or not counted, stands for the first character of the word after
  // it.
  const auto continues = [&](std::size_t i) { return i < text.size() && (text[i] & '\xC0') == '\x80'; };
  for (end = std::min(from + 1, text.size()); continues(end);) ++end;
  return {from, end};
}

std::vector<CometToken> CometText::tokens(std::string_view text) const {
  std::vector<CometToken> all = {{vocabulary_.begin().value_or(0)}};
  for (std::size_t from = 0; from < text.size();) {
    const WrittenToken written = first_written(text, from, kWritten);
    std::string_view plain = text.substr(from, written.at - from);
    if (written.name == kMask) plain = plain.substr(0, plain.find_last_not_of(' ') + 1);
    if (!plain.empty()) add_plain(plain, from, all);
    from = written.at + written.name.size();
    if (written.name.empty() || written.name == kPad) continue;
    all.push_back({vocabulary_.find(written.name).value_or(vocabulary_.unknown()), written.at, from});
  }
  all.resize(std::min(all.size(), longest_ - 3));
  all.push_back({vocabulary_.end()});
  return all;
}

std::vector<int> CometText::ids(const std::vector<CometToken>& tokens) {
  std::vector<int> ids;
  for (const CometToken& token : tokens) ids.push_back(token.id);
  return ids;
}

std::vector<int> CometText::joined(const std::vector<std::vector<int>>& parts) const {
  std::vector<int> all = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    all.push_back(vocabulary_.end());
    all.insert(all.end(), parts[i].begin() + 1, parts[i].end());
  }
  all.resize(std::min(all.size(), longest_));
  return all;
}

}  // namespace nmt
