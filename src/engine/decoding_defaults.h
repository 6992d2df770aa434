// What a model file says about translating with it.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/forbidden_tokens.h"
#include "nn/files/saved_model.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Takes what the file of a model says under `decoding:` of its configuration, but for the settings that were
/// given, by their names as in YAML ("length_penalty"). These names and values are those of `nmt translate`:
/// the settings of each_search_setting(), unk; replace_unknown (see replaces_unknown()); source_language and
/// target_language, which use_languages() takes; and `suppress`, ids of the target vocabulary with spaces
/// between them, which no translation holds, whatever was given. Takes also the tokens that all translations
/// begin with in the language of `target`, the target vocabulary, and the shortlist of the model. Throws
/// Error that names the file, `path`, for any other name, a value out of range, and an id to suppress that is
/// none, or is EOS; and where a model from right to left begins translations with given tokens.
void take_decoding_defaults(const SavedModel& model, const Vocabulary& target, const std::string& path,
                            const std::set<std::string>& given, SearchSettings& search,
                            ForbiddenTokens& forbidden);

/// Whether the file of a model, `path`, has unknown pieces of translations copied from the source
/// (`replace_unknown` under `decoding:`); nothing where it does not say. Throws Error for a value other than
/// true and false.
std::optional<bool> replaces_unknown(const SavedModel& model, const std::string& path);

}  // namespace nmt
