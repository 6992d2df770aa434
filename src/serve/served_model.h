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
#include "serve/clients/scheduling.h"
#include "serve/translation_cache.h"
#include "serve/work_queues.h"
#include "translate/service/translation_service.h"

namespace nmt {

/// The search settings of a model for requests that do not set them.
struct SearchDefaults {
  SearchSettings search = {};
  /// The names, as in files ("beam"), of the settings that `search` sets. The model file decides about the
  /// others.
  std::set<std::string> given = {};
};

/// The name of a model for clients, and its location.
struct ModelSource {
  std::string name;
  /// The languages that it translates, if its name is such a pair ("en-de"); else both are empty.
  Languages pair;
  std::string path;                // a model file, or the directory of a run
  bool is_one_of_several = false;  // of the pairs in a name: "en-de,fr"
  SearchDefaults defaults = {};
  /// A file that replaces the shortlist of the model.
  std::optional<std::string> shortlist = std::nullopt;
  ForeignFiles vocabularies = {};
};

/// Parses NAME=PATH, or a path. The default name is that of the file or directory without ".safetensors"; if
/// it does not end in languages ("opus-mt-en-de") but the model's files name a pair, this pair ("en-de"). The
/// name of a multilingual model may have lists of languages: "en-de,fr" gives two models, "en,de,fr" all six
/// pairs. Throws UsageError for a name that is empty or has a space, and for an invalid language in a list.
std::vector<ModelSource> model_sources(const std::string& text);

/// Returns the default number of tokens that a search processes at a time (see TranslationSettings). On a CPU
/// it is small: small steps compute as many rows per second as large ones, and in large steps sentences wait
/// for each other. On a GPU it is large, because small steps leave a GPU idle.
std::int64_t usual_batch_tokens(const DeviceSettings& device);

/// Settings that all models of a server share.
struct ServingSettings {
  DeviceSettings device;
  std::optional<std::int64_t> max_length = std::nullopt;  // see TranslationSettings
  TooLong too_long = TooLong::split;                      // for requests that do not say
  std::int64_t batch_tokens = 512;
  bool no_shortlist = false;          // for models that have a shortlist; see ModelSource::shortlist
  std::int64_t cached_sentences = 0;  // for each model; see TranslationCache
  /// Whether unknown pieces are copied from the source if a request does not say. If this is not set, the
  /// model file decides, or else the interface.
  std::optional<bool> replace_unknown = std::nullopt;
  /// The parts that are copied unchanged unless a request says otherwise; null: none.
  std::shared_ptr<const KeepRules> keep = nullptr;
  // Defaults for requests: whether texts are split into sentences, the language of texts unless the names of
  // models give it, and a file of abbreviations or none. See SentenceSplitter.
  bool splits = true;
  std::string split_language = {}, abbreviations = {};
  /// Maximum total memory, in bytes, of open models (see OpenedModel::bytes); 0: no limit.
  std::uintmax_t memory = 0;
};

/// Groups the numbers of models that can share an OpenedModel: models of the same file with the same
/// shortlist and vocabularies, possibly for several pairs of languages. Pairs whose special tokens differ
/// cannot share it (see LanguageUse: BOS and EOS of mBART). Throws Error for a file that is named twice and
/// cannot be read.
std::vector<std::vector<std::size_t>> shared_models(const std::vector<ModelSource>& sources);

/// An open model file with its service, which all models of a group share (see shared_models).
class OpenedModel {
 public:
  /// `source`: any model of the group. Throws Error if the file or its shortlist cannot be opened, and for a
  /// language model. `log` receives warnings about the model and about texts.
  OpenedModel(const ModelSource& source, const ServingSettings& settings, Log& log = silent_log());

  const std::string& file() const { return file_; }
  /// The memory of weights, vocabularies and shortlist, in bytes. It differs from the size of the file if
  /// weights are converted to another precision.
  std::size_t bytes() const;
  const SavedModel& model() const { return models_.first(); }
  /// The shortlist that the model is served with; null: it considers all target pieces.
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

/// A model as clients see it. The translation of a text does not depend on other models of the server.
class ServedModel {
 public:
  /// Throws Error for languages that the model does not know, and UsageError for defaults that conflict.
  /// `opened` must outlive this object and its requests.
  ServedModel(OpenedModel& opened, const ModelSource& source, const ServingSettings& settings);

  /// The vocabularies for its languages.
  const std::shared_ptr<const Vocabularies>& vocabularies() const { return vocabularies_; }
  /// The search settings for requests that do not set any.
  const std::shared_ptr<const SearchSettings>& search() const { return search_; }
  /// Whether unknown pieces are copied if a request does not say; `usual`: the default of its interface,
  /// unless the server or the model file decides.
  bool replaces_unknown(bool usual) const { return replace_unknown_.value_or(usual); }
  /// Returns the rules for parts that are copied unchanged if a request does not say; null: none. `usual`: as
  /// for replaces_unknown(). If unknown text is to be copied but the model never produces unknown pieces, the
  /// rules keep emoji, unless the server has other rules.
  const std::shared_ptr<const KeepRules>& keep(bool usual) const {
    return keep_ == nullptr && replaces_unknown(usual) ? keep_instead_ : keep_;
  }
  /// The maximum number of tokens of a sentence.
  std::int64_t max_length() const { return max_length_; }
  /// The treatment of longer sentences unless a request says otherwise.
  TooLong too_long() const { return too_long_; }
  bool is_right_to_left() const { return opened_.model().special_tokens.target_reversed; }
  /// Whether its texts are split into sentences if a request does not say.
  bool splits() const { return splits_; }
  const SentenceSplitter& splitter() const { return splitter_; }
  TranslationService& service() { return opened_.service(); }
  TranslationCache& cache() { return cache_; }
  FairTurns& turns() { return opened_.turns(); }
  ClientLoads& loads() { return opened_.loads(); }
  /// Puts markup back into texts while searches continue.
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
using ServedModelPtr = std::shared_ptr<ServedModel>;

}  // namespace nmt
