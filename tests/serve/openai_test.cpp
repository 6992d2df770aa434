// OpenAI's interface translates the last message of a chat.
#include <gmock/gmock.h>

#include <sstream>

#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OpenAiTest : public ServingTest {
 protected:
  static json chat(const std::string& model, const std::string& text, const std::string& system = "") {
    json messages = json::array();
    if (!system.empty()) messages.push_back({{"role", "system"}, {"content", system}});
    messages.push_back({{"role", "user"}, {"content", text}});
    return {{"model", model}, {"messages", messages}};
  }
  json ask(const json& request) { return body_of(post("/v1/chat/completions", request.dump())); }
  json content(const json& request) { return ask(request)["choices"][0]["message"]["content"]; }
  /// Returns the data of the events of a stream.
  std::vector<std::string> data_of(const json& request) {
    const std::string answer = post("/v1/chat/completions", request.dump());
    EXPECT_THAT(answer, HasSubstr("Content-Type: text/event-stream\r\n"));
    std::vector<std::string> data;
    std::istringstream lines(answer.substr(answer.find("\r\n\r\n") + 4));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("data: ")) data.push_back(line.substr(6));
    }
    return data;
  }
};

TEST_F(OpenAiTest, TranslatesByTheNameOfAModel) {
  serve();
  const json answer = ask(chat("en-de", lines_[0], "You are helpful."));
  EXPECT_EQ(answer["choices"][0],
            json({{"index", 0},
                  {"message", {{"role", "assistant"}, {"content", expected({lines_[0]})[0]}}},
                  {"finish_reason", "stop"},
                  {"logprobs", nullptr}}));
  EXPECT_EQ(answer["object"], "chat.completion");
  EXPECT_EQ(answer["model"], "en-de");
  EXPECT_GT(answer["usage"]["prompt_tokens"], 0);
  EXPECT_EQ(answer["usage"]["total_tokens"],
            answer["usage"]["prompt_tokens"].get<int>() + answer["usage"]["completion_tokens"].get<int>());
  json asked = chat("en-de", "");
  asked["messages"] =
      json::parse(R"([{"role": "user", "content": "Ba"}, {"role": "assistant", "content": "Bo"},
      {"role": "user", "content": [{"type": "text", "text": "Ba "}, {"type": "text", "text": "be."}]}])");
  EXPECT_EQ(content(asked), expected({"Ba be."})[0]);
}

TEST_F(OpenAiTest, TranslatesToTheLanguageThatTheSystemNames) {
  serve_as({"en-de", "fr-en", "ru-de"}, {.pivot = "en"});
  const std::vector<std::string> texts = expected({"Ba be."}), twice = expected(texts);
  EXPECT_EQ(content(chat("gpt-4o", "Ba be.", "Translate from English to GERMAN.")), texts[0]);
  EXPECT_EQ(content(chat("gpt-4o", "Ba be.", "Translate from French into German, please.")), twice[0]);
  EXPECT_EQ(ask(chat("gpt-4o", "Двое молодых людей сидят на скамейке.", "Translate it to German"))["model"],
            "ru-de");
  const auto refuse = [&](const std::string& system) {
    const std::string answer = post("/v1/chat/completions", chat("gpt-4o", "a", system).dump());
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 ")) << system;
    EXPECT_THAT(
        body_of(answer)["error"]["message"].get<std::string>(),
        HasSubstr("unknown model 'gpt-4o', and the system message does not name one target language"));
  };
  refuse("");
  refuse("Translate to Klingon");
  refuse("German");
  refuse("Translate to German or to English");
}

TEST_F(OpenAiTest, KnowsRegionalNamesAndLanguagesThatItDoesNotTranslate) {
  serve_as({"en-pt", "de-fr_FR", "de-fr_CA"}, {});
  EXPECT_EQ(ask(chat("gpt-4o", "Ba be.", "From English into Brazilian Portuguese"))["model"], "en-pt");
  EXPECT_EQ(ask(chat("gpt-4o", "Ba be.", "Translate from German to Canadian French"))["model"], "de-fr_CA");
  const std::string answer =
      post("/v1/chat/completions", chat("gpt-4o", "Ba be.", "Translate from Spanish to Portuguese").dump());
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("no model translates from es to pt")));
}

