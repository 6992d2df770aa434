#include "foreign/marian/opus_scripts.h"

#include <unicode/uloc.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

/// Reads words and quotes of a shell, as far as scripts of pipelines need them.
class ShellReader {
 public:
  explicit ShellReader(std::string_view script) : rest_(script) {}

  std::vector<Command> commands() {
    while (!rest_.empty()) read();
    end_command();
    return std::move(commands_);
  }

 private:
  void read() {
    const char c = take();
    if (c == '\\') {
      if (!rest_.empty()) add_escaped(take());
    } else if (c == '\'' || c == '"') {
      add_quoted(c);
    } else if (c == '#' && !in_word_) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    } else if (c == '\n' || c == '|' || c == ';' || c == '&') {
      end_command();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
    } else {
      add(c);
    }
  }

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void add(char c) {
    word_ += c;
    in_word_ = true;
  }
  void add_escaped(char c) {
    if (c != '\n') add(c);
  }
  void add_quoted(char quote) {
    in_word_ = true;
    while (!rest_.empty()) {
      const char c = take();
      if (c == quote) return;
      word_ += c;
    }
  }
  void end_word() {
    if (in_word_) command_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }
  void end_command() {
    end_word();
    if (!command_.empty()) commands_.push_back(std::exchange(command_, {}));
  }

  std::string_view rest_;
  std::string word_;
  bool in_word_ = false;
  Command command_;
  std::vector<Command> commands_;
};

/// The combined steps of both scripts.
struct Steps {
  std::set<std::string> programs;
  bool hyphens = false, escapes = true;
  std::string language;  // of the tokenizer or detokenizer, if the script names one
};

/// An option of a program, and whether it has a value.
struct KnownOption {
  std::string_view program, option;
  bool has_value = false;
};
constexpr std::array kOptions = {
    KnownOption{"replace-unicode-punctuation.perl", "-b"},
    KnownOption{"remove-non-printing-char.perl", "-b"},
    KnownOption{"normalize-punctuation.perl", "-b"},
    KnownOption{"normalize-punctuation.perl", "-l", true},
    KnownOption{"tokenizer.perl", "-a"},
    KnownOption{"tokenizer.perl", "-b"},
    KnownOption{"tokenizer.perl", "-q"},
    KnownOption{"tokenizer.perl", "-no-escape"},
    KnownOption{"tokenizer.perl", "-l", true},
    KnownOption{"tokenizer.perl", "-threads", true},
    KnownOption{"truecase.perl", "-b"},
    KnownOption{"truecase.perl", "-model", true},
    KnownOption{"truecase.perl", "--model", true},
    KnownOption{"apply_bpe.py", "-c", true},
    KnownOption{"apply_bpe.py", "--codes", true},
    KnownOption{"detruecase.perl", "-b"},
    KnownOption{"detokenizer.perl", "-b"},
    KnownOption{"detokenizer.perl", "-q"},
    KnownOption{"detokenizer.perl", "-l", true},
};

constexpr std::array<std::string_view, 6> kOfPreprocessing = {"replace-unicode-punctuation.perl",
                                                              "remove-non-printing-char.perl",
                                                              "normalize-punctuation.perl",
                                                              "tokenizer.perl",
                                                              "truecase.perl",
                                                              "apply_bpe.py"};
constexpr std::array<std::string_view, 2> kOfPostprocessing = {"detruecase.perl", "detokenizer.perl"};

/// The substitutions of sed in these scripts, which remove spaces, add a language token, or join parts of
/// words.
constexpr std::array<std::string_view, 14> kSubstitutions = {
    "s/  */ /g",         "s/^ *//g",     "s/ *$//g",           "s/^/>>$2<< /",
    "s/\\@\\@ //g",      "s/ \\@\\@//g", "s/@@ //g",           "s/ @@//g",
    "s/ \\@\\-\\@ /-/g", "s/ @-@ /-/g",  "s/(@@ )|(@@ ?$)//g", "s/\\(@@ \\)\\|\\(@@ ?$\\)//g",
    "s/@@$//g",          "s/\\@\\@$//g"};

/// Interprets a script. Messages call it `name`.
class ScriptReader {
 public:
  ScriptReader(std::string name, std::span<const std::string_view> known)
      : name_(std::move(name)), known_(known) {}

  Steps steps(std::string_view script) {
    for (const Command& command : commands_in(script)) follow(command);
    return std::move(steps_);
  }

