// nmt's own interface: languages, streams, settings and their limits, and its description.
#include <gmock/gmock.h>

#include <boost/algorithm/string/case_conv.hpp>
#include <sstream>

#include "common/error.h"
#include "engine/json_request.h"
#include "serve/clients/request_limits.h"
#include "serve/interfaces/interfaces.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class OwnInterfaceTest : public ServingTest {};

TEST_F(OwnInterfaceTest, DetectsTheLanguageOfEachText) {
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

TEST_F(OwnInterfaceTest, LeavesTextsOfTheTargetLanguageAsTheyAre) {
  serve();
  const json asked = {{"text", {" Ba be. ", ""}}, {"source", "DE"}, {"target", "de"}, {"beam", 2}};
  const json answer = body_of(post("/v1/translate", asked.dump()));
  EXPECT_FALSE(answer.contains("model"));
  EXPECT_EQ(answer["translations"][0]["text"], " Ba be. ");
  EXPECT_EQ(answer["translations"][1]["text"], "");
}

TEST_F(OwnInterfaceTest, ChecksSettingsOfTextsThatAreNotTranslated) {
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

TEST_F(OwnInterfaceTest, RefusesLanguagesThatAreNotThoseOfTheModel) {
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

TEST_F(OwnInterfaceTest, Answers) {
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
  const json models = body_of(get("/v1/models"));
  EXPECT_EQ(models["models"],
            json::parse(R"([{"name": "en-de", "ready": true, "source": "en", "target": "de"}])"));
  EXPECT_EQ(models["quality"], false);
}

TEST_F(OwnInterfaceTest, RefusesWhatModelsFromRightToLeftCannotBeAsked) {
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
                              HasSubstr("'" + name + "' needs left-to-right models, but 'en-de' goes")));
  }
  EXPECT_THAT(post("/v1/translate", json{{"text", lines_[0]}, {"prefix", ""}, {"split", false}}.dump()),
              StartsWith("HTTP/1.1 200 "));
}

