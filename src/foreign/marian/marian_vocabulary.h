// Vocabularies of Marian's models.
#pragma once

#include "foreign/marian/marian_package.h"
#include "nn/saved/vocabularies.h"

namespace nmt {

/// Reads the vocabularies of a package, for tables with these numbers of rows. Throws Error if one is damaged
/// or larger than its table.
Vocabularies marian_vocabularies(const MarianPackage& package, int source_rows, int target_rows);

}  // namespace nmt
