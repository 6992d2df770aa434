#include "data/language/language_detector.h"

#include <gmock/gmock.h>

#include <fstream>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/fasttext_file.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

const LanguageDetector& detector() {
  static const LanguageDetector kDetector;
  return kDetector;
}

std::string first_of(const std::string& text, const std::vector<std::string>& languages) {
  return detector().detect(text, languages).at(0).code;
}

TEST(LanguageDetector, KnowsLanguagesByTheCodesThatItIsGiven) {
  const std::vector<std::string> codes = {"eng_Latn", "de", "fra_Latn", "ru"};
  EXPECT_EQ(first_of("Two young men are sitting on a bench in the park.", codes), "eng_Latn");
  EXPECT_EQ(first_of("Zwei junge Männer sitzen auf einer Bank im Park.", codes), "de");
  EXPECT_EQ(first_of("Deux jeunes hommes sont assis sur un banc dans le parc.", codes), "fra_Latn");
  EXPECT_EQ(first_of("Двое молодых людей сидят на скамейке в парке.", codes), "ru");
}

TEST(LanguageDetector, TellsScriptsApart) {
  const std::vector<std::string> codes = {"zho_Hant", "zho_Hans"};
  EXPECT_EQ(first_of("他们在公园里的长椅上坐着说话，天气很好。", codes), "zho_Hans");
  EXPECT_EQ(first_of("他們在公園裡的長椅上坐著說話，天氣很好。", codes), "zho_Hant");
}

TEST(LanguageDetector, TellsHowMuchOfATextIsInEach) {
  const auto detected = detector().detect(
      "Two young men are sitting on a bench in the park and talk about the weather of this long summer. "
      "Двое молодых людей сидят на скамейке в парке.",
      {"ru", "en"});
  ASSERT_EQ(detected.size(), 2);
  EXPECT_EQ(detected[0].code, "en");
  EXPECT_EQ(detected[1].code, "ru");
  EXPECT_GT(detected[0].percent, detected[1].percent);
  EXPECT_LE(detected[0].percent + detected[1].percent, 100);
}

TEST(LanguageDetector, IsSureOfNothingWhereThereIsNothingToTellBy) {
  for (const char* text : {"", "1234", " ... \n"}) {
    const auto detected = detector().detect(text, {"de", "en"});
    ASSERT_EQ(detected.size(), 1) << text;
    EXPECT_EQ(detected[0].code, "de");
    EXPECT_EQ(detected[0].percent, 0) << text;
  }
  const auto other = detector().detect("Двое молодых людей сидят на скамейке в парке.", {"de", "en"});
  ASSERT_EQ(other.size(), 1);
  EXPECT_EQ(other[0].percent, 0);
}

TEST(LanguageDetector, IsNotSureOfAVeryShortText) {
  const std::vector<std::string> codes = {"de", "en", "fr", "ja", "zh"};
  const auto most = [&](const std::string& text) { return detector().detect(text, codes).at(0).percent; };
  for (const char* text : {"a", "I", "?a", "é"}) EXPECT_LE(most(text), 20) << text;
  for (const char* text : {"is", "le", "A.B.", "的"}) EXPECT_LE(most(text), 40) << text;
  EXPECT_GT(most("謝謝"), 50);
  EXPECT_GT(most("Danke schön"), 50);
}

// Among similar languages, the best guess is the most similar one that is requested.
TEST(LanguageDetector, ChoosesTheClosestOfTheLanguagesThatAreAskedFor) {
  EXPECT_EQ(first_of("Os rapaces están sentados nun banco do parque.", {"de", "en", "pt"}), "pt");
  EXPECT_EQ(first_of("Двоє молодих людей сидять на лавці в парку.", {"de", "en", "ru"}), "ru");
}

TEST(LanguageDetector, KnowsShortTexts) {
  const std::vector<std::string> codes = {"cs", "da", "de", "en", "es", "fi", "fr", "hu", "it",
                                          "nl", "no", "pl", "pt", "ro", "sk", "sv", "tr"};
  EXPECT_EQ(first_of("La tua password non è corretta", codes), "it");
  EXPECT_EQ(first_of("LA TUA PASSWORD NON È CORRETTA", codes), "it");
  EXPECT_EQ(first_of("Wo ist der Bahnhof?", codes), "de");
  EXPECT_EQ(first_of("Where are you?", codes), "en");
  EXPECT_EQ(first_of("Où est la gare ?", codes), "fr");
  EXPECT_EQ(first_of("Hyvää huomenta", codes), "fi");
  EXPECT_EQ(first_of("¿Cómo te llamas?", codes), "es");
  EXPECT_EQ(first_of("Nie rozumiem tego", codes), "pl");
}

TEST(LanguageDetector, SaysWhatItKnows) {
  for (const char* code : {"de", "deu_Latn", "pt_BR", "zh-TW", "nb"})
    EXPECT_TRUE(detector().knows(code)) << code;
  for (const char* code : {"qaa", "tlh"}) EXPECT_FALSE(detector().knows(code)) << code;
}

TEST(LanguageDetector, TakesTheModelOfAFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "lid.bin";
  std::ofstream(path) << testing::FastTextFile{.labels = {"nob", "srp_Latn", "zh-Hant"}}.bytes();
  const auto detected = LanguageDetector(path).detect("ab cd", {"en", "zh_TW", "sr", "no"});
  ASSERT_EQ(detected.size(), 3);
  EXPECT_EQ(detected[0].code, "no");
  // Of fastText: 0.815867, 0.176776, 0.007387; times 4 / 5, as the text has four letters.
  EXPECT_EQ(detected[0].percent, 65);
  EXPECT_EQ(detected[1].code, "sr");
  EXPECT_EQ(detected[1].percent, 14);
  EXPECT_EQ(detected[2].code, "zh_TW");
  EXPECT_EQ(detected[2].percent, 1);
  std::ofstream(path) << "no model";
  EXPECT_THAT([&] { LanguageDetector detector(path); },
              ::testing::ThrowsMessage<Error>(HasSubstr("lid.bin' is not a model of fastText")));
  EXPECT_THROW(LanguageDetector(folder / "missing.bin"), Error);
}

}  // namespace
}  // namespace nmt
