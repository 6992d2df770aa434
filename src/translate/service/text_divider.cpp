#include "translate/service/text_divider.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <string>

#include "data/text/text_parts.h"

namespace nmt {
namespace {

/// The number of bytes per permitted token that are encoded at a time to count tokens. SentencePiece needs a
/// hundred times the memory of a text to encode it.
constexpr std::int64_t kCountedBytes = 32;

}  // namespace

const char* undivided_because(const TranslationRequest& request) {
  return request.align                  ? "`alignment`"
         : !request.prefix.empty()      ? "a prefix"
         : !request.constraints.empty() ? "`constraints`"
         : request.reference            ? "`oracle`"
         : request.search->alternatives ? "`alternatives`"
                                        : nullptr;
}

std::string_view TextDivider::language_of(const TranslationRequest& request, std::string_view text) const {
  return text.substr(0, text.size() - source_of(request).without_language(text).size());
}

std::vector<std::string_view> TextDivider::divided(const TranslationRequest& request,
                                                   const std::vector<std::string_view>& sentences,
                                                   std::string_view language) const {
  const std::int64_t most = limit_.most_in_one_part();
  if (most < 1 || request.too_long != TooLong::split || undivided_because(request) != nullptr)
    return sentences;
  const Vocabulary& source = source_of(request);
  // A byte is at most one token, so that short sentences need not be encoded twice. There may be one more
  // token for the space before a text.
  const std::int64_t besides = source.added_tokens() + std::ssize(language) + 1;
  const auto tokens = [&](std::string_view part) {
    return std::ssize(source.encode(std::string(language).append(part)));
  };
  const auto fits = [&](std::string_view sentence) {
    if (std::ssize(sentence) + besides <= most) return true;
    try {
      return sentence.size() <= most_bytes(most) && tokens(sentence) <= most;
    } catch (const std::bad_alloc&) {
      return true;  // the search will report it as the failure of this text
    }
  };
  if (std::ranges::all_of(sentences, fits) || tokens("") >= most) return sentences;
  std::vector<std::string_view> parts;
  for (const std::string_view sentence : sentences) {
    if (fits(sentence)) {
      parts.push_back(sentence);
    } else {
      std::ranges::copy(parts_of_text(sentence, most, static_cast<std::size_t>(kCountedBytes * most), tokens),
                        std::back_inserter(parts));
    }
  }
  return parts;
}

}  // namespace nmt
