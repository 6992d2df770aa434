#include "serve/translation_server.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <thread>

#include "common/error.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

// Hashes of "secret" and of "abc".
const std::string kSecretHash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
const std::string kAbcHash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(ModelSource, NamesAndLanguages) {
  const auto expect = [](const std::string& text, const std::string& name, const Languages& pair,
                         const std::string& path) {
    const ModelSource source = model_source(text);
    EXPECT_EQ(source.name, name);
    EXPECT_EQ(source.pair, pair);
    EXPECT_EQ(source.path, path);
  };
  expect("en-de=run/", "en-de", {"en", "de"}, "run/");
  expect("models/en-de.safetensors", "en-de", {"en", "de"}, "models/en-de.safetensors");
  expect("models/eng_Latn-deu_Latn/", "eng_Latn-deu_Latn", {"eng_Latn", "deu_Latn"},
         "models/eng_Latn-deu_Latn/");
  expect("/a=b/model.safetensors", "model", {}, "/a=b/model.safetensors");
  expect("de-AT-en=m", "de-AT-en", {"de-AT", "en"}, "m");
  for (const char* wrong : {"=m", "a b=m", "a,b c=m", "model,other=m", "en,=m"})
    EXPECT_THROW(model_sources(wrong), UsageError) << wrong;
}

TEST(ModelSource, PackagesOfArgosTranslateNameTheirLanguages) {
  const TemporaryFolder folder;
  static_cast<void>(
      folder.write("metadata.json", R"({"argos_version": "1.9", "from_code": "en", "to_code": "pt"})"));
  const ModelSource source = model_source(folder / "");
  EXPECT_EQ(source.name, "en-pt");
  EXPECT_EQ(source.pair, (Languages{"en", "pt"}));
  EXPECT_EQ(model_source("de-fr=" + (folder / "")).name, "de-fr");
}

TEST(ModelSource, ListsOfLanguagesAreAModelForEachPair) {
  const auto names = [](const std::string& text) {
    std::string all;
    for (const ModelSource& source : model_sources(text)) {
      EXPECT_EQ(source.name, source.pair.source + '-' + source.pair.target);
      EXPECT_EQ(source.path, "m");
      all += source.name + ' ';
    }
    return all;
  };
  EXPECT_EQ(names("en-en=m"), "en-en ");
  EXPECT_EQ(names("en-de,fr=m"), "en-de en-fr ");
  EXPECT_EQ(names("de,fr-en=m"), "de-en fr-en ");
  EXPECT_EQ(names("en,de-de,en=m"), "en-de de-en ");
  EXPECT_EQ(names("en,de,fr=m"), "en-de en-fr de-en de-fr fr-en fr-de ");
  EXPECT_EQ(names("zh-Hans,en=m"), "zh-Hans-en en-zh-Hans ");
}

class TranslationServerTest : public ServingTest {
 protected:
  std::string request(const json& q) { return json{{"q", q}, {"source", "en"}, {"target", "de"}}.dump(); }
};

TEST_F(TranslationServerTest, AnswersNoPagesOfOthers) {
  serve({.names = {"translate.example"}});
  const auto status = [&](const std::string& host, const std::string& fields) {
    return HttpClient(*server_, "GET /languages HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" +
                                    fields + "\r\n")
        .hear_all()
        .substr(9, 3);
  };
  EXPECT_EQ(status("localhost:8080", ""), "200");
  EXPECT_EQ(status("127.0.0.1", ""), "200");
  EXPECT_EQ(status("translate.example", ""), "200");
  EXPECT_EQ(status("", ""), "200");  // no browser
  EXPECT_EQ(status("", "Origin: http://evil.example\r\n"), "403");
  EXPECT_EQ(status("evil.example", ""), "403");
  EXPECT_EQ(status("localhost:8080", "Origin: http://localhost:8080\r\n"), "200");
  EXPECT_EQ(status("localhost:8080", "Origin: http://evil.example\r\n"), "403");
  EXPECT_EQ(status("localhost:8080", "Origin: null\r\n"), "403");
}

