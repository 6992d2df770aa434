// What a table of settings looks like to readers and to shells: --help and its other forms.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

namespace nmt {

/// A setting, or an argument, with what is said about it.
struct HelpRow {
  std::string names;  // "-o, --output"; of an argument what stands for it
  std::string value;  // "DIR"; empty for a switch and for an argument
  std::string text;
  std::string yaml = {};  // its name in files of settings; empty when it has none
};

struct HelpSection {
  std::string heading;
  std::vector<HelpRow> rows;
};

/// The arguments, then the groups of settings in the order of the table, the general one last.
std::vector<HelpSection> help_sections(const Options& options);
/// The same of the essential settings, and of each what stands before a semicolon.
std::vector<HelpSection> short_help_sections(const Options& options);

/// What `nmt SUBCOMMAND --help=FORM` prints: markdown, json, man, bash, zsh or fish. Throws UsageError for
/// another form.
std::string help_in_form(const std::string& form, const Options& options);

/// Prints to stdout what `nmt --help=FORM` tells of the whole program: with man the page nmt(1), else of all
/// subcommands. Throws UsageError for another form.
void print_program_help(const std::string& form);

/// A page for `man`, in the macros of man(7).
std::string man_page(const Options& options);
std::string man_page_of_program();

/// The table of a subcommand for other programs: one line, a JSON object with `command`, `summary` and
/// `options`, each of which has `name`, `type` (see ValueType; "switch" for those without a value),
/// `is_list`, `is_path`, `choices`, `default` and `help`.
std::string json_table(const Options& options);

/// Completion of a subcommand's line: a function (bash, zsh) or commands of a shell.
std::string bash_completion(const Options& options);
std::string zsh_completion(const Options& options);
std::string fish_completion(const Options& options);
/// What goes before those of all subcommands, and after.
std::string zsh_completion_begin();
std::string fish_completion_begin();
std::string bash_completion_end();
std::string zsh_completion_end();

}  // namespace nmt
