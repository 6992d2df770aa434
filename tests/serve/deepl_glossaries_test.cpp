// Glossaries by DeepL's interface.
#include <gmock/gmock.h>

#include <fstream>

#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class DeepLGlossariesTest : public ServingTest {
 protected:
  std::string send(const std::string& method, const std::string& path, const json& request = json::object(),
                   const std::string& fields = "") {
    const std::string body = request.dump();
    return HttpClient(*server_, head_of(method, path,
                                        fields + "Content-Type: application/json\r\nContent-Length: " +
                                            std::to_string(body.size()) + "\r\n\r\n" + body))
        .hear_all();
  }
  json ask(const std::string& method, const std::string& path, const json& request = json::object()) {
    return body_of(send(method, path, request));
  }
  void serve_glossaries(const std::vector<std::string>& models) {
    serve_as(models, {.glossaries = folder_ / "glossaries"});
  }
  void refuse(const std::string& method, const std::string& path, const json& request, int status,
              const std::string& message) {
    const std::string answer = send(method, path, request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(status) + ' ')) << path << request;
    EXPECT_THAT(body_of(answer).value("message", ""), HasSubstr(message)) << path << request;
  }
  std::string translated(const json& more) {
    json asked = {{"text", "Ba be."}, {"source_lang", "EN"}, {"target_lang", "DE"}};
    asked.update(more);
    return ask("POST", "/v2/translate", asked)["translations"][0]["text"];
  }

  static inline const json kTerms = {{"name", "terms"},
                                     {"source_lang", "en"},
                                     {"target_lang", "DE"},
                                     {"entries", "ba\tsingt\nno | rule\ta|b\n"},
                                     {"entries_format", "tsv"}};
};

TEST_F(DeepLGlossariesTest, OfOnePair) {
  serve_glossaries({"en-de"});
  EXPECT_EQ(ask("GET", "/v2/glossaries"), json({{"glossaries", json::array()}}));
  const std::string answer = send("POST", "/v2/glossaries", kTerms);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 201 "));
  const json glossary = body_of(answer);
  EXPECT_EQ(glossary["name"], "terms");
  EXPECT_EQ(glossary["ready"], true);
  EXPECT_EQ(glossary["source_lang"], "en");
  EXPECT_EQ(glossary["target_lang"], "de");
  EXPECT_EQ(glossary["entry_count"], 2);
  EXPECT_THAT(glossary["creation_time"].get<std::string>(), EndsWith(".000Z"));
  const std::string path = "/v2/glossaries/" + glossary["glossary_id"].get<std::string>();
  EXPECT_EQ(ask("GET", path), glossary);
  EXPECT_EQ(ask("GET", "/v2/glossaries"), json({{"glossaries", {glossary}}}));
  EXPECT_THAT(send("GET", path + "/entries"), AllOf(HasSubstr("Content-Type: text/tab-separated-values"),
                                                    EndsWith("\r\n\r\nba\tsingt\nno | rule\ta|b")));
  EXPECT_THAT(translated({{"glossary_id", glossary["glossary_id"]}}), HasSubstr("singt"));
  EXPECT_THAT(translated(json::object()), Not(HasSubstr("singt")));
  EXPECT_EQ(send("DELETE", path).substr(0, 24), "HTTP/1.1 204 No Content\r");
  refuse("GET", path, json::object(), 404, "glossary");
  refuse(
      "POST", "/v2/translate",
      {{"text", "a"}, {"source_lang", "EN"}, {"target_lang", "DE"}, {"glossary_id", glossary["glossary_id"]}},
      404, "glossary");
}

TEST_F(DeepLGlossariesTest, ReadsCsv) {
  serve_glossaries({"en-de"});
  json asked = kTerms;
  asked["entries_format"] = "csv";
  asked["entries"] = "a,b\r\n\"c, \"\"d\"\"\",e,en,de\n\nf,g,en,fr\n\"h i\",\"j\",EN,DE";
  const json glossary = ask("POST", "/v2/glossaries", asked);
  EXPECT_EQ(glossary["entry_count"], 3);
  EXPECT_THAT(send("GET", "/v2/glossaries/" + glossary["glossary_id"].get<std::string>() + "/entries"),
              EndsWith("\r\n\r\na\tb\nc, \"d\"\te\nh i\tj"));
  for (const char* wrong :
       {"a", "a,", "\"a,b", "\"", "a,b,en,fr", "\"a\nb\",c", "a,\"b\tc\"", "a,\"b\rc\""}) {
    asked["entries"] = wrong;
    refuse("POST", "/v2/glossaries", asked, 400, "Invalid glossary entries provided");
  }
}

