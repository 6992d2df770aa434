#include "translate/service/input_check.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Returns the code of a language token, >>deu<<, at the beginning of a text; empty if there is none.
std::string_view code_in_front(std::string_view text) {
  constexpr std::size_t kLongest = 16;
  if (!text.starts_with(">>")) return {};
  const std::string_view code = text.substr(2, std::min(text.find("<<"), text.size()) - 2);
  const bool is_code = code.size() >= 2 && code.size() <= kLongest && code.size() + 2 < text.size() &&
                       std::ranges::all_of(code, [](char c) {
                         return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                c == '_' || c == '-';
                       });
  return is_code ? code : std::string_view();
}

/// Returns some of the language tokens of a model as texts contain them, for messages.
std::string some_tokens(const Vocabulary& vocabulary) {
  constexpr std::size_t kFew = 5;
  const auto& all = vocabulary.language_use().tokens;
  std::vector<std::string> tokens;
  for (const auto& [code, id] : all) {
    if (tokens.size() == kFew) break;
    const std::string piece = vocabulary.piece(id);
    tokens.push_back(piece.starts_with(kSpaceMark) ? piece.substr(kSpaceMark.size()) : piece);
  }
  std::string text = join(tokens, ", ");
  if (all.size() > kFew) text += fmt::format(" and {} more", all.size() - kFew);
  return text;
}

/// Returns a piece that shows that text must be split into subwords before it is passed to the vocabulary;
/// empty if there is none.
std::string divided_piece(const Vocabulary& vocabulary) {
  constexpr std::string_view kJoiner = "\uFFED";
  for (int id = 0; id < vocabulary.size(); ++id) {
    std::string piece = vocabulary.piece(id);
    if (!piece.starts_with(kSpaceMark)) continue;  // such a piece begins with a space
    piece.erase(0, kSpaceMark.size());
    const bool is_part = piece.ends_with("@@") || piece.starts_with(kSpaceMark) ||
                         piece.starts_with(kJoiner) || piece.ends_with(kJoiner);
    if (is_part && piece != "@@" && piece != kSpaceMark && piece != kJoiner) return piece;
  }
  return "";
}

}  // namespace

void InputCheck::note(const Vocabulary& vocabulary, std::string_view text, std::span<const int> ids) {
  const std::int64_t unknown = std::ranges::count(ids, vocabulary.unknown());
  std::string_view code = code_in_front(text);
  if (!code.empty() && vocabulary.without_language(text).size() < text.size()) code = {};
  const bool is_untold =
      side_ == Side::source && code.empty() && !ids.empty() && vocabulary.lacks_language(ids);
  const std::lock_guard lock(mutex_);
  has_untold_ |= is_untold;
  tokens_ += std::ssize(ids);
  unknown_ += unknown;
  if (language_.empty()) language_ = code;
  if (!vocabulary_) vocabulary_ = vocabulary;
}

void InputCheck::warn(Log& log) {
  const std::lock_guard lock(mutex_);
  if (!has_told_language_ && !language_.empty()) warn_of_language(log);
  if (!has_told_untold_ && has_untold_) warn_of_untold(log);
  if (!has_told_unknown_ && 3 * unknown_ > tokens_) warn_of_unknown_tokens(log);
}

void InputCheck::warn_of_language(Log& log) {
  has_told_language_ = true;
  if (vocabulary_->language_use().tokens.empty()) {
    log.warning("a text begins with {}, but the model has no language tokens, so it is translated as text",
                bracketed(language_));
  } else {
    log.warning(
        "a text begins with {}, which the model does not have, so it is translated as text; it has {}",
        bracketed(language_), some_tokens(*vocabulary_));
  }
}

void InputCheck::warn_of_untold(Log& log) {
  has_told_untold_ = true;
  log.warning(
      "a text names no target language, so the model may use any; begin texts with a language ({}), set "
      "`target_language`, or name the model of a server by its languages, as in en-de=FILE",
      some_tokens(*vocabulary_));
}

void InputCheck::warn_of_unknown_tokens(Log& log) {
  has_told_unknown_ = true;
  const std::string part = divided_piece(*vocabulary_);
  log.warning(
      "{} of {} {} tokens are unknown to the model; {}", unknown_, tokens_,
      side_ == Side::source ? "source" : "target",
      part.empty()
          ? std::string("make sure that the text is in its language and script")
          : fmt::format("it takes text that is divided into parts such as {}, as its training text was",
                        quoted(part)));
}

}  // namespace nmt
