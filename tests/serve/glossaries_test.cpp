#include <gmock/gmock.h>

#include <filesystem>

#include "serve/glossary_store.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class StoredGlossariesTest : public ServingTest {
 protected:
  TranslationServer& serve_with_store(std::shared_ptr<const ApiKeys> keys = nullptr) {
    ServerSettings settings;
    settings.glossaries = folder_ / "glossaries";
    settings.keys = std::move(keys);
    return serve(settings);
  }
  std::string request(const std::string& method, const std::string& path, const json& body = {},
                      const std::string& key = "") {
    const std::string text = body.is_null() ? "" : body.dump();
    std::string fields = "Content-Type: application/json\r\nContent-Length: " + std::to_string(text.size());
    if (!key.empty()) fields += "\r\nAuthorization: Bearer " + key;
    return HttpClient(*server_, head_of(method, path, fields) + "\r\n\r\n" + text).hear_all();
  }
  static json glossary(const json& terms, const std::string& source = "en",
                       const std::string& target = "de") {
    return {{"name", "some"}, {"dictionaries", {{{"source", source}, {"target", target}, {"terms", terms}}}}};
  }
  std::string stored(const json& body, const std::string& key = "") {
    const std::string answer = request("POST", "/v1/glossaries", body, key);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 201"));
    return body_of(answer)["id"];
  }

  const std::string word_ = lines_[0].substr(0, lines_[0].find(' '));
};

TEST_F(StoredGlossariesTest, AreUsedByTheirIds) {
  serve_with_store();
  const std::string id = stored(glossary({{word_, "hund"}}));
  const json asked = {{"text", lines_[0]}, {"glossary", id}};
  const json answer = body_of(post("/v1/translate", asked.dump()))["translations"][0];
  EXPECT_THAT(" " + answer["text"].get<std::string>() + " ", HasSubstr(" hund "));
  EXPECT_EQ(answer["terms"],
            json::parse(R"([{"source": ")" + word_ + R"(", "targets": ["hund"], "met": true}])"));
  EXPECT_THAT(post("/v1/translate", R"({"text": "a", "glossary": "other"})"),
              AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("unknown glossary 'other'")));
  json any = glossary({{word_, "hund"}});
  any["dictionaries"][0].erase("source");
  any["dictionaries"][0].erase("target");
  const json of_any = {{"text", lines_[0]}, {"glossary", stored(any)}};
  EXPECT_THAT(post("/v1/translate", of_any.dump()), HasSubstr(R"("met":true)"));
}

TEST_F(StoredGlossariesTest, AreForPairsThatAreTranslated) {
  serve_as({"en-de", "en-fr"}, {.glossaries = folder_ / "glossaries"});
  const std::string german = stored(glossary({{word_, "hund"}}, "EN", "de-DE"));
  EXPECT_EQ(body_of(get("/v1/glossaries/" + german))["dictionaries"][0]["source"], "en");
  const json asked = {{"text", lines_[0]}, {"source", "en"}, {"target", "de"}, {"glossary", german}};
  EXPECT_THAT(post("/v1/translate", asked.dump()), HasSubstr(R"("met":true)"));
  const std::string french = stored(glossary({{word_, "hund"}}, "en", "fr"));
  EXPECT_THAT(post("/v1/translate", json{{"text", "a"}, {"model", "en-de"}, {"glossary", french}}.dump()),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("has no terms from 'en' to 'de'")));
  EXPECT_THAT(post("/v1/glossaries", glossary({{"a", "b"}}, "en", "xx").dump()),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("no model translates from en to xx")));
  json twice = glossary({{"a", "b"}});
  twice["dictionaries"].push_back({{"source", "en-GB"}, {"target", "DE"}, {"terms", {{"a", "b"}}}});
  EXPECT_THAT(post("/v1/glossaries", twice.dump()),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("two dictionaries are from 'en' to 'de'")));
}

