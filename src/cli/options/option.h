// One setting: its row in the table of a subcommand, and the variable that it sets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/options/value.h"

namespace nmt {

/// The only texts that a setting accepts ("post", "pre").
using Choices = std::vector<std::string>;

/// What --help and the documentation say about a setting.
struct OptionFacts {
  std::string name;          // with dashes
  char letter = 0;           // the o of -o
  std::string value_name;    // FILE, N; none for a switch
  std::string help;          // a sentence without its full stop
  std::string kind;          // "a whole number"
  std::string type;          // "integer"; see ValueType
  std::string default_text;  // the value without any source; empty when there is none
  std::string section;       // the mapping of YAML files where it lives
  std::string group;         // heading of --help
  Choices choices;
  Choices elements;                  // those of a list with commas
  std::string numbered;              // the choice that a number may follow: "cuda" of cuda:1
  bool are_several_numbers = false;  // or several, or all: cuda:0,1 and cuda:all
  ValueLimits limits;
  bool is_switch = false, is_list = false, is_text = false;
  bool is_required = false, is_command_line_only = false, is_transient = false;
  bool is_local = false;           // has a meaning on this machine alone
  bool is_essential = true;        // -h tells of it
  std::vector<std::string> needs;  // one of these settings has to be given besides
  std::string needs_text;
  std::function<bool()> applies;    // whether it has a bearing besides; none: it has
  std::function<bool()> is_idle;    // whether it has no effect; none: it has
  std::string idle_text;            // why
  bool is_written = false;          // a FILE that the command writes; any other FILE is read
  std::vector<std::string> halves;  // the two settings that it stands for where it is given twice

  /// What the setting accepts, for "expected ...".
  std::string accepted() const;
  /// Whether its values name files or folders.
  bool is_path() const {
    return value_name.starts_with("FILE") || value_name.ends_with("]FILE") || value_name == "DIR";
  }
};

/// A value as a source gave it.
struct GivenValue {
  std::string text;
  std::string where;        // "--beam", "run.yml:3: beam"
  bool is_implied = false;  // by another setting, so that it gives way to what is asked for by name
};

/// Made by Options::add, refined by the chained calls.
class Option {
 public:
  /// `names`: "beam", or "output,o".
  template <class T>
  Option(const std::string& names, T& target, std::string value_name, std::string help);

  /// The value must be given.
  Option& required();
  /// Inclusive limits of a number, or of an interval's amount.
  Option& range(double least, double most);
  /// The only texts allowed; they stand for the value's name in --help where it has none.
  Option& choices(Choices allowed);
  /// As choices(), and a number may follow one of them: "cuda:1"; or `several`, "cuda:0,1", and
  /// "cuda:all".
  Option& choices(Choices allowed, const std::string& numbered, bool several = false);
  /// What lists with commas hold, for completion; whoever reads the lists refuses anything else.
  Option& elements(Choices allowed);
  /// Lives under this section of YAML files ("model"); on the command line it is flat all the same.
  Option& section(std::string name);
  /// Not accepted from YAML and not part of the resolved configuration (paths of outputs, --config itself).
  Option& command_line_only();
  /// Accepted everywhere but without bearing on the result, so not part of the resolved configuration
  /// (--color).
  Option& transient();
  /// Has a meaning on this machine alone, as paths have, so not part of resolved_without_paths().
  Option& local();
  /// Names a file that the command writes, so that it must be none that it reads.
  Option& writes();
  /// Has a bearing only where one of these settings is given, of which `what` tells ("a validation text; give
  /// --valid-source"). Otherwise it must not be given, and is not part of the resolved configuration.
  Option& needs(std::vector<std::string> settings, std::string what);
  /// The same where `applies` tells so, once all settings are read (the type of model that has this one).
  Option& only_where(std::function<bool()> applies, std::string what);
  /// Has no effect where `is_idle` tells so, once all settings are read, and `why` tells the reason ("the run
  /// has one rank"). Where it is given all the same, a warning says so, as one file of settings may be for
  /// many runs; and it is not part of the resolved configuration.
  Option& idle_where(std::function<bool()> is_idle, std::string why);
  /// Given twice on the command line, it stands for these two settings, in this order.
  Option& twice(std::string first, std::string second);
  /// Whether -h tells of it.
  Option& essential(bool is_essential);
  /// Heading under which --help lists it.
  Option& group(std::string heading);
  /// A text that stands for a value of another type ("512"): written without quotes in the resolved
  /// configuration.
  Option& plain();
  /// What --help shows as the default instead of the value ("cores available").
  Option& default_text(std::string text);
  /// Takes no value; `--no-NAME` turns it off.
  Option& as_switch();

  const OptionFacts& facts() const { return facts_; }
  /// The present values: one, none where an optional is unset, or those of a list.
  std::vector<std::string> texts() const { return binding_.texts(); }
  /// The same with paths made absolute, so that they mean the same from any folder; "-" stays what it is.
  std::vector<std::string> absolute_texts() const;
  /// See idle_where().
  bool is_idle() const { return facts_.is_idle && facts_.is_idle(); }
  /// Whether any source set it.
  bool given() const { return !origin_.empty(); }
  /// Whether its value follows from another setting; see GivenValue.
  bool implied() const { return is_implied_; }
  /// What messages call it, with its file and line if it comes from a file: "run.yml:3: beam", "--beam".
  std::string origin() const { return given() ? origin_ : "--" + facts_.name; }

  /// Takes these values, as given by a source or as a default: a list is replaced, of other settings the last
  /// value stays. Throws UsageError when one is not acceptable.
  void assign(const std::vector<GivenValue>& values);
  void assign_default(const std::string& text);
  /// No source has set it yet.
  void forget_origin() { origin_.clear(); }

 private:
  void set_names(const std::string& names);
  /// The choice that a text is, in whatever letters, or in another toolkit's words ("float16"), with the
  /// numbers after it; the text itself where there are no choices. Nothing for any other text.
  std::optional<std::string> chosen(const std::string& text) const;
  void put(const std::vector<GivenValue>& values);
  /// `, did you mean '5'?` for a text that is no value, or nothing.
  std::string suggestion(const std::string& text) const;

  OptionFacts facts_;
  Binding binding_;
  std::string origin_;  // of the strongest value given; empty: none was
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
  if constexpr (HasNames<Element>) choices(names_of<Element>());
  if (std::is_unsigned_v<Element> && !std::is_same_v<Element, bool>) facts_.limits.least = 0;
}

}  // namespace nmt
