#include "translate/service/line_windows.h"

#include "translate/service/request_queue.h"

namespace nmt {
namespace {

// Rows of a window, as a multiple of the rows at a time. With this many, a search takes as many steps as if
// the whole text were one window.
constexpr std::int64_t kTurns = 8;

}  // namespace

LineWindows::LineWindows(std::int64_t rows_at_a_time, std::int64_t most_lines)
    : most_rows_(kTurns * rows_at_a_time), most_lines_(most_lines) {}

std::int64_t LineWindows::window_of(const TranslationRequest& line) {
  const std::int64_t rows = estimated_rows(line);
  if (lines_ > 0 && (lines_ == most_lines_ || rows_ + rows > most_rows_)) {
    ++window_;
    rows_ = lines_ = 0;
  }
  rows_ += rows;
  ++lines_;
  return window_;
}

}  // namespace nmt
