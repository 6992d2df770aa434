// Errors about what another toolkit's format does not support.
#pragma once

#include "common/error.h"

namespace nmt {

/// A model cannot be written for a toolkit; export_model() adds advice.
class NotHeld : public Error {
 public:
  using Error::Error;
};

}  // namespace nmt
