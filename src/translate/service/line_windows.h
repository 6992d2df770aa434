// Windows: groups of lines, in each of which the longest lines are translated first.
#pragma once

#include <cstdint>

#include "translate/service/translation_request.h"

namespace nmt {

/// Divides a text into windows by the cost of its lines, independently of how the text is read. Lines of
/// similar length in a window share steps. The lines of a window are finished before the next window is far
/// advanced, so that the first lines of a text neither wait for the last ones nor are lost with them.
class LineWindows {
 public:
  /// For workers that together process `rows_at_a_time` rows of sources and hypotheses at a time. A window
  /// has at most `most_lines` lines.
  LineWindows(std::int64_t rows_at_a_time, std::int64_t most_lines);

  /// Returns the number of the window of the next line.
  std::int64_t window_of(const TranslationRequest& line);

 private:
  std::int64_t most_rows_, most_lines_;
  std::int64_t window_ = 0, rows_ = 0, lines_ = 0;  // of the current window
};

}  // namespace nmt
