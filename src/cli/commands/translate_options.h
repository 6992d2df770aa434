// The settings of `nmt translate`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/files/document_files.h"
#include "cli/marian/marian_config.h"
#include "cli/options/common_options.h"
#include "cli/options/corpus_options.h"
#include "cli/options/model_options.h"
#include "cli/options/search_options.h"
#include "cli/program.h"
#include "engine/asked_settings.h"
#include "engine/decoding_defaults.h"
#include "foreign/open.h"
#include "metrics/metric.h"
#include "translate/service/translator.h"

namespace nmt {

struct TranslateSettings {
  std::vector<std::string> models;
  VocabularyOptions vocabularies;
  ForeignFiles files;  // the vocabularies
  std::string input = "-", output = "-", input_format = "text";
  DocumentOptions document;
  Languages languages;
  SplitOptions split;
  std::optional<int> n_best, candidates;
  std::optional<std::string> mbr, oracle, rerank_by;
  MetricModels metric_models;  // of --mbr and --oracle
  std::optional<std::size_t> mbr_exact;
  std::vector<std::string> keep;
  std::string n_best_format = "nmt", output_format = "text";
  bool scores = false, flush = false, replace_unknown = false, markup = false, no_shortlist = false;
  std::optional<std::string> shortlist, lm, prefixes, constraints, glossary, references, shard;
  double lm_weight = 0.2;
  ForbiddenTokens forbidden;
  // See TranslationRequest.
  std::shared_ptr<const Glossary> terms;
  std::shared_ptr<const SearchSettings> search_of_terms;
  SamplingOptions sampling;
  AlignmentOptions alignment;
  TranslationSettings translation;
  LineSettings lines;
  DeviceSettings device;
  MarianSource marian;
  LogOptions log;

  /// The number of translations for each line.
  WantedTranslations wanted() const {
    return {.n_best = n_best.value_or(1), .candidates = candidates, .are_chosen = mbr || oracle || rerank_by};
  }
  bool writes_json() const { return output_format == "jsonl"; }
};

/// Files with a line for each line of the input: the options that name them, and the meaning of their lines.
struct BesideOption {
  const char* name;
  std::optional<std::string> TranslateSettings::*file;
  void (*take)(const std::string& line, TranslationRequest& request);
};

inline constexpr BesideOption kBesideOptions[] = {
    {"prefix", &TranslateSettings::prefixes,
     [](const std::string& line, TranslationRequest& request) { request.prefix = line; }},
    {"constraints", &TranslateSettings::constraints,
     [](const std::string& line, TranslationRequest& request) {
       request.constraints = constraints_in(line);
     }},
    {"references", &TranslateSettings::references,
     [](const std::string& line, TranslationRequest& request) { request.reference = line; }},
};

/// Reads the command line. Returns false if it asked for help, so that nothing is translated. Throws
/// UsageError for settings that exclude each other.
bool parse(Options& options, const Arguments& arguments, TranslateSettings& settings);

/// The values of the options.
AskedSettings asked_of(const Options& options, const TranslateSettings& settings);

}  // namespace nmt
