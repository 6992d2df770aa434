// What other toolkits call the settings that nmt has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A name that users of another toolkit know a setting by.
struct ForeignName {
  std::string_view typed;    // with dashes; "-b" for a letter
  std::string_view setting;  // "beam", perhaps with a value: "precision f16"
  std::string_view note;  // how the meaning differs, with settings between backticks; empty where it does not
};

/// The names of Marian, fairseq, OpenNMT, Sockeye, CTranslate2, Hugging Face, SentencePiece, sacrebleu and
/// marian-server. Where a name has several rows, the first setting that a command has is meant.
std::span<const ForeignName> foreign_names();

/// As did_you_mean_any(), but knows foreign names first: `, did you mean '--batch-tokens' (tokens, not
/// sentences)?` for "batch_size", where `names` has that setting.
std::string did_you_mean_setting(const std::string& word, const std::vector<std::string>& names,
                                 const std::string& before = "");

/// The value of nmt for a value as others call it, in small letters: "f16" for "float16". Empty for any other
/// text.
std::string_view foreign_value(std::string_view value);

}  // namespace nmt
