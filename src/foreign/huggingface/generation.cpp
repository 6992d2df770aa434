#include "foreign/huggingface/generation.h"

#include <array>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

using nlohmann::json;

/// Settings that change results, with the values for which they do not. Lists and mappings must be empty.
struct Off {
  const char* key;
  double value;
};
constexpr std::array<Off, 8> kNumbersOff = {{{"repetition_penalty", 1},
                                             {"encoder_repetition_penalty", 1},
                                             {"encoder_no_repeat_ngram_size", 0},
                                             {"num_beam_groups", 1},
                                             {"diversity_penalty", 0},
                                             {"min_length", 0},
                                             {"min_new_tokens", 0},
                                             {"guidance_scale", 1}}};
constexpr std::array<const char*, 10> kAbsent = {"force_words_ids",     "constraints",
                                                 "forced_decoder_ids",  "sequence_bias",
                                                 "stop_strings",        "exponential_decay_length_penalty",
                                                 "penalty_alpha",       "begin_suppress_tokens",
                                                 "watermarking_config", "max_time"};

void refuse_other_searches(const JsonFile& file) {
  constexpr const char* kWhat = "which searches here do not have";
  for (const Off& off : kNumbersOff) {
    if (file.real(off.key, off.value) != off.value) file.refuse(off.key, kWhat);
  }
  for (const char* key : kAbsent) {
    const json* value = file.find(key);
    if (value != nullptr && !(value->is_structured() && value->empty())) file.refuse(key, kWhat);
  }
  if (file.flag("do_sample", false)) file.refuse("do_sample", kWhat);
}

/// Returns the forbidden tokens, from words of one token.
std::vector<std::int64_t> suppressed_in(const JsonFile& file) {
  std::vector<std::int64_t> ids = file.integers("suppress_tokens");
  const json* words = file.find("bad_words_ids");
  if (words == nullptr) return ids;
  for (const json& word : *words) {
    const bool is_token = word.is_array() && word.size() == 1 && word[0].is_number_integer();
    if (!is_token) file.refuse("bad_words_ids", "not a list of single tokens, in lists of their own");
    ids.push_back(word[0].get<std::int64_t>());
  }
  return ids;
}

/// `early_stopping` True ends a search when as many translations are found as the beam width.
void add_early_stopping(const JsonFile& file, std::map<std::string, std::string>& decoding) {
  const json* stopping = file.find("early_stopping");
  if (stopping == nullptr) return;
  if (!stopping->is_boolean()) file.refuse("early_stopping", "a rule that searches here do not have");
  if (stopping->get<bool>()) decoding["patience"] = "1";
}

/// Lengths in transformers include the first decoder input and EOS.
void add_longest(const JsonFile& file, std::map<std::string, std::string>& decoding) {
  std::int64_t longest = file.integer("max_new_tokens", file.integer("max_length", 0) - 1);
  if (longest < 1) return;  // as without the setting
  if (file.find("forced_eos_token_id") != nullptr) --longest;
  decoding["max_length_factor"] = "0";
  decoding["max_length_extra"] = std::to_string(longest);
}

}  // namespace

Generation read_generation(const JsonFile& file) {
  refuse_other_searches(file);
  Generation generation{.decoding = {{"beam_rules", "huggingface"},
                                     {"beam", std::to_string(file.integer("num_beams", 1))},
                                     {"length_normalization", "power"},
                                     {"length_penalty", fmt::format("{}", file.real("length_penalty", 1))}},
                        .suppressed = suppressed_in(file),
                        .is_renormalized = file.flag("renormalize_logits", false),
                        .first_token = {}};
  add_early_stopping(file, generation.decoding);
  add_longest(file, generation.decoding);
  if (const std::int64_t size = file.integer("no_repeat_ngram_size", 0); size > 0)
    generation.decoding["no_repeat_ngram_size"] = std::to_string(size);
  if (file.find("forced_bos_token_id") != nullptr)
    generation.first_token = file.integer("forced_bos_token_id", 0);
  return generation;
}

}  // namespace nmt
