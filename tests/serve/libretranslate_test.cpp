// The LibreTranslate interface answers like LibreTranslate, with the translations of nmt translate.
#include <gmock/gmock.h>

#include "serve/interfaces/interfaces.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LibreTranslateTest : public ServingTest {};

TEST_F(LibreTranslateTest, AnswersAsItDoes) {
  serve();
  const std::vector<std::string> texts = expected(lines_), best = expected({lines_[0]}, 3);
  EXPECT_EQ(body_of(post("/translate", json{{"q", lines_[0]}, {"source", "en"}, {"target", "de"}}.dump())),
            json({{"translatedText", texts[0]}}));
  const json several =
      body_of(post("/translate", json{{"q", lines_}, {"source", "auto"}, {"target", "de"}}.dump()));
  EXPECT_EQ(several["translatedText"], texts);
  ASSERT_EQ(several["detectedLanguage"].size(), lines_.size());
  EXPECT_EQ(several["detectedLanguage"][0]["language"], "en");
  EXPECT_EQ(body_of(post("/translate", "q=" + lines_[0] + "&source=en&target=de&format=text&alternatives=2",
                         "application/x-www-form-urlencoded")),
            json({{"translatedText", best[0]}, {"alternatives", {best[1], best[2]}}}));
  EXPECT_EQ(body_of(get("/languages")), json::parse(R"([{"code": "de", "name": "German", "targets": []},
                                                        {"code": "en", "name": "English", "targets": ["de"]}])"));
  EXPECT_EQ(body_of(get("/frontend/settings"))["language"]["source"]["name"], "English");
  EXPECT_EQ(body_of(get("/health")), json({{"status", "ok"}}));
}

TEST_F(LibreTranslateTest, WidensTheBeamOfGroups) {
  ModelSource source = model_source("en-de=" + path_);
  source.defaults.search.beam_groups = 2;
  source.defaults.given = {"beam_groups"};
  server_ = std::make_unique<TranslationServer>(ServerSettings{.port = 0}, std::vector{source}, kServing,
                                                silent_log());
  ASSERT_TRUE(serve_until(*server_, [this] { return server_->models().are_ready(); }));
  const json asked = {{"q", lines_[0]}, {"source", "en"}, {"target", "de"}, {"alternatives", 4}};
  EXPECT_EQ(body_of(post("/translate", asked.dump()))["alternatives"].size(), 4);
}

TEST_F(LibreTranslateTest, TakesForms) {
  serve();
  const json translated = {{"translatedText", expected({lines_[0], lines_[1]})}};
  EXPECT_EQ(body_of(post("/translate", "q=" + lines_[0] + "&q=" + lines_[1] + "&source=en&target=de",
                         "application/x-www-form-urlencoded")),
            translated);
  std::string parts;
  for (const auto& [name, value] : {std::pair("q", lines_[0]), std::pair("q", lines_[1]),
                                    std::pair<const char*, std::string>("source", "en"),
                                    std::pair<const char*, std::string>("target", "de")})
    parts += std::string("--x\r\nContent-Disposition: form-data; name=") + name + "\r\n\r\n" + value + "\r\n";
  EXPECT_EQ(body_of(post("/translate", parts + "--x--\r\n", "multipart/form-data; boundary=x")), translated);
  EXPECT_THAT(post("/translate", parts, "multipart/form-data; boundary=x"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("the form ends before its last boundary")));
  EXPECT_THAT(post("/translate", "q=a&source=en&source=de&target=de", "application/x-www-form-urlencoded"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("source is not text")));
  EXPECT_THAT(post("/translate", "q=a%ff&source=en&target=de", "application/x-www-form-urlencoded"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("'q' is not valid UTF-8")));
}

TEST_F(LibreTranslateTest, TakesValuesOfTheQuery) {
  serve();
  const json translated = {{"translatedText", expected({lines_[0]})[0]}};
  std::string query = "/translate?q=" + lines_[0] + "&source=en&target=fr";
  std::ranges::replace(query, ' ', '+');
  EXPECT_EQ(body_of(post(query, "target=de", "application/x-www-form-urlencoded")), translated);
  EXPECT_EQ(body_of(post(query, R"({"target": "de"})")), translated);
  EXPECT_THAT(post(query, ""), HasSubstr("no model translates from en to fr"));
}

TEST_F(LibreTranslateTest, LeavesTextsOfTheTargetLanguageAsTheyAre) {
  serve({.most_characters = 100});
  const std::string german = " Zwei junge M\u00e4nner sitzen auf einer Bank im Park. ";
  json asked = {{"q", {german, "a"}}, {"source", "de"}, {"target", "de"}};
  EXPECT_EQ(body_of(post("/translate", asked.dump())), json({{"translatedText", asked["q"]}}));
  asked["q"] = german;
  asked["source"] = "auto";
  const json detected = body_of(post("/translate", asked.dump()));
  EXPECT_EQ(detected["translatedText"], german);
  EXPECT_EQ(detected["detectedLanguage"]["language"], "de");
  asked["q"] = std::string(101, 'a');
  EXPECT_THAT(post("/translate", asked.dump()), StartsWith("HTTP/1.1 413 "));
  asked["source"] = asked["target"] = "fr";
  EXPECT_THAT(post("/translate", asked.dump()), HasSubstr("no model translates from fr to fr"));
}

