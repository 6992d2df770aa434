// Converts a configuration of Marian to settings of nmt.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/marian/marian_config.h"
#include "cli/marian/marian_option.h"
#include "cli/options/options.h"
#include "train/interval.h"

namespace nmt {

/// Reads a configuration by the tables of a program and collects the resulting settings, and the options
/// without a counterpart.
class MarianConversion {
 public:
  /// `command_line`: the given settings, which override the configuration. All arguments must outlive this
  /// object.
  MarianConversion(const MarianConfig& config, const MarianOptions& options,
                   const Options::Source& command_line);

  /// Converts all options. An option that the program of Marian does not have is refused like an option of
  /// fate `needed`.
  void run();

  const Options::Source& settings() const { return settings_; }
  /// Returns the names of options without a counterpart that differ from Marian's defaults, but do not change
  /// the result.
  const std::set<std::string>& idle() const { return idle_; }
  /// Returns the options without a counterpart that change the result, each with its place and the reason.
  const std::vector<std::string>& refused() const { return refused_; }
  /// Returns the options that are followed in another way with the same purpose, each with its place.
  const std::vector<std::string>& notes() const { return notes_; }

  // The following functions serve the tables. The options that they ask for are in the tables.

  /// Returns the option that is being converted.
  const MarianOption& option() const { return *option_; }
  /// Whether the configuration contains the option that is being converted, or the named option.
  bool is_given() const { return is_given(option_->name); }
  bool is_given(const std::string& name) const { return config_.find(name) != nullptr; }
  /// Whether the configuration gives the option a value that differs from Marian's default.
  bool is_changed() const;
  /// Whether the model type in the configuration is recurrent.
  bool is_recurrent() const;
  /// Returns the values of an option, or Marian's default; none for an empty list or an empty text.
  std::vector<std::string> texts(const std::string& name) const;
  /// Returns the first value of an option, or an empty text.
  std::string text(const std::string& name) const;
  /// Returns the value of an option as a number. Throws UsageError if it is not a number.
  double number(const std::string& name) const;
  /// Returns the value of an option as a span of training in Marian's notation: "5000" or "5000u" (updates),
  /// "10e" (epochs), "2Gt" (target tokens), with k, K, M, G or T for powers of a thousand. Throws UsageError
  /// if it is not such a span.
  Interval interval(const std::string& name) const;
  /// Whether a switch is on; switches are off by default.
  bool is_on(const std::string& name) const { return is_given(name) && config_.find(name)->is_on(); }
  /// Returns the values of an option as paths relative to the working directory; `-` is a standard stream.
  std::vector<std::string> paths(const std::string& name) const;
  /// Returns the file that gives an option; empty if none does.
  std::string file_with(const std::string& name) const;
  /// Whether the command line gives one of these settings.
  bool is_overridden(const std::vector<std::string>& settings) const;
  /// Returns the value that the command line gives to a setting; empty if it gives none.
  std::string overriding(const std::string& setting) const;
  /// Returns the first of these options that the configuration contains, or the first of all.
  std::string given_of(const std::vector<std::string>& options) const;
  /// Whether the CPU computes: by the command line, by the configuration, or because there is no GPU.
  bool is_on_cpu() const;

  /// Gives a setting. If the configuration leaves the option out, the setting yields to other sources.
  void give(const std::string& setting, const std::string& value);
  void give(const std::string& setting, const std::vector<std::string>& values);
  /// Gives a setting whose value comes from another option than the one being converted.
  void give_from(const std::string& option, const std::string& setting, const std::string& value);
  /// Gives a setting that follows from the option indirectly; the setting yields to other sources.
  void imply(const std::string& setting, const std::string& value);
  /// Reports that the option being converted, or another one that it reads, has no counterpart with its value
  /// and that the result differs without it. Does nothing if the command line gives one of the settings of
  /// that option. `why` may be empty.
  void refuse(const std::string& why) { refuse(option_->name, why); }
  void refuse(const std::string& option, const std::string& why);
  /// Throws UsageError with the place of an option whose value is invalid; `problem` says why.
  [[noreturn]] void fail(const std::string& option, const std::string& problem) const;
  /// Reports that an option is followed in another way; `text` says how.
  void note(const std::string& option, const std::string& text);
  /// Reports that the option has no counterpart but does not change the result.
  void leave_out() { idle_.insert(option_->name); }

 private:
  const MarianOption* find(const std::string& name) const;
  /// Returns the place of an option: "model.yml:3: beam-size".
  std::string where(const std::string& name) const;
  /// Whether models of the configured type read the option.
  bool is_read() const;
  void convert();
  void give_texts(const std::string& option, const std::string& setting,
                  const std::vector<std::string>& values);
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
