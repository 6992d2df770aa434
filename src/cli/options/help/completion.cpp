// Completion of command lines in bash, zsh and fish.
#include <map>

#include "cli/options/help/help.h"
#include "cli/program.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Returns "bleu" for "nmt bleu".
std::string subcommand(const Options& options) {
  const std::string& command = options.description().command;
  return command.substr(command.rfind(' ') + 1);
}

/// The kind of an option's value, derived from its value name.
enum class Value { none, choice, list, file, directory, other };

Value value_of(const OptionFacts& facts) {
  if (facts.is_switch) return Value::none;
  if (!facts.choices.empty()) return Value::choice;
  if (!facts.elements.empty()) return Value::list;
  if (facts.value_name == "DIR") return Value::directory;
  return facts.is_path() ? Value::file : Value::other;
}

/// Returns every spelling: --output, -o.
std::vector<std::string> spellings(const OptionFacts& facts) {
  std::vector<std::string> all = {"--" + facts.name};
  if (facts.letter != 0) all.push_back(std::string("-") + facts.letter);
  return all;
}

/// Returns the option that turns off a switch that is on; empty for others.
std::string negation(const OptionFacts& facts) {
  return facts.is_switch && facts.default_text == "true" ? "--no-" + facts.name : "";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// Returns how bash completes the value of an option.
std::string bash_action(const OptionFacts& facts) {
  switch (value_of(facts)) {
    case Value::choice:
      return fmt::format("__nmt_words '{}' ", join(facts.choices, " "));
    case Value::list:
      return fmt::format("__nmt_list '{}' ", join(facts.elements, " "));
    case Value::file:
      return "compopt -o default ";
    case Value::directory:
      return "compopt -o dirnames ";
    default:
      return "";
  }
}

/// Escapes text for zsh inside single quotes and brackets.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return replaced(out, "'", "'\\''");
}

std::string zsh_action(const OptionFacts& facts) {
  switch (value_of(facts)) {
    case Value::choice:
      return fmt::format("({})", join(facts.choices, " "));
    case Value::list:
      return fmt::format("_sequence compadd - {}", join(facts.elements, " "));
    case Value::file:
      return "_files";
    case Value::directory:
      return "_files -/";
    default:
      return "";
  }
}

/// Returns an argument of _arguments.
std::string zsh_specification(const OptionFacts& facts) {
  const bool has_value = value_of(facts) != Value::none;
  std::string names = fmt::format("--{}{}", facts.name, has_value ? "=" : "");
  if (facts.letter != 0) names = fmt::format("{{-{}{},{}}}", facts.letter, has_value ? "+" : "", names);
  const std::string others = facts.is_list ? "*" : "(" + join(spellings(facts), " ") + ")";
  std::string value;
  if (has_value) value = fmt::format(":{}:{}", zsh_text(facts.value_name), zsh_action(facts));
  return fmt::format("'{}'{}'[{}]{}'", others, names, zsh_text(first_sentence(facts.help)), value);
}

std::string fish_text(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_value(const OptionFacts& facts) {
  switch (value_of(facts)) {
    case Value::none:
      return "";
    case Value::choice:
      return fmt::format(" -x -a {}", fish_text(join(facts.choices, " ")));
    case Value::list:
      return fmt::format(" -x -a '(__nmt_list {})'", join(facts.elements, " "));
    case Value::file:
      return " -r -F";
    case Value::directory:
      return " -x -a '(__fish_complete_directories)'";
    case Value::other:
      return " -x";
  }
  return "";
}

std::string subcommand_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return join(names, " ");
}

}  // namespace

std::string bash_completion(const Options& options) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>>
      behind;  // actions, with the options whose value they complete
  for (const Option& option : options.table()) {
    const OptionFacts& facts = option.facts();
    names.push_back("--" + facts.name);
    if (const std::string off = negation(facts); !off.empty()) names.push_back(off);
    if (facts.is_switch) continue;
    std::vector<std::string>& same = behind[bash_action(facts)];
    for (const std::string& spelling : spellings(facts)) same.push_back(spelling);
  }
  std::string branches;
  for (const auto& [action, spelled] : behind) {
    branches += fmt::format("    {}) {};;\n", join(spelled, " | "), action);
  }
  const Positional& positional = options.positional();
  std::string action = positional.target != nullptr ? "__nmt_words_or_files" : "__nmt_words";
  if (!positional.choices.empty()) {
    action = fmt::format("__nmt_options_or '{}'", join(positional.choices, " "));
  }
  return fmt::format("_nmt_{}() {{\n  case $before in\n{}    *) {} '{}' ;;\n  esac\n}}\n",
                     subcommand(options), branches, action, join(names, " "));
}

std::string bash_completion_end() {
  return fmt::format(R"(
__nmt_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }}

__nmt_words_or_files() {{
  if [[ $word == -* ]]; then __nmt_words "$1"; else compopt -o default; fi
}}