// Each text has its own language, and a text in the target language is returned unchanged.
TEST_F(LibreTranslateTest, DetectsTheLanguageOfEachText) {
  serve_as({"en-de", "ru-fr", "ru-de"}, {});
  const std::string english = "Two young men are sitting on a bench in the park.",
                    german = "Zwei junge Männer sitzen auf einer Bank im Park.",
                    russian = "Двое молодых людей сидят на скамейке в парке.";
  const std::vector<std::string> translated = expected({english, russian});
  json asked = {{"q", {english, german, russian, english}}, {"source", "auto"}, {"target", "de"}};
  const json answer = body_of(post("/translate", asked.dump()));
  EXPECT_EQ(answer["translatedText"], json({translated[0], german, translated[1], translated[0]}));
  std::vector<std::string> languages;
  for (const json& detected : answer["detectedLanguage"]) languages.push_back(detected["language"]);
  EXPECT_EQ(languages, (std::vector<std::string>{"en", "de", "ru", "en"}));

  asked["alternatives"] = 1;
  const json alternatives = body_of(post("/translate", asked.dump()))["alternatives"];
  EXPECT_EQ(alternatives[0].size(), 1U);
  EXPECT_EQ(alternatives[1].size(), 0U);
  asked["q"] = {"<b>" + english + "</b>", "<b>" + german + "</b>"};
  asked["format"] = "html";
  const json marked = body_of(post("/translate", asked.dump()));
  EXPECT_EQ(marked["translatedText"][1], asked["q"][1]);
  EXPECT_EQ(marked["detectedLanguage"][0]["language"], "en");
  EXPECT_NE(marked["translatedText"][0], asked["q"][0]);
}

TEST_F(LibreTranslateTest, TakesTextsOfARequestByRoutesOfTheirOwn) {
  serve_as({"fr-en", "en-de"}, {.pivot = "en"});
  const std::string english = "Two young men are sitting on a bench in the park.",
                    french = "Deux jeunes hommes sont assis sur un banc dans le parc.";
  const std::vector<std::string> once = expected({english, french}), twice = expected({once[1]});
  const json asked = {{"q", {french, english}}, {"source", "auto"}, {"target", "de"}, {"alternatives", 1}};
  const json answer = body_of(post("/translate", asked.dump()));
  EXPECT_EQ(answer["translatedText"], json({twice[0], once[0]}));
  EXPECT_EQ(answer["alternatives"][1], json({expected({english}, 2)[1]}));
}

TEST_F(LibreTranslateTest, Refuses) {
  serve({.most_sentences = 3, .most_characters = 100});
  const auto refuse = [&](const json& request, int status, const std::string& message) {
    const std::string answer = post("/translate", request.dump());
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(status) + ' ')) << request;
    EXPECT_THAT(body_of(answer)["error"].get<std::string>(), HasSubstr(message)) << request;
  };
  refuse({{"source", "en"}, {"target", "de"}}, 400, "missing q");
  refuse({{"q", 1}, {"source", "en"}, {"target", "de"}}, 400, "q is a text");
  refuse({{"q", "a"}, {"source", "en"}, {"target", "fr"}}, 400, "no model translates from en to fr");
  refuse({{"q", "a"}, {"source", "en"}, {"target", "de"}, {"format", "pdf"}}, 400, "format is text or html");
  refuse({{"q", "<!-- a"}, {"source", "en"}, {"target", "de"}, {"format", "html"}}, 400,
         "'<!-- a' is not closed");
  refuse({{"q", "a"}, {"source", "en"}, {"target", "de"}, {"alternatives", 11}}, 400, "from 0 to 10");
  refuse({{"q", std::string(101, 'a')}, {"source", "en"}, {"target", "de"}}, 413, "101 characters");
  refuse({{"q", {"a", "b", "c", "d"}}, {"source", "en"}, {"target", "de"}}, 413, "4 sentences");
  EXPECT_THAT(post("/translate", "{\"q\":"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(post("/translate", "[1]"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(post("/translate", "q", "text/plain"), StartsWith("HTTP/1.1 415 "));
}

TEST_F(LibreTranslateTest, TakesNoSuggestions) {
  serve();
  const json suggestion = {{"q", "a"}, {"s", "b"}, {"source", "en"}, {"target", "de"}};
  EXPECT_THAT(post("/suggest", suggestion.dump()),
              AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("Suggestions are disabled on this server.")));
  EXPECT_EQ(body_of(get("/frontend/settings"))["suggestions"], false);
}

TEST_F(LibreTranslateTest, DetectsLanguages) {
  serve_as({"en-de", "ru-de", "fr"}, {});
  const std::string russian = "Двое молодых людей сидят на скамейке в парке.";
  const json detected = body_of(post("/detect", json{{"q", russian}}.dump()));
  ASSERT_EQ(detected.size(), 1);
  EXPECT_EQ(detected[0]["language"], "ru");
  EXPECT_GT(detected[0]["confidence"], 80);
  EXPECT_EQ(body_of(post("/detect", "q=Two+young+men", "application/x-www-form-urlencoded"))[0]["language"],
            "en");
  json asked = {{"q", russian}, {"source", "auto"}, {"target", "de"}};
  EXPECT_EQ(body_of(post("/translate", asked.dump()))["detectedLanguage"], detected[0]);
  asked["target"] = "fr";
  EXPECT_THAT(post("/translate", asked.dump()),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("no model translates to fr")));
  EXPECT_THAT(post("/detect", "{}"), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("missing q")));
  serve_as({"model"}, {});
  EXPECT_THAT(post("/detect", json{{"q", russian}}.dump()),
              HasSubstr("no model has its languages in its name"));
}

}  // namespace
}  // namespace nmt