TEST_F(DeepLGlossariesTest, OfSeveralPairs) {
  serve_glossaries({"en-de", "de-pt_BR"});
  const json german = {
      {"source_lang", "en"}, {"target_lang", "de"}, {"entries", "ba\tsingt"}, {"entries_format", "tsv"}};
  json portuguese = {
      {"source_lang", "DE"}, {"target_lang", "PT"}, {"entries", "ba\tsingt"}, {"entries_format", "tsv"}};
  const json glossary =
      ask("POST", "/v3/glossaries", {{"name", "two"}, {"dictionaries", {german, portuguese}}});
  const std::string path = "/v3/glossaries/" + glossary["glossary_id"].get<std::string>();
  EXPECT_EQ(glossary["dictionaries"][1],
            json({{"source_lang", "de"}, {"target_lang", "pt"}, {"entry_count", 1}}));
  EXPECT_EQ(ask("GET", path), glossary);
  EXPECT_EQ(ask("GET", "/v3/glossaries")["glossaries"], json::array({glossary}));
  EXPECT_EQ(ask("GET", "/v2/glossaries")["glossaries"], json::array());
  refuse("GET", "/v2" + path.substr(3), json::object(), 404, "use /v3/glossaries");
  EXPECT_THAT(translated({{"glossary_id", glossary["glossary_id"]}}), HasSubstr("singt"));
  EXPECT_THAT(
      translated({{"glossary_id", glossary["glossary_id"]}, {"source_lang", "DE"}, {"target_lang", "PT-BR"}}),
      HasSubstr("singt"));

  portuguese["entries"] = "ba\tla\nno\tda";
  EXPECT_EQ(ask("PATCH", path, {{"name", "new"}, {"dictionaries", {portuguese}}})["name"], "new");
  const std::string pair = "?source_lang=de&target_lang=pt";
  EXPECT_EQ(ask("GET", path + "/entries" + pair)["dictionaries"][0], json({{"source_lang", "de"},
                                                                           {"target_lang", "pt"},
                                                                           {"entries", "ba\tla\nno\tda"},
                                                                           {"entries_format", "tsv"}}));
  portuguese["entries"] = "x\ty";
  EXPECT_EQ(ask("PATCH", path, {{"dictionaries", {portuguese}}})["dictionaries"][1]["entry_count"], 3);
  EXPECT_EQ(ask("PUT", path + "/dictionaries", portuguese)["entry_count"], 1);
  EXPECT_THAT(send("DELETE", path + "/dictionaries" + pair), StartsWith("HTTP/1.1 204 "));
  refuse("DELETE", path + "/dictionaries" + pair, json::object(), 404, "Dictionary not found");
  refuse("GET", path + "/entries" + pair, json::object(), 404, "Dictionary not found");
  refuse("POST", "/v2/translate",
         {{"text", "a"},
          {"source_lang", "DE"},
          {"target_lang", "PT-BR"},
          {"glossary_id", glossary["glossary_id"]}},
         404, "Glossary dictionary not found");
  EXPECT_THAT(send("DELETE", path), StartsWith("HTTP/1.1 204 "));
}

TEST_F(DeepLGlossariesTest, ListsPairs) {
  serve_glossaries({"en-de", "de-pt_BR"});
  EXPECT_EQ(
      ask("GET", "/v2/glossary-language-pairs")["supported_languages"],
      json::parse(
          R"([{"source_lang": "de", "target_lang": "pt"}, {"source_lang": "en", "target_lang": "de"}])"));
}

TEST_F(DeepLGlossariesTest, Refuses) {
  serve();
  refuse("POST", "/v2/glossaries", kTerms, 404, "this server stores no glossaries");
  refuse("GET", "/v3/glossaries", json::object(), 404, "this server stores no glossaries");
  serve_glossaries({"en-de"});
  const auto refuse_with = [&](const json& more, const std::string& message) {
    json asked = kTerms;
    asked.update(more);
    refuse("POST", "/v2/glossaries", asked, 400, message);
  };
  refuse_with({{"target_lang", "xx"}}, "Unsupported glossary source and target language pair");
  refuse_with({{"name", ""}}, "Value for 'name' not supported.");
  refuse_with({{"entries", ""}}, "Value for 'entries' not supported.");
  refuse_with({{"entries", "\n"}}, "there are none");
  refuse_with({{"entries", "a"}}, "entry 1 has no target");
  refuse_with({{"entries", "a\tb\na\tc"}}, "");
  refuse_with({{"entries", "a\tb\nd\te\tf"}}, "entry 2 has more than two fields");
  refuse_with({{"entries_format", "xml"}}, "Value for 'entries_format' not supported.");
  refuse_with({{"entries_format", nullptr}}, "Parameter 'entries_format' not specified.");
  for (const char* odd :
       {R"({"name": "a"})", R"({"name": "a", "dictionaries": 1})", R"({"name": "a", "dictionaries": [1]})",
        R"({"name": "a", "dictionaries": [[]]})", R"({"name": ["a"], "dictionaries": []})"}) {
    refuse("POST", "/v3/glossaries", json::parse(odd), 400, "");
  }
  for (const char* odd : {"none", "..", "96ab91fd-e715-41a1-adeb-5d701f84a483", "%2e%2e"}) {
    refuse("GET", std::string("/v2/glossaries/") + odd, json::object(), 404, "");
    refuse("DELETE", std::string("/v3/glossaries/") + odd, json::object(), 404, "");
  }
  refuse("POST", "/v2/translate", {{"text", "a"}, {"target_lang", "DE"}, {"glossary_id", "x"}}, 400,
         "requires the source_lang parameter");
}

TEST_F(DeepLGlossariesTest, BelongToTheirKey) {
  const std::string path = folder_ / "keys";
  // The SHA-256 of "secret" and of "other".
  std::ofstream(path) << "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b one\n"
                         "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa two\n";
  serve({.keys = std::make_shared<const ApiKeys>(path), .glossaries = folder_ / "glossaries"});
  const std::string one = "Authorization: DeepL-Auth-Key secret\r\n",
                    two = "Authorization: DeepL-Auth-Key other\r\n";
  refuse("GET", "/v2/glossaries", json::object(), 403, "no key");
  const json glossary = body_of(send("POST", "/v2/glossaries", kTerms, one));
  EXPECT_EQ(body_of(send("GET", "/v2/glossaries", json::object(), one))["glossaries"].size(), 1U);
  EXPECT_EQ(body_of(send("GET", "/v2/glossaries", json::object(), two))["glossaries"].size(), 0U);
  const std::string own = "/v2/glossaries/" + glossary["glossary_id"].get<std::string>();
  EXPECT_THAT(send("GET", own, json::object(), two), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(send("DELETE", own, json::object(), two), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(send("GET", own, json::object(), one), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace nmt
