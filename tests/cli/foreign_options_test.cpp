#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/program.h"
#include "common/text/foreign_names.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Returns what --help=json of a subcommand prints.
nlohmann::json table_of(const Command& command) {
  ::testing::internal::CaptureStdout();
  command.run({"--help=json"});
  return nlohmann::json::parse(::testing::internal::GetCapturedStdout());
}

std::set<std::string> all_names() {
  std::set<std::string> names;
  for (const Command& command : commands()) {
    const nlohmann::json table = table_of(command);
    for (const auto& option : table.at("options")) {
      const auto name = option.at("name").get<std::string>();
      names.insert(name);
      if (option.at("type") == "switch") names.insert("no-" + name);
    }
  }
  return names;
}

TEST(JsonHelp, HasTheTypesOfOptions) {
  for (const Command& command : commands()) {
    if (command.name != std::string("train")) continue;
    std::map<std::string, nlohmann::json> options;
    const nlohmann::json table = table_of(command);
    EXPECT_EQ(table.at("command"), "nmt train");
    for (const auto& option : table.at("options")) options[option.at("name")] = option;
    EXPECT_EQ(options.at("steps").at("type"), "integer");
    EXPECT_EQ(options.at("dropout").at("type"), "number");
    EXPECT_EQ(options.at("overwrite").at("type"), "switch");
    EXPECT_EQ(options.at("save-every").at("type"), "interval");
    EXPECT_EQ(options.at("train").at("is_list"), true);
    EXPECT_EQ(options.at("vocab").at("is_path"), true);
    EXPECT_EQ(options.at("norm").at("choices").at(0), "post");
    EXPECT_EQ(options.at("d-model").at("type"), "number") << "settings of models have no type of their own";
  }
}

TEST(ForeignOptions, NameOptionsThatThereAre) {
  const std::set<std::string> names = all_names();
  for (const auto& [typed, setting, note] : foreign_names()) {
    EXPECT_TRUE(names.contains(std::string(setting.substr(0, setting.find(' '))))) << typed;
    std::istringstream words(with_options(note));
    for (std::string word; words >> word;) {
      if (!word.starts_with("--")) continue;
      const std::size_t end = word.find_last_not_of(",:;");
      EXPECT_TRUE(names.contains(word.substr(2, end - 1))) << typed << ": " << word;
    }
  }
}

}  // namespace
}  // namespace nmt