__nmt_options_or() {{
  if [[ $word == -* ]]; then __nmt_words "$2"; else __nmt_words "$1"; fi
}}

# Words with commas between: what stands before the last comma stays, and is not offered again.
__nmt_list() {{
  local held=${{word%"${{word##*,}}"}} one
  for one in $1; do
    [[ $one == "${{word##*,}}"* && ,$held != *",$one,"* ]] && COMPREPLY+=("$held$one")
  done
  [[ -z $held ]] || compopt -o nospace
}}

_nmt() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  # --name=value is three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD == 1)); then
    __nmt_words '{0} help --help --version'
  elif [[ ${{COMP_WORDS[1]}} == help ]]; then
    ((COMP_CWORD > 2)) || __nmt_words '{0}'
  elif declare -F "_nmt_${{COMP_WORDS[1]}}" >/dev/null; then
    "_nmt_${{COMP_WORDS[1]}}"
  fi
}}
complete -F _nmt nmt
)",
                     subcommand_names());
}

std::string zsh_completion_begin() {
  return "#compdef nmt\n";
}

std::string zsh_completion(const Options& options) {
  std::string out = fmt::format("_nmt_{}() {{\n  _arguments -s -S", subcommand(options));
  for (const Option& option : options.table()) {
    const OptionFacts& facts = option.facts();
    out += " \\\n    " + zsh_specification(facts);
    if (const std::string off = negation(facts); !off.empty()) out += fmt::format(" \\\n    '{}'", off);
  }
  const Positional& positional = options.positional();
  if (positional.target != nullptr) {
    const Choices& choices = positional.choices;
    out += fmt::format(" \\\n    '*:{}:{}'", zsh_text(positional.value_name),
                       choices.empty() ? "_files" : "(" + join(choices, " ") + ")");
  }
  return out + "\n}\n";
}

std::string zsh_completion_end() {
  std::string list;
  for (const Command& command : commands()) {
    list += fmt::format("    '{}:{}'\n", command.name, replaced(command.summary, "'", "'\\''"));
  }
  return fmt::format(R"(
_nmt() {{
  local context state state_descr line
  typeset -A opt_args
  local -a subcommands=(
{0}    'help:describe a subcommand'
  )
  _arguments -C '(- *)'{{-h,--help}}'[list the subcommands]' '(- *)--version[print the version]' \
    '1:subcommand:->subcommand' '*::argument:->argument'
  case $state in
    subcommand) _describe subcommand subcommands ;;
    argument)
      if [[ $line[1] == help ]]; then
        _arguments '1:subcommand:({1})'
      elif (($+functions[_nmt_$line[1]])); then
        _nmt_$line[1]
      fi
      ;;
  esac
}}
# Found on fpath, this file is the function itself; read by `source`, it says what it completes.
if [[ $funcstack[1] == _nmt ]]; then _nmt "$@"; else compdef _nmt nmt; fi
)",
                     list, subcommand_names());
}

std::string fish_completion_begin() {
  std::string out = R"(function __nmt_is
  set -l words (commandline -opc)
  set -q words[2]; and test $words[2] = $argv[1]
end

# Words with commas between: those before the last comma stay.
function __nmt_list
  set -l typed (string replace -r '^--?[^=]*=' '' -- (commandline -ct))
  set -l held (string match -r '^.*,' -- $typed; or echo '')
  printf '%s\n' $held$argv
end

complete -c nmt -f
complete -c nmt -n __fish_use_subcommand -s h -l help -d 'list the subcommands'
complete -c nmt -n __fish_use_subcommand -l version -d 'print the version'
)";
  for (const Command& command : commands()) {
    out += fmt::format("complete -c nmt -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       fish_text(command.summary));
  }
  out += "complete -c nmt -n __fish_use_subcommand -a help -d 'describe a subcommand'\n";
  out += fmt::format("complete -c nmt -n '__nmt_is help' -a {}\n", fish_text(subcommand_names()));
  return out;
}

std::string fish_completion(const Options& options) {
  const std::string here = fmt::format("complete -c nmt -n '__nmt_is {}'", subcommand(options));
  std::string out;
  for (const Option& option : options.table()) {
    const OptionFacts& facts = option.facts();
    out +=
        fmt::format("{}{} -l {}{} -d {}\n", here, facts.letter != 0 ? std::string(" -s ") + facts.letter : "",
                    facts.name, fish_value(facts), fish_text(first_sentence(facts.help)));
    if (const std::string off = negation(facts); !off.empty()) {
      out += fmt::format("{} -l {}\n", here, off.substr(2));
    }
  }
  const Positional& positional = options.positional();
  if (!positional.choices.empty()) {
    return out + here + fmt::format(" -a {}\n", fish_text(join(positional.choices, " ")));
  }
  return positional.target != nullptr ? out + here + " -F\n" : out;
}

}  // namespace nmt
