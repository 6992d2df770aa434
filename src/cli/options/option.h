// One setting: its row in the table of a subcommand, and the variable that it sets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/options/value.h"

namespace nmt {

/// The complete list of texts that a setting accepts ("post", "pre").
using Choices = std::vector<std::string>;

/// The facts about a setting for --help and the documentation.
struct OptionFacts {
  std::string name;          // with dashes
  char letter = 0;           // the o of -o
  std::string value_name;    // FILE, N; empty for a switch
  std::string help;          // a phrase for -h ("beam width"), or it and more sentences for --help
  std::string kind;          // "a whole number"
  std::string type;          // "integer"; see ValueType
  std::string default_text;  // the value if no source gives one; empty: none
  std::string section;       // the mapping of YAML files that contains it
  std::string group;         // heading of --help
  Choices choices;
  Choices elements;                  // choices for the elements of a comma-separated list
  std::string numbered;              // the choice that may be followed by a number: "cuda" for cuda:1
  bool are_several_numbers = false;  // also by several numbers, or "all": cuda:0,1 and cuda:all
  ValueLimits limits;
  std::string bare_value;  // of the option without a value; empty: it needs one
  bool is_switch = false, is_list = false, is_text = false;
  bool is_mapping = false;  // whether YAML may give a list of NAME=VALUE as a mapping
  bool is_required = false, is_command_line_only = false, is_transient = false;
  bool is_local = false;           // has a meaning only on this machine
  bool is_essential = true;        // shown by -h
  std::vector<std::string> needs;  // settings of which one must be given as well
  std::string needs_text;
  std::function<bool()> applies;    // whether the setting may be given; null: always
  std::string applies_text;         // what has to be given for that
  std::function<bool()> is_idle;    // whether the setting has no effect; null: it has one
  std::string idle_text;            // reason for is_idle
  bool is_written = false;          // a FILE that the command writes; other FILEs are read
  std::vector<std::string> halves;  // the two settings that it stands for if given twice

  /// Returns a description of valid values, for "expected ...".
  std::string accepted() const;
  /// Whether a text may follow `numbered`: "1", "0,1" or "all".
  bool are_numbers(const std::string& text) const;
  /// Returns the value that turns the setting off, as far as it shows: none, false or 0; empty otherwise.
  std::string off_value() const;
  /// Whether its values are true and false, so that it may stand alone, and as --no-NAME.
  bool is_boolean() const;
  /// Whether its values name files or folders. A model may also be one of the Hugging Face Hub.
  bool is_path() const {
    return value_name.starts_with("FILE") || value_name.ends_with("]FILE") || value_name == "DIR" ||
           value_name == "MODEL";
  }
};

/// A value with its place in a source.
struct GivenValue {
  std::string text;
  std::string where;        // "--beam", "run.yml:3: beam"
  bool is_implied = false;  // follows from another setting, so it yields to values given by name
};

/// A setting, created by Options::add and refined by chained calls.
class Option {
 public:
  /// `names`: "beam", or with a letter "output,o".
  template <class T>
  Option(const std::string& names, T& target, std::string value_name, std::string help);

