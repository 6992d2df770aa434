// Checks that doc/marian.md agrees with the tables on every option, and names existing settings.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "cli/marian/marian_option.h"
#include "cli/program.h"
#include "common/test_data.h"

namespace nmt {
namespace {

using NameSet = std::set<std::string>;

/// Returns the options in a text, without dashes.
NameSet options_in(const std::string& text) {
  static const std::regex option("--([a-z][a-z0-9-]*)");
  NameSet names;
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

/// Returns the help of a subcommand.
std::string help_of(const std::string& name) {
  const auto command = std::ranges::find(commands(), name, &Command::name);
  if (command == commands().end()) return "";
  ::testing::internal::CaptureStdout();
  command->run({"--help"});
  return ::testing::internal::GetCapturedStdout();
}

/// A row of a table of the page.
struct Row {
  std::string marian, counterparts;  // cells
};

/// Returns the rows below each heading.
std::map<std::string, std::vector<Row>> rows_of_page(std::istream& page) {
  std::map<std::string, std::vector<Row>> rows;
  std::string heading;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) heading = line.substr(line.find_first_not_of("# "));
    if (!line.starts_with("| `--")) continue;
    std::istringstream cells(line.substr(1));
    Row& row = rows[heading].emplace_back();
    std::getline(cells, row.marian, '|');
    std::getline(cells, row.counterparts, '|');
  }
  return rows;
}

/// Splits the code spans of a cell into options and references to other subcommands.
void split_counterparts(const std::string& cell, NameSet& own, std::vector<std::string>& of_others) {
  static const std::regex span("`([^`]*)`");
  for (std::sregex_iterator at(cell.begin(), cell.end(), span), end; at != end; ++at) {
    const std::string text = (*at)[1];
    if (text.starts_with("nmt ")) {
      of_others.push_back(text.substr(4));
    } else {
      own.merge(options_in(text));
    }
  }
}

/// Expects that the named subcommands exist and have the named options.
void expect_known(const std::string& command_line) {
  if (command_line.starts_with("--") || command_line == "help") return;
  const std::string help = help_of(command_line.substr(0, command_line.find(' ')));
  const NameSet known = options_in(help);
  EXPECT_NE(help, "") << command_line;
  for (const std::string& name : options_in(command_line)) EXPECT_TRUE(known.contains(name)) << command_line;
}

/// Expects that the row names these settings and that each of the subcommands has them.
void expect_row(const Row& row, const MarianOptions& table, const std::vector<NameSet>& known,
                NameSet& told) {
  NameSet own, settings;
  std::vector<std::string> of_others;
  split_counterparts(row.counterparts, own, of_others);
  for (const std::string& name : options_in(row.marian)) {
    const auto option = std::ranges::find(table, name, &MarianOption::name);
    ASSERT_NE(option, table.end()) << name;
    EXPECT_TRUE(told.insert(name).second) << name << " is told of twice";
    settings.insert(option->settings.begin(), option->settings.end());
  }
  EXPECT_EQ(own, settings) << row.marian;
  for (const std::string& setting : settings) {
    for (const NameSet& names : known)
      EXPECT_TRUE(names.contains(setting)) << setting << " of " << row.marian;
  }
  std::ranges::for_each(of_others, expect_known);
}

TEST(MarianPage, SaysWhatTheTablesSay) {
  std::ifstream page(testing::test_data("../../doc/marian.md"));
  if (!page) GTEST_SKIP() << "the documents are not on this machine";
  const auto rows = rows_of_page(page);
  const NameSet train = options_in(help_of("train")), translate = options_in(help_of("translate")),
                score = options_in(help_of("score"));
  struct Part {
    const char* heading;
    const MarianOptions& table;
    std::vector<NameSet> known;
  };
  const std::vector<Part> parts = {
      {"Every program", marian_general_options(), {train, translate, score}},
      {"The model", marian_model_options(), {train}},
      {"Training", marian_training_options(), {train}},
      {"Validation", marian_validation_options(), {train}},
      {"Translating and scoring", marian_inference_options(), {translate, score}},
      {"Translating", marian_translation_options(), {translate}},
      {"Scoring", marian_scoring_options(), {score}}};
  for (const auto& [heading, table, known] : parts) {
    SCOPED_TRACE(heading);
    ASSERT_TRUE(rows.contains(heading));
    NameSet told;
    for (const Row& row : rows.at(heading)) expect_row(row, table, known, told);
    for (const MarianOption& option : table) EXPECT_TRUE(told.contains(option.name)) << option.name;
  }
}

/// Checks the defaults in parentheses after options against the tables.
TEST(MarianPage, GivesMariansDefaults) {
  std::ifstream page(testing::test_data("../../doc/marian.md"));
  if (!page) GTEST_SKIP() << "the documents are not on this machine";
  std::map<std::string, NameSet> defaults;  // an option of several programs may have several
  for (const MarianProgram program : {MarianProgram::train, MarianProgram::translate, MarianProgram::score}) {
    for (const MarianOption& option : marian_options(program)) defaults[option.name].insert(option.fallback);
  }
  static const std::regex with_default("`--([a-z0-9-]+)`(?:, `-.`)? \\(([^)]*)\\)");
  for (const auto& [heading, rows] : rows_of_page(page)) {
    for (const Row& row : rows) {
      for (std::sregex_iterator at(row.marian.begin(), row.marian.end(), with_default), end; at != end;
           ++at) {
        const std::string fallback = (*at)[2] == "\"\"" ? "" : (*at)[2].str();
        const NameSet& known = defaults[(*at)[1]];
        EXPECT_TRUE(known.contains(fallback) || known == NameSet{""}) << at->str() << " below " << heading;
      }
    }
  }
}

TEST(MarianTables, HaveEachOptionOnce) {
  for (const MarianProgram program : {MarianProgram::train, MarianProgram::translate, MarianProgram::score}) {
    NameSet names;
    for (const MarianOption& option : marian_options(program)) {
      EXPECT_TRUE(names.insert(option.name).second) << option.name;
      EXPECT_EQ(option.fate == Fate::mapped, option.convert != nullptr) << option.name;
    }
  }
}

}  // namespace
}  // namespace nmt
