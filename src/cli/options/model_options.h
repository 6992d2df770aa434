// Settings of the models of nmt serve, for all models or for one: --beam 6, --beam en-de=6.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "data/vocabulary/languages.h"
#include "serve/served_model.h"

namespace nmt {

/// Adds `--source-language` and `--target-language`. Opening a model checks whether it knows them.
void add_language_options(Options& options, Languages& target, const std::string& group = "options");

class ModelOptions {
 public:
  /// Adds --vocab, --source-vocab, --target-vocab, --shortlist and the options of add_search_options(); their
  /// values may name a model.
  void add_to(Options& options);

  /// Applies the options to the models. A value for one model overrides one for all. Throws UsageError for
  /// values that a setting does not accept, for two values for the same model, and for an unknown model.
  void give_to(std::vector<ModelSource>& models, const Options& options) const;

 private:
  /// Throws UsageError for a value for an unknown model, and for a second value for the same model.
  void check_names(const std::vector<ModelSource>& models, const Options& options) const;
  void give_to(ModelSource& model, const Options& options) const;

  std::map<std::string, std::vector<std::string>> values_;  // as given, by option
};

}  // namespace nmt