TEST_F(TranslationServerTest, AnswersPagesOfAllowedOrigins) {
  const auto answer = [&](const std::string& origin, const std::string& request = "GET /languages") {
    return HttpClient(*server_, request + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: " +
                                    origin + "\r\nAccess-Control-Request-Method: POST\r\n\r\n")
        .hear_all();
  };
  serve({.origins = {"https://a.example"}});
  const std::string allows = "Access-Control-Allow-Origin: https://a.example\r\n";
  EXPECT_THAT(answer("https://a.example"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr(allows)));
  EXPECT_THAT(answer("https://a.example", "GET /nothing"),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr(allows)));
  EXPECT_THAT(answer("https://a.example", "OPTIONS /v1/translate"),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr(allows),
                    HasSubstr("Access-Control-Allow-Headers: Authorization, Content-Type")));
  for (const char* other : {"http://a.example", "https://a.example.b", "null"}) {
    for (const char* request : {"GET /languages", "OPTIONS /languages"}) {
      EXPECT_THAT(answer(other, request),
                  AllOf(StartsWith("HTTP/1.1 403 "), Not(HasSubstr("Access-Control"))))
          << other;
    }
  }
  serve({.origins = {"*"}});
  EXPECT_THAT(answer("null"), HasSubstr("Access-Control-Allow-Origin: null\r\n"));
}

