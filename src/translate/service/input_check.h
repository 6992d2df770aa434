// Text that cannot be what a model expects.
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

/// Watches whether the text of one side is what a model expects, and warns once if it is not: where more than
/// a third of all tokens are unknown, and where a text begins with a token of a language, >>xx<<, that the
/// model does not have. For any thread.
class InputCheck {
 public:
  explicit InputCheck(Side side = Side::source) : side_(side) {}

  /// Looks at a text and at what a vocabulary made of it.
  void note(const Vocabulary& vocabulary, std::string_view text, std::span<const int> ids);
  /// Warns of what was not warned of before.
  void warn(Log& log);

 private:
  void warn_of_unknown_tokens(Log& log);
  void warn_of_language(Log& log);

  Side side_;
  std::mutex mutex_;
  std::optional<Vocabulary> vocabulary_;  // of the last text
  std::int64_t tokens_ = 0, unknown_ = 0;
  std::string language_;  // a code that the model does not have
  bool has_told_unknown_ = false, has_told_language_ = false;
};

}  // namespace nmt
