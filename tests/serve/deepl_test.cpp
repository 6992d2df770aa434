// DeepL's interface answers like DeepL, with the translations of nmt translate.
#include <gmock/gmock.h>

#include <fstream>

#include "serve/interfaces/deepl_requests.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kForm = "application/x-www-form-urlencoded";

class DeepLTest : public ServingTest {
 protected:
  /// Returns the translations of a request as texts.
  std::vector<std::string> texts_of(const json& request) {
    std::vector<std::string> texts;
    const json answer = body_of(post("/v2/translate", request.dump()));
    for (const json& translation : answer.value("translations", json::array()))
      texts.push_back(translation["text"]);
    return texts;
  }
  void refuse(json request, const std::string& message, int status = 400) {
    if (!request.contains("text")) request["text"] = {"a"};
    const std::string answer = post("/v2/translate", request.dump());
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(status) + ' ')) << request;
    EXPECT_THAT(body_of(answer).value("message", ""), HasSubstr(message)) << request;
  }
};

TEST_F(DeepLTest, TranslatesTextsOfJsonAndForms) {
  serve();
  const std::vector<std::string> texts = expected(lines_);
  json asked = {{"text", lines_}, {"source_lang", "EN"}, {"target_lang", "DE"}};
  EXPECT_EQ(texts_of(asked), texts);
  asked["text"] = lines_[0];
  EXPECT_EQ(body_of(post("/v2/translate", asked.dump())),
            json({{"translations", {{{"detected_source_language", "EN"}, {"text", texts[0]}}}}}));
  const std::string form = "text=" + lines_[0] + "&text=" + lines_[1] + "&target_lang=de";
  const json answer = body_of(post("/v2/translate", form, kForm))["translations"];
  ASSERT_EQ(answer.size(), 2U);
  EXPECT_EQ(answer[1]["text"], texts[1]);
  EXPECT_EQ(answer[1]["detected_source_language"], "EN");
}

TEST_F(DeepLTest, DetectsTheLanguageOfEachText) {
  serve_as({"en-de", "ru-de"}, {});
  const std::string english = "Two young men are sitting on a bench in the park.",
                    german = "Zwei junge M\u00e4nner sitzen auf einer Bank im Park.",
                    russian = "Двое молодых людей сидят на скамейке в парке.";
  const json answer =
      body_of(post("/v2/translate",
                   json{{"text", {english, german, russian}}, {"target_lang", "DE"}}.dump()))["translations"];
  EXPECT_EQ(answer[0]["detected_source_language"], "EN");
  EXPECT_EQ(answer[1], json({{"detected_source_language", "DE"}, {"text", german}}));
  EXPECT_EQ(answer[2]["detected_source_language"], "RU");
}

TEST_F(DeepLTest, ReportsCharactersAndTheKindOfModelIfAsked) {
  serve();
  json asked = {{"text", {"<b>ä b</b>"}}, {"target_lang", "DE"},      {"show_billed_characters", true},
                {"tag_handling", "xml"},  {"context", "not counted"}, {"model_type", "quality_optimized"}};
  const json marked = body_of(post("/v2/translate", asked.dump()))["translations"][0];
  EXPECT_EQ(marked["billed_characters"], 3);
  EXPECT_EQ(marked["model_type_used"], "quality_optimized");
  asked.erase("tag_handling");
  EXPECT_EQ(body_of(post("/v2/translate", asked.dump()))["translations"][0]["billed_characters"], 10);
  EXPECT_EQ(body_of(get("/v2/usage")),
            json({{"character_count", 13}, {"character_limit", 1'000'000'000'000}}));
}

TEST_F(DeepLTest, SplitsSentencesAsAsked) {
  serve();
  const std::vector<std::string> parts = expected({"Ba be.", "Bi bo.", "Ba be. Bi bo.", "Ba", "be."});
  json asked = {{"text", {"Ba be. Bi bo."}}, {"target_lang", "DE"}};
  EXPECT_THAT(texts_of(asked), ElementsAre(parts[0] + ' ' + parts[1]));
  asked["split_sentences"] = "0";
  EXPECT_THAT(texts_of(asked), ElementsAre(parts[2]));
  asked["text"] = {"Ba\nbe."};
  asked["split_sentences"] = "1";
  EXPECT_THAT(texts_of(asked), ElementsAre(parts[3] + '\n' + parts[4]));
  asked["split_sentences"] = "nonewlines";
  EXPECT_THAT(texts_of(asked), ElementsAre(parts[0]));
  EXPECT_EQ(body_of(post("/v2/translate", "text=Ba%0Abe.&split_sentences=nonewlines&target_lang=DE",
                         kForm))["translations"][0]["text"],
            parts[0]);
}

