#include "serve/language_detection.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

std::string first_of(const std::string& text, const std::vector<std::string>& languages) {
  return detect_languages(text, languages).at(0).code;
}

TEST(LanguageDetection, KnowsLanguagesByTheCodesThatItIsGiven) {
  const std::vector<std::string> codes = {"eng_Latn", "de", "fra_Latn", "ru"};
  EXPECT_EQ(first_of("Two young men are sitting on a bench in the park.", codes), "eng_Latn");
  EXPECT_EQ(first_of("Zwei junge Männer sitzen auf einer Bank im Park.", codes), "de");
  EXPECT_EQ(first_of("Deux jeunes hommes sont assis sur un banc dans le parc.", codes), "fra_Latn");
  EXPECT_EQ(first_of("Двое молодых людей сидят на скамейке в парке.", codes), "ru");
}

TEST(LanguageDetection, TellsScriptsApart) {
  const std::vector<std::string> codes = {"zho_Hant", "zho_Hans"};
  EXPECT_EQ(first_of("他们在公园里的长椅上坐着说话，天气很好。", codes), "zho_Hans");
  EXPECT_EQ(first_of("他們在公園裡的長椅上坐著說話，天氣很好。", codes), "zho_Hant");
}

TEST(LanguageDetection, TellsHowMuchOfATextIsInEach) {
  const auto detected = detect_languages(
      "Two young men are sitting on a bench in the park and talk about the weather of this long summer. "
      "Двое молодых людей сидят на скамейке в парке.",
      {"ru", "en"});
  ASSERT_EQ(detected.size(), 2);
  EXPECT_EQ(detected[0].code, "en");
  EXPECT_EQ(detected[1].code, "ru");
  EXPECT_GT(detected[0].percent, detected[1].percent);
  EXPECT_LE(detected[0].percent + detected[1].percent, 100);
}

TEST(LanguageDetection, IsSureOfNothingWhereThereIsNothingToTellBy) {
  for (const char* text : {"", "1234", "Двое молодых людей сидят на скамейке в парке."}) {
    const auto detected = detect_languages(text, {"de", "en"});
    ASSERT_EQ(detected.size(), 1) << text;
    EXPECT_EQ(detected[0].code, "de");
    EXPECT_EQ(detected[0].percent, 0) << text;
  }
}

}  // namespace
}  // namespace nmt
