#include "cli/options/split_options.h"

#include "common/error.h"
#include "data/text/sentences.h"

namespace nmt {

void add_split_options(Options& options, SplitOptions& settings) {
  options
      .add("split", settings.into, "",
           "translate the sentences of a line one by one. This suits models that are trained on single "
           "sentences.")
      .choices({"sentences", "none"});
  options.add(
      "split-language", settings.language, "CODE",
      "language for sentence splitting, such as en. Its abbreviations do not end a sentence. The default is "
      "the source language if it is known; else the abbreviations of all languages count.");
  options.add("abbreviations", settings.abbreviations, "FILE",
              "file with more abbreviations, one per line, such as approx. An abbreviation followed by "
              "#NUMERIC_ONLY# counts only before a number. Moses prefix files have this format.");
}

void check_split(const Options& options, const SplitOptions& settings) {
  if (settings.language && !is_language_code(*settings.language)) {
    throw UsageError("{} '{}' is not a language code, such as en or deu_Latn",
                     options.origin("split-language"), *settings.language);
  }
  for (const char* name : {"split-language", "abbreviations"}) {
    if (options.given(name) && !settings.is_on())
      throw UsageError("{} needs --split sentences", options.origin(name));
  }
}

}  // namespace nmt
