// The defaults for translating that a model file brings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/vocabulary/vocabulary.h"
#include "nn/saved/saved_model.h"
#include "translate/search/search_settings.h"
#include "translate/search/sentence_rules.h"

namespace nmt {

/// The tokens and phrases that are forbidden in translations.
struct ForbiddenTokens {
  bool unknown_allowed = true;
  std::optional<std::string> file;  // on each line a piece of the vocabulary, or several separated by spaces
  std::vector<std::int32_t> suppressed = {};  // ids of the vocabulary, without EOS
  std::optional<std::string> phrase_file;     // a word or phrase on each line, as text
  std::vector<std::string> phrases = {};      // also as text
};

/// Returns the tokens of `target` that are left, restricted to `shortlist` unless it is null. Throws Error
/// for EOS, and for a line of the files or a phrase that cannot match anything; throws UsageError if no piece
/// is left.
AllowedTokens allowed_tokens(const ForbiddenTokens& forbidden, std::shared_ptr<const Shortlist> shortlist,
                             const Vocabulary& target, const JobContext& job = {});

/// Applies the section `decoding:` of a model's configuration, except for the settings in `given`, by their
/// names as in YAML ("length_penalty"). Names and values are those of `nmt translate`:
/// - the settings of each_search_setting(), and `unk`;
/// - `replace_unknown` (see replaces_unknown());
/// - `source_language` and `target_language`, which use_languages() reads;
/// - `suppress`, ids of the target vocabulary separated by spaces, which no translation ever includes.
/// Throws Error that names the file, `path`, for any other name, for a value out of range, and for an invalid
/// id or EOS in `suppress`. Also throws it if a right-to-left model begins translations with language tokens
/// of `target`, the target vocabulary.
void take_decoding_defaults(const SavedModel& model, const Vocabulary& target, const std::string& path,
                            const std::set<std::string>& given, SearchSettings& search,
                            ForbiddenTokens& forbidden);

/// Returns whether the model file `path` says that unknown pieces of translations are copied from the source
/// (`replace_unknown` under `decoding:`); nothing if it does not say. Throws Error for a value other than
/// true and false.
std::optional<bool> replaces_unknown(const SavedModel& model, const std::string& path);

}  // namespace nmt
