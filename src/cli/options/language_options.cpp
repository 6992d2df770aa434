#include "cli/options/language_options.h"

namespace nmt {

void add_language_options(Options& options, Languages& target, const std::string& group) {
  options
      .add("source-language", target.source, "CODE",
           "the language of the source, for models that are told it; nmt info lists those that a model knows")
      .group(group);
  options
      .add("target-language", target.target, "CODE",
           "the language of the translation, for models that translate into several")
      .group(group);
}

}  // namespace nmt
