// What the form of another toolkit has no place for.
#pragma once

#include "common/error.h"

namespace nmt {

/// A model cannot be written for a toolkit; export_model() adds what to do.
class NotHeld : public Error {
 public:
  using Error::Error;
};

}  // namespace nmt
