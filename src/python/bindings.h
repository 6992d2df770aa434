// The parts of the extension module `_nmt`. The Python package nmt/ wraps and documents them.
#pragma once

#include <nanobind/nanobind.h>

namespace nmt {

/// Adds the classes of translation to the module; the functions below do so for other areas.
void bind_translator(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_vocabulary(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);

}  // namespace nmt
