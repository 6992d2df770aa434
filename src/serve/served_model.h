// A model of a server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "data/text/sentences.h"
#include "data/vocabulary/languages.h"
#include "engine/models.h"
#include "foreign/open.h"
#include "serve/client_loads.h"
#include "serve/fair_turns.h"
#include "serve/sliced_work.h"
#include "serve/translation_cache.h"
#include "translate/service/translation_service.h"

namespace nmt {

/// How a model searches where a request does not say.
struct SearchDefaults {
  SearchSettings search = {};
  /// The settings that `search` gives, by their names in files: "beam". The model file decides about others.
  std::set<std::string> given = {};
};

/// What clients call a model, and where it is.
struct ModelSource {
  std::string name;
  /// What it translates, where its name is such a pair ("en-de"); else both are empty.
  Languages pair;
  std::string path;                // a model file, or the directory of a run
  bool is_one_of_several = false;  // of the pairs in a name: "en-de,fr"
  SearchDefaults defaults = {};
  /// A file that takes the place of the shortlist of the model.
  std::optional<std::string> shortlist = std::nullopt;
  ForeignFiles vocabularies = {};
};

/// `text`: NAME=PATH, or a path, whose file or directory is the name, less ".safetensors". The name of a
/// model of several languages may have lists of them: "en-de,fr" is two models, "en,de,fr" is all six pairs.
/// Throws UsageError for a name that is empty or holds a blank, and for a list of what is no language.
std::vector<ModelSource> model_sources(const std::string& text);

/// How many tokens a search holds at a time (see TranslationServiceSettings) where nobody says it. A
/// processor computes as many rows a second in small steps as in large ones, in which sentences wait for each
/// other; a card is idle in small ones.
std::int64_t usual_batch_tokens(const DeviceSettings& device);

/// How models compute.
struct ServingSettings {
  DeviceSettings device;
  std::optional<std::int64_t> max_length = std::nullopt;  // see TranslationServiceSettings
  TooLong too_long = TooLong::split;                      // where a request does not say
  std::int64_t batch_tokens = 512;
  bool no_shortlist = false;          // of models that have one; see ModelSource::shortlist
  std::int64_t cached_sentences = 0;  // of each model; see TranslationCache
  /// Whether unknown pieces are copied from the source where a request does not say; none: as the model file
  /// says, or else as is usual in an interface.
  std::optional<bool> replace_unknown = std::nullopt;
  /// What is kept as it is where a request does not say; null: nothing.
  std::shared_ptr<const KeepRules> keep = nullptr;
  // Whether texts are split into sentences where requests do not say; the language of texts, where the names
  // of models do not say; a file of abbreviations, or none. See SentenceSplitter.
  bool splits = true;
  std::string split_language = {}, abbreviations = {};
  /// Most bytes that the files of models that are open have together; 0: any number.
  std::uintmax_t memory = 0;
};

/// Divides models, by their numbers, into those that are opened as one: of the same file with the same
/// shortlist and vocabularies, which may be of several pairs of languages, unless these differ by more than
/// what stands in texts (see LanguageUse: BOS and EOS of mBART). Throws Error for a file that is named twice
/// and cannot be read.
std::vector<std::vector<std::size_t>> shared_models(const std::vector<ModelSource>& sources);

/// A model file, opened, with a service of its own, which all share that are one (see shared_models).
class OpenedModel {
 public:
  /// `source`: any of them. Throws Error for what cannot be opened, its shortlist included, and for a
  /// language model. Warnings of the model and of texts that it is given go to `log`.
  OpenedModel(const ModelSource& source, const ServingSettings& settings, Log& log = silent_log());

  const std::string& file() const { return file_; }
  const SavedModel& model() const { return models_.first(); }
  /// The one that the model is served with; null: it considers all target pieces.
  const std::shared_ptr<const Shortlist>& shortlist() const { return shortlist_; }
  TranslationService& service() { return service_; }
  FairTurns& turns() { return turns_; }
  ClientLoads& loads() { return loads_; }
  SlicedWork& finishing() { return finishing_; }

 private:
  std::string file_;
  Models models_;
  std::shared_ptr<const Shortlist> shortlist_;
  FairTurns turns_;
  ClientLoads loads_;
  SlicedWork finishing_;
  TranslationService service_;
};

/// A model as clients know it. What comes of a text depends on nothing else that is served.
class ServedModel {
 public:
  /// Throws Error for languages that the model does not know, and UsageError for defaults that do not go
  /// together. `opened` lives as long as requests are made.
  ServedModel(OpenedModel& opened, const ModelSource& source, const ServingSettings& settings);

  /// For its languages.
  const std::shared_ptr<const Vocabularies>& vocabularies() const { return vocabularies_; }
  /// What requests that say nothing else ask for.
  const std::shared_ptr<const SearchSettings>& search() const { return search_; }
  /// Whether unknown pieces are copied where a request does not say; `usual`: what its interface does unless
  /// the server or the model file decides.
  bool replaces_unknown(bool usual) const { return replace_unknown_.value_or(usual); }
  /// What is kept as it is where a request does not say; null: nothing. `usual` as for replaces_unknown():
  /// where unknown text is to be copied, but the model lets no unknown piece in that could be replaced, emoji
  /// are kept, unless the server keeps other text.
  const std::shared_ptr<const KeepRules>& keep(bool usual) const {
    return keep_ == nullptr && replaces_unknown(usual) ? keep_instead_ : keep_;
  }
  /// Most tokens of a sentence.
  std::int64_t max_length() const { return max_length_; }
  /// What becomes of sentences that have more where a request does not say.
  TooLong too_long() const { return too_long_; }
  bool is_right_to_left() const { return opened_.model().special_tokens.target_reversed; }
  /// Whether its texts are split into sentences where requests do not say.
  bool splits() const { return splits_; }
  const SentenceSplitter& splitter() const { return splitter_; }
  TranslationService& service() { return opened_.service(); }
  TranslationCache& cache() { return cache_; }
  FairTurns& turns() { return opened_.turns(); }
  ClientLoads& loads() { return opened_.loads(); }
  /// Where texts with markup get it back, beside the searches.
  SlicedWork& finishing() { return opened_.finishing(); }

 private:
  OpenedModel& opened_;
  std::shared_ptr<const Vocabularies> vocabularies_;
  std::shared_ptr<const SearchSettings> search_;
  std::optional<bool> replace_unknown_;
  std::shared_ptr<const KeepRules> keep_, keep_instead_;
  std::int64_t max_length_;
  TooLong too_long_;
  bool splits_;
  SentenceSplitter splitter_;
  TranslationCache cache_;
};

}  // namespace nmt