TEST_F(TranslationServerTest, AnswersKnownPathsAlone) {
  serve();
  EXPECT_THAT(get("/nothing"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(post("/reload", ""), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(get("/translate"), AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: POST\r\n"),
                                       HasSubstr("/translate is not for GET but for POST")));
  EXPECT_THAT(post("/languages", ""),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: GET, HEAD\r\n")));
  EXPECT_THAT(get("/health/live", "X-Request-Id: a-1\r\n"), HasSubstr("X-Request-Id: a-1\r\n"));
}

// Texts in several languages need several models at a time, for which memory may be insufficient.
TEST_F(TranslationServerTest, RefusesTextsWhoseModelsTakeMoreMemoryThanThereIs) {
  std::vector<ModelSource> sources = copies_of_model({"en-de", "fr-de", "ru-de"});
  ServingSettings serving = kServing;
  serving.memory = 2 * std::filesystem::file_size(path_);
  server_ = std::make_unique<TranslationServer>(ServerSettings{.port = 0}, sources, serving, silent_log());
  ASSERT_TRUE(serve_until(*server_, [&] { return server_->models().are_ready(); }));
  std::vector<std::string> texts = {"Two young men are sitting on a bench in the park.",
                                    "Двое молодых людей сидят на скамейке в парке."};
  const auto answer = [&] {
    return post("/translate", json{{"q", texts}, {"source", "auto"}, {"target", "de"}}.dump());
  };
  EXPECT_EQ(body_of(answer())["translatedText"], expected(texts));
  texts.push_back("Deux jeunes hommes sont assis sur un banc dans le parc.");
  EXPECT_THAT(answer(), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("send a request for each language")));
}

TEST_F(TranslationServerTest, OpensModelsAsTheyAreAskedForWhereMemoryIsLessThanAllTake) {
  std::vector<ModelSource> sources = copies_of_model({"en-de", "en-fr", "en-nl", "en-sv"});
  ServingSettings serving = kServing;
  serving.memory = 2 * std::filesystem::file_size(path_);
  server_ = std::make_unique<TranslationServer>(ServerSettings{.port = 0}, sources, serving, silent_log());
  ServedModels& models = server_->models();
  ASSERT_TRUE(serve_until(*server_, [&] { return models.are_ready(); }));
  const auto which = [&models] {
    std::string open;
    for (std::size_t i = 0; i < 4; ++i) open += models.is_open(i) ? '1' : '0';
    return open;
  };
  const auto ask = [this](const std::string& target) {
    return post("/translate", json{{"q", lines_[0]}, {"source", "en"}, {"target", target}}.dump());
  };
  EXPECT_EQ(which(), "1100");
  const json expected_answer = {{"translatedText", expected({lines_[0]})[0]}};
  EXPECT_EQ(body_of(ask("fr")), expected_answer);
  EXPECT_EQ(body_of(ask("de")), expected_answer);
  EXPECT_EQ(body_of(ask("nl")), expected_answer);
  EXPECT_EQ(which(), "1010");
  EXPECT_EQ(body_of(ask("fr")), expected_answer);
  EXPECT_EQ(which(), "0110");
  EXPECT_EQ(body_of(get("/v1/models"))["models"][0]["ready"], false);
  std::filesystem::remove(sources[3].path);
  EXPECT_THAT(ask("sv"), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("'en-sv' cannot be opened")));
  EXPECT_EQ(body_of(ask("de")), expected_answer);

  serving.memory = std::filesystem::file_size(path_) - 1;
  EXPECT_THROW(TranslationServer({.port = 0}, sources, serving, silent_log()), UsageError);
  sources = {model_source("fr-en=" + path_), model_source("en-de=" + sources[0].path)};
  serving.memory = std::filesystem::file_size(path_) + 1;
  EXPECT_THAT([&] { TranslationServer({.port = 0, .pivot = "en"}, sources, serving, silent_log()); },
              ThrowsMessage<UsageError>(HasSubstr("largest two models")));
}

/// Returns a model of words that reads language tokens.
SavedModel model_of_languages(Backend& backend, LanguageUse::Source source, LanguageUse::Target target) {
  const LanguageUse languages{{{"de", 3}, {"en", 4}, {"nl", 5}}, source, target};
  const std::vector<std::string> words = {"</s>",   "<unk>",  "<s>",  "__de__",
                                          "__en__", "__nl__", "hund", "dog"};
  return testing::text_model(backend,
                             make_word_vocabulary(words, {.begin = 2, .languages = languages}, "words"));
}

TEST_F(TranslationServerTest, PairsOfAModelOfSeveralLanguagesShareIt) {
  SavedModel model =
      model_of_languages(*backend_, LanguageUse::Source::own_before, LanguageUse::Target::first);
  save_model(path_, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  const std::vector<std::string> names = {"de-en", "en-de", "en-nl"};
  serve_as(names, {});
  TranslationService& service = server_->models().take(0)->service();
  std::set<std::string> answers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(&server_->models().take(i)->service(), &service);
    const Languages pair = model_source(names[i] + "=m").pair;
    const json asked = {{"text", "dog hund dog"}, {"source", pair.source}, {"target", pair.target}};
    const std::string told = body_of(post("/v1/translate", asked.dump()))["translations"][0]["text"];
    SavedModel alone = open_model(path_, *backend_);
    use_languages(alone, pair);
    Workers workers(*backend_);
    EXPECT_EQ(told, Translator(alone, workers, {}).translate({"dog hund dog"})[0].text);
    answers.insert(told);
  }
  EXPECT_GT(answers.size(), 1) << "languages make no difference";
}

TEST_F(TranslationServerTest, PairsThatBeginOtherwiseShareNothing) {
  SavedModel model =
      model_of_languages(*backend_, LanguageUse::Source::own_at_end, LanguageUse::Target::begin);
  save_model(path_, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  const std::string other = folder_ / "other.safetensors";
  std::filesystem::copy_file(path_, other);
  std::vector<ModelSource> sources;
  for (const std::string& name : {"de-en=" + path_, "en-de=" + path_, "a=" + other, "de-nl=" + path_})
    sources.push_back(model_source(name));
  EXPECT_EQ(shared_models(sources), (std::vector<std::vector<std::size_t>>{{0}, {1}, {2}, {3}}));
  sources.push_back(model_source("again=" + path_));
  sources.back().pair = {"de", "en"};
  EXPECT_EQ(shared_models(sources), (std::vector<std::vector<std::size_t>>{{0, 4}, {1}, {2}, {3}}));
  sources.push_back(model_source("de-fr=" + path_));
  EXPECT_THAT(
      [&] { shared_models(sources); },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("de-fr="), HasSubstr("3 languages"), HasSubstr("'fr'"))));
}

