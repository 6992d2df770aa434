// Names of other toolkits for the settings of nmt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A name of a setting in another toolkit.
struct ForeignName {
  std::string_view typed;    // with dashes; "-b" for a letter
  std::string_view setting;  // "beam", optionally with a value: "precision f16"
  std::string_view note;     // difference in meaning, with settings in backticks; empty: none
};

/// Returns the names of Marian, fairseq, OpenNMT, Sockeye, CTranslate2, Hugging Face, SentencePiece,
/// sacrebleu and marian-server. If a name has several rows, the first setting that a command has is meant.
std::span<const ForeignName> foreign_names();

/// Suggests a setting as did_you_mean_any() does, but tries foreign names first: `, did you mean
/// '--batch-tokens' (tokens, not sentences)?` for "batch_size", if `names` contains that setting.
std::string did_you_mean_setting(const std::string& word, const std::vector<std::string>& names,
                                 const std::string& before = "");

/// Returns the value of nmt for another toolkit's value in lower case: "f16" for "float16". Empty for any
/// other text.
std::string_view foreign_value(std::string_view value);

}  // namespace nmt
