// Pages for `man`, in the macros of man(7).
#include <algorithm>
#include <cctype>

#include "cli/options/help/help.h"
#include "cli/program.h"

namespace nmt {
namespace {

/// Escapes text: hyphens stay copyable, and no line looks like a request.
std::string literal(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// Returns "nmt-bleu", the name of the page of `nmt bleu`.
std::string page_name(std::string command) {
  std::replace(command.begin(), command.end(), ' ', '-');
  return command;
}

std::string beginning(const std::string& name, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"nmt {}\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\n{} \\- {}\n",
                     upper(literal(name)), NMT_VERSION, literal(name), literal(summary));
}

/// Returns the summary of this subcommand in the list of `nmt`.
std::string summary_of(const Description& description) {
  for (const Command& command : commands()) {
    if (description.command == fmt::format("nmt {}", command.name)) return command.summary;
  }
  return description.summary;
}

/// Returns a value in which lines may break between choices.
std::string breakable(const std::string& value) {
  std::string out;
  for (const char c : literal(value)) {
    out += c;
    if (c == '|') out += "\\:";
  }
  return out;
}

std::string entry(const std::string& names, const std::string& value, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", literal(names),
                     value.empty() ? "" : fmt::format(" \\fI{}\\fR", breakable(value)), literal(text));
}

/// Returns a heading; text in its parentheses becomes a sentence below it.
std::string section(const std::string& heading) {
  const size_t bracket = heading.find(" (");
  std::string out = fmt::format(".SH {}\n", upper(literal(heading.substr(0, bracket))));
  if (bracket != std::string::npos) {
    out += literal(heading.substr(bracket + 2, heading.size() - bracket - 3)) + "\n";
  }
  return out;
}

std::string example(const std::string& line) {
  return ".SH EXAMPLE\n.nf\n" + literal(line) + "\n.fi\n";
}

}  // namespace

std::string man_page(const Options& options) {
  const auto& [command, usage, summary, line] = options.description();
  std::string out = beginning(page_name(command), summary_of(options.description()));
  out += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR [options]{}{}\n.SH DESCRIPTION\n{}\n", literal(command),
                     usage.empty() ? "" : " ", literal(usage), literal(summary));
  for (const auto& [heading, rows] : help_sections(options)) {
    out += section(heading);
    for (const HelpRow& row : rows) out += entry(row.names, row.value, row.text);
  }
  return out + example(line) + ".SH SEE ALSO\n\\fBnmt\\fR(1)\n";
}

std::string man_page_of_program() {
  std::string out = beginning("nmt", "neural machine translation");
  out +=
      ".SH SYNOPSIS\n\\fBnmt\\fR \\fIsubcommand\\fR [options]\n.SH DESCRIPTION\n"
      "From two text files to a model, a translation and a BLEU score.\n.SH SUBCOMMANDS\n";
  std::string pages;
  for (const Command& command : commands()) {
    out += entry(command.name, "", command.summary);
    pages += fmt::format("{}\\fBnmt\\-{}\\fR(1)", pages.empty() ? "" : ",\n", command.name);
  }
  out += ".SH OPTIONS\n";
  out += entry("--help", "", "list the subcommands and exit; nmt subcommand --help describes one");
  out +=
      entry("--version", "", "print the version and exit; with --verbose also the commit and the compiler");
  out += ".SH EXIT STATUS\n";
  out += entry("0", "", "done");
  out += entry("1", "", "failed; one line on standard error says why");
  out += entry("2", "", "wrong usage or settings");
  out += entry("128+N", "", "ended by signal N, everything left in order");
  return out + ".SH SEE ALSO\n" + pages + "\n";
}

}  // namespace nmt
