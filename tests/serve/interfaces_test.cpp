// Common properties of the interfaces, and the interfaces of Marian and OpenNMT.
#include "serve/interfaces/interfaces.h"

#include <gmock/gmock.h>

#include <regex>

#include "common/error.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class InterfacesTest : public ServingTest {};

TEST_F(InterfacesTest, AcceptsWhatClientsSend) {
  serve_as({"en-pt_BR"}, {});
  const std::string text = expected({lines_[0]})[0];
  json asked = {{"q", lines_[0]}, {"source", "EN"}, {"target", "PT-br"}, {"api_key", nullptr}};
  EXPECT_EQ(body_of(post("/translate", asked.dump()))["translatedText"], text);
  EXPECT_EQ(body_of(post("/v1/translate", json{{"text", lines_[0]}, {"target", "pt-BR"}}.dump()))["model"],
            "en-pt_BR");
  EXPECT_EQ(
      body_of(post("/v1/translate",
                   json{{"text", lines_[0]}, {"source", "en-GB"}, {"target", "por_Latn"}}.dump()))["model"],
      "en-pt_BR");
  EXPECT_THAT(post("/v1/translate", json{{"text", lines_[0]}, {"source", "en"}, {"target", "pt-PT"}}.dump()),
              HasSubstr("no model translates from en to pt-PT"));
  asked["api_key"] = 1;
  EXPECT_THAT(post("/translate", asked.dump()),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("api_key is not text")));
}

// As in LibreTranslate, a low confidence means that the text is in none of the served languages.
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
  EXPECT_EQ(found["text"], expected({text})[0]);
}

// The detector takes these for other languages, and has no evidence for English.
TEST_F(InterfacesTest, ShortTextsAreTranslatedFromTheOnlyLanguage) {
  serve_as({"en-pt"}, {});
  for (const std::string text : {"Hello", "A dog", "OK"}) {
    const json answer =
        body_of(post("/translate", json{{"q", text}, {"source", "auto"}, {"target", "pt"}}.dump()));
    EXPECT_EQ(answer["translatedText"], expected({text})[0]);
    EXPECT_EQ(answer["detectedLanguage"], body_of(post("/detect", json{{"q", text}}.dump()))[0]);
    EXPECT_EQ(answer["detectedLanguage"]["language"], "en") << text;
  }
}

// Each error has the form of its interface.
TEST_F(InterfacesTest, RefuseOddBodies) {
  serve_as({"en-de"}, {.glossaries = folder_ / "glossaries"});
  const std::vector<std::pair<std::string, std::string>> paths = {
      {"/v1/translate", "error"},        {"/translate", "error"},           {"/detect", "error"},
      {"/v2/translate", "message"},      {"/v2/glossaries", "message"},     {"/v3/glossaries", "message"},
      {"/v1/chat/completions", "error"}, {"/translator/translate", "error"}};
  const std::vector<std::string> bodies = {"",
                                           "{",
                                           "{}",
                                           "[]",
                                           "1",
                                           "null",
                                           "\"a\"",
                                           "[[[[[[[[[[]]]]]]]]]]",
                                           "{\"text\": \"\xff\"}",
                                           std::string("\0", 1),
                                           "{\"text\": 1e999}",
                                           "{\"text\": \"a\", \"text\": \"a\"}",
                                           "{\"text\": \"\\ud800\"}",
                                           "{\"text\": {}, \"target_lang\": []}",
                                           "{\"messages\": {\"a\": 1}, \"model\": \"en-de\"}",
                                           "{\"name\": \"a\", \"dictionaries\": {\"a\": 1}}",
                                           "{\"q\": [[1]], \"source\": \"en\", \"target\": \"de\"}"};
  for (const auto& [path, name] : paths) {
    for (const std::string& body : bodies) {
      const std::string answer = post(path, body);
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 4")) << path << ' ' << body;
      EXPECT_TRUE(body_of(answer).contains(name)) << path << ' ' << body;
    }
    EXPECT_THAT(post(path, "a=%", "application/x-www-form-urlencoded"), StartsWith("HTTP/1.1 4")) << path;
    EXPECT_THAT(post(path, "--x\r\n", "multipart/form-data; boundary=x"), StartsWith("HTTP/1.1 4")) << path;
    EXPECT_THAT(post(path + "?a=%zz", "{}"), StartsWith("HTTP/1.1 4")) << path;
  }
  EXPECT_THAT(get("/health"), StartsWith("HTTP/1.1 200 "));
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

/// Starts a server whose model writes many unknown pieces.
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
  /// Requests in the interfaces of LibreTranslate, OpenNMT-py, Marian and nmt.
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
  own["n_best"] = 7;
  EXPECT_EQ(body_of(post("/v1/translate", own.dump()))["translations"][0]["notices"].size(), 1)
      << "both models searched with another beam";
  own["alignment"] = true;
  EXPECT_THAT(post("/v1/translate", own.dump()),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("'alignment' needs a single model")));
  asked["format"] = "html";
  EXPECT_THAT(post("/translate", asked.dump()), HasSubstr("format html needs a single model"));
  asked["target"] = "fr";
  EXPECT_EQ(body_of(post("/translate", asked.dump()))["translatedText"], asked["q"]);
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
