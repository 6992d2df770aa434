// The defaults for translating that a model file brings.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/forbidden_tokens.h"
#include "nn/saved/saved_model.h"
#include "translate/search/search_settings.h"

namespace nmt {

/// Applies the section `decoding:` of a model's configuration, except for the settings in `given`, by their
/// names as in YAML ("length_penalty"). Names and values are those of `nmt translate`: the settings of
/// each_search_setting(), unk; replace_unknown (see replaces_unknown()); source_language and target_language,
/// which use_languages() reads; and `suppress`, ids of the target vocabulary separated by spaces, which no
/// translation includes, whatever was given. Throws Error that names the file, `path`, for any other name,
/// for a value out of range, for an invalid id or EOS in `suppress`, and if a right-to-left model begins
/// translations with tokens of the language of `target`, the target vocabulary.
void take_decoding_defaults(const SavedModel& model, const Vocabulary& target, const std::string& path,
                            const std::set<std::string>& given, SearchSettings& search,
                            ForbiddenTokens& forbidden);

/// Returns whether the model file `path` says that unknown pieces of translations are copied from the source
/// (`replace_unknown` under `decoding:`); nothing if it does not say. Throws Error for a value other than
/// true and false.
std::optional<bool> replaces_unknown(const SavedModel& model, const std::string& path);

}  // namespace nmt
