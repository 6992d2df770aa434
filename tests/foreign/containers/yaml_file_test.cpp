#include "foreign/containers/yaml_file.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/complaint.h"
#include "common/repeated.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::repeated;

class YamlFile : public ::testing::Test {
 protected:
  JsonFile read(const std::string& text) { return read_yaml_file(folder_.write("a.yaml", text)); }
  json value(const std::string& text) {
    const JsonFile file = read("key: " + text + "\n");
    const json* found = file.find("key");
    return found == nullptr ? json() : *found;
  }
  std::string complaint(const std::string& text) {
    return testing::complaint([&] { read(text); });
  }

  TemporaryFolder folder_;
};

TEST_F(YamlFile, PlainValuesHaveTypes) {
  EXPECT_EQ(value("12"), json(12));
  EXPECT_TRUE(value("-3").is_number_integer());
  EXPECT_EQ(value("1.5e-05"), json(1.5e-5));
  EXPECT_TRUE(value("1.0").is_number_float());
  EXPECT_EQ(value("true"), json(true));
  EXPECT_EQ(value("False"), json(false));
  EXPECT_EQ(value("null"), json());
  EXPECT_EQ(value("~"), json());
  EXPECT_EQ(value(""), json());
  EXPECT_EQ(value("xlm-roberta-large"), json("xlm-roberta-large"));
  EXPECT_EQ(value("99999999999999999999"), json(1e20));
}

TEST_F(YamlFile, QuotedValuesAreTexts) {
  EXPECT_EQ(value("'12'"), json("12"));
  EXPECT_EQ(value("\"true\""), json("true"));
  EXPECT_EQ(value("'null'"), json("null"));
  EXPECT_EQ(value("''"), json(""));
  EXPECT_EQ(value("!!str 12"), json("12"));
}

TEST_F(YamlFile, ListsAndMappingsAreNested) {
  EXPECT_EQ(value("[3072, 1024]"), json({3072, 1024}));
  EXPECT_EQ(value("\n- minor\n- major"), json({"minor", "major"}));
  EXPECT_EQ(value("{a: [], b: {c: 1}}"), json({{"a", json::array()}, {"b", {{"c", 1}}}}));
  EXPECT_EQ(value("&a [1]\nother: *a"), json({1}));
}

TEST_F(YamlFile, OtherFilesAreRefused) {
  EXPECT_THAT(complaint(""), HasSubstr("a.yaml' is not a YAML mapping"));
  EXPECT_THAT(complaint("just text\n"), HasSubstr("is not a YAML mapping"));
  EXPECT_THAT(complaint("- a\n- b\n"), HasSubstr("is not a YAML mapping"));
  EXPECT_THAT(complaint("key: [1, 2\n"), HasSubstr("a.yaml' is not valid YAML: "));
  EXPECT_THAT(complaint("key: *unknown\n"), HasSubstr("is not valid YAML: "));
  EXPECT_THAT(complaint("? [a, b]\n: 1\n"), HasSubstr("is not valid YAML: "));
  EXPECT_THAT(testing::complaint([&] { read_yaml_file(folder_ / "none.yaml"); }), HasSubstr("none.yaml"));
}

TEST_F(YamlFile, ValuesAreLimitedInNumberAndDepth) {
  EXPECT_EQ(complaint("key: " + repeated("[", 20) + repeated("]", 20)), "");
  for (const int levels : {21, 1000, 30'000}) {
    EXPECT_NE(complaint("key: " + repeated("[", levels) + repeated("]", levels)), "") << levels;
    EXPECT_NE(complaint("key: " + repeated("[", levels)), "") << levels;
  }
  EXPECT_NE(complaint("key: &a [*a]\n"), "");
  // Lists that contain the previous one ten times.
  std::string doubled = "a0: &a0 [1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string number = std::to_string(i), previous = "*a" + std::to_string(i - 1) + ",";
    doubled += "a" + number + ": &a" + number + " [" + repeated(previous, 10) + "]\n";
  }
  EXPECT_THAT(complaint(doubled), HasSubstr("it has too many values"));
  EXPECT_THAT(complaint("key: " + std::string(70'000, 'a')),
              AllOf(HasSubstr("a.yaml' has 70005 bytes"), HasSubstr("more than a configuration has")));
}

}  // namespace
}  // namespace nmt
