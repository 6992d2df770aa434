#include "data/vocabulary/sentencepiece_status.h"

#include "common/text/pattern.h"

namespace nmt {

std::string reason(const sentencepiece::util::Status& status) {
  static const Pattern place("^[^[:space:]]*\\.(cc|h)\\([0-9]+\\) \\[[^\n]*\\] ?");
  const std::string message = status.error_message();
  const std::vector<std::string> found = place.find(message);
  std::string reason = found.empty() ? message : message.substr(found[0].size());
  return reason.empty() ? "an internal check failed" : reason;
}

}  // namespace nmt
