// Each interface answers as the program that it is of, with what nmt translate finds.
#include "serve/interfaces.h"

#include <gmock/gmock.h>

#include <regex>
#include <sstream>

#include "common/error.h"
#include "engine/json_request.h"
#include "serve/request_limits.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class InterfacesTest : public ServingTest {};

TEST_F(InterfacesTest, LibreTranslate) {
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

TEST_F(InterfacesTest, LibreTranslateWidensTheBeamOfGroups) {
  ModelSource source = model_source("en-de=" + path_);
  source.defaults.search.beam_groups = 2;
  source.defaults.given = {"beam_groups"};
  server_ = std::make_unique<TranslationServer>(ServerSettings{.port = 0}, std::vector{source}, kServing,
                                                silent_log());
  ASSERT_TRUE(serve_until(*server_, [this] { return server_->models().are_ready(); }));
  const json asked = {{"q", lines_[0]}, {"source", "en"}, {"target", "de"}, {"alternatives", 4}};
  EXPECT_EQ(body_of(post("/translate", asked.dump()))["alternatives"].size(), 4);
}

TEST_F(InterfacesTest, LibreTranslateTakesForms) {
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
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("the form is malformed")));
  EXPECT_THAT(post("/translate", "q=a&source=en&source=de&target=de", "application/x-www-form-urlencoded"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("source is not text")));
}

TEST_F(InterfacesTest, AcceptsWhatClientsSend) {
  serve_as({"en-pt_BR"}, {});
  const std::string text = expected({lines_[0]})[0];
  json asked = {{"q", lines_[0]}, {"source", "EN"}, {"target", "PT-br"}, {"api_key", nullptr}};
  EXPECT_EQ(body_of(post("/translate", asked.dump()))["translatedText"], text);
  EXPECT_EQ(body_of(post("/v1/translate", json{{"text", lines_[0]}, {"target", "pt-BR"}}.dump()))["model"],
            "en-pt_BR");
  asked["api_key"] = 1;
  EXPECT_THAT(post("/translate", asked.dump()),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("api_key is not text")));
}

