#include <gtest/gtest.h>

#include "data/vocabulary/languages.h"

namespace nmt {
namespace {

const std::vector<std::string> kLanguageCodes = {"arb_Arab", "de_DE",    "deu_Latn", "en_GB",    "en_US",
                                                 "por_Latn", "srp_Cyrl", "zho_Hans", "zho_Hant", "nob_Latn"};

TEST(LanguageCode, HasTheUsualScript) {
  EXPECT_EQ(LanguageCode("zh").script, "Hans");
  EXPECT_EQ(LanguageCode("zh-TW").script, "Hant");
  EXPECT_EQ(LanguageCode("zh-TW").country, "TW");
  EXPECT_EQ(LanguageCode("deu_Latn").language, "de");
  EXPECT_EQ(LanguageCode("en_XX").country, "");
  EXPECT_EQ(LanguageCode("und").script, "") << "not that of English, which ICU takes an unknown language for";
}

TEST(CodeMeant, IsTheOnlyOneOfTheLanguage) {
  EXPECT_EQ(code_meant("DEU-latn", kLanguageCodes), "deu_Latn") << "spelled in another way";
  EXPECT_EQ(code_meant("de", kLanguageCodes), "") << "two of the language";
  EXPECT_EQ(code_meant("de", {"DE", "de"}), "de") << "itself, whatever else there is";
  EXPECT_EQ(code_meant("De", {"DE", "de"}), "");
  EXPECT_EQ(code_meant("de", {"de_DE"}), "de_DE");
  EXPECT_EQ(code_meant("de_AT", {"de_DE"}), "");
  EXPECT_EQ(code_meant("de_DE", {"deu_Latn"}), "deu_Latn");
  EXPECT_EQ(code_meant("en", kLanguageCodes), "");
  EXPECT_EQ(code_meant("en-us", kLanguageCodes), "en_US");
  EXPECT_EQ(code_meant("pt", kLanguageCodes), "por_Latn");
  EXPECT_EQ(code_meant("zh", kLanguageCodes), "zho_Hans");
  EXPECT_EQ(code_meant("zh_TW", kLanguageCodes), "zho_Hant");
  EXPECT_EQ(code_meant("sr_Latn", kLanguageCodes), "") << "of another script";
  EXPECT_EQ(code_meant("no", kLanguageCodes), "nob_Latn");
  EXPECT_EQ(code_meant("ar", kLanguageCodes), "arb_Arab");
  EXPECT_EQ(code_meant("fr", kLanguageCodes), "");
  EXPECT_EQ(code_meant("", kLanguageCodes), "");
  EXPECT_EQ(code_meant("x", {}), "");
}

}  // namespace
}  // namespace nmt
