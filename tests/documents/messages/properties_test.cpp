// Properties files of Java.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "documents/translations.h"

namespace nmt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(Properties, ValuesHaveEscapesAndContinue) {
  EXPECT_THAT(texts_of("a=one\\\n   two\nb\\=c d : e\nf=\\u00e4b\\ud83d\\ude00\\q\n", "properties"),
              ElementsAre("onetwo", "d : e", "\u00e4b\U0001F600q"));
  const auto odd = [](const DocumentText&) { return std::string(" \u00e4\n\\"); };
  EXPECT_EQ(translated_document("a=b\n", "properties", odd), "a=\\ \\u00e4\\n\\\\\n");
  EXPECT_EQ(translated_document("a=\u00fc\n", "properties", odd), "a=\\ \u00e4\\n\\\\\n");
}

}  // namespace
}  // namespace nmt