TEST_F(TranslationServerTest, WantsAKey) {
  serve({.keys = std::make_shared<ApiKeys>(folder_.write("keys", kSecretHash + " site\n"))});
  json asked = {{"q", "a"}, {"source", "en"}, {"target", "de"}};
  EXPECT_THAT(post("/translate", asked.dump()), StartsWith("HTTP/1.1 401 "));
  asked["api_key"] = "wrong";
  EXPECT_THAT(post("/translate", asked.dump()), StartsWith("HTTP/1.1 403 "));
  asked["api_key"] = "secret";
  EXPECT_THAT(post("/translate", asked.dump()), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get("/health/ready"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get("/v1/models", "Authorization: bearer  secret\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get("/v1/models", "Authorization: Bearersecret\r\n"), StartsWith("HTTP/1.1 401 "));
}

TEST_F(TranslationServerTest, WantsTheKeyOfAnOperator) {
  const std::string keys = kSecretHash + " monitor role=operator\n" + kAbcHash + " site\n";
  serve({.keys = std::make_shared<ApiKeys>(folder_.write("keys", keys))});
  const std::string type = "Text/Plain\r\nAuthorization: Bearer ";
  EXPECT_THAT(get("/metrics"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(post("/reload", ""), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(get("/metrics", "Authorization: Bearer abc\r\n"),
              AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("role=operator")));
  EXPECT_THAT(post("/reload", "", type + "abc"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(post("/reload", "", type + "secret"), StartsWith("HTTP/1.1 202 "));
  EXPECT_THAT(get("/metrics", "Authorization: Bearer secret\r\n"), HasSubstr("status=\"403\"} 2\n"));
}

TEST_F(TranslationServerTest, ReadsKeysAnew) {
  const std::string file = folder_.write("keys", kSecretHash + " site requests=1\n");
  serve({.keys = std::make_shared<ApiKeys>(file)});
  const auto status = [this](const std::string& key) {
    const json asked = {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"api_key", key}};
    return post("/translate", asked.dump()).substr(9, 3);
  };
  EXPECT_EQ(status("abc"), "403");
  EXPECT_EQ(status("secret"), "200");
  folder_.write("keys", kSecretHash + " site requests=1\r\n" + kAbcHash + " page\r\n");
  server_->reload();
  EXPECT_EQ(status("abc"), "200");
  EXPECT_EQ(status("secret"), "429") << "limits begin anew with the file";
  for (const char* damaged : {"", "secret"}) {
    folder_.write("keys", damaged);
    server_->reload();
    EXPECT_EQ(status("abc"), "200");
  }
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  server_->reload();  // which waits for nobody
  EXPECT_EQ(status("abc"), "200");
  std::filesystem::remove(file);
  folder_.write("keys", kAbcHash + " page\n");
  server_->reload();
  EXPECT_EQ(status("secret"), "403");
  EXPECT_EQ(status("abc"), "200");
}

TEST_F(TranslationServerTest, TakesNoPackedBodies) {
  serve();
  const auto status = [&](const std::string& encoding) {
    return post("/translate", request("a"), "application/json\r\nContent-Encoding: " + encoding).substr(9, 3);
  };
  EXPECT_EQ(status("gzip"), "415");
  EXPECT_EQ(status("identity"), "200");
  EXPECT_EQ(status("Identity"), "200");
}

TEST_F(TranslationServerTest, TellsAClientToComeLater) {
  serve({.keys = std::make_shared<ApiKeys>(folder_.write("keys", kSecretHash + " site requests=1\n"))});
  const std::string asked =
      json{{"q", "a"}, {"source", "en"}, {"target", "de"}, {"api_key", "secret"}}.dump();
  EXPECT_THAT(post("/translate", asked), StartsWith("HTTP/1.1 200 "));
  const std::string refused = post("/translate", asked);
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 429 "));
  const json detection = {{"q", "a"}, {"api_key", "secret"}};
  EXPECT_THAT(post("/detect", detection.dump()), StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(refused, ContainsRegex("Retry-After: [1-6][0-9]\r\n"));
}

/// A server whose requests nobody handles, as if one of them took all the time.
struct BusyServer {
  TranslationServer& server;
  int port() const { return server.port(); }
  static void run_for(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }
};

TEST_F(TranslationServerTest, TellsItsStateHoweverBusyItIs) {
  BusyServer busy{serve({.most_characters = 100})};
  const auto answer = [&](const std::string& request) { return HttpClient(busy, request).hear_all(); };
  for (const char* path : {"/health", "/health/live", "/health/ready", "/metrics"})
    EXPECT_THAT(answer(head_of("GET", path, "") + "\r\n"), StartsWith("HTTP/1.1 200 ")) << path;
  EXPECT_THAT(answer(head_of("GET", "/nothing", "") + "\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(server_->metrics(), HasSubstr("interface=\"operations\",status=\"200\"} 4\n"));
}

TEST_F(TranslationServerTest, LongTextsDelayNoShortOnes) {
  serve();
  // An expression that takes a good part of the time that one text may take, for each of many texts.
  const json slow = {{"text", std::vector<std::string>(2000, std::string(19, 'x'))}, {"keep", "(x+x+)+y"}};
  HttpClient client(*server_, post_of("/v1/translate", slow.dump()));
  const json quick = {{"text", lines_[0]}};
  EXPECT_THAT(post("/v1/translate", quick.dump()), StartsWith("HTTP/1.1 200 "));
  EXPECT_FALSE(client.listen());
  EXPECT_TRUE(client.heard().empty()) << client.heard();
  client.leave();
  EXPECT_TRUE(serve_until(*server_, [this] { return !server_->is_busy(); }));
  EXPECT_THAT(server_->metrics(), HasSubstr("status=\"499\"} 1\n"));
}

TEST_F(TranslationServerTest, TellsWhatIsWrongWithALongText) {
  serve();
  const std::string text = "a <b" + std::string(20000, 'a');
  const json asked = {{"text", text}, {"markup", true}};
  EXPECT_THAT(post("/v1/translate", asked.dump()),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("does not end")));
  EXPECT_THAT(post("/v1/translate", json{{"text", std::string(100001, 'a')}}.dump()),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("100001 characters")));
}

TEST_F(TranslationServerTest, RefusesLargeBodiesInTheFormOfTheInterface) {
  serve();
  const auto refused = [&](const std::string& path) {
    const std::string answer =
        HttpClient(*server_, head_of("POST", path, "Content-Length: 99999999999\r\n\r\n")).hear_all();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 ")) << path;
    return body_of(answer);
  };
  EXPECT_EQ(refused("/v2/translate?x=1"), json({{"message", "Payload Too Large"}}));
  EXPECT_EQ(refused("/v1/chat/completions")["error"]["type"], "invalid_request_error");
  EXPECT_EQ(refused("/v1/translate"), json({{"error", "Payload Too Large"}}));
}

TEST_F(TranslationServerTest, LetsGoOfWhatNobodyWaitsFor) {
  serve({.most_sentences = 2000});
  const std::string long_text = request(std::vector<std::string>(1500, lines_[0]));
  const auto held = hold_model();
  HttpClient client(*server_, post_of("/translate", long_text));
  ASSERT_TRUE(serve_until(
      *server_, [this] { return server_->metrics().find("under_way 1500\n") != std::string::npos; }));
  EXPECT_THAT(post("/translate", long_text), StartsWith("HTTP/1.1 429 "));
  client.leave();
  EXPECT_TRUE(serve_until(*server_, [this] { return !server_->is_busy(); }));
  EXPECT_THAT(server_->metrics(), HasSubstr("status=\"499\"} 1\n"));
}

TEST_F(TranslationServerTest, LetsGoOfAStreamThatNobodyReads) {
  serve({}, 10);
  EXPECT_THAT(post("/v1/translate", json{{"text", lines_[0]}}.dump()), StartsWith("HTTP/1.1 200 "));
  const auto held = hold_model();
  HttpClient client(
      *server_, post_of("/v1/translate", json{{"text", {lines_[0], lines_[1]}}, {"stream", true}}.dump()));
  // The first sentence is in the cache, and the other one is not translated.
  EXPECT_THAT(client.hear("event: sentence"), StartsWith("HTTP/1.1 200 "));
  client.leave();
  EXPECT_TRUE(serve_until(*server_, [this] { return !server_->is_busy(); }));
  EXPECT_THAT(server_->metrics(), HasSubstr("status=\"499\"} 1\n"));
}

TEST_F(TranslationServerTest, ARequestThatTakesTooMuchMemoryFailsAlone) {
  serve({.most_bytes = 1 << 20});
  HttpClient other(*server_, post_of("/translate", request(std::vector<std::string>(100, lines_[0]))));
  std::string tags = lines_[0];
  for (int i = 0; i < 5000; ++i) tags += "<x/>";
  const auto ask = [&](const json& settings) {
    json asked = {{"text", lines_[0]}, {"split", false}};
    asked.update(settings);
    return post("/v1/translate", asked.dump());
  };
  for (const json& large :
       {json{{"n_best", 64}, {"beam", 64}, {"text", std::string(4000, 'a')}},
        json{{"text", std::string(1000, 'a')}, {"alignment", true}, {"n_best", 4}},
        json{{"text", std::string(1000, 'a')}, {"token_scores", true}, {"n_best", 8}, {"beam", 8}},
        json{{"text", tags}, {"markup", true}}}) {
    EXPECT_THAT(ask(large),
                AllOf(StartsWith("HTTP/1.1 413 "),
                      ContainsRegex("it needs [0-9.]+ MiB of memory; a request may use at most 1.0")))
        << large.dump().substr(0, 100);
  }
  EXPECT_THAT(other.hear_all(), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(ask({{"alignment", true}, {"token_scores", true}, {"n_best", 4}}), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(server_->metrics(), HasSubstr("sentences_under_way 0\n"));
}

TEST_F(TranslationServerTest, RequestsThatTakeTooMuchMemoryTogetherWait) {
  serve({.most_bytes = 1 << 20});
  const std::string asked = request(std::vector<std::string>(150, lines_[0]));
  auto held = hold_model();
  HttpClient first(*server_, post_of("/translate", asked));
  ASSERT_TRUE(serve_until(
      *server_, [this] { return server_->metrics().find("under_way 150\n") != std::string::npos; }));
  EXPECT_THAT(post("/translate", asked),
              AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("too much text waits")));
  held.reset();
  EXPECT_THAT(first.hear_all(), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(post("/translate", asked), StartsWith("HTTP/1.1 200 "));
}

TEST_F(TranslationServerTest, GivesUpWhatTakesTooLong) {
  serve({.timeout = std::chrono::milliseconds(1)});
  const auto held = hold_model();
  EXPECT_THAT(post("/translate", request(lines_)), StartsWith("HTTP/1.1 504 "));
}

TEST_F(TranslationServerTest, KeepsTranslations) {
  serve({}, 10);
  const json texts = {"Ba be. Bi bo.", lines_[0], "Bi bo."};
  const std::string first = post("/translate", request(texts));
  EXPECT_THAT(server_->metrics(), HasSubstr("nmt_cache_misses_total 4\n"));
  EXPECT_EQ(body_of(post("/translate", request(texts))), body_of(first));
  EXPECT_THAT(server_->metrics(), HasSubstr("nmt_cache_hits_total 4\n"));
  const auto before = server_->models().take(0);
  server_->reload();
  ASSERT_TRUE(serve_until(*server_, [&] { return server_->models().take(0) != before; }));
  EXPECT_EQ(body_of(post("/translate", request(texts))), body_of(first));
  EXPECT_THAT(server_->metrics(), HasSubstr("nmt_cache_misses_total 8\n"));
}

TEST_F(TranslationServerTest, ReloadsModelsInUse) {
  serve();
  auto before = server_->models().take(0);
  auto held = hold_model();
  HttpClient client(*server_, post_of("/translate", request(lines_)));
  ASSERT_TRUE(serve_until(
      *server_, [this] { return server_->metrics().find("sentences_under_way 0\n") == std::string::npos; }));
  server_->reload();
  ASSERT_TRUE(serve_until(*server_, [&] { return server_->models().take(0) != before; }));
  EXPECT_TRUE(server_->is_busy());
  held.reset();
  EXPECT_THAT(client.hear_all(), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(post("/translate", request(lines_)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(TranslationServerTest, EndsWhenAllIsAnswered) {
  serve();
  auto held = hold_model();
  HttpClient client(*server_, post_of("/translate", request(lines_)));
  ASSERT_TRUE(serve_until(*server_, [this] { return server_->is_busy(); }));
  server_->drain();
  held.reset();
  EXPECT_THAT(client.hear_all(), StartsWith("HTTP/1.1 200 "));
  EXPECT_FALSE(server_->is_busy());
}

TEST_F(TranslationServerTest, EndsWhereAModelCannotBeOpened) {
  TranslationServer server({.port = 0}, {model_source(folder_.write("broken", "no model"))}, kServing,
                           silent_log());
  EXPECT_THAT([&] { serve_until(server, [] { return false; }); }, ThrowsMessage<Error>(HasSubstr("broken")));
}

}  // namespace
}  // namespace nmt
