// Forms of a table of settings for readers and shells: --help, manual pages, completion.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

namespace nmt {

/// One row of help: a setting or an argument.
struct HelpRow {
  std::string names;  // "-o, --output"; for an argument its value name
  std::string value;  // "DIR"; empty for a switch and for an argument
  std::string brief;  // a phrase, with notes: "beam width (default: 4)"
  std::string text;   // full sentences, with notes: "Beam width (default: 4). A wider beam ..."
  std::string yaml;   // name in settings files; empty if it cannot be set there
};

struct HelpSection {
  std::string heading;
  std::vector<HelpRow> rows;
};

/// Returns the phrase with which a help text begins: its first sentence, without the full stop.
std::string first_sentence(const std::string& help);
/// Returns a help text as full sentences, with `notes` at the end of the first one.
std::string as_sentences(const std::string& help, const std::string& notes = "");

/// Returns the arguments, then the groups of settings in the order of the table, the general group last.
std::vector<HelpSection> help_sections(const Options& options);
/// Returns the sections of help for essential settings only, with the first sentence of each text.
std::vector<HelpSection> short_help_sections(const Options& options);

/// Returns the names that --help=GROUP takes: the headings of groups, without what is in parentheses.
std::vector<std::string> help_groups(const Options& options);
/// Returns the text of --help with these sections.
std::string help_text(const Options& options, const std::vector<HelpSection>& sections);

/// Returns the output of `nmt SUBCOMMAND --help=FORM`. A form is a group of settings, by its name or the
/// beginning of it, or markdown, json, man, bash, zsh or fish for the whole table. Throws UsageError for any
/// other form.
std::string help_in_form(const std::string& form, const Options& options);

/// Prints the output of `nmt --help=FORM`, which concerns the whole program: for man the page nmt(1), for
/// other forms all subcommands. Throws UsageError for an unknown form.
void print_program_help(const std::string& form);

/// Returns the manual page of a subcommand, in the macros of man(7).
std::string man_page(const Options& options);
std::string man_page_of_program();

/// Returns the table of a subcommand for other programs: one line with a JSON object of `command`, `summary`
/// and `options`. Each option has `name`, `type` (see ValueType; "switch" for an option without a value),
/// `is_list`, `is_path`, `choices`, `default` and `help`.
std::string json_table(const Options& options);

/// Completion of a subcommand's line, as a function (bash, zsh) or as commands (fish).
std::string bash_completion(const Options& options);
std::string zsh_completion(const Options& options);
std::string fish_completion(const Options& options);
/// Shell code before and after the completions of all subcommands.
std::string zsh_completion_begin();
std::string fish_completion_begin();
std::string bash_completion_end();
std::string zsh_completion_end();

}  // namespace nmt
