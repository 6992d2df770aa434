// The error for temporary storage that cannot be written.
#pragma once

#include "common/error.h"

namespace nmt {

/// The temporary directory is missing, not writable, or full (see Spool). The message names it.
class StorageError : public Error {
 public:
  using Error::Error;
};

}  // namespace nmt
