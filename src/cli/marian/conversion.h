// From a configuration of Marian to settings.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/marian/marian_config.h"
#include "cli/marian/marian_option.h"
#include "cli/options/options.h"
#include "train/interval.h"

namespace nmt {

/// Reads a configuration by the tables of a program, and gathers the settings that come of it, and what has
/// no counterpart.
class MarianConversion {
 public:
  /// `command_line`: what it gives, which overrides the configuration. All must outlive this.
  MarianConversion(const MarianConfig& config, const MarianOptions& options,
                   const Options::Source& command_line);

  /// Converts all options. An option that the program of Marian does not have counts as one that is needed.
  void run();

  const Options::Source& settings() const { return settings_; }
  /// Options without a counterpart, by name, that are not what Marian does without them; the same is done
  /// without.
  const std::set<std::string>& idle() const { return idle_; }
  /// Such without which something else is done, each with its place and why.
  const std::vector<std::string>& refused() const { return refused_; }
  /// What is done another way with the same purpose, each with its place.
  const std::vector<std::string>& notes() const { return notes_; }

  // What the functions of the tables need. Options that they ask for are in the tables.

  /// The option that is being converted.
  const MarianOption& option() const { return *option_; }
  /// Whether the configuration has it, or the given one.
  bool is_given() const { return is_given(option_->name); }
  bool is_given(const std::string& name) const { return config_.find(name) != nullptr; }
  /// Whether it has other values there than those of Marian itself.
  bool is_changed() const;
  /// Whether a model of the type that the configuration has is recurrent.
  bool is_recurrent() const;
  /// The values of an option, or Marian's own; none for an empty list and an empty text.
  std::vector<std::string> texts(const std::string& name) const;
  /// The first of them, or an empty text.
  std::string text(const std::string& name) const;
  /// The same as number. Throws UsageError where it is none.
  double number(const std::string& name) const;
  /// The same as a span of training, in the words of Marian: "5000" or "5000u" (updates), "10e" (epochs),
  /// "2Gt" (target tokens), with k, K, M, G or T for powers of a thousand. Throws UsageError where it is
  /// none.
  Interval interval(const std::string& name) const;
  /// Whether a switch is on; by itself none is.
  bool is_on(const std::string& name) const { return is_given(name) && config_.find(name)->is_on(); }
  /// The same as paths from here; `-` for a standard stream.
  std::vector<std::string> paths(const std::string& name) const;
  /// The file that gives an option; empty where none does.
  std::string file_with(const std::string& name) const;
  /// Whether the command line gives one of these settings.
  bool is_overridden(const std::vector<std::string>& settings) const;
  /// Whether the CPU computes, by the command line, the configuration, or because there is no GPU.
  bool is_on_cpu() const;

  /// Gives a setting. Where the configuration leaves the option out, the setting gives way to others.
  void give(const std::string& setting, const std::string& value);
  void give(const std::string& setting, const std::vector<std::string>& values);
  /// Gives a setting that follows from the option but is not asked for by it: it gives way to others.
  void imply(const std::string& setting, const std::string& value);
  /// The option, as it is, has no counterpart, and something else is done without it; nothing of the kind
  /// where the command line gives one of its settings. `why` may be empty.
  void refuse(const std::string& why);
  /// An option is followed another way, which the user should know: `text` says how.
  void note(const std::string& option, const std::string& text);
  /// It has none, and the same is done without it.
  void leave_out() { idle_.insert(option_->name); }

 private:
  const MarianOption* find(const std::string& name) const;
  /// "model.yml:3: beam-size".
  std::string where(const std::string& name) const;
  /// Whether a model of that type reads the option.
  bool is_read() const;
  void convert();
  void refuse_unknown();

  const MarianConfig& config_;
  const MarianOptions& options_;
  const Options::Source& command_line_;
  const MarianOption* option_ = nullptr;
  Options::Source settings_;
  std::set<std::string> idle_;
  std::vector<std::string> refused_, notes_;
};

}  // namespace nmt
