// The error for damaged files, which a new copy or download can mend.
#pragma once

#include "common/error.h"

namespace nmt {

/// A file that is damaged or incomplete.
class DamagedFile : public Error {
 public:
  using Error::Error;
};

}  // namespace nmt
