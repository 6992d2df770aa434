// Vocabularies of Marian's models.
#pragma once

#include "foreign/marian/marian_package.h"
#include "nn/files/vocabularies.h"

namespace nmt {

/// The vocabularies of a package, for tables of so many rows. Throws Error when one is damaged or larger than
/// its table.
Vocabularies marian_vocabularies(const MarianPackage& package, int source_rows, int target_rows);

}  // namespace nmt
