#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "serve/documents/document_store.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A field of a form, and the name of a file if it is one.
struct Field {
  std::string name, value;
  std::optional<std::string> file_name = {};
};

std::string form_of(const std::vector<Field>& fields) {
  std::string body;
  for (const Field& field : fields) {
    body += "--limit\r\nContent-Disposition: form-data; name=\"" + field.name + '"';
    if (field.file_name) body += "; filename=\"" + *field.file_name + '"';
    body += "\r\n\r\n" + field.value + "\r\n";
  }
  return body + "--limit--\r\n";
}

class DocumentsTest : public ServingTest {
 protected:
  std::string request(const std::string& method, const std::string& path, const std::string& key = "",
                      const std::string& body = "", const std::string& type = kForm) {
    std::string fields = "Content-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size());
    if (!key.empty()) fields += "\r\nAuthorization: Bearer " + key;
    return HttpClient(*server_, head_of(method, path, fields) + "\r\n\r\n" + body).hear_all();
  }
  std::string send(const std::vector<Field>& fields, const std::string& key = "") {
    return request("POST", "/v1/documents", key, form_of(fields));
  }
  std::string send_text(const std::string& text, const std::string& key = "") {
    return send({{"file", text, "a.txt"}}, key);
  }
  static std::string path_of(const std::string& answer) {
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 202 "));
    return "/v1/documents/" + body_of(answer)["id"].get<std::string>();
  }
  /// Waits until a document is translated, or has failed; returns its state.
  json ended(const std::string& path, const std::string& key = "") {
    json state;
    EXPECT_TRUE(serve_until(*server_, [&] {
      state = body_of(request("GET", path, key));
      return state["status"] == "done" || state["status"] == "failed";
    }));
    return state;
  }
  static std::string line(const std::string& key, const std::string& limits = "") {
    const ApiClient client{.key_hash = sha256_of(key)};
    return owner_of(&client) + "  client " + limits + '\n';
  }

  static inline const std::string kForm = "multipart/form-data; boundary=limit";
};

TEST_F(DocumentsTest, AreTranslated) {
  serve();
  const std::string text = lines_[0] + "\n\n" + lines_[1] + "\n";
  const std::string path = path_of(send_text(text));
  const json state = ended(path);
  EXPECT_EQ(state["status"], "done");
  EXPECT_EQ(state["progress"], 1);
  EXPECT_EQ(state["name"], "a.txt");
  EXPECT_EQ(state["characters"], lines_[0].size() + lines_[1].size());
  EXPECT_TRUE(state.contains("expires"));
  const std::vector<std::string> translations = expected({lines_[0], lines_[1]});
  EXPECT_THAT(get(path + "/result"),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Type: text/plain\r\n"),
                    HasSubstr("Content-Disposition: attachment; filename=\"a.de.txt\"\r\n"),
                    EndsWith("\r\n\r\n" + translations[0] + "\n\n" + translations[1] + "\n")));
  EXPECT_EQ(body_of(get("/v1/documents"))["documents"], json::array({state}));
  EXPECT_THAT(request("DELETE", path), StartsWith("HTTP/1.1 204 "));
  for (const std::string& gone : {get(path), get(path + "/result"), request("DELETE", path)})
    EXPECT_THAT(gone, AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("unknown document")));
}

