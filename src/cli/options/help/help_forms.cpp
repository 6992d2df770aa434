// The forms of --help, by name.
#include <algorithm>
#include <iterator>

#include "cli/command.h"
#include "cli/options/help/help.h"
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

/// The form of this name; null where there is none.
const Form* form_named(const std::string& name) {
  const auto found = std::ranges::find(kForms, name, [](const Form& form) { return std::string(form.name); });
  return found == std::end(kForms) ? nullptr : &*found;
}

/// Throws UsageError for a name that is neither a form nor one of these groups.
[[noreturn]] void refuse(const std::string& name, std::vector<std::string> names) {
  const std::size_t groups = names.size();
  for (const Form& form : kForms) names.emplace_back(form.name);
  const std::string forms =
      fmt::format("{}", fmt::join(names.begin() + static_cast<std::ptrdiff_t>(groups), names.end(), ", "));
  const std::string meant = did_you_mean(name, names);
  names.resize(groups);
  throw UsageError("--help={}: expected {}one of {}{}", name,
                   groups == 0 ? "" : fmt::format("a group of settings ({}) or ", join(names, ", ")), forms,
                   meant);
}

}  // namespace

std::string help_in_form(const std::string& form, const Options& options) {
  if (const Form* const named = form_named(form)) return named->of_command(options);
  std::vector<HelpSection> sections = help_sections(options);
  const std::string wanted = comparable(form);
  std::erase_if(sections, [&](const HelpSection& section) {
    return wanted.empty() || !comparable(section.heading).starts_with(wanted);
  });
  if (sections.empty()) refuse(form, help_groups(options));
  return help_text(options, sections);
}

void print_program_help(const std::string& name) {
  const Form* const form = form_named(name);
  if (form == nullptr) refuse(name, {});
  write_output(form->begin());
  if (form->has_commands) {
    for (const Command& command : commands()) command.run({"--help=" + name});
  }
  write_output(form->end());
}

}  // namespace nmt