 private:
  /// Whether a word is a program that text may be piped through.
  static bool is_program(std::string_view word) {
    static constexpr std::array<std::string_view, 4> kEndings = {".perl", ".pl", ".py", ".sh"};
    static constexpr std::array<std::string_view, 11> kFilters = {
        "sed",     "tr",    "awk",   "cut",        "perl",       "python",
        "python3", "iconv", "uconv", "spm_encode", "subword-nmt"};
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return word.ends_with(ending); }) ||
           std::ranges::find(kFilters, word) != kFilters.end();
  }
  static std::string base_name(const std::string& word) { return fs::path(word).filename().string(); }

  void follow(const Command& command) {
    std::size_t place = 0;
    const auto is_at = [&](std::initializer_list<std::string_view> names) {
      return place < command.size() && std::ranges::find(names, base_name(command[place])) != names.end();
    };
    while (place < command.size() && !is_program(base_name(command[place]))) ++place;
    if (is_at({"perl", "python", "python3"}) && place + 1 < command.size() && is_program(command[place + 1]))
      ++place;
    if (place == command.size()) return;
    if (is_at({"sed"})) return follow_sed(command, place + 1);
    std::string program = base_name(command[place]);
    if (program == "subword-nmt" && place + 1 < command.size() && command[place + 1] == "apply-bpe") {
      program = "apply_bpe.py";
      ++place;
    }
    if (std::ranges::find(known_, program) == known_.end())
      throw Error("'{}' cannot be opened: text goes through {}, which nmt does not have", name_,
                  nmt::quoted(program));
    steps_.programs.insert(program);
    follow_options(program, command, place + 1);
  }

  void follow_sed(const Command& command, std::size_t place) const {
    for (; place < command.size(); ++place) {
      if (command[place] == "-r" || command[place] == "-E" || command[place] == "-u") continue;
      for (std::string_view rest = command[place]; !rest.empty();) {
        const std::string_view one = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        if (std::ranges::find(kSubstitutions, one) != kSubstitutions.end()) continue;
        throw Error("'{}' cannot be opened: text goes through sed {}, which nmt does not do", name_,
                    nmt::quoted(std::string(one)));
      }
    }
  }

  void follow_options(const std::string& program, const Command& command, std::size_t place) {
    for (; place < command.size(); ++place) {
      const std::string& option = command[place];
      if (!option.starts_with('-')) continue;
      const auto* const known = std::ranges::find_if(kOptions, [&](const KnownOption& each) {
        return each.program == program && each.option == option;
      });
      if (known == kOptions.end())
        throw Error("'{}' cannot be opened: it calls {} with {}, which nmt does not do", name_, program,
                    nmt::quoted(option));
      if (option == "-a") steps_.hyphens = true;
      if (option == "-no-escape") steps_.escapes = false;
      if (!known->has_value || place + 1 == command.size()) continue;
      const std::string& value = command[++place];
      if (option == "-l" && !value.starts_with('$')) steps_.language = value;
    }
  }

  std::string name_;
  std::span<const std::string_view> known_;
  Steps steps_;
};

/// Returns the usual steps of OPUS-MT's scripts, for packages without scripts.
Steps usual_preprocessing() {
  Steps steps{.programs = {kOfPreprocessing.begin(), kOfPreprocessing.end()}, .hyphens = true};
  steps.programs.erase("truecase.perl");
  return steps;
}

Steps read_steps(const Package& package, const std::string& script, std::span<const std::string_view> known,
                 const Steps& usual) {
  if (!package.has(script)) return usual;
  return ScriptReader(package.shown(script), known).steps(package.map(script).copy());
}

/// Returns how text is tokenized, according to preprocess.sh.
MosesFacts facts_of(const Package& package, const Steps& steps) {
  const auto has = [&](const char* program) { return steps.programs.contains(program); };
  const auto need = [&](const char* program) {
    if (!has(program))
      throw Error("'{}' cannot be opened: it does not call {}, as all packages known to nmt do",
                  package.shown("preprocess.sh"), program);
  };
  need("tokenizer.perl");
  need("apply_bpe.py");
  const bool normalizes = has("replace-unicode-punctuation.perl") || has("remove-non-printing-char.perl") ||
                          has("normalize-punctuation.perl");
  for (const char* program :
       {"replace-unicode-punctuation.perl", "remove-non-printing-char.perl", "normalize-punctuation.perl"}) {
    if (normalizes) need(program);
  }
  return {.normalizes = normalizes, .hyphens = steps.hyphens, .escapes = steps.escapes};
}