TEST_F(DocumentsTest, HaveSettings) {
  serve({.glossaries = folder_ / "glossaries"});
  const std::string word = lines_[0].substr(0, lines_[0].find(' '));
  const std::string catalog = R"({"a": ")" + lines_[0] + R"(", "b": ")" + lines_[1] + R"("})";
  const json glossary = {
      {"name", "some"},
      {"dictionaries", {{{"source", "en"}, {"target", "de"}, {"terms", {{word, "hund"}}}}}}};
  const std::string stored = body_of(post("/v1/glossaries", glossary.dump()))["id"];
  const auto result = [&](std::vector<Field> fields) {
    fields.push_back({"file", catalog, "C:\\\\texts\\\\a.b.bak"});
    fields.push_back({"format", "json"});
    const std::string path = path_of(send(fields));
    EXPECT_EQ(ended(path)["status"], "done");
    return get(path + "/result");
  };
  EXPECT_THAT(result({{"keys", "b,c"}, {"source", "EN"}, {"target", "de"}}),
              AllOf(HasSubstr("filename=\"a.b.de.bak\""), HasSubstr(R"("a": ")" + lines_[0])));
  for (const std::string& terms : {stored, R"({")" + word + R"(": "hund"})"})
    EXPECT_THAT(result({{"keys", "a"}, {"glossary", terms}}), HasSubstr("hund"));
  EXPECT_THAT(
      result({{"output", "tmx"}, {"model", "en-de"}}),
      AllOf(HasSubstr("filename=\"a.b.de.tmx\""), HasSubstr("application/x-tmx+xml"),
            HasSubstr("<tuv xml:lang=\"en\"><seg>" + lines_[0] + "</seg></tuv><tuv xml:lang=\"de\">")));
}

TEST_F(DocumentsTest, NamesOfFilesAreThoseOfTheirLastFolders) {
  serve();
  const auto name_of = [this](const std::string& given) {
    return body_of(send({{"file", "a", given}, {"format", "text"}}))["name"];
  };
  EXPECT_EQ(name_of("../../etc/passwd"), "passwd");
  EXPECT_EQ(name_of("C:\\\\a\\\\b\x01.txt"), "b.txt");
  EXPECT_EQ(name_of(""), "document.txt");
  EXPECT_EQ(name_of("/"), "document.txt");
  EXPECT_EQ(name_of("a%22b%0D%0A%41.txt"), "a\"b%41.txt");
  EXPECT_EQ(name_of("a\xE2\x80\xAEtxt\xE2\x81\xA6\xE2\x80\xA8\xC2\x85.b\xE2\x80\xA7"), "atxt.b\xE2\x80\xA7");
  EXPECT_EQ(name_of("\xff.txt"), "\xEF\xBF\xBD.txt");
  const std::string path = path_of(send({{"file", "a", "\xC3\xA4 b.txt"}}));
  ended(path);
  EXPECT_THAT(get(path + "/result"),
              HasSubstr("filename=\"__ b.de.txt\"; filename*=UTF-8''%C3%A4%20b.de.txt\r\n"));
}

TEST_F(DocumentsTest, RefuseWrongForms) {
  serve({.most_document_bytes = 1 << 20});
  const Field file{"file", "a", "a.txt"};
  EXPECT_THAT(send({}), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("no field 'file'")));
  EXPECT_THAT(send({{"document", std::string(5000, 'a'), "a.txt"}}),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("no field 'file'")));
  EXPECT_THAT(send({file, file}), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("two fields 'file'")));
  EXPECT_THAT(send({file, {"beam", "4"}}),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("unknown field 'beam'")));
  EXPECT_THAT(send({file, {"source", "en"}, {"source", "en"}}), HasSubstr("two fields 'source'"));
  EXPECT_THAT(send({{"file", "a", "a.exe"}}),
              AllOf(StartsWith("HTTP/1.1 400 "),
                    HasSubstr("the file extension of 'a.exe' is unknown; the formats are text, ")));
  EXPECT_THAT(send({file, {"format", "exe"}}), HasSubstr("the format 'exe' is unknown; "));
  EXPECT_THAT(send({file, {"encoding", "none"}}), HasSubstr("the encoding 'none' is not known"));
  EXPECT_THAT(send({file, {"output", "pdf"}}), HasSubstr("'output' is 'pdf', but must be tmx"));
  EXPECT_THAT(send({file, {"glossary", "{"}}), HasSubstr("'glossary': invalid JSON"));
  EXPECT_THAT(send({file, {"glossary", "[1]"}}), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(send({file, {"glossary", "id"}}),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("--glossaries")));
  EXPECT_THAT(send({file, {"target", "fr"}}), HasSubstr("no model translates to fr"));
  EXPECT_THAT(send({file, {"model", "fr-de"}}),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("unknown model")));
  EXPECT_THAT(send({{"file", "a", std::string(300, 'a') + ".txt"}}), HasSubstr("more than 255 bytes"));
  EXPECT_THAT(send({{"file", std::string((1 << 20) + 1, 'a'), "a.txt"}}),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("at most 1 MiB")));
  EXPECT_THAT(request("POST", "/v1/documents", "", std::string(3 << 20, 'a')), StartsWith("HTTP/1.1 413 "));
  const std::string form = form_of({file});
  for (const std::string type : {"application/json", "multipart/mixed; boundary=limit", ""})
    EXPECT_THAT(request("POST", "/v1/documents", "", form, type), StartsWith("HTTP/1.1 415 ")) << type;
  for (const std::string type : {"multipart/form-data", "multipart/form-data; boundary=other"})
    EXPECT_THAT(request("POST", "/v1/documents", "", form, type),
                AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("boundary")));
  for (std::size_t size = 0; size + 4 < form.size(); size += 7)
    EXPECT_THAT(request("POST", "/v1/documents", "", form.substr(0, size)), StartsWith("HTTP/1.1 400 "))
        << size;
  EXPECT_EQ(body_of(get("/v1/documents"))["documents"], json::array()) << "nothing was kept";
}