TEST_F(OpenAiTest, StreamsSentences) {
  serve();
  const std::string text = " Ba be.  \n\nBi bo. ";
  json asked = chat("en-de", text);
  const std::string whole = content(asked);
  asked["stream"] = true;
  asked["stream_options"] = {{"include_usage", true}};
  const std::vector<std::string> data = data_of(asked);
  ASSERT_EQ(data.size(), 5U);  // two sentences, the end, the usage, the end mark
  std::string joined;
  for (std::size_t i = 0; i < 3; ++i)
    joined += json::parse(data[i])["choices"][0]["delta"]["content"].get<std::string>();
  EXPECT_EQ(joined, whole);
  EXPECT_EQ(whole, ' ' + expected({"Ba be."})[0] + "  \n\n" + expected({"Bi bo."})[0] + ' ');
  EXPECT_EQ(json::parse(data[0])["object"], "chat.completion.chunk");
  EXPECT_EQ(json::parse(data[0])["choices"][0]["finish_reason"], nullptr);
  EXPECT_EQ(json::parse(data[2])["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(json::parse(data[3])["choices"], json::array());
  EXPECT_GT(json::parse(data[3])["usage"]["completion_tokens"], 0);
  EXPECT_EQ(data[4], "[DONE]");
}

TEST_F(OpenAiTest, StreamsWhatComesByAPivotAndWhatDoesNotChange) {
  serve_as({"fr-en", "en-de"}, {.pivot = "en"});
  const auto joined = [&](const std::string& system) {
    json asked = chat("any", " Ba be. Bi bo.\n", system);
    const std::string whole = content(asked);
    asked["stream"] = true;
    std::string text;
    for (const std::string& data : data_of(asked)) {
      if (data != "[DONE]") text += json::parse(data)["choices"][0]["delta"]["content"].get<std::string>();
    }
    EXPECT_EQ(text, whole);
    return text;
  };
  EXPECT_EQ(joined("from French to German").find(" Ba be."), std::string::npos);
  EXPECT_EQ(joined("from English to English"), " Ba be. Bi bo.\n");
}

TEST_F(OpenAiTest, ListsModels) {
  serve();
  const json models = body_of(get("/v1/models"));
  EXPECT_EQ(models["object"], "list");
  EXPECT_EQ(models["data"][0], body_of(get("/v1/models/en-de")));
  EXPECT_EQ(models["data"][0]["id"], models["models"][0]["name"]);
  EXPECT_THAT(get("/v1/models/none"),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("\"type\":\"invalid_request_error\"")));
}

TEST_F(OpenAiTest, Refuses) {
  serve({.most_characters = 100});
  const auto refuse = [&](const json& request, int status, const std::string& message) {
    const std::string answer = post("/v1/chat/completions", request.dump());
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(status) + ' ')) << request;
    EXPECT_THAT(body_of(answer)["error"].value("message", ""), HasSubstr(message)) << request;
  };
  json asked = chat("en-de", "a");
  asked["n"] = 2;
  refuse(asked, 400, "'n' must be 1");
  asked = chat("en-de", "a");
  asked["messages"][0]["role"] = "assistant";
  refuse(asked, 400, "the last of the 'messages' must be that of a user");
  asked["messages"] = json::array();
  refuse(asked, 400, "the last of the 'messages' must be that of a user");
  refuse(chat("en-de", std::string(101, 'a')), 413, "101 characters");
  const json image = json::parse(R"([{"type": "image_url", "image_url": {"url": "a"}}])");
  asked["messages"] = json::array({{{"role", "user"}, {"content", image}}});
  refuse(asked, 400, "only text is translated");
  for (const char* odd : {R"({})", R"([])", R"({"model": 1, "messages": []})", R"({"model": "en-de"})",
                          R"({"model": "en-de", "messages": 1})", R"({"model": "en-de", "messages": [1]})",
                          R"({"model": "en-de", "messages": [{"role": "user"}]})",
                          R"({"model": "en-de", "messages": [{"role": "user", "content": 1}]})",
                          R"({"model": "en-de", "messages": [{"role": "user", "content": [[]]}]})"}) {
    refuse(json::parse(odd), 400, "");
  }
  EXPECT_THAT(body_of(get("/v1/chat/completions"))["error"]["message"], HasSubstr("is not for GET"));
}

}  // namespace
}  // namespace nmt