TEST_F(OwnInterfaceTest, StreamsSentences) {
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

TEST_F(OwnInterfaceTest, StreamsWhatSentencesHaveComeTo) {
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

TEST_F(OwnInterfaceTest, Refuses) {
  serve();
  const auto refuse = [&](const std::string& request, int status, const std::string& message) {
    const std::string answer = post("/v1/translate", request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(status) + ' ')) << request;
    EXPECT_THAT(body_of(answer)["error"].get<std::string>(), HasSubstr(message)) << request;
  };
  refuse("[]", 400, "a JSON object");
  refuse("{", 400, "the body must be JSON, but is invalid at byte 2, where it ends before it is complete");
  refuse(R"({"text": "\ud800"})", 400, "at byte 17, where one half of a surrogate pair");
  refuse(std::string(20, '['), 400, "nested");
  refuse("{}", 400, "'text'");
  refuse(R"({"text": [1]})", 400, "'text'");
  refuse(R"({"text": "a", "model": "fr-en"})", 404, "unknown model 'fr-en'");
  refuse(R"({"text": "a", "target": "fr"})", 400, "to fr");
  refuse(R"({"text": "a", "beem": 3})", 400, "'beem'");
  refuse(R"({"text": "a", "beam": 3, "beam": 4})", 400, "the body has 'beam' twice; give it once");
  refuse(R"({"text": "a", "beam": 0})", 400, "'beam' is 0, but must be a whole number from 1 to 64");
  refuse(R"({"text": "a", "beam": "x"})", 400, "'beam' is \"x\", but must be a whole number from 1 to 64");
  refuse(R"({"q": "a"})", 400, "unknown field 'q', did you mean 'text'?");
  refuse(R"({"text": "a", "split": 1})", 400, "'split' must be true or false");
  refuse(R"({"text": "a", "split": true, "alignment": true})", 400, "leave out 'split'");
  refuse(R"({"text": "a", "split": false, "alignment": true, "markup": true})", 400,
         "'markup' and 'alignment' exclude each other");
  refuse(R"({"text": "a", "stream": true, "markup": true})", 400, "'markup' and 'stream'");
  refuse(R"({"text": "a", "partial": true})", 400, "add \"stream\": true");
  refuse(R"({"text": "a", "partial": true, "stream": true, "mbr": "chrf"})", 400, "'mbr' and 'partial'");
  refuse(R"({"text": "<!-- a", "markup": true})", 400, "'<!-- a' is not closed");
  refuse(R"({"text": "a", "timeout": 0})", 400, "'timeout'");
  refuse(R"({"text": "a", "timeout": 1e8})", 400,
         "'timeout' must be a number of seconds above 0, at most 1000000");
  refuse(R"({"text": "a", "beam": 1e400})", 400, "number 1e400 is out of range");
  refuse(R"({"text": "a", "model": "x\u0000y"})", 404, R"(unknown model 'x\x00y'; /v1/models lists them)");
  refuse(R"({"text": "a", "beam": 65})", 400, "'beam' is 65; a request has at most 64");
  refuse(R"({"text": "a", "sample": true, "n_best": 65})", 400, "'n_best' is 65; a request has at most 64");
  refuse(R"({"text": "a", "sample": true, "mbr": "chrf", "candidates": 65})", 400, "'candidates' is 65");
  refuse(R"({"text": "a", "split": false, "alternatives": true, "beam": 9, "n_best": 30})", 400,
         "'n_best' times 'beam' is 270; a request has at most 256");
  refuse(R"({"text": "a", "min_length": 1001})", 400, "'min_length' is 1001; a request has at most 1000");
  refuse(R"({"text": "a", "max_length_extra": 1001})", 400, "at most 1000");
  refuse(R"({"text": "a", "max_length_factor": 10.5})", 400, "'max_length_factor' is 10.5");
}

TEST(RequestLimits, CountKeptPartsAsTheyAre) {
  TranslationRequest request{.text = "a\U0001F600b \U0001F600",
                             .search = std::make_shared<const SearchSettings>(),
                             .keep = std::make_shared<const KeepRules>(std::vector<std::string>{"emoji"}),
                             .prefix = "\U0001F600"};
  set_apart(request);
  ASSERT_NE(request.kept, nullptr);
  EXPECT_EQ(characters_of(request), 6);
}

TEST(RequestLimits, CountTheMemoryOfConstraints) {
  TranslationRequest request{.text = "a", .search = std::make_shared<const SearchSettings>()};
  const std::int64_t without = memory_of_sentence(request, 1, 100);
  request.constraints = {{std::string(1000, 'b'), std::string(1000, 'c')}, {std::string(2000, 'd')}};
  EXPECT_EQ(memory_of_sentence(request, 1, 100) - without, 4000 * 1024);
}

TEST(RequestLimits, AreNoneWhereTheModelHasMore) {
  const SearchSettings usual{.beam = 100, .n_best = 80, .min_length = 2000};
  const TranslationRequest request{.text = "a", .search = std::make_shared<const SearchSettings>(usual)};
  EXPECT_NO_THROW(check_limits(request, usual));
  EXPECT_THROW(check_limits(request, {}), UsageError);
}

TEST_F(OwnInterfaceTest, NamesAnUnknownFieldFirst) {
  serve_as({"en-de", "fr-de"}, {});
  for (const json& request :
       {json{{"text", "a"}, {"modell", "en-de"}}, json{{"modell", "x"}, {"beam", "wide"}},
        json{{"modell", "x"}, {"model", "none"}, {"partial", true}}}) {
    EXPECT_THAT(body_of(post("/v1/translate", request.dump()))["error"].get<std::string>(),
                Eq("unknown field 'modell', did you mean 'model'?"));
  }
}

TEST_F(OwnInterfaceTest, NamesFieldsInItsMessages) {
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

TEST_F(OwnInterfaceTest, TellsTokensOfEmptyTexts) {
  serve();
  const json asked = {{"text", {"", " "}}, {"token_scores", true}};
  const json answer = body_of(post("/v1/translate", asked.dump()));
  ASSERT_EQ(answer["translations"].size(), 2U);
  for (const json& translation : answer["translations"]) {
    for (const char* name : {"tokens", "token_log_probabilities", "words", "word_log_probabilities"})
      EXPECT_EQ(translation[name], json::array()) << name;
  }
}

TEST_F(OwnInterfaceTest, LimitsPhrases) {
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
  const std::string too_long(4001, 'b');
  EXPECT_THAT(answer({{"constraints", too_long.substr(1)}}), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer({{"constraints", {"ba", {"bi", too_long.substr(4)}}}}),
              AllOf(StartsWith("HTTP/1.1 400 "),
                    HasSubstr("'constraints' has 4001 characters; a request has at most 4000")));
  EXPECT_THAT(answer({{"avoid", {std::string(64'000, 'b'), "a"}}}),
              AllOf(StartsWith("HTTP/1.1 400 "),
                    HasSubstr("'avoid' has 64001 characters; a request has at most 64000")));
  EXPECT_THAT(answer({{"avoid", thousand}, {"prefix", "ba"}}, 2),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("8008 characters; a request has at most 8000")));
}

/// Everything in the description exists, and vice versa.
TEST_F(OwnInterfaceTest, Description) {
  serve({.glossaries = folder_ / "glossaries"});
  const json description = body_of(get("/openapi.json"));
  EXPECT_EQ(description["openapi"], "3.1.0");
  for (const auto& [path, methods] : description["paths"].items()) {
    for (const auto& [method, about] : methods.items()) {
      if (method == "parameters") continue;
      const std::string head = head_of(boost::algorithm::to_upper_copy(method), path, "Content-Length: 0");
      const std::string answer = HttpClient(*server_, head + "\r\n\r\n").hear_all();
      EXPECT_THAT(answer, Not(AnyOf(HasSubstr("unknown path"), StartsWith("HTTP/1.1 405")))) << path;
    }
  }
  for (const char* path : {"/v1/documents", "/v1/documents/{id}/result", "/v2/document", "/v2/document/{id}",
                           "/v2/document/{id}/result", "/translate_file", "/download_file/{name}"})
    EXPECT_TRUE(description["paths"].contains(path)) << path;
  for (const auto& [name, about] : description["components"]["schemas"]["Request"]["properties"].items()) {
    json request = {{"text", "a"}};
    request[name] = json::array({json::object()});
    const std::string answer = post("/v1/translate", request.dump());
    EXPECT_THAT(answer,
                AllOf(StartsWith("HTTP/1.1 400"), HasSubstr('\'' + name), Not(HasSubstr("unknown field"))))
        << name;
  }
  // An error about an unknown field that is like no other lists the valid names.
  const std::string complaint = body_of(post("/v1/translate", R"({"text": "a", "zz": "b"})"))["error"];
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

/// Returns why a server refuses the value of a setting; empty if it does not.
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

TEST(OwnInterfaceSchema, NamesTheLimitsOfSettings) {
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
  EXPECT_EQ(numbers, 22);
}

}  // namespace
}  // namespace nmt
