#include "cli/options/language_options.h"

namespace nmt {

void add_language_options(Options& options, Languages& target, const std::string& group) {
  options
      .add("source-language", target.source, "CODE",
           "source language, for models that need to know it. nmt info lists the languages of a model.")
      .group(group);
  options
      .add("target-language", target.target, "CODE",
           "target language, for models that translate into several")
      .group(group);
}

}  // namespace nmt
