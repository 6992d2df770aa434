// Windows: lines of a text of which the longest are translated first.
#pragma once

#include <cstdint>

#include "translate/service/translation_request.h"

namespace nmt {

/// Divides a text into windows by what lines cost, wherever it is read in pieces. Within one, lines that are
/// alike in length share steps; those of a window come out before the next one is far, so that the first
/// lines of a text neither wait for its last ones nor are lost with them.
class LineWindows {
 public:
  /// For workers that hold so many rows of sources and hypotheses at a time, all together; of at most so many
  /// lines.
  LineWindows(std::int64_t rows_at_a_time, std::int64_t most_lines);

  /// The number of the window that the next line is in.
  std::int64_t window_of(const TranslationRequest& line);

 private:
  std::int64_t most_rows_, most_lines_;
  std::int64_t window_ = 0, rows_ = 0, lines_ = 0;  // of this window
};

}  // namespace nmt