  /// Makes the setting required.
  Option& required();
  /// Sets inclusive limits of a number, or of an interval's amount.
  Option& range(double least, double most);
  /// Sets the only texts allowed; --help shows them if the setting has no value name.
  Option& choices(Choices allowed);
  /// Sets the only texts allowed; the text `numbered` may be followed by a number ("cuda:1") or, if
  /// `several`, by more numbers or by all ("cuda:0,1", "cuda:all").
  Option& choices(Choices allowed, const std::string& numbered, bool several = false);
  /// Sets the elements of comma-separated lists for completion; the code that reads the lists rejects other
  /// elements.
  Option& elements(Choices allowed);
  /// Lets YAML give the elements NAME=VALUE of a list as a mapping, too.
  Option& mapping();
  /// Places the setting in this section of YAML files ("model"); on the command line it has no prefix.
  Option& section(std::string name);
  /// Excludes the setting from YAML files and from the resolved configuration (output paths, --config
  /// itself).
  Option& command_line_only();
  /// Marks a setting that does not affect results, so that it is not part of the resolved configuration
  /// (--color).
  Option& transient();
  /// Marks a setting that, like a path, has a meaning only on this machine, so that it is not part of
  /// resolved_without_paths().
  Option& local();
  /// Marks a file that the command writes, so that it must differ from all files that the command reads.
  Option& writes();
  /// Lets the option stand without a value on the command line, at the end or before another option, which
  /// means `value`. Not for commands with positional arguments, which would be taken for the value.
  Option& bare(std::string value);
  /// Requires that one of these `settings` is given as well; `what` describes them ("a validation text; give
  /// --valid-source"). If none of them is given, giving this setting is an error, and the setting is not part
  /// of the resolved configuration.
  Option& needs(std::vector<std::string> settings, std::string what);
  /// Allows the setting only if `applies` returns true after all settings are read (for instance for one type
  /// of model); otherwise acts as needs() does.
  Option& only_where(std::function<bool()> applies, std::string what);
  /// Declares that the setting has no effect if `is_idle` returns true after all settings are read; `why` is
  /// the reason ("the run has one rank"). Giving the setting then causes a warning instead of an error,
  /// because one settings file may serve many runs. The setting is not part of the resolved configuration.
  Option& idle_where(std::function<bool()> is_idle, std::string why);
  /// Declares that the option, given twice on the command line, stands for these two settings in order.
  Option& twice(std::string first, std::string second);
  /// Sets whether -h shows the setting.
  Option& essential(bool is_essential);
  /// Sets the heading under which --help lists the setting.
  Option& group(std::string heading);
  /// Marks a text that stands for a value of another type ("512"), so that the resolved configuration has no
  /// quotes around it.
  Option& plain();
  /// Sets the default that --help shows instead of the value ("cores available").
  Option& default_text(std::string text);
  /// Makes the setting a switch, which needs no value; `--no-NAME` turns it off.
  Option& as_switch();

  const OptionFacts& facts() const { return facts_; }
  /// Returns the current values: one, none for an unset optional, or the elements of a list.
  std::vector<std::string> texts() const { return binding_.texts(); }
  /// Returns the current values with paths made absolute, so that they do not depend on the working
  /// directory; "-" stays as it is.
  std::vector<std::string> absolute_texts() const;
  /// Whether the setting has no effect; see idle_where().
  bool is_idle() const { return facts_.is_idle && facts_.is_idle(); }
  /// Whether any source set it.
  bool given() const { return !origin_.empty(); }
  /// Whether its value follows from another setting; see GivenValue.
  bool implied() const { return is_implied_; }
  /// Returns the name of the setting for messages, with file and line if it comes from a file: "run.yml:3:
  /// beam", "--beam".
  std::string origin() const { return given() ? origin_ : "--" + facts_.name; }

  /// Sets the value from a source or a default: a list is replaced; for other settings the last value counts.
  /// Throws UsageError if a value is invalid.
  void assign(const std::vector<GivenValue>& values);
  void assign_default(const std::string& text);
  /// Resets the setting to not given.
  void forget_origin() { origin_.clear(); }

 private:
  void set_names(const std::string& names);
  /// Returns the choice that a text stands for, with the numbers after it. The text may be in any case, or
  /// another toolkit's word for a choice ("float16"). Returns the text itself if there are no choices, and
  /// nothing for an invalid text.
  std::optional<std::string> chosen(const std::string& text) const;
  void put(const std::vector<GivenValue>& values);
  /// Returns how to give the values of a list that were given as one text, "1,2"; empty for other texts.
  std::string each_alone(const std::string& text) const;
  /// Returns `, did you mean '5'?` for an invalid text, or nothing.
  std::string suggestion(const std::string& text) const;

  OptionFacts facts_;
  Binding binding_;
  std::string origin_;  // of the strongest value given; empty: not given
  bool is_implied_ = false;
};

template <class T>
Option::Option(const std::string& names, T& target, std::string value_name, std::string help)
    : binding_(bind(target)) {
  using Element = typename Holding<T>::Element;
  set_names(names);
  facts_.value_name = std::move(value_name);
  facts_.help = std::move(help);
  facts_.kind = ValueType<Element>::kKind;
  facts_.type = ValueType<Element>::kType;
  facts_.default_text = fmt::format("{}", fmt::join(binding_.texts(), " "));
  facts_.group = "options";
  facts_.is_list = Holding<T>::kIsList;
  facts_.is_text = std::is_same_v<Element, std::string>;
  if (std::is_same_v<Element, bool>) facts_.bare_value = "true";
  if constexpr (HasNames<Element>) choices(names_of<Element>());
  if (std::is_unsigned_v<Element> && !std::is_same_v<Element, bool>) facts_.limits.least = 0;
}

}  // namespace nmt
