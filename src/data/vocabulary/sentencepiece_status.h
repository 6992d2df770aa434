// Error messages of SentencePiece.
#pragma once

#include <sentencepiece_processor.h>

#include <string>

namespace nmt {

/// Returns the reason in the message of a failed status, without the source location and condition at its
/// beginning; if there is nothing else, says that an internal check failed.
std::string reason(const sentencepiece::util::Status& status);

}  // namespace nmt