TEST_F(DeepLTest, KeepsTags) {
  serve();
  json asked = {{"text", {"<p>Ba <i>be</i>.</p>"}}, {"target_lang", "DE"}, {"tag_handling", "html"}};
  EXPECT_THAT(texts_of(asked)[0], AllOf(StartsWith("<p>"), HasSubstr("<i>"), HasSubstr("</i>")));
  asked["text"] = {"<p translate=\"no\">Ba be.</p>"};
  EXPECT_EQ(texts_of(asked), asked["text"]);
  asked["text"] = {"<!-- a"};
  refuse(asked, "'<!-- a' is not closed");
}

TEST_F(DeepLTest, LeavesElementsAsTheyAre) {
  serve();
  json asked = {{"text", {"<raw a=\"1\">Ba be.</raw>"}}, {"target_lang", "DE"}, {"tag_handling", "xml"}};
  EXPECT_NE(texts_of(asked), asked["text"]);
  asked["ignore_tags"] = "none,RAW";
  EXPECT_EQ(texts_of(asked), asked["text"]);
  asked["ignore_tags"] = ",raw, ";
  asked["text"] = {"<!-- <raw> --><raw>Ba be.</raw><!---->"};
  EXPECT_EQ(texts_of(asked), asked["text"]);
  asked["text"] = {"Ba <raw>be</raw> bi."};
  asked["ignore_tags"] = {"raw"};
  EXPECT_THAT(texts_of(asked)[0], HasSubstr("<raw>be</raw>"));
  asked["ignore_tags"] = {1};
  refuse(asked, "Value for 'ignore_tags' not supported.");
}

TEST_F(DeepLTest, SplitsTextsAtTheTagsThatARequestNames) {
  serve();
  const auto translated = [&](const std::string& text, json settings = json::object()) {
    settings.update({{"text", text}, {"target_lang", "DE"}, {"tag_handling", "xml"}});
    return texts_of(settings).at(0);
  };
  const std::string first = translated("Be bi."), second = translated("be.");
  ASSERT_NE(first, "");
  const std::string apart = first + "<x/>" + second, blocks = "<p>" + first + "</p>" + second;
  EXPECT_NE(translated("Be bi.<x/>be."), apart);
  EXPECT_EQ(translated("Be bi.<x/>be.", {{"splitting_tags", "y,X"}}), apart);
  EXPECT_EQ(translated("Be bi.<x/>be.", {{"splitting_tags", {"x"}}, {"outline_detection", false}}), apart);
  EXPECT_EQ(translated("<p>Be bi.</p>be."), blocks);
  EXPECT_NE(translated("<p>Be bi.</p>be.", {{"non_splitting_tags", "p"}}), blocks);
  EXPECT_NE(translated("<p>Be bi.</p>be.", {{"outline_detection", "0"}}), blocks);
}

TEST_F(DeepLTest, ListsLanguages) {
  serve_as({"en-de", "de-pt_BR", "zh_Hant-en", "de-zh_Hant"}, {});
  EXPECT_EQ(body_of(get("/v2/languages")), json::parse(R"([{"language": "DE", "name": "German"},
      {"language": "EN", "name": "English"}, {"language": "ZH", "name": "Chinese"}])"));
  const json targets = body_of(get("/v2/languages?type=target"));
  EXPECT_EQ(targets[0], json::parse(R"({"language": "DE", "name": "German", "supports_formality": false})"));
  std::vector<std::string> codes;
  for (const json& target : targets) {
    codes.push_back(target["language"]);
    const std::string source = codes.back().starts_with("EN") ? "ZH" : codes.back() == "DE" ? "EN" : "DE";
    const json asked = {{"text", "a"}, {"source_lang", source}, {"target_lang", codes.back()}};
    EXPECT_EQ(texts_of(asked), expected({"a"})) << codes.back();
  }
  EXPECT_THAT(codes, ElementsAre("DE", "EN-GB", "EN-US", "PT-BR", "ZH-HANT"));
  EXPECT_EQ(body_of(post("/v2/languages", "type=target", kForm)), targets);
  EXPECT_THAT(get("/v2/languages?type=none"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("Value for 'type' not supported.")));
}

TEST_F(DeepLTest, TakesTheSpellingOfAModelWithBothLanguages) {
  serve_as({"en-pt", "es-pt_BR", "pt_BR-nl"}, {});
  const std::string text = expected({lines_[0]})[0];
  const auto translated = [&](const std::string& source, const std::string& target) {
    return texts_of({{"text", lines_[0]}, {"source_lang", source}, {"target_lang", target}});
  };
  EXPECT_THAT(translated("EN", "PT-BR"), ElementsAre(text));
  EXPECT_THAT(translated("ES", "PT"), ElementsAre(text));
  EXPECT_THAT(translated("PT", "NL"), ElementsAre(text));
  const json asked = {{"text", lines_[0]}, {"source", "en-GB"}, {"target", "pt-BR"}};
  EXPECT_EQ(body_of(post("/v1/translate", asked.dump()))["translations"][0]["text"], text);
}

