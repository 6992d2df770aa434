// Limits of text with markup.
#pragma once

#include <cstddef>

namespace nmt {

/// The maximum number of elements of a text, or of a paragraph of a document, that are nested in each other.
inline constexpr std::size_t kDeepestTags = 256;

}  // namespace nmt