TEST_F(DocumentsTest, HaveFormatsByNameOrExtension) {
  serve();
  for (const char* format : {"markdown", "md", "YML", "xlf"}) {
    EXPECT_THAT(send({{"file", "a", "a"}, {"format", format}}), StartsWith("HTTP/1.1 202 ")) << format;
  }
}

TEST_F(DocumentsTest, LimitTheOtherFieldsOfForms) {
  serve();
  const Field file{"file", "a", "a.txt"};
  const std::string most(4096, 'a');
  EXPECT_THAT(send({file, {"keys", most}}), StartsWith("HTTP/1.1 202 "));
  for (const char* name : {"keys", "source", "target", "model", "format", "encoding", "output", "other"}) {
    EXPECT_THAT(send({file, {name, most + 'a'}}),
                AllOf(StartsWith("HTTP/1.1 413 "),
                      HasSubstr("the field '" + std::string(name) + "' has more than 4096 bytes")));
  }
  for (const Field& field : {Field{"format", most},
                             {"encoding", most},
                             {"output", most},
                             {"target", most},
                             {"model", most},
                             {most, ""}}) {
    EXPECT_THAT(body_of(send({file, field}))["error"].get<std::string>().size(), ::testing::Lt(1000U))
        << field.name;
  }
  std::string terms = "{";
  for (int i = 0; i < 500; ++i) terms += '"' + std::to_string(i) + R"(": "b", )";
  EXPECT_THAT(send({file, {"glossary", terms + R"("b": "b"})"}}), StartsWith("HTTP/1.1 202 "));
  EXPECT_THAT(send({file, {"glossary", std::string(2 << 20, 'a')}}),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("'glossary'")));
  EXPECT_THAT(send({file, {"glossary", ""}}), StartsWith("HTTP/1.1 202 ")) << "as if it were left out";
}

TEST_F(DocumentsTest, FailWithALineThatSaysWhy) {
  serve();
  for (const Field& file : {Field{"file", "no archive", "a.docx"}, Field{"file", "PK\x03\x04zzz", "a.docx"},
                            Field{"file", "\xff\xff", "a.txt"}, Field{"file", "{", "a.json"}}) {
    const std::string path = path_of(send({file}));
    const json state = ended(path);
    EXPECT_EQ(state["status"], "failed");
    EXPECT_THAT(state["error"].get<std::string>(),
                AllOf(HasSubstr(*file.file_name), ::testing::Not(HasSubstr("\n"))));
    EXPECT_THAT(get(path + "/result"),
                AllOf(StartsWith("HTTP/1.1 409 "), HasSubstr("the document is not translated: ")));
  }
}

