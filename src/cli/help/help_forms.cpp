// The forms of --help, by name.
#include "cli/commands/command.h"
#include "cli/help/help.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

std::string nothing() {
  return "";
}

struct Form {
  const char* name;
  std::string (*of_command)(const Options& options);
  std::string (*begin)();  // begin of the form for the whole program
  std::string (*end)();
  bool has_commands;  // whether the forms of all subcommands are in between
};

std::string markdown_page(const Options& options) {
  return options.help_as_markdown();
}

constexpr Form kForms[] = {
    {"markdown", markdown_page, nothing, nothing, true},
    {"json", json_table, nothing, nothing, true},
    {"man", man_page, man_page_of_program, nothing, false},
    {"bash", bash_completion, nothing, bash_completion_end, true},
    {"zsh", zsh_completion, zsh_completion_begin, zsh_completion_end, true},
    {"fish", fish_completion, fish_completion_begin, nothing, true},
};

const Form& form_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Form& form : kForms) {
    if (name == form.name) return form;
    names.emplace_back(form.name);
  }
  throw UsageError("--help={}: expected one of {}{}", name, join(names, ", "), did_you_mean(name, names));
}

}  // namespace

std::string help_in_form(const std::string& form, const Options& options) {
  return form_named(form).of_command(options);
}

void print_program_help(const std::string& name) {
  const Form& form = form_named(name);
  write_output(form.begin());
  if (form.has_commands) {
    for (const Command& command : commands()) command.run({"--help=" + name});
  }
  write_output(form.end());
}

}  // namespace nmt
