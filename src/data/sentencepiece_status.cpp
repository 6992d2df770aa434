#include "data/sentencepiece_status.h"

#include <regex>

namespace nmt {

std::string reason(const sentencepiece::util::Status& status) {
  static const std::regex place(R"(^\S*\.(cc|h)\(\d+\) \[[^\n]*\] ?)");
  const std::string reason = std::regex_replace(status.error_message(), place, "");
  return reason.empty() ? "an internal check failed" : reason;
}

}  // namespace nmt
