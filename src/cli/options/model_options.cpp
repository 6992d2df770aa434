#include "cli/options/model_options.h"

#include <algorithm>
#include <optional>
#include <set>

#include "cli/options/search_options.h"
#include "common/error.h"
#include "common/text/spelling.h"

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

namespace {

constexpr const char* kSearchGroup = "search";

/// The search settings of one model, read like those of nmt translate.
struct SearchTable {
  SearchTable() { add_search_options(options, search); }

  SearchSettings search;
  Options options{"nmt serve", "", "", ""};
};

/// A value, and the models that an option gives it to.
struct GivenToModels {
  std::vector<std::string> models;  // empty: all
  std::string text;
};

/// Parses "6", "en-de=6", and "en-de,fr=6" for both pairs. Throws UsageError that names the option,
/// `origin`.
GivenToModels parsed(const std::string& value, const std::string& origin) try {
  const std::size_t equals = value.find('=');
  if (equals == std::string::npos || value.find('/') < equals) return {{}, value};
  GivenToModels given;
  for (const ModelSource& source : model_sources(value)) {
    given.models.push_back(source.name);
    given.text = source.path;
  }
  return given;
} catch (const UsageError&) {
  throw UsageError("{} {}: expected a value, or MODEL=VALUE with the name of a model", origin, quoted(value));
}

/// Returns the value for a model; none if the option gives it none.
std::optional<std::string> value_for(const std::string& model, const std::vector<std::string>& values,
                                     const std::string& origin) {
  std::optional<std::string> for_all, for_model;
  for (const std::string& value : values) {
    const GivenToModels given = parsed(value, origin);
    if (given.models.empty()) for_all = given.text;
    if (std::ranges::count(given.models, model) > 0) for_model = given.text;
  }
  return for_model ? for_model : for_all;
}

}  // namespace

void ModelOptions::add_to(Options& options) {
  const auto add = [&](const std::string& name, const std::string& value,
                       const std::string& help) -> Option& {
    return options.add(name, values_[name], "[MODEL=]" + value, help);
  };
  add("vocab", "FILE",
      "vocabulary of both sides, for a model whose own files name none. It may be .spm, .yml, .json, or .txt "
      "with one word per line. MODEL= limits the value to the model of this name, such as en-de.");
  add("source-vocab", "FILE", "vocabulary of the source");
  add("target-vocab", "FILE", "vocabulary of the target");
  add("shortlist", "FILE",
      "lexical shortlist to which the target pieces of each sentence are limited, for speed. It comes from "
      "nmt shortlist, or is a binary shortlist of Marian. The default is the list that comes with the model.")
      .group(kSearchGroup);
  const SearchTable table;
  for (const Option& option : table.options.table()) {
    const OptionFacts& facts = option.facts();
    if (facts.group != kSearchGroup) continue;
    add(facts.name, facts.value_name, facts.help).default_text(facts.default_text).group(kSearchGroup);
  }
}

void ModelOptions::check_names(const std::vector<ModelSource>& models, const Options& options) const {
  std::vector<std::string> names;
  for (const ModelSource& model : models) names.push_back(model.name);
  for (const auto& [option, values] : values_) {
    const std::string origin = options.origin(option);
    std::set<std::string> seen;
    const auto take = [&](const std::string& whom) {
      if (!seen.insert(whom).second) throw UsageError("{} is given twice for {}; give it once", origin, whom);
    };
    for (const std::string& value : values) {
      const GivenToModels given = parsed(value, origin);
      if (given.models.empty()) take("all models");
      for (const std::string& model : given.models) {
        if (std::ranges::count(names, model) == 0) {
          const std::string typed = value.starts_with(model + "=") ? "" : " " + quoted(value);
          throw UsageError("{}{}: unknown model {}{}", origin, typed, quoted(model),
                           did_you_mean(model, names));
        }
        take(fmt::format("model {}", quoted(model)));
      }
    }
  }
}

void ModelOptions::give_to(ModelSource& model, const Options& options) const {
  SearchTable table;
  std::optional<std::string> vocabulary;
  auto& [source, target, with_shortlist] = model.vocabularies;
  const std::map<std::string, std::optional<std::string>*> files = {{"shortlist", &model.shortlist},
                                                                    {"vocab", &vocabulary},
                                                                    {"source-vocab", &source},
                                                                    {"target-vocab", &target}};
  for (const auto& [option, values] : values_) {
    const std::optional<std::string> value = value_for(model.name, values, options.origin(option));
    if (!value) continue;
    const auto file = files.find(option);
    if (file != files.end()) {
      *file->second = value;
    } else {
      table.options.set(option, {*value, options.origin(option)});
    }
  }
  model.defaults = {table.search, table.options.given()};
  if (!vocabulary) return;
  if (source || target) {
    throw UsageError("model '{}': {} is for both sides; leave out {}, or it", model.name,
                     options.origin("vocab"), options.origins({"source-vocab", "target-vocab"}));
  }
  source = target = vocabulary;
}

void ModelOptions::give_to(std::vector<ModelSource>& models, const Options& options) const {
  check_names(models, options);
  for (ModelSource& model : models) give_to(model, options);
}

}  // namespace nmt