TEST_F(DeepLTest, KnowsCodesOfDeepL) {
  EXPECT_EQ(deepl_source_code("deu_Latn"), "DE");
  EXPECT_EQ(deepl_source_code("pt_BR"), "PT");
  EXPECT_EQ(deepl_source_code("nb"), "NB");
  EXPECT_EQ(deepl_source_code("no"), "NB");
  EXPECT_THAT(deepl_target_codes("eng_Latn"), ElementsAre("EN-GB", "EN-US"));
  EXPECT_THAT(deepl_target_codes("pt"), ElementsAre("PT-BR", "PT-PT"));
  EXPECT_THAT(deepl_target_codes("en_AU"), ElementsAre("EN-AU"));
  EXPECT_THAT(deepl_target_codes("zh_Hans"), ElementsAre("ZH"));
  EXPECT_THAT(deepl_target_codes("sr_Latn"), ElementsAre("SR-LATN"));
  EXPECT_THAT(deepl_target_codes("zho_Hant"), ElementsAre("ZH-HANT"));
}

TEST_F(DeepLTest, Refuses) {
  serve({.most_sentences = 3, .most_characters = 100});
  refuse({{"target_lang", "XX"}}, "Value for 'target_lang' not supported.");
  refuse({{"target_lang", "DE"}, {"source_lang", "XX"}}, "Value for 'source_lang' not supported.");
  refuse({{"source_lang", "EN"}}, "Parameter 'target_lang' not specified.");
  refuse({{"target_lang", 1}}, "Value for 'target_lang' not supported.");
  refuse({{"target_lang", "DE"}, {"text", nullptr}}, "Parameter 'text' not specified.");
  refuse({{"target_lang", "DE"}, {"text", {1}}}, "Value for 'text' not supported.");
  refuse({{"target_lang", "DE"}, {"formality", "more"}}, "Target language 'DE' doesn't support formality.");
  refuse({{"target_lang", "DE"}, {"formality", "polite"}}, "Value for 'formality' not supported.");
  refuse({{"target_lang", "DE"}, {"split_sentences", "2"}}, "Value for 'split_sentences' not supported.");
  refuse({{"target_lang", "DE"}, {"split_sentences", {"1"}}}, "Value for 'split_sentences' not supported.");
  refuse({{"target_lang", "DE"}, {"tag_handling", "pdf"}}, "Value for 'tag_handling' not supported.");
  refuse({{"target_lang", "DE"}, {"preserve_formatting", 2}},
         "Value for 'preserve_formatting' not supported.");
  refuse({{"target_lang", "DE"}, {"style_id", "a"}}, "'style_id' is not supported by this server");
  refuse({{"target_lang", "DE"}, {"text", std::string(101, 'a')}}, "101 characters", 413);
  refuse({{"target_lang", "DE"}, {"text", {"a", "b", "c", "d"}}}, "4 sentences", 413);
  EXPECT_EQ(texts_of({{"target_lang", "DE"}, {"text", "a"}, {"formality", "prefer_more"}, {"debug", 1}}),
            expected({"a"}));
  EXPECT_THAT(body_of(post("/v2/translate", "{\"text\":"))["message"], HasSubstr("must be JSON"));
  EXPECT_THAT(body_of(post("/v2/translate", "[]"))["message"], HasSubstr("the body"));
  EXPECT_THAT(body_of(get("/v2/translate"))["message"], HasSubstr("is not for GET but for POST"));
  EXPECT_THAT(body_of(post("/v2/write/rephrase", "{}"))["message"], HasSubstr("unknown path"));
  EXPECT_THAT(get("/v2/usage?a=%4"), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("the query is malformed")));
}

TEST_F(DeepLTest, TakesKeysInAllPlaces) {
  const std::string path = folder_ / "keys";
  // The SHA-256 of "secret".
  std::ofstream(path)
      << "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b client characters=100\n";
  serve({.keys = std::make_shared<const ApiKeys>(path)});
  const auto use = [&](const std::string& field) { return get("/v2/usage", field); };
  EXPECT_THAT(use(""), AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("DeepL-Auth-Key")));
  EXPECT_THAT(use("Authorization: DeepL-Auth-Key public\r\n"), StartsWith("HTTP/1.1 403 "));
  const std::string key = "Authorization: DeepL-Auth-Key secret\r\n";
  EXPECT_EQ(body_of(use(key)), json({{"character_count", 0}, {"character_limit", 100}}));
  const std::string translated = post("/v2/translate", "text=abc&target_lang=DE&auth_key=secret", kForm);
  EXPECT_THAT(translated, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(body_of(use(key))["character_count"], ::testing::AnyOf(1, 2, 3));
  const std::string large = "auth_key=secret&target_lang=DE&text=" + std::string(99, 'a');
  const std::string over = post("/v2/translate", large, kForm);
  EXPECT_THAT(over,
              AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("\r\nRetry-After: "), HasSubstr("\"message\"")));
}

}  // namespace
}  // namespace nmt
