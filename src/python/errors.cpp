#include "common/error.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace nmt {

void bind_errors(nb::module_& module) {
  // nanobind tries the exception that was registered last first.
  const nb::exception<Error> error(module, "Error", PyExc_RuntimeError);
  const nb::exception<UsageError> usage_error(module, "UsageError", error);
}

}  // namespace nmt
