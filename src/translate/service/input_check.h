// Warns about text for which a model was probably not made.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/log/log.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// Checks whether the text of one side suits a model, and warns once about each of these problems:
/// - more than a third of all tokens are unknown;
/// - a text begins with a language token, >>xx<<, that the model does not have;
/// - a source names no target language, which the model needs.
/// Thread-safe.
class InputCheck {
 public:
  explicit InputCheck(Side side = Side::source) : side_(side) {}

  /// Counts the unknown tokens of a text and of its ids, and looks at its language token.
  void note(const Vocabulary& vocabulary, std::string_view text, std::span<const int> ids);
  /// Logs warnings that were not logged before.
  void warn(Log& log);

 private:
  void warn_of_unknown_tokens(Log& log);
  void warn_of_language(Log& log);
  void warn_of_untold(Log& log);

  Side side_;
  std::mutex mutex_;
  std::optional<Vocabulary> vocabulary_;  // of the last text
  std::int64_t tokens_ = 0, unknown_ = 0;
  std::string language_;     // a code that the model does not have
  bool has_untold_ = false;  // whether a source lacks the language of its translation
  bool has_told_unknown_ = false, has_told_language_ = false, has_told_untold_ = false;
};

}  // namespace nmt