/// Returns the languages that a README.md names in a line such as `* source language(s): en`.
std::vector<std::string> languages_in_readme(std::string_view readme, const std::string& side) {
  std::vector<std::string> languages;
  const std::size_t line = readme.find(side + " language");
  if (line == readme.npos) return languages;
  std::string_view rest = readme.substr(line, readme.find('\n', line) - line);
  rest.remove_prefix(std::min(rest.find(':') + 1, rest.size()));
  constexpr std::string_view kBetween = " ,\t\r*";
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBetween), rest.size()));
    if (rest.empty()) return languages;
    languages.emplace_back(rest.substr(0, rest.find_first_of(kBetween)));
    rest.remove_prefix(languages.back().size());
  }
}

/// Returns the two languages at the end of a package's name, "opus-mt-en-de"; none if there are none.
std::vector<std::string> languages_in_name(const std::string& path) {
  std::string name = fs::path(path).lexically_normal().filename().string();
  if (name.empty()) name = fs::path(path).lexically_normal().parent_path().filename().string();
  if (name.ends_with(".zip")) name.erase(name.rfind('.'));
  const std::size_t between = name.rfind('-');
  if (between == name.npos || between == 0) return {};
  const std::size_t before = name.find_last_of("-_.", between - 1);
  std::vector<std::string> languages = {name.substr(before + 1, between - before - 1),
                                        name.substr(between + 1)};
  const auto is_language = [](const std::string& code) {
    const char* const* const codes = uloc_getISOLanguages();
    for (const char* const* each = codes; *each != nullptr; ++each) {
      if (code == *each) return true;
    }
    return false;
  };
  return std::ranges::all_of(languages, is_language) ? languages : std::vector<std::string>();
}

/// Returns the language of a side. `named`: by its script.
std::string language_of(const Package& package, const std::string& named, const std::string& side) {
  std::vector<std::string> languages;
  if (!named.empty()) languages = {named};
  if (languages.empty() && package.has("README.md"))
    languages = languages_in_readme(package.map("README.md").copy(), side);
  if (const auto in_name = languages_in_name(package.path()); languages.empty() && !in_name.empty())
    languages = {in_name[side == "source" ? 0 : 1]};
  if (languages.empty()) {
    throw Error(
        "'{}' does not say what its {} language is, which its tokenizer has to know; add a README.md with a "
        "line "
        "`* {} language(s): en`",
        package.path(), side, side);
  }
  if (languages.size() > 1) {
    throw Error(
        "'{}' cannot be opened: it has {} {} languages, which its preprocess.sh tokenizes by different rules",
        package.path(), languages.size(), side);
  }
  return languages[0].substr(0, languages[0].find_first_of("_-"));
}

OpusSide side_of(const Package& package, const std::string& side, MosesFacts facts,
                 const std::string& language) {
  const std::string codes = side + ".bpe", truecaser = side + ".tcmodel";
  OpusSide found{
      .name = package.shown(codes), .codes = package.map(codes), .truecaser = {}, .moses = std::move(facts)};
  found.moses.language = language_of(package, language, side);
  if (package.has(truecaser)) found.truecaser = package.map(truecaser);
  return found;
}

bool has_words(const std::optional<MemoryMap>& truecaser) {
  return truecaser && truecaser->text().find_first_not_of(" \t\r\n") != std::string_view::npos;
}

}  // namespace

std::vector<std::vector<std::string>> commands_in(std::string_view script) {
  return ShellReader(script).commands();
}

std::optional<OpusBpe> opus_bpe_in(const Package& package) {
  if (!package.has("source.bpe") && !package.has("target.bpe")) return std::nullopt;
  for (const char* codes : {"source.bpe", "target.bpe"}) {
    if (!package.has(codes)) throw Error("'{}' is not complete: '{}' is missing", package.path(), codes);
  }
  const Steps before = read_steps(package, "preprocess.sh", kOfPreprocessing, usual_preprocessing());
  const Steps after =
      read_steps(package, "postprocess.sh", kOfPostprocessing, {.programs = {"detokenizer.perl"}});
  if (!after.programs.contains("detokenizer.perl"))
    throw Error("'{}' cannot be opened: it does not call detokenizer.perl, as all packages known to nmt do",
                package.shown("postprocess.sh"));
  const MosesFacts facts = facts_of(package, before);
  OpusBpe bpe{side_of(package, "source", facts, before.language),
              side_of(package, "target", facts, after.language)};
  if (before.programs.contains("truecase.perl") && !bpe.source.truecaser)
    throw Error("'{}' is not complete: 'source.tcmodel', which its preprocess.sh names, is missing",
                package.path());
  bpe.source.moses.detruecases = has_words(bpe.source.truecaser);
  bpe.target.moses.detruecases =
      after.programs.contains("detruecase.perl") || has_words(bpe.target.truecaser);
  return bpe;
}

}  // namespace nmt