TEST_F(StoredGlossariesTest, AreListedReadReplacedAndDeleted) {
  serve_with_store();
  const std::string id = stored(glossary(json::parse(R"([["a", ["b", "c"], "case"], ["d", "e"]])")));
  const json listed = body_of(get("/v1/glossaries"))["glossaries"];
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0]["id"], id);
  EXPECT_EQ(listed[0]["dictionaries"], json::parse(R"([{"source": "en", "target": "de", "term_count": 2}])"));
  const std::string path = "/v1/glossaries/" + id;
  EXPECT_EQ(body_of(get(path))["dictionaries"][0]["terms"],
            json::parse(R"([["a", ["b", "c"], "case"], ["d", "e"]])"));
  EXPECT_THAT(request("PUT", path, glossary({{"x", "y"}})), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(body_of(get(path))["dictionaries"][0]["terms"], json::parse(R"([["x", "y"]])"));
  EXPECT_THAT(request("DELETE", path), StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(get(path), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(request("DELETE", path), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(request("PUT", path, glossary({{"x", "y"}})), StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(body_of(get("/v1/glossaries"))["glossaries"], json::array());
}

TEST_F(StoredGlossariesTest, SurviveARestart) {
  serve_with_store();
  const std::string id = stored(glossary({{"a", "b"}}));
  server_.reset();
  serve_with_store();
  EXPECT_THAT(get("/v1/glossaries/" + id), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr(R"([["a","b"]])")));
}

TEST_F(StoredGlossariesTest, BelongToAKey) {
  const auto line = [](const std::string& key) {
    return owner_of(std::make_unique<ApiClient>(ApiClient{.key_hash = sha256_of(key)}).get()) + "  client\n";
  };
  serve_with_store(std::make_shared<const ApiKeys>(folder_.write("keys", line("one") + line("two"))));
  const std::string id = stored(glossary({{word_, "hund"}}), "one"), path = "/v1/glossaries/" + id;
  EXPECT_THAT(request("GET", path, {}, "one"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(request("GET", path), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(request("POST", "/v1/glossaries", glossary({{"a", "b"}})), StartsWith("HTTP/1.1 401"));
  for (const char* const method : {"GET", "DELETE"})
    EXPECT_THAT(request(method, path, {}, "two"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(request("PUT", path, glossary({{"a", "b"}}), "two"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(request("GET", "/v1/glossaries", {}, "two"), HasSubstr(R"({"glossaries":[]})"));
  const json asked = {{"text", lines_[0]}, {"glossary", id}};
  EXPECT_THAT(request("POST", "/v1/translate", asked, "two"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(request("POST", "/v1/translate", asked, "one"), HasSubstr(R"("met":true)"));
}

TEST_F(StoredGlossariesTest, AreRefusedWhereTheyAreInvalid) {
  serve_with_store();
  const std::vector<std::pair<std::string, std::string>> bodies = {
      {"[]", "a glossary must be an object"},
      {R"({"name": "a"})", "'dictionaries' must be a list"},
      {R"({"name": "a", "dictionaries": []})", "at least one dictionary"},
      {R"({"name": 1, "dictionaries": []})", "'name' must be a text"},
      {R"({"name": "", "dictionaries": [{"terms": {"a": "b"}}]})", "the name of a glossary"},
      {R"({"name": "a", "terms": {}, "dictionaries": []})", "unknown field 'terms'"},
      {R"({"name": "a", "dictionaries": [{"source": "en"}]})", "a dictionary has 'terms'"},
      {R"({"name": "a", "dictionaries": [{"source": "en", "terms": {"a": "b"}}]})",
       "both languages, or none"},
      {R"({"name": "a", "dictionaries": [{"terms": {"a": "b"}}, {"terms": {"a": "b"}}]})",
       "two dictionaries"},
      {R"({"name": "a", "dictionaries": [{"terms": [["a", "b"], ["A", "c"]]}]})",
       "'terms', term 2: 'A' is the term"},
      {R"({"name": "a", "dictionaries": [{"terms": [["a"]]}]})", "'terms', term 1: a term is a list"},
      {"{", "must be JSON"}};
  for (const auto& [body, complaint] : bodies)
    EXPECT_THAT(post("/v1/glossaries", body), AllOf(StartsWith("HTTP/1.1 400"), HasSubstr(complaint)))
        << body;
  EXPECT_THAT(get("/v1/glossaries/../x"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(get("/v1/glossaries/%2e%2e%2fkeys"), StartsWith("HTTP/1.1 404"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "glossaries"));
}

TEST_F(StoredGlossariesTest, NeedAFolder) {
  serve();
  EXPECT_THAT(post("/v1/glossaries", glossary({{"a", "b"}}).dump()),
              AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("--glossaries")));
  EXPECT_THAT(get("/v1/glossaries"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(post("/v1/translate", R"({"text": "a", "glossary": "b"})"), StartsWith("HTTP/1.1 404"));
}

TEST_F(StoredGlossariesTest, RequestsHaveAtMostAThousandTerms) {
  serve();
  json terms;
  for (int i = 0; i < 1000; ++i) terms["t" + std::to_string(i)] = "x";
  EXPECT_THAT(post("/v1/translate", json{{"text", "a"}, {"glossary", terms}}.dump()),
              StartsWith("HTTP/1.1 200"));
  terms["more"] = "x";
  EXPECT_THAT(
      post("/v1/translate", json{{"text", "a"}, {"glossary", terms}}.dump()),
      AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("'glossary' has 1001 terms; a request has at most 1000")));
}

}  // namespace
}  // namespace nmt