TEST_F(InterfacesTest, LibreTranslateLeavesTextsOfTheTargetLanguageAsTheyAre) {
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

// Each text has a language of its own, and one in the target language stays as it is.
TEST_F(InterfacesTest, LibreTranslateDetectsTheLanguageOfEachText) {
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

TEST_F(InterfacesTest, LibreTranslateTakesTextsOfARequestByRoutesOfTheirOwn) {
  serve_as({"fr-en", "en-de"}, {.pivot = "en"});
  const std::string english = "Two young men are sitting on a bench in the park.",
                    french = "Deux jeunes hommes sont assis sur un banc dans le parc.";
  const std::vector<std::string> once = expected({english, french}), twice = expected({once[1]});
  const json asked = {{"q", {french, english}}, {"source", "auto"}, {"target", "de"}, {"alternatives", 1}};
  const json answer = body_of(post("/translate", asked.dump()));
  EXPECT_EQ(answer["translatedText"], json({twice[0], once[0]}));
  EXPECT_EQ(answer["alternatives"][1], json({expected({english}, 2)[1]}));
}

TEST_F(InterfacesTest, OwnOneDetectsTheLanguageOfEachText) {
  serve_as({"en-de", "ru-de"}, {});
  const std::string english = "Two young men are sitting on a bench in the park.",
                    german = "Zwei junge Männer sitzen auf einer Bank im Park.",
                    russian = "Двое молодых людей сидят на скамейке в парке.";
  const std::vector<std::string> translated = expected({english, russian});
  json asked = {{"text", {russian, german, english}}, {"target", "de"}};
  const json answer = body_of(post("/v1/translate", asked.dump()));
  EXPECT_FALSE(answer.contains("model"));
  const json& found = answer["translations"];
  EXPECT_EQ(found[0]["text"], translated[1]);
  EXPECT_EQ(found[0]["model"], "ru-de");
  EXPECT_EQ(found[0]["detected_language"]["language"], "ru");
  EXPECT_GT(found[0]["detected_language"]["confidence"], 80);
  EXPECT_EQ(found[1]["text"], german);
  EXPECT_FALSE(found[1].contains("model"));
  EXPECT_EQ(found[2]["text"], translated[0]);
  EXPECT_EQ(found[2]["model"], "en-de");
  asked["source"] = "auto";
  EXPECT_EQ(body_of(post("/v1/translate", asked.dump())), answer);

  asked["stream"] = true;
  const std::string stream = post("/v1/translate", asked.dump());
  std::vector<std::string> events;
  for (std::size_t at = 0; (at = stream.find("data: ", at)) != std::string::npos; ++at)
    events.push_back(json::parse(stream.substr(at + 6, stream.find('\n', at) - at - 6)).dump());
  ASSERT_EQ(events.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    const json event = json::parse(events[i]);
    EXPECT_EQ(event["index"], i);
    EXPECT_EQ(event["text"], found[i]["text"]);
    EXPECT_EQ(event["detected_language"], found[i]["detected_language"]);
  }
  EXPECT_EQ(json::parse(events[3]), answer);
}

TEST_F(InterfacesTest, OwnOneLeavesTextsOfTheTargetLanguageAsTheyAre) {
  serve();
  const json asked = {{"text", {" Ba be. ", ""}}, {"source", "DE"}, {"target", "de"}, {"beam", 2}};
  const json answer = body_of(post("/v1/translate", asked.dump()));
  EXPECT_FALSE(answer.contains("model"));
  EXPECT_EQ(answer["translations"][0]["text"], " Ba be. ");
  EXPECT_EQ(answer["translations"][1]["text"], "");
}

TEST_F(InterfacesTest, OwnOneChecksSettingsOfTextsThatAreNotTranslated) {
  serve();
  json asked = {{"text", "Ba be. Bi"}, {"source", "de"}, {"target", "de"}, {"split", false}};
  const auto answer = [&](const json& settings) {
    json request = asked;
    request.update(settings);
    return post("/v1/translate", request.dump());
  };
  for (const json& bad : {json{{"beam", 0}}, json{{"n_best", 65}}, json{{"candidates", 3}},
                          json{{"temperature", 1}}, json{{"alternatives", true}}})
    EXPECT_THAT(answer(bad), StartsWith("HTTP/1.1 400 ")) << bad;
  const json found =
      body_of(answer({{"n_best", 3}, {"token_scores", true}, {"alignment", true}}))["translations"][0];
  EXPECT_EQ(found["text"], "Ba be. Bi");
  EXPECT_EQ(found["score"], 0);
  EXPECT_EQ(found["tokens"], json::array());
  EXPECT_EQ(found["words"], json({"Ba", "be.", "Bi"}));
  EXPECT_EQ(found["word_log_probabilities"], json({0.0, 0.0, 0.0}));
  EXPECT_EQ(found["alignment"], json({{0, 0}, {1, 1}, {2, 2}}));
  ASSERT_EQ(found["n_best"].size(), 1U);
  EXPECT_EQ(found["n_best"][0]["text"], "Ba be. Bi");
}

TEST_F(InterfacesTest, OwnOneRefusesLanguagesThatAreNotThoseOfTheModel) {
  serve();
  const auto status = [&](json request) {
    request["text"] = "a";
    return post("/v1/translate", request.dump()).substr(9, 3);
  };
  EXPECT_EQ(status({{"model", "en-de"}, {"source", "en"}, {"target", "de"}}), "200");
  EXPECT_EQ(status({{"model", "en-de"}, {"source", "auto"}}), "200");
  EXPECT_EQ(status({{"model", "en-de"}, {"source", "fr"}}), "400");
  EXPECT_EQ(status({{"model", "en-de"}, {"target", "en"}}), "400");
  EXPECT_EQ(status({{"model", "en-de"}, {"source", "de"}, {"target", "en"}}), "400");
  EXPECT_EQ(status({{"source", "fr"}}), "400") << "there is only one model, but not for that";
}

// As LibreTranslate does: the confidence tells that the text is in none of the languages that are served.
TEST_F(InterfacesTest, TextsInALanguageWithoutAModelHaveAConfidenceOf0) {
  serve_as({"en-de", "fr-de"}, {});
  const std::string text = "Двое молодых людей сидят на скамейке в парке.";
  const json libre =
      body_of(post("/translate", json{{"q", text}, {"source", "auto"}, {"target", "de"}}.dump()));
  EXPECT_EQ(libre["detectedLanguage"]["confidence"], 0);
  const json own =
      body_of(post("/v1/translate", json{{"text", text}, {"source", "auto"}, {"target", "de"}}.dump()));
  const json& found = own["translations"][0];
  EXPECT_EQ(found["detected_language"], libre["detectedLanguage"]);
  // The most similar language may be the target.
  EXPECT_EQ(found["text"], found.contains("model") ? expected({text})[0] : text);
}

TEST_F(InterfacesTest, LibreTranslateRefuses) {
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
         "'<!-- a' does not end");
  refuse({{"q", "a"}, {"source", "en"}, {"target", "de"}, {"alternatives", 11}}, 400, "from 0 to 10");
  refuse({{"q", std::string(101, 'a')}, {"source", "en"}, {"target", "de"}}, 413, "101 characters");
  refuse({{"q", {"a", "b", "c", "d"}}, {"source", "en"}, {"target", "de"}}, 413, "4 sentences");
  EXPECT_THAT(post("/translate", "{\"q\":"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(post("/translate", "[1]"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(post("/translate", "q", "text/plain"), StartsWith("HTTP/1.1 415 "));
}

TEST_F(InterfacesTest, LibreTranslateDetectsLanguages) {
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
  EXPECT_THAT(post("/detect", json{{"q", russian}}.dump()), HasSubstr("no model says by its name"));
}

TEST_F(InterfacesTest, KeepsWhatIsBetweenSentences) {
  serve();
  const std::vector<std::string> texts = expected({"Ba be.", "Bi bo."});
  EXPECT_EQ(body_of(post("/translate",
                         json{{"q", "Ba be.  \n\nBi bo."}, {"source", "en"}, {"target", "de"}}.dump())),
            json({{"translatedText", texts[0] + "  \n\n" + texts[1]}}));
}

TEST_F(InterfacesTest, TextsAreSplitAsTheServerOrTheRequestSays) {
  ServingSettings serving = kServing;
  serving.splits = false;
  serve_as({"en-de"}, {}, serving);
  const std::string text = "Ba be. Bi bo.";
  const std::vector<std::string> parts = expected({"Ba be.", "Bi bo.", text});
  ASSERT_NE(parts[0] + ' ' + parts[1], parts[2]);
  const auto translated = [&](json request) {
    return body_of(post("/v1/translate", request.dump()))["translations"][0]["text"];
  };
  EXPECT_EQ(translated({{"text", text}}), parts[2]);
  EXPECT_EQ(translated({{"text", text}, {"alignment", true}}), parts[2]);
  EXPECT_EQ(translated({{"text", text}, {"split", true}}), parts[0] + ' ' + parts[1]);
  serve_as({"en-de"}, {});
  EXPECT_EQ(translated({{"text", text}}), parts[0] + ' ' + parts[1]);
  EXPECT_EQ(translated({{"text", text}, {"alignment", true}}), parts[2]);  // of one sentence
  serve_as({"en-de"}, {}, serving);
  const json asked = {{"q", text}, {"source", "en"}, {"target", "de"}};
  EXPECT_EQ(body_of(post("/translate", asked.dump()))["translatedText"], parts[2]);
}

TEST_F(InterfacesTest, WhatIsTooLongIsTranslatedInPartsOrToldOf) {
  const std::string text = "the dog sees the green tree, and the dog sees the house";
  ServingSettings serving = kServing;
  serving.max_length = 2 * std::ssize(testing::text_vocabulary().encode(text)) / 3;
  serve_as({"en-de"}, {}, serving);
  const std::vector<std::string> parts =
      expected({"the dog sees the green tree,", "and the dog sees the house"});
  const std::string whole = parts[0] + ' ' + parts[1];
  const auto asked = [&](json request) {
    request["text"] = text;
    return body_of(post("/v1/translate", request.dump()))["translations"][0];
  };
  const json found = asked(json::object());
  EXPECT_EQ(found["text"], whole);
  EXPECT_FALSE(found.contains("truncated"));
  const json cut = asked({{"too_long", "truncate"}});
  EXPECT_EQ(cut["truncated"], true);
  EXPECT_NE(cut["text"], whole);
  EXPECT_EQ(asked({{"alignment", true}})["truncated"], true);
  EXPECT_EQ(asked({{"constraints", {"la"}}})["truncated"], true);
  EXPECT_THAT(asked({{"too_long", "refuse"}})["error"].get<std::string>(),
              HasSubstr("tokens, but the limit is "));
  const json libre = {{"q", {text, "a"}}, {"source", "en"}, {"target", "de"}};
  const json open_nmt = {{{"src", text}, {"id", 0}}};
  EXPECT_EQ(body_of(post("/translate", libre.dump()))["translatedText"][0], whole);
  EXPECT_FALSE(body_of(post("/translate", libre.dump())).contains("truncated"));
  EXPECT_EQ(body_of(post("/translator/translate", open_nmt.dump()))[0][0]["tgt"], whole);
  serving.too_long = TooLong::truncate;
  serve_as({"en-de"}, {}, serving);
  EXPECT_EQ(asked({{"too_long", "split"}})["text"], whole);
  EXPECT_EQ(asked(json::object())["truncated"], true);
  EXPECT_EQ(body_of(post("/translate", libre.dump()))["truncated"], json({true, false}));
  EXPECT_EQ(body_of(post("/translator/translate", open_nmt.dump()))[0][0]["truncated"], true);
}

TEST_F(InterfacesTest, LanguagesOfModelsDecideWhereSentencesEnd) {
  const auto translated = [&] {
    return body_of(post("/v1/translate", json{{"text", "Ba 11. Bi bo."}}.dump()))["translations"][0]["text"];
  };
  const std::vector<std::string> parts = expected({"Ba 11.", "Bi bo.", "Ba 11. Bi bo."});
  ASSERT_NE(parts[0] + ' ' + parts[1], parts[2]);
  serve_as({"de-en"}, {});
  EXPECT_EQ(translated(), parts[2]);  // an ordinal number
  serve_as({"en-de"}, {});
  EXPECT_EQ(translated(), parts[0] + ' ' + parts[1]);
  ServingSettings serving = kServing;
  serving.split_language = "en";
  serve_as({"model"}, {}, serving);
  EXPECT_EQ(translated(), parts[0] + ' ' + parts[1]);
}

TEST_F(InterfacesTest, TagsComeBack) {
  serve();
  const std::string plain = expected({"Ba be."})[0] + ' ' + expected({"Bi bo."})[0];
  const std::string html = "<p>Ba be.</p><p>Bi <br>bo.</p>";
  const std::string translated = body_of(
      post("/translate",
           json{{"q", "<p>Ba be.</p><p>Bi bo.</p>"}, {"source", "en"}, {"target", "de"}, {"format", "html"}}
               .dump()))["translatedText"];
  EXPECT_EQ(std::regex_replace(std::regex_replace(translated, std::regex("</p><p>"), " "),
                               std::regex("<[^>]*>"), ""),
            plain);
  EXPECT_THAT(translated, AllOf(StartsWith("<p>"), EndsWith("</p>"), HasSubstr("</p><p>")));
  const json own = body_of(post("/v1/translate", json{{"text", {html, html}}, {"markup", true}}.dump()));
  EXPECT_THAT(own["translations"][1]["text"].get<std::string>(), HasSubstr("<br>"));
  EXPECT_EQ(own["translations"][0], own["translations"][1]);
}

TEST_F(InterfacesTest, WhiteSpaceAroundATextComesBack) {
  serve();
  const std::string text = expected({lines_[0]})[0];
  EXPECT_EQ(
      body_of(post("/translate",
                   json{{"q", "\n  " + lines_[0] + "\t\n"}, {"source", "en"}, {"target", "de"}}.dump())),
      json({{"translatedText", "\n  " + text + "\t\n"}}));
  for (const bool splits : {false, true}) {
    const json own =
        body_of(post("/v1/translate", json{{"text", " " + lines_[0] + "\u00a0 "}, {"split", splits}}.dump()));
    EXPECT_EQ(own["translations"][0]["text"], " " + text + "\u00a0 ");
  }
  EXPECT_EQ(
      body_of(post("/translator/translate", json{{{"src", " " + lines_[0] + " "}}}.dump()))[0][0]["tgt"],
      " " + text + " ");
}

/// A server whose model writes much that it does not know.
class UnknownInterfacesTest : public InterfacesTest {
 protected:
  UnknownInterfacesTest() { save_model_with({}); }

  void save_model_with(const DecodingSettings& decoding) {
    const Vocabulary vocabulary = testing::text_vocabulary();
    const SavedModel model = testing::text_model(*backend_, vocabulary, {}, 20, vocabulary.unknown());
    save_model(path_, write_model_settings(model.settings) + write_decoding_settings(decoding),
               model.vocabularies, model.model->training_weights());
  }

  void serve_with(const ServingSettings& serving) {
    server_ = std::make_unique<TranslationServer>(
        ServerSettings{.port = 0}, std::vector{model_source("en-de=" + path_)}, serving, silent_log());
    EXPECT_TRUE(serve_until(*server_, [this] { return server_->models().are_ready(); }));
  }
  /// Of LibreTranslate's interface, OpenNMT-py's, Marian's and nmt's own.
  std::vector<std::string> answers(const std::string& text) {
    std::vector<std::string> answers;
    answers.push_back(body_of(
        post("/translate", json{{"q", text}, {"source", "en"}, {"target", "de"}}.dump()))["translatedText"]);
    answers.push_back(body_of(post("/translator/translate", json{{{"src", text}}}.dump()))[0][0]["tgt"]);
    HttpClient client(
        *server_,
        "GET /translate HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    client.hear("\r\n\r\n");
    client.say(std::string("\x81") + static_cast<char>(0x80 + text.size()) + std::string(4, '\0') + text);
    answers.push_back(client.hear(answers[0]));
    answers.push_back(body_of(post("/v1/translate", json{{"text", text}}.dump()))["translations"][0]["text"]);
    return answers;
  }
  static constexpr const char* kUnknown = "\u2047";
};

TEST_F(UnknownInterfacesTest, ThoseOfOtherProgramsCopyWhatIsUnknown) {
  serve_with(kServing);
  const std::vector<std::string> texts = answers("\U0001F600");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_THAT(texts[i], Not(HasSubstr(kUnknown))) << i;
  EXPECT_THAT(texts[0], HasSubstr("\U0001F600"));
  EXPECT_THAT(texts[3], HasSubstr(kUnknown));
}

TEST_F(UnknownInterfacesTest, TheServerDecides) {
  ServingSettings serving = kServing;
  serving.replace_unknown = true;
  serve_with(serving);
  EXPECT_THAT(answers("la \U0001F600 rano")[3], Not(HasSubstr(kUnknown)));
  EXPECT_THAT(post("/v1/translate", json{{"text", "la \U0001F600"}, {"replace_unknown", false}}.dump()),
              HasSubstr(kUnknown));
  serving.replace_unknown = false;
  serve_with(serving);
  EXPECT_THAT(
      body_of(post("/translate", json{{"q", "la \U0001F600"}, {"source", "en"}, {"target", "de"}}.dump()))
          .dump(),
      HasSubstr(kUnknown));
}

TEST_F(UnknownInterfacesTest, EmojiAreKeptWhereNoUnknownPieceMayStandForThem) {
  const std::string emoji = "\U0001F600";
  save_model_with({{"unk", "false"}});
  serve_with(kServing);
  const std::vector<std::string> texts = answers("la " + emoji + " rano");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_THAT(texts[i], HasSubstr(emoji)) << i;
  EXPECT_THAT(texts[3], Not(HasSubstr(emoji)));
  ServingSettings serving = kServing;
  serving.replace_unknown = false;
  serve_with(serving);
  for (const std::string& text : answers("la " + emoji + " rano")) EXPECT_THAT(text, Not(HasSubstr(emoji)));
}

TEST_F(UnknownInterfacesTest, WhatIsKeptComesBackInAll) {
  ServingSettings serving = kServing;
  serving.keep = std::make_shared<const KeepRules>(std::vector<std::string>{"placeholders"});
  serve_with(serving);
  for (const std::string& text : answers("la {Na me} {name} rano"))
    EXPECT_THAT(text, AllOf(HasSubstr("{name}"), Not(HasSubstr("X1"))));
  const auto own = [&](const json& request) { return body_of(post("/v1/translate", request.dump())).dump(); };
  EXPECT_THAT(own({{"text", "la Q77 rano {b}"}, {"keep", {"Q\\d+"}}}), HasSubstr("Q77"));
  EXPECT_THAT(own({{"text", "<p>la <code>a  b</code> rano</p>"}, {"markup", true}}),
              HasSubstr("<code>a  b</code>"));
  EXPECT_THAT(own({{"text", "a"}, {"keep", {"("}}}), HasSubstr("is not a regular expression"));
  EXPECT_THAT(own({{"text", "a"}, {"keep", {"urls"}}, {"alignment", true}, {"split", false}}),
              HasSubstr("exclude each other"));
}

TEST_F(UnknownInterfacesTest, DefaultsOfAModelGiveWayToWhatIsAskedFor) {
  save_model_with({{"beam", "2"}, {"beam_rules", "ctranslate2"}});
  serve();
  const auto asked = [&](json request) {
    request["text"] = lines_[0];
    return body_of(post("/v1/translate", request.dump()));
  };
  const json found = asked({{"constraints", {"zo"}}})["translations"][0];
  EXPECT_EQ(found["notices"],
            json({"'constraints' overrides the default 'beam_rules' ctranslate2: searching with nmt"}));
  json same = asked({{"constraints", {"zo"}}, {"beam_rules", "nmt"}})["translations"][0];
  EXPECT_FALSE(same.contains("notices"));
  EXPECT_EQ(same["text"], found["text"]);
  EXPECT_EQ(asked({{"alternatives", true}, {"n_best", 3}})["translations"][0]["n_best"].size(), 3U);
  EXPECT_EQ(asked({{"n_best", 5}})["translations"][0]["n_best"].size(), 5U);
  EXPECT_THAT(asked({{"constraints", {"zo"}}, {"beam_rules", "ctranslate2"}})["error"].get<std::string>(),
              HasSubstr("need the beam rules of nmt"));
  EXPECT_FALSE(asked(json::object())["translations"][0].contains("notices"));
}

TEST_F(InterfacesTest, ByWayOfAPivot) {
  EXPECT_THROW(serve_as({"fr-en"}, {.pivot = "en"}), UsageError);
  serve_as({"fr-en", "en-de"}, {.pivot = "en"});
  const std::vector<std::string> between = expected(lines_), best = expected({between[0]}, 2);
  json asked = {{"q", lines_}, {"source", "fr"}, {"target", "de"}};
  EXPECT_EQ(body_of(post("/translate", asked.dump())), json({{"translatedText", expected(between)}}));
  EXPECT_EQ(body_of(get("/languages"))[2]["targets"], json({"de", "en"}));
  json own = {{"text", lines_[0]}, {"source", "fr"}, {"target", "de"}, {"split", false}, {"n_best", 2}};
  const json answer = body_of(post("/v1/translate", own.dump()));
  EXPECT_EQ(answer["model"], "fr-en+en-de");
  EXPECT_EQ(answer["translations"][0]["n_best"][1]["text"], best[1]);
  own["alignment"] = true;
  EXPECT_THAT(post("/v1/translate", own.dump()),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("'alignment' is of one model")));
  asked["format"] = "html";
  EXPECT_THAT(post("/translate", asked.dump()), HasSubstr("format html is of one model"));
  asked["target"] = "fr";
  EXPECT_EQ(body_of(post("/translate", asked.dump()))["translatedText"], asked["q"]);
}

TEST_F(InterfacesTest, OwnOne) {
  serve();
  const std::vector<std::string> texts = expected(lines_), best = expected({lines_[0]}, 3);
  const json one = body_of(post("/v1/translate", json{{"text", lines_[0]}}.dump()));
  EXPECT_EQ(one["model"], "en-de");
  EXPECT_EQ(one["translations"][0]["text"], texts[0]);
  const json all =
      body_of(post("/v1/translate", json{{"text", lines_}, {"source", "en"}, {"target", "de"}}.dump()));
  ASSERT_EQ(all["translations"].size(), lines_.size());
  EXPECT_EQ(all["translations"][3]["text"], texts[3]);
  const json told = body_of(post("/v1/translate", json{{"text", lines_[0]},
                                                       {"model", "en-de"},
                                                       {"split", false},
                                                       {"n_best", 3},
                                                       {"alignment", true},
                                                       {"token_scores", true}}
                                                      .dump()))["translations"][0];
  ASSERT_EQ(told["n_best"].size(), 3U);
  EXPECT_EQ(told["n_best"][2]["text"], best[2]);
  EXPECT_TRUE(told["alignment"].is_array());
  EXPECT_EQ(told["tokens"].size(), told["token_log_probabilities"].size());
  const json samples = {{"text", lines_}, {"sample", true}, {"seed", 5}};
  EXPECT_EQ(body_of(post("/v1/translate", samples.dump())), body_of(post("/v1/translate", samples.dump())));
  EXPECT_EQ(body_of(get("/v1/models")),
            json::parse(R"({"models": [{"name": "en-de", "ready": true, "source": "en", "target": "de"}]})"));
}

TEST_F(InterfacesTest, OwnOneRefusesWhatModelsFromRightToLeftCannotBeAsked) {
  const SavedModel model =
      testing::text_model(*backend_, testing::text_vocabulary(), {{"target_direction", "right-to-left"}});
  save_model(path_, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  serve();
  const json refused = {{"prefix", "ba"}, {"constraints", {"ba"}}, {"avoid", {"ba"}}, {"alternatives", true}};
  for (const auto& [name, value] : refused.items()) {
    const std::string answer = post(
        "/v1/translate", json{{"text", lines_[0]}, {"split", false}, {"n_best", 2}, {name, value}}.dump());
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 400 "),
                              HasSubstr("'" + name + "' needs models from left to right, but 'en-de' goes")));
  }
  EXPECT_THAT(post("/v1/translate", json{{"text", lines_[0]}, {"prefix", ""}, {"split", false}}.dump()),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(InterfacesTest, OwnOneStreamsSentences) {
  serve();
  json asked = {{"text", {"Ba be. Bi bo. Bu ba.", lines_[0]}}};
  const json whole = body_of(post("/v1/translate", asked.dump()));
  asked["stream"] = true;
  const std::string answer = post("/v1/translate", asked.dump());
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Type: text/event-stream\r\n")));
  const std::vector<std::string> sentences = expected({"Ba be.", "Bi bo.", "Bu ba.", lines_[0]});
  std::istringstream events(answer.substr(answer.find("\r\n\r\n") + 4));
  const auto next = [&events](const std::string& name) {
    std::string event, data, end;
    std::getline(events, event);
    std::getline(events, data);
    std::getline(events, end);
    EXPECT_EQ(event, "event: " + name);
    EXPECT_EQ(end, "");
    return json::parse(data.substr(std::min<std::size_t>(data.size(), 6)));
  };
  for (std::size_t i = 0; i < 4; ++i) {
    const json event = next("sentence");
    EXPECT_EQ(event["index"], i / 3);
    EXPECT_EQ(event["sentence"], i % 3);
    EXPECT_EQ(event["text"], sentences[i]);
  }
  EXPECT_EQ(next("done"), whole);
}

TEST_F(InterfacesTest, OwnOneStreamsWhatSentencesHaveComeTo) {
  serve();
  const json asked = {
      {"text", {"Ba be. Bi bo.", lines_[0]}}, {"stream", true}, {"partial", true}, {"beam", 1}};
  const std::string answer = post("/v1/translate", asked.dump());
  std::istringstream events(answer.substr(answer.find("\r\n\r\n") + 4));
  std::string event, data, end, so_far;
  int parts = 0, sentences = 0;
  while (std::getline(events, event) && std::getline(events, data) && std::getline(events, end)) {
    if (event == "event: done") break;
    const json told = json::parse(data.substr(6));
    EXPECT_EQ(told["index"].get<int>() * 2 + told["sentence"].get<int>(), sentences);
    EXPECT_THAT(told["text"].get<std::string>(), StartsWith(so_far));
    so_far = event == "event: partial" ? told["text"].get<std::string>() : "";
    ++(event == "event: partial" ? parts : sentences);
  }
  EXPECT_EQ(event, "event: done");
  EXPECT_EQ(sentences, 3);
  EXPECT_GT(parts, 6);
}

TEST_F(InterfacesTest, OwnOneRefuses) {
  serve();
  const auto refuse = [&](const std::string& request, int status, const std::string& message) {
    const std::string answer = post("/v1/translate", request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(status) + ' ')) << request;
    EXPECT_THAT(body_of(answer)["error"].get<std::string>(), HasSubstr(message)) << request;
  };
  refuse("[]", 400, "a JSON object");
  refuse("{", 400, "invalid JSON at byte 2, where it ends before it is complete");
  refuse(R"({"text": "\ud800"})", 400, "at byte 17, where one half of a surrogate pair");
  refuse(std::string(20, '['), 400, "nested");
  refuse("{}", 400, "'text'");
  refuse(R"({"text": [1]})", 400, "'text'");
  refuse(R"({"text": "a", "model": "fr-en"})", 404, "no model 'fr-en'");
  refuse(R"({"text": "a", "target": "fr"})", 400, "to fr");
  refuse(R"({"text": "a", "beem": 3})", 400, "'beem'");
  refuse(R"({"text": "a", "beam": 3, "beam": 4})", 400, "the body has 'beam' twice; give it once");
  refuse(R"({"text": "a", "beam": 0})", 400, "'beam'");
  refuse(R"({"text": "a", "split": 1})", 400, "'split' takes true or false");
  refuse(R"({"text": "a", "split": true, "alignment": true})", 400, "leave out 'split'");
  refuse(R"({"text": "a", "split": false, "alignment": true, "markup": true})", 400,
         "'markup' and 'alignment' exclude each other");
  refuse(R"({"text": "a", "stream": true, "markup": true})", 400, "'markup' and 'stream'");
  refuse(R"({"text": "a", "partial": true})", 400, "add \"stream\": true");
  refuse(R"({"text": "a", "partial": true, "stream": true, "mbr": "chrf"})", 400, "'mbr' and 'partial'");
  refuse(R"({"text": "<!-- a", "markup": true})", 400, "'<!-- a' does not end");
  refuse(R"({"text": "a", "timeout": 0})", 400, "'timeout'");
  refuse(R"({"text": "a", "timeout": 1e8})", 400,
         "'timeout' is a number of seconds above 0, at most 1000000");
  refuse(R"({"text": "a", "beam": 65})", 400, "'beam' is 65; a request has at most 64");
  refuse(R"({"text": "a", "sample": true, "n_best": 65})", 400, "'n_best' is 65; a request has at most 64");
  refuse(R"({"text": "a", "sample": true, "mbr": "chrf", "candidates": 65})", 400, "'candidates' is 65");
  refuse(R"({"text": "a", "split": false, "alternatives": true, "beam": 9, "n_best": 30})", 400,
         "'n_best' times 'beam' is 270; a request has at most 256");
  refuse(R"({"text": "a", "min_length": 1001})", 400, "'min_length' is 1001; a request has at most 1000");
  refuse(R"({"text": "a", "max_length_extra": 1001})", 400, "at most 1000");
  refuse(R"({"text": "a", "max_length_factor": 10.5})", 400, "'max_length_factor' is 10.5");
}

TEST(RequestLimits, AreNoneWhereTheModelHasMore) {
  const SearchSettings usual{.beam = 100, .n_best = 80, .min_length = 2000};
  const TranslationRequest request{.text = "a", .search = std::make_shared<const SearchSettings>(usual)};
  EXPECT_NO_THROW(check_limits(request, usual));
  EXPECT_THROW(check_limits(request, {}), UsageError);
}

TEST_F(InterfacesTest, OwnOneNamesAnUnknownFieldFirst) {
  serve_as({"en-de", "fr-de"}, {});
  for (const json& request :
       {json{{"text", "a"}, {"modell", "en-de"}}, json{{"modell", "x"}, {"beam", "wide"}},
        json{{"modell", "x"}, {"model", "none"}, {"partial", true}}}) {
    EXPECT_THAT(body_of(post("/v1/translate", request.dump()))["error"].get<std::string>(),
                StartsWith("unknown name 'modell', did you mean 'model'? (a request has text, "));
  }
}

TEST_F(InterfacesTest, OwnOneNamesFieldsInItsMessages) {
  serve();
  const auto message = [&](json request) {
    request["text"] = "a";
    return body_of(post("/v1/translate", request.dump()))["error"].get<std::string>();
  };
  EXPECT_THAT(message({{"beam", 3}, {"beam_groups", 2}}), StartsWith("'beam' is 3 and 'beam_groups' 2: "));
  EXPECT_THAT(message({{"keep", "("}}), StartsWith("'keep' '(' is not a regular expression"));
  EXPECT_THAT(message({{"alternatives", true}, {"n_best", 2}, {"coverage_penalty", 0.2}}),
              StartsWith("'alternatives' and 'coverage_penalty' exclude each other"));
  EXPECT_THAT(message({{"keep", "urls"}, {"alignment", true}}), StartsWith("'keep' and 'alignment' exclude"));
}

TEST_F(InterfacesTest, OwnOneTellsTokensOfEmptyTexts) {
  serve();
  const json asked = {{"text", {"", " "}}, {"token_scores", true}};
  const json answer = body_of(post("/v1/translate", asked.dump()));
  ASSERT_EQ(answer["translations"].size(), 2U);
  for (const json& translation : answer["translations"]) {
    for (const char* name : {"tokens", "token_log_probabilities", "words", "word_log_probabilities"})
      EXPECT_EQ(translation[name], json::array()) << name;
  }
}

TEST_F(InterfacesTest, OwnOneLimitsPhrases) {
  serve({.most_characters = 8000});
  const auto answer = [&](const json& given, std::size_t texts = 1) {
    json request = {{"text", std::vector<std::string>(texts, "ba")}, {"split", false}};
    request.update(given);
    return post("/v1/translate", request.dump());
  };
  const std::vector<std::string> hundred(100, "ba"), thousand(1000, "bibi");
  EXPECT_THAT(answer({{"constraints", hundred}}), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer({{"constraints", {hundred, "bi"}}}),
              AllOf(StartsWith("HTTP/1.1 400 "),
                    HasSubstr("'constraints' has 101 phrases; a request has at most 100")));
  EXPECT_THAT(answer({{"avoid", thousand}}), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(
      answer({{"avoid", std::vector<std::string>(1001, "bi")}}),
      AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("'avoid' has 1001 phrases; a request has at most 1000")));
  EXPECT_THAT(answer({{"avoid", thousand}, {"prefix", "ba"}}, 2),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("8008 characters; a request has at most 8000")));
}

/// What is described is there, and the other way round.
TEST_F(InterfacesTest, Description) {
  serve();
  const json description = body_of(get("/openapi.json"));
  EXPECT_EQ(description["openapi"], "3.1.0");
  for (const auto& [path, methods] : description["paths"].items()) {
    for (const auto& [method, about] : methods.items()) {
      const std::string answer = method == "get" ? get(path) : post(path, "");
      EXPECT_THAT(answer, Not(AnyOf(StartsWith("HTTP/1.1 404"), StartsWith("HTTP/1.1 405")))) << path;
    }
  }
  for (const auto& [name, about] : description["components"]["schemas"]["Request"]["properties"].items()) {
    json request = {{"text", "a"}};
    request[name] = json::object();
    const std::string answer = post("/v1/translate", request.dump());
    EXPECT_THAT(answer,
                AllOf(StartsWith("HTTP/1.1 400"), HasSubstr('\'' + name), Not(HasSubstr("unknown name"))))
        << name;
  }
  // A message about an unknown name lists those that a request may have.
  const std::string complaint = body_of(post("/v1/translate", R"({"text": "a", "modell": "b"})"))["error"];
  const std::size_t begin = complaint.find("(a request has ");
  ASSERT_NE(begin, std::string::npos) << complaint;
  std::istringstream names(complaint.substr(begin + std::string("(a request has ").size()));
  const json& properties = description["components"]["schemas"]["Request"]["properties"];
  std::size_t count = 0;
  for (std::string name; std::getline(names >> std::ws, name, ','); ++count) {
    if (name.ends_with(')')) name.pop_back();
    EXPECT_TRUE(properties.contains(name)) << name;
  }
  EXPECT_EQ(count, properties.size());
}

/// Why a server refuses the value of a setting; empty: it does not.
std::string refusal_of(const std::string& name, const json& value) {
  const SearchSettings usual;
  TranslationRequest request{.search = std::make_shared<const SearchSettings>(usual)};
  json object = {{"text", "a"}};
  object[name] = value;
  if (name == "candidates") object["mbr"] = "chrf";
  try {
    take_request(object, request);
    check_limits(request, usual);
  } catch (const UsageError& error) {
    const std::string why = error.what();
    return why.find('\'' + name + "' is ") == std::string::npos ? "" : why;  // else it needs another setting
  }
  return "";
}

TEST(Description, NamesTheLimitsOfSettings) {
  int numbers = 0;
  const nlohmann::ordered_json schemas = request_schema();
  for (const auto& [name, schema] : schemas.items()) {
    EXPECT_TRUE(schema.contains("description")) << name;
    if (!schema.contains("maximum")) continue;
    ++numbers;
    EXPECT_EQ(refusal_of(name, schema["minimum"]), "");
    EXPECT_NE(refusal_of(name, schema["minimum"].get<double>() - 1), "") << name;
    if (name == "seed") continue;  // all numbers of 64 bits
    EXPECT_EQ(refusal_of(name, schema["maximum"]), "");
    EXPECT_NE(refusal_of(name, schema["maximum"].get<double>() + 1), "") << name;
  }
  EXPECT_EQ(numbers, 20);
}

TEST_F(InterfacesTest, Marian) {
  serve();
  HttpClient client(
      *server_,
      "GET /translate HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  client.hear("\r\n\r\n");
  const std::vector<std::string> lines = {lines_[0].substr(0, 20), lines_[1].substr(0, 20)};
  const std::string message = lines[0] + "\n\n" + lines[1];
  client.say(std::string("\x81") + static_cast<char>(0x80 + message.size()) + std::string(4, '\0') + message);
  const std::string answer = expected(lines)[0] + "\n\n" + expected(lines)[1];
  EXPECT_THAT(client.hear(answer), EndsWith(answer));
}

TEST_F(InterfacesTest, OpenNmt) {
  serve();
  const json answer = body_of(
      post("/translator/translate", json{{{"src", lines_[0]}, {"id", 0}}, {{"src", lines_[1]}}}.dump()));
  ASSERT_EQ(answer.size(), 1U);
  ASSERT_EQ(answer[0].size(), 2U);
  EXPECT_EQ(answer[0][1]["src"], lines_[1]);
  EXPECT_EQ(answer[0][1]["tgt"], expected(lines_)[1]);
  EXPECT_THAT(post("/translator/translate", R"([{"src": "a", "id": 1}])"), StartsWith("HTTP/1.1 404 "));
  EXPECT_EQ(body_of(get("/translator/models"))[0]["status"], "loaded");
}

}  // namespace
}  // namespace nmt
