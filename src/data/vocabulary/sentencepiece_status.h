// What SentencePiece says of its failures.
#pragma once

#include <sentencepiece_processor.h>

#include <string>

namespace nmt {

/// The reason in the message of a status that is not ok, without the place and the condition in
/// SentencePiece's own source that it begins with; where there is no more than that, that an internal check
/// failed.
std::string reason(const sentencepiece::util::Status& status);

}  // namespace nmt