TEST_F(DocumentsTest, AreOffWithoutASize) {
  serve({.most_document_bytes = 0});
  EXPECT_THAT(send_text("a"), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("translates no documents")));
  EXPECT_THAT(get("/v1/documents"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(DocumentsTest, BelongToAKey) {
  serve({.keys = std::make_shared<const ApiKeys>(folder_.write("keys", line("one") + line("two")))});
  EXPECT_THAT(send_text("a"), StartsWith("HTTP/1.1 401 "));
  const std::string path = path_of(send_text(lines_[0], "one"));
  ended(path, "one");
  for (const auto& [method, of] : {std::pair("GET", path), {"GET", path + "/result"}, {"DELETE", path}})
    EXPECT_THAT(request(method, of, "two"), StartsWith("HTTP/1.1 404 ")) << method;
  EXPECT_EQ(body_of(request("GET", "/v1/documents", "two"))["documents"], json::array());
  EXPECT_THAT(request("GET", path + "/result", "one"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(DocumentsTest, AreRefusedByTheirHeadIfTheirKeyIsWrong) {
  serve({.keys = std::make_shared<const ApiKeys>(folder_.write("keys", line("one")))});
  const auto send_head = [this](const std::string& path, const std::string& field) {
    const std::string fields = "Content-Type: " + kForm + "\r\nContent-Length: 1000000" + field;
    return HttpClient(*server_, head_of("POST", path, fields) + "\r\n\r\n").hear_all();
  };
  EXPECT_THAT(send_head("/v1/documents", ""), AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("no key: ")));
  for (const char* path : {"/v1/documents", "/v2/document", "/translate_file"})
    EXPECT_THAT(send_head(path, "\r\nAuthorization: Bearer two"),
                AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("Invalid API key")))
        << path;
}

TEST_F(DocumentsTest, NeedATemporaryFolder) {
  serve();
  const char* const before = std::getenv("TMPDIR");
  const std::string folder = before == nullptr ? "/tmp" : before;
  ::setenv("TMPDIR", (folder_ / "none").c_str(), 1);
  EXPECT_THAT(send_text("a"),
              AllOf(StartsWith("HTTP/1.1 507 "), ::testing::Not(HasSubstr(folder_ / "none"))));
  ::setenv("TMPDIR", folder.c_str(), 1);
  EXPECT_THAT(send_text("a"), StartsWith("HTTP/1.1 202 "));
}

TEST_F(DocumentsTest, CountAgainstTheLimitsOfAKey) {
  const std::string keys = line("one", "characters=1000 requests=2");
  serve({.keys = std::make_shared<const ApiKeys>(folder_.write("keys", keys))});
  const std::string path = path_of(send_text(std::string(1001, 'a'), "one"));
  EXPECT_THAT(ended(path, "one")["error"].get<std::string>(),
              HasSubstr("1001 characters; this key has 1000 in a minute"));
  const std::string other = path_of(send_text(lines_[0], "one"));
  EXPECT_EQ(ended(other, "one")["status"], "done");
  EXPECT_THAT(send_text("a", "one"), StartsWith("HTTP/1.1 429 "));
  const json use = body_of(request("GET", "/v2/usage", "one"));
  EXPECT_NEAR(use["character_count"].get<double>(), static_cast<double>(lines_[0].size()), 3);
}

TEST_F(DocumentsTest, AreCancelledWhenTheyAreDeleted) {
  serve();
  auto held = hold_model();
  const std::string path = path_of(send_text(lines_[0]));
  ASSERT_TRUE(serve_until(*server_, [&] { return body_of(get(path))["status"] == "translating"; }));
  EXPECT_THAT(get(path + "/result"), AllOf(StartsWith("HTTP/1.1 409 "), HasSubstr("not translated yet")));
  EXPECT_THAT(request("DELETE", path), StartsWith("HTTP/1.1 204 "));
  // Its end is counted while the model is still held.
  EXPECT_TRUE(serve_until(*server_, [&] {
    return get("/metrics").find(R"(nmt_requests_total{interface="document",status="499"} 1)") !=
           std::string::npos;
  }));
  EXPECT_THAT(get("/metrics"), HasSubstr("nmt_documents_under_way 0\n"));
}

TEST_F(DocumentsTest, AreCancelledWithTheServer) {
  serve();
  const auto held = hold_model();
  for (int i = 0; i < 6; ++i) path_of(send_text(lines_[0]));
  server_->drain();
  EXPECT_FALSE(server_->is_busy()) << "nobody waits for documents";
}

TEST_F(DocumentsTest, OfUnknownLanguagesAreDetected) {
  serve_as({"en-de", "fr-de"}, {});
  const auto target = [this](const std::string& source) {
    const std::string path =
        path_of(send({{"file", "Un chien court dans le parc et les enfants jouent.", "a.txt"},
                      {"source", source},
                      {"target", "de"},
                      {"output", "tmx"}}));
    ended(path);
    return get(path + "/result");
  };
  EXPECT_THAT(target("auto"), HasSubstr("srclang=\"fr\""));
  EXPECT_THAT(target("en"), HasSubstr("srclang=\"en\""));
}

TEST_F(DocumentsTest, PassThroughAPivot) {
  serve_as({"en-de", "de-fr"}, {.pivot = "de"});
  const std::string path = path_of(
      send({{"file", "<p><b>" + lines_[0] + "</b></p>", "a.html"}, {"source", "en"}, {"target", "fr"}}));
  EXPECT_EQ(ended(path)["status"], "done");
  const std::string text = expected(expected({lines_[0]}))[0];
  EXPECT_THAT(get(path + "/result"), EndsWith("\r\n\r\n<p><b>" + text + "</b></p>"));
}

TEST_F(DocumentsTest, AreLoggedWithoutTheirTexts) {
  serve({.access_log = folder_ / "log"});
  ended(path_of(send_text(lines_[0])));
  server_.reset();
  const std::string log = map_file(folder_ / "log").copy();
  EXPECT_THAT(log,
              AllOf(HasSubstr(R"("interface":"v1","status":202)"),
                    HasSubstr(R"("interface":"document","status":200)"),
                    HasSubstr(R"("texts":1,"sentences":1,"characters":)" + std::to_string(lines_[0].size())),
                    ::testing::Not(HasSubstr(lines_[0]))));
}

TEST_F(DocumentsTest, OfDeepLAreDeletedWithTheirDownload) {
  serve({.keys = std::make_shared<const ApiKeys>(folder_.write("keys", line("one") + line("two")))});
  const auto send_to_deepl = [this](std::vector<Field> fields) {
    fields.push_back({"auth_key", "one"});
    return request("POST", "/v2/document", "", form_of(fields));
  };
  const Field file{"file", lines_[0], "a.txt"};
  const json sent = body_of(send_to_deepl({file, {"target_lang", "DE"}, {"output_format", "txt"}}));
  const std::string path = "/v2/document/" + sent["document_id"].get<std::string>();
  const std::string key = json{{"document_key", sent["document_key"]}}.dump();
  const auto ask = [&](const std::string& of, const std::string& body, const std::string& client = "one") {
    return request("POST", of, client, body, "application/json");
  };
  json state;
  ASSERT_TRUE(serve_until(*server_, [&] {
    state = body_of(ask(path, key));
    return state["status"] == "done";
  }));
  EXPECT_EQ(state["billed_characters"], lines_[0].size());
  EXPECT_THAT(ask(path, key, "two"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ask(path, R"({"document_key": "other"})"),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr(R"({"message":)")));
  EXPECT_THAT(ask(path + "/result", "{}"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask(path + "/result", key), EndsWith("\r\n\r\n" + expected({lines_[0]})[0]));
  EXPECT_THAT(ask(path + "/result", key), StartsWith("HTTP/1.1 404 ")) << "it is deleted";
  EXPECT_THAT(request("POST", "/v2/document", "", form_of({file, {"target_lang", "DE"}})),
              StartsWith("HTTP/1.1 403 "));
  for (const char* format : {"TXT", "text", ""})
    EXPECT_THAT(send_to_deepl({file, {"target_lang", "DE"}, {"output_format", format}}),
                StartsWith("HTTP/1.1 200 "))
        << format;
  EXPECT_THAT(send_to_deepl({file, {"target_lang", "DE"}, {"filename", "../../b\r\nc.txt"}}),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(body_of(request("GET", "/v1/documents", "one"))["documents"].back()["name"], "bc.txt");
  for (const Field& wrong : {Field{"target_lang", "FR"},
                             {"output_format", "docx"},
                             {"formality", "more"},
                             {"filename", "a.exe"},
                             {"filename", std::string(300, 'a') + ".txt"},
                             {"glossary_ids", "a"}})
    EXPECT_THAT(
        send_to_deepl(wrong.name == "target_lang" ? std::vector{file, wrong}
                                                  : std::vector{file, wrong, Field{"target_lang", "DE"}}),
        AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr(R"({"message":)")))
        << wrong.name;
}

TEST_F(DocumentsTest, OfDeepLThatFail) {
  serve();
  const json sent = body_of(
      request("POST", "/v2/document", "", form_of({{"file", "none", "a.docx"}, {"target_lang", "DE"}})));
  const std::string path = "/v2/document/" + sent["document_id"].get<std::string>();
  const std::string key = json{{"document_key", sent["document_key"]}}.dump();
  json state;
  ASSERT_TRUE(serve_until(*server_, [&] {
    state = body_of(post(path, key));
    return state["status"] == "error";
  }));
  EXPECT_THAT(state["error_message"].get<std::string>(), HasSubstr("cannot translate 'a.docx'"));
}

TEST_F(DocumentsTest, OfLibreTranslateAreAnsweredWithTheirAddress) {
  serve({.keys = std::make_shared<const ApiKeys>(folder_.write("keys", line("one")))});
  const auto send_file = [this](const std::string& target, const std::string& text, const std::string& name) {
    return request(
        "POST", "/translate_file", "",
        form_of({{"file", text, name}, {"source", "auto"}, {"target", target}, {"api_key", "one"}}));
  };
  const std::string address = body_of(send_file("de", lines_[0], "a b.txt"))["translatedFileUrl"];
  EXPECT_THAT(address, AllOf(StartsWith("http://localhost/download_file/"), EndsWith(".a%20b.de.txt")));
  EXPECT_THAT(get(address.substr(std::string("http://localhost").size())),
              AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\n" + expected({lines_[0]})[0])));
  const std::string other = path_of(send_text(lines_[0], "one"));
  ended(other, "one");
  const json documents = body_of(request("GET", "/v1/documents", "one"))["documents"];
  ASSERT_FALSE(documents.empty());
  for (const json& each : documents)
    EXPECT_THAT(get("/download_file/" + each["id"].get<std::string>() + ".a.de.txt"),
                StartsWith("HTTP/1.1 404 "))
        << "only the address that was answered is public";
  EXPECT_THAT(get("/download_file/other.a.txt"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(send_file("fr", lines_[0], "a.txt"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(send_file("de", "none", "a.docx"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr(R"({"error":"cannot translate 'a.docx')")));
  EXPECT_THAT(request("POST", "/translate_file", "", form_of({{"file", "a", "a.txt"}})),
              StartsWith("HTTP/1.1 401 "));
  EXPECT_EQ(body_of(get("/frontend/settings"))["filesTranslation"], true);
}

TEST_F(DocumentsTest, AreCancelledWhenAClientThatWaitsLeaves) {
  serve();
  const auto held = hold_model();
  const std::string form = form_of({{"file", lines_[0], "a.txt"}, {"source", "en"}, {"target", "de"}});
  HttpClient client(*server_, post_of("/translate_file", form, kForm));
  ASSERT_TRUE(serve_until(*server_, [this] { return server_->documents()->under_way() == 1; }));
  client.leave();
  EXPECT_TRUE(serve_until(*server_, [this] { return server_->documents()->under_way() == 0; }));
  EXPECT_TRUE(server_->documents()->list("").empty());
}

/// A store whose translations wait until they may end.
class DocumentStoreTest : public ::testing::Test {
 protected:
  DocumentStore& make(const DocumentLimits& limits) {
    store_ = std::make_unique<DocumentStore>(
        [this](const SentDocument& document, const std::shared_ptr<DocumentProgress>& progress,
               const std::stop_token& stop) {
          progress->bytes = 10;
          progress->translated_bytes = 4;
          std::unique_lock lock(mutex_);
          begun_.push_back(document.name);
          changed_.notify_all();
          changed_.wait(lock, stop, [this] { return may_end_; });
          if (stop.stop_requested()) throw Error("cancelled");
          return MemoryMap();
        },
        [this](const AccessEntry& entry) {
          const std::lock_guard lock(mutex_);
          statuses_.push_back(entry.request.status);
          changed_.notify_all();
        },
        limits);
    return *store_;
  }
  static SentDocument document(const std::string& owner, const std::string& name) {
    return {.owner = owner, .client = owner, .name = name, .format = document_format("text")};
  }
  void wait_for(const std::function<bool()>& is_so) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_so(); });
  }
  void let_end() {
    const std::lock_guard lock(mutex_);
    may_end_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::string> begun_;
  std::vector<int> statuses_;
  bool may_end_ = false;
  std::unique_ptr<DocumentStore> store_;
};

TEST_F(DocumentStoreTest, ClientsDoNotWaitForEachOther) {
  DocumentStore& store = make({.at_once = 2});
  const std::string first = store.add(document("a", "a1")).id;
  wait_for([this] { return begun_.size() == 1; });
  for (const char* name : {"a2", "a3"}) store.add(document(std::string(1, name[0]), name));
  wait_for([this] { return begun_.size() == 2; });
  EXPECT_EQ(begun_.back(), "a2");
  for (const char* name : {"b1", "c1"}) {
    store.add(document(std::string(1, name[0]), name));
    wait_for([&] { return begun_.back() == name; });
  }
  EXPECT_THAT(begun_, ::testing::SizeIs(4)) << "a3 waits";
  store.remove("a", first);
  wait_for([this] { return begun_.size() == 5; });
  EXPECT_EQ(begun_.back(), "a3");
  wait_for([this] { return !statuses_.empty(); });
  let_end();
  wait_for([this] { return statuses_.size() == 5; });
  EXPECT_EQ(statuses_[0], 499);
}

TEST_F(DocumentStoreTest, DocumentsThatHaveToWaitAreQueuedAgain) {
  DocumentState state = DocumentState::failed;
  store_ = std::make_unique<DocumentStore>(
      [&](const SentDocument& document, const auto& /*progress*/, const std::stop_token& /*stop*/) {
        if (document.name == "a2") state = store_->list("a")[0].state;
        const std::lock_guard lock(mutex_);
        begun_.push_back(document.name);
        if (document.name == "a1" && begun_.size() < 3) throw LimitReached(1, "later");
        return MemoryMap();
      },
      [this](const AccessEntry& entry) {
        const std::lock_guard lock(mutex_);
        statuses_.push_back(entry.request.status);
        changed_.notify_all();
      },
      DocumentLimits{.at_once = 1});
  for (const char* name : {"a1", "a2"}) store_->add(document("a", name));
  wait_for([this] { return statuses_.size() == 2; });
  EXPECT_EQ(state, DocumentState::queued) << "others may begin";
  EXPECT_EQ(begun_.back(), "a1");
  EXPECT_THAT(statuses_, ::testing::Each(200));
}

TEST_F(DocumentStoreTest, SharesOnlyDocumentsThatAreShared) {
  DocumentStore& store = make({});
  let_end();
  SentDocument shared = document("a", "a1.txt");
  shared.is_shared = true;
  const DocumentStatus open = store.add(shared), own = store.add(document("a", "a2.txt"));
  wait_for([this] { return statuses_.size() == 2; });
  EXPECT_EQ(store.shared_result(open.key).name, "a1.translated.txt");
  for (const std::string& unknown : {open.id, own.id, own.key, std::string()})
    EXPECT_THROW(store.shared_result(unknown), CallError) << unknown;
}

TEST_F(DocumentStoreTest, CancelsDocumentsForWhichNobodyWaits) {
  DocumentStore& store = make({});
  SentDocument shared = document("a", "a1");
  shared.is_shared = true;
  store.add(shared);
  store.add(document("a", "a2"));
  wait_for([this] { return begun_.size() == 2; });
  store.cancel();
  wait_for([this] { return statuses_.size() == 1; });
  EXPECT_EQ(store.under_way(), 1);
  let_end();
  wait_for([this] { return statuses_.size() == 2; });
  EXPECT_THAT(statuses_, ::testing::ElementsAre(499, 200));
}

TEST_F(DocumentStoreTest, FailuresHaveTheStatusOfTheirError) {
  store_ = std::make_unique<DocumentStore>(
      [](const SentDocument& document, const auto& progress, const auto& /*stop*/) -> MemoryMap {
        progress->translated_bytes = progress->bytes = 10;
        if (document.name == "large") throw CallError(507, "no room");
        throw Error("broken");
      },
      [this](const AccessEntry& entry) {
        const std::lock_guard lock(mutex_);
        statuses_.push_back(entry.request.status);
        changed_.notify_all();
      },
      DocumentLimits{.at_once = 1});
  for (const char* name : {"large", "other"}) store_->add(document("a", name));
  wait_for([this] { return statuses_.size() == 2; });
  EXPECT_THAT(statuses_, ::testing::ElementsAre(507, 422));
  const std::vector<DocumentStatus> documents = store_->list("a");
  EXPECT_EQ(documents[0].failure, 507);
  EXPECT_EQ(documents[0].error, "no room");
  EXPECT_EQ(documents[0].progress, 0.99) << "although all of its texts were translated";
  EXPECT_EQ(documents[1].failure, 422);
}

TEST_F(DocumentStoreTest, HasLimits) {
  DocumentStore& store = make({.of_owner = 2, .in_total = 3});
  const std::string first = store.add(document("a", "a1")).id;
  store.add(document("a", "a2"));
  const auto status_of = [&](const std::string& owner) {
    try {
      store.add(document(owner, "x"));
    } catch (const LimitReached& error) {
      EXPECT_EQ(error.retry_after(), 0) << "the server does not know when there is room";
      return error.status();
    }
    return 0;
  };
  EXPECT_EQ(status_of("a"), 429);
  EXPECT_EQ(status_of("b"), 0);
  EXPECT_EQ(status_of("c"), 429) << "the server is full";
  store.remove("a", first);
  EXPECT_EQ(status_of("c"), 0);
}

TEST_F(DocumentStoreTest, ExpireAfterTheirEnd) {
  DocumentStore& store = make({.at_once = 1, .lifetime = std::chrono::seconds(60)});
  const std::string first = store.add(document("a", "a1")).id;
  store.add(document("a", "a2"));
  wait_for([this] { return begun_.size() == 1; });
  EXPECT_EQ(store.status("a", first).progress, 0.4);
  EXPECT_EQ(store.under_way(), 2);
  store.expire(DocumentStore::Clock::now() + std::chrono::hours(1));
  EXPECT_EQ(store.list("a").size(), 2U) << "documents in translation do not expire";
  let_end();
  wait_for([this] { return statuses_.size() == 2; });
  EXPECT_EQ(store.under_way(), 0);
  store.expire(DocumentStore::Clock::now() + std::chrono::seconds(50));
  EXPECT_EQ(store.status("a", first).progress, 1);
  store.expire(DocumentStore::Clock::now() + std::chrono::seconds(61));
  EXPECT_TRUE(store.list("a").empty());
}

}  // namespace
}  // namespace nmt
