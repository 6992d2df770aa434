// What becomes of the options of Marian: tables, one for each part of its programs, that doc/marian.md
// explains.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// A program of Marian, and the subcommand that stands for it.
enum class MarianProgram : std::uint8_t { train, translate, score };

class MarianConversion;

/// What becomes of an option.
enum class Fate : std::uint8_t {
  mapped,     // its function gives settings
  part,       // the function of another option reads it
  elsewhere,  // files or commands say the same, or it does no more than is always done
  idle,       // there is no counterpart; what comes out is the same without
  needed      // there is no counterpart; what comes out is something else without
};

struct MarianOption {
  std::string name;                   // "beam-size"
  std::string fallback;               // its value in Marian without any source; of lists with blanks between
  std::vector<std::string> settings;  // counterparts, with dashes; of `needed` options those to give by hand
  Fate fate = Fate::idle;
  void (*convert)(MarianConversion&) = nullptr;
  std::vector<std::string> types = {};  // of models that read it; for others it is idle; empty: all do
  std::string implicit = {};  // the value that `true` stands for where it takes another type of value
};

using MarianOptions = std::vector<MarianOption>;

/// An option that means what a setting means.
MarianOption same(const char* name, const char* fallback, const char* setting);
/// The same for a switch: the setting is given where it is on.
MarianOption same_switch(const char* name, const char* setting);
/// An option that `convert` makes settings of, maybe together with others.
MarianOption converted(const char* name, const char* fallback, std::vector<std::string> settings,
                       void (*convert)(MarianConversion&));
/// Options of the other fates.
MarianOption part(const char* name, const char* fallback, std::vector<std::string> settings);
MarianOption elsewhere(const char* name, std::vector<std::string> settings = {});
MarianOption idle(const char* name, const char* fallback, std::vector<std::string> settings = {});
MarianOption needed(const char* name, const char* fallback, std::vector<std::string> settings = {});

/// An option that is no switch, but may be set to `true`, which stands for `implicit`, or to `false`, which
/// stands for its value by default.
MarianOption with_implicit(const char* implicit, MarianOption option);

/// These options for models of some types alone.
MarianOptions of_types(const std::vector<std::string>& types, MarianOptions options);
/// The types of recurrent models.
const std::vector<std::string>& marian_recurrent_types();

/// `max-length`: Marian counts the end as a token, and nmt does not.
MarianOption max_length_option(const char* fallback);
/// `tsv-fields`: a source and a target is all there is.
MarianOption tsv_fields_option();

// The tables, each made once.
const MarianOptions& marian_general_options();      // of every program
const MarianOptions& marian_model_options();        // of every program; what the model is
const MarianOptions& marian_recurrent_options();    // among these, what a recurrent one is
const MarianOptions& marian_training_options();     // of training alone
const MarianOptions& marian_validation_options();   // of training alone
const MarianOptions& marian_inference_options();    // of translating and scoring
const MarianOptions& marian_translation_options();  // of translating alone
const MarianOptions& marian_scoring_options();      // of scoring alone

/// All that a program has. Where it does not train, the model says what it is itself.
MarianOptions marian_options(MarianProgram program);

}  // namespace nmt
