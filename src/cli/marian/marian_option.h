// The conversion of Marian's options: one table per part of its programs, explained in doc/marian.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// A program of Marian, named as the subcommand that replaces it.
enum class MarianProgram : std::uint8_t { train, translate, score };

class MarianConversion;

/// The way in which an option is converted.
enum class Fate : std::uint8_t {
  mapped,     // its function gives settings
  part,       // the function of another option reads this one
  elsewhere,  // other files or commands give the same information, or the option requests what nmt always
              // does
  idle,       // there is no counterpart, and the result is the same without it
  needed      // there is no counterpart, and the result differs without it
};

struct MarianOption {
  std::string name;      // "beam-size"
  std::string fallback;  // Marian's default; elements of lists are separated by spaces
  std::vector<std::string>
      settings;  // corresponding settings, with dashes; for `needed` options the settings to give by hand
  Fate fate = Fate::idle;
  void (*convert)(MarianConversion&) = nullptr;
  std::vector<std::string> types =
      {};                     // types of models that read it; for other types it is idle; empty: all types
  std::string implicit = {};  // the value that `true` stands for if the option has another type of value
};

using MarianOptions = std::vector<MarianOption>;

/// Returns an option that corresponds exactly to a setting.
MarianOption same(const char* name, const char* fallback, const char* setting);
/// Returns a switch that corresponds exactly to a setting, which is given if the switch is on.
MarianOption same_switch(const char* name, const char* setting);
/// Returns an option that `convert` turns into settings, possibly together with other options.
MarianOption converted(const char* name, const char* fallback, std::vector<std::string> settings,
                       void (*convert)(MarianConversion&));
/// Return options of the other fates.
MarianOption part(const char* name, const char* fallback, std::vector<std::string> settings);
MarianOption elsewhere(const char* name, std::vector<std::string> settings = {});
MarianOption idle(const char* name, const char* fallback, std::vector<std::string> settings = {});
MarianOption needed(const char* name, const char* fallback, std::vector<std::string> settings = {});

/// Returns an option with a value that may also be set to `true`, which stands for `implicit`, or to `false`,
/// which stands for its default.
MarianOption with_implicit(const char* implicit, MarianOption option);

/// Returns these options, limited to models of some types.
MarianOptions of_types(const std::vector<std::string>& types, MarianOptions options);
/// Returns the types of recurrent models.
const std::vector<std::string>& marian_recurrent_types();

/// Returns `max-length`, converted for the difference that Marian counts EOS as a token and nmt does not.
MarianOption max_length_option(const char* fallback);
/// Returns `tsv-fields`, which must be 2, for a source and a target.
MarianOption tsv_fields_option();

/// Whether these paths are those of a text with two sides: two files, or with `tsv` one file with columns.
/// Other numbers of files are refused; throws UsageError for several files with `tsv`.
bool are_of_two_sides(MarianConversion& to, const std::vector<std::string>& paths);

// The tables; each is built once.
const MarianOptions& marian_general_options();      // options of every program
const MarianOptions& marian_model_options();        // options of every program; the architecture of the model
const MarianOptions& marian_recurrent_options();    // the recurrent part of the model options
const MarianOptions& marian_training_options();     // options of training only
const MarianOptions& marian_validation_options();   // options of training only
const MarianOptions& marian_inference_options();    // options of translating and scoring
const MarianOptions& marian_translation_options();  // options of translating only
const MarianOptions& marian_scoring_options();      // options of scoring only

/// Returns all options of a program. In programs other than training, the model options have no effect, as
/// the model file contains its settings.
MarianOptions marian_options(MarianProgram program);

}  // namespace nmt
