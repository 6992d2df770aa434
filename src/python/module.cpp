#include "nmt/engine.h"
#include "python/bindings.h"

NB_MODULE(_nmt, module) {
  module.attr("version") = NMT_VERSION;
  nmt::bind_errors(module);
  nmt::bind_translator(module);
  nmt::bind_model(module);
  nmt::bind_vocabulary(module);
  nmt::bind_metrics(module);
}
