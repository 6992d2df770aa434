// The parts of the module `_nmt`. nmt/ wraps them for people; what is documented there is not again here.
#pragma once

#include <nanobind/nanobind.h>

namespace nmt {

/// Error and UsageError become exceptions of Python with their messages.
void bind_errors(nanobind::module_& module);
void bind_translator(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_vocabulary(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);

}  // namespace nmt
