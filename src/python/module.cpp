#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "common/error.h"
#include "common/text/foreign_names.h"
#include "nmt/engine.h"
#include "python/bindings.h"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace nmt {
namespace {

/// Makes Error and UsageError Python exceptions with their messages.
void bind_errors(nb::module_& module) {
  // nanobind tries the exception that was registered last first.
  const nb::exception<Error> error(module, "Error", PyExc_RuntimeError);
  const nb::exception<UsageError> usage_error(module, "UsageError", error);
}

}  // namespace
}  // namespace nmt

NB_MODULE(_nmt, module) {
  module.attr("version") = NMT_VERSION;
  module.def(
      "did_you_mean_setting",
      [](const std::string& word, const std::vector<std::string>& names) {
        return nmt::did_you_mean_setting(word, names);
      },
      "word"_a, "names"_a);
  nmt::bind_errors(module);
  nmt::bind_translator(module);
  nmt::bind_model(module);
  nmt::bind_vocabulary(module);
  nmt::bind_metrics(module);
}
