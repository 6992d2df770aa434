#include "http/server.h"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "common/error.h"
#include "http/http_client.h"

namespace nmt {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

/// Answers with the path and the body, but delays requests for /later.
class HttpServerTest : public ::testing::Test {
 protected:
  HttpServer& serve(const HttpLimits& limits = {}) {
    server_ = std::make_unique<HttpServer>(
        HttpSettings{.limits = limits,
                     .handle = [this](const auto& exchange) { handle(exchange); },
                     .most_in_file =
                         [](std::string_view method, std::string_view path) {
                           return method == "POST" && path == "/file" ? kMostInFile : 0;
                         }});
    return *server_;
  }

  void handle(const std::shared_ptr<HttpExchange>& exchange) {
    const HttpRequest& request = exchange->request();
    if (request.kind == HttpRequest::Kind::handshake) return exchange->answer({.status = 101});
    if (request.path == "/later") return kept_.push_back(exchange);
    if (request.path == "/never") return;
    if (request.path == "/file" && request.file)
      return exchange->answer({.body = request.body, .file = request.file});  // the same bytes
    exchange->answer(
        {.body = request.path == "/large" ? std::string(8 << 20, 'x') : request.path + request.body});
  }

  static constexpr std::size_t kMostInFile = 8 << 20;
  std::vector<std::shared_ptr<HttpExchange>> kept_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, BodiesInFiles) {
  const auto send = [](const std::string& fields, const std::string& body,
                       const std::string& path = "/file?q") {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n\r\n" + body;
  };
  HttpClient client(serve({.body_bytes = 10}));
  std::string large(7 << 20, 'a');
  large += "end";
  const std::string length = "Content-Length: " + std::to_string(large.size());
  client.say(send(length, large));
  EXPECT_THAT(client.hear("end"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr(length + "\r\n")));
  client.say(send("Transfer-Encoding: chunked", "3\r\nabc\r\n3\r\nend\r\n0\r\n\r\n"));
  EXPECT_THAT(client.hear("end"), EndsWith("\r\n\r\nabcend"));
  client.say(send("Content-Length: 0", ""));
  EXPECT_THAT(client.hear("/file"), StartsWith("HTTP/1.1 200 ")) << "no body, no file";
  for (const std::string& refused :
       {send("Content-Length: " + std::to_string(kMostInFile + 1), ""), send(length, "", "/other"),
        send("Transfer-Encoding: chunked", "900000\r\na")})
    EXPECT_THAT(HttpClient(*server_, refused).hear_all(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, FilesOfBodiesShareTheirRoom) {
  serve({.all_files_bytes = 250'000});
  const std::string part(100'000, 'a');
  const auto begin = [](const std::string& path) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n";
  };
  HttpClient memory(*server_, begin("/memory") + part), slow(*server_, begin("/file") + part);
  HttpClient fast(*server_, begin("/file") + part + part);
  EXPECT_THAT(fast.hear(part + part), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(slow.hear_all(), "") << "the file that has been arriving for the longest time makes room";
  memory.say(part);
  EXPECT_THAT(memory.hear(part + part), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, RefusesABodyThatCannotBeWritten) {
  const char* const before = std::getenv("TMPDIR");
  const std::string folder = before == nullptr ? "/tmp" : before;
  serve();
  ::setenv("TMPDIR", "/nonexistent", 1);
  HttpClient client(*server_, "POST /file HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na");
  EXPECT_THAT(client.hear_all(), StartsWith("HTTP/1.1 507 "));
  ::setenv("TMPDIR", folder.c_str(), 1);
}

TEST_F(HttpServerTest, AnswersOneRequestAfterAnother) {
  HttpClient client(serve(), get("/a%20b?c=d") + get("/2"));
  EXPECT_THAT(client.hear("/2"), AllOf(HasSubstr("Connection: keep-alive"), HasSubstr("\r\n\r\n/a b")));
  client.say("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  EXPECT_THAT(client.hear("/abc"), StartsWith("HTTP/1.1 200 OK"));
  client.say("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.hear_all(), EndsWith("Connection: close\r\n\r\n"));
}

TEST_F(HttpServerTest, ServesASocketThatListensAlready) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_THAT([&] { HttpServer({.socket = socket}); }, ThrowsMessage<Error>(HasSubstr("does not listen")));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(socket, 8), 0);
  EXPECT_EQ(listening_address(socket), "127.0.0.1");
  server_ = std::make_unique<HttpServer>(
      HttpSettings{.socket = socket, .handle = [this](const auto& exchange) { handle(exchange); }});
  HttpClient client(*server_, get("/here"));
  EXPECT_THAT(client.hear("/here"), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(HttpServerTest, InvitesABody) {
  HttpClient client(serve(),
                    "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_THAT(client.hear("\r\n\r\n"), StartsWith("HTTP/1.1 100 "));
  client.say("ab");
  EXPECT_THAT(client.hear("/ab"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, RefusesWhatIsNoRequest) {
  serve({.head_bytes = 1000, .body_bytes = 100});
  const auto heard = [&](const std::string& said) { return HttpClient(*server_, said).hear_all(); };
  EXPECT_THAT(heard("\x16\x03\x01\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard("GET /% HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard("GET / HTTP/1.1\r\nX: " + std::string(2000, 'x')), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(heard("POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(heard("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + std::string(255, 'x')),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, RefusesBodiesWhoseEndIsUnclear) {
  serve();
  // Returns the answer to a request whose body is "0", a blank line and another request.
  const auto heard = [&](const std::string& fields, const std::string& version = "1.1") {
    const std::string body = "0\r\n\r\n" + get("/smuggled");
    std::string answers =
        HttpClient(*server_, "POST /outer HTTP/" + version + "\r\nHost: x\r\n" + fields + "\r\n" + body)
            .hear_all();
    EXPECT_THAT(answers, AllOf(HasSubstr("\r\nConnection: close\r\n"), Not(HasSubstr("smuggled")))) << fields;
    return answers.substr(0, 13);
  };
  for (const char* codings : {"xchunked", "identity", "chunked, identity", "gzip, chunked",
                              "chunked, chunked", "gzip", "chunked;a=b", "\"chunked\"", ""})
    EXPECT_EQ(heard(std::string("Transfer-Encoding: ") + codings + "\r\n"), "HTTP/1.1 501 ") << codings;
  EXPECT_EQ(heard("Transfer-Encoding: chunked\r\n", "1.0"), "HTTP/1.1 400 ");
  for (const char* fields :
       {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: x\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 6\r\n", "Content-Length: 5,\r\n", "Content-Length: +5\r\n",
        "Content-Length: -5\r\n", "Content-Length: 5 5\r\n", "Content-Length: 0x5\r\n",
        "Content-Length: 18446744073709551621\r\n", "Content-Length:\r\n", "Content-Length : 5\r\n",
        "Transfer-Encoding : chunked\r\n", "Content-Length: 5\nX: y\r\n"})
    EXPECT_EQ(heard(fields), "HTTP/1.1 400 ") << fields;
}

TEST_F(HttpServerTest, SkipsEmptyLinesBeforeARequest) {
  HttpClient client(serve(), "\r\n\r\n" + get("/1") + "\r\n" + get("/2") + "\r");
  EXPECT_THAT(client.hear("/2"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("\r\n\r\n/1HTTP/1.1 200 ")));
  client.say("\n");
  client.say("G");
  client.say(get("/3").substr(1));
  EXPECT_THAT(client.hear("/3"), StartsWith("HTTP/1.1 200 "));
  client.say("\r" + get("/4"));
  EXPECT_THAT(client.hear_all(), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, RequiresAHost) {
  serve();
  const auto heard = [&](const std::string& said) { return HttpClient(*server_, said).hear_all(); };
  EXPECT_THAT(heard("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard("GET / HTTP/1.1\r\nHost: x, y\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard("GET / HTTP/1.1\r\nHost: x\r\n Transfer-Encoding: chunked\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard("GET / HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, AnswersInParts) {
  HttpClient client(serve(), get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return !kept_.empty(); }));
  kept_[0]->answer({.body = "a", .is_streamed = true});
  EXPECT_THAT(client.hear("\r\n\r\na"),
              AllOf(HasSubstr("Connection: close"), Not(HasSubstr("Content-Length"))));
  kept_[0]->send("b", false);
  EXPECT_EQ(client.hear("b"), "b");
  EXPECT_TRUE(server_->is_busy());
  kept_[0]->send(std::string(1 << 20, 'c'), false);
  kept_[0]->send("d", true);
  kept_[0]->send("e", true);
  EXPECT_EQ(client.hear_all(), std::string(1 << 20, 'c') + "d");

  HttpClient left(*server_, get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return kept_.size() == 2; }));
  bool is_abandoned = false;
  kept_[1]->on_abandoned([&] { is_abandoned = true; });
  kept_[1]->answer({.is_streamed = true});
  left.hear("\r\n\r\n");
  left.leave();
  EXPECT_TRUE(serve_until(*server_, [&] { return is_abandoned; }));

  HttpClient dropped(*server_, get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return kept_.size() == 3; }));
  kept_[2]->answer({.body = "f", .is_streamed = true});
  kept_.pop_back();
  EXPECT_THAT(dropped.hear_all(), EndsWith("\r\n\r\nf"));
}

TEST_F(HttpServerTest, AnswersFromAnyThread) {
  HttpClient client(serve(), get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return !kept_.empty(); }));
  const std::jthread worker([exchange = kept_[0]] {
    exchange->answer({.body = "now"});
    exchange->answer({.body = "too late"});
  });
  EXPECT_THAT(client.hear("now"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, TakesTargetsWithTheirHost) {
  HttpClient client(serve(), get("http://any.example/now"));
  EXPECT_THAT(client.hear("now"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, AnswersWhatNobodyAnswers) {
  HttpClient client(serve(), get("/never"));
  EXPECT_THAT(client.hear("not answered"), StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, TellsWhenAClientGoesAway) {
  HttpClient client(serve(), get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return !kept_.empty(); }));
  bool is_abandoned = false;
  kept_[0]->on_abandoned([&] { is_abandoned = true; });
  client.leave();
  EXPECT_TRUE(serve_until(*server_, [&] { return is_abandoned; }));
  kept_[0]->answer({.body = "for nobody"});
  kept_.clear();
  EXPECT_TRUE(serve_until(*server_, [this] { return server_->connections() == 0; }));
}

TEST_F(HttpServerTest, AnswersClientsThatHaveShutDownTheirSide) {
  HttpClient client(serve(), get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return !kept_.empty(); }));
  client.shut_down();
  EXPECT_EQ(client.hear("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n")
      << "the server asks whether it is there";
  kept_[0]->answer({.body = "answered"});
  EXPECT_THAT(client.hear_all(), AllOf(StartsWith("HTTP/1.1 200 OK"), EndsWith("answered")));

  HttpClient old(*server_, "GET /later HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(serve_until(*server_, [this] { return kept_.size() == 2; }));
  old.shut_down();
  server_->run_for(milliseconds(20));
  kept_[1]->answer({.body = "answered"});
  EXPECT_THAT(old.hear_all(), AllOf(StartsWith("HTTP/1.1 200 OK"), EndsWith("answered")));
}

TEST_F(HttpServerTest, FillsStreamsToClientsThatHaveShutDownTheirSide) {
  HttpClient client(serve(), get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return !kept_.empty(); }));
  kept_[0]->answer({.body = "first ", .is_streamed = true, .filler = ": "});
  client.hear("first ");
  client.shut_down();
  EXPECT_EQ(client.hear(": "), ": ");
  kept_[0]->send("last", true);
  EXPECT_EQ(client.hear_all(), "last");
}

TEST_F(HttpServerTest, ClosesWhatDoesNotComeToAnEnd) {
  constexpr milliseconds kShort{50};
  serve({.head = kShort, .body = kShort, .stall = kShort});
  EXPECT_EQ(HttpClient(*server_, "GET / HTTP/1.1\r\nHo").hear_all(), "");
  EXPECT_EQ(HttpClient(*server_, "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx").hear_all(), "");
  const HttpClient deaf(*server_, get("/large"));
  EXPECT_TRUE(serve_until(*server_, [this] { return server_->connections() == 0; }));
}

TEST_F(HttpServerTest, AnswersWhoAsksBehindManyWhoDoNot) {
  serve({.connections = 4});
  HttpClient busy(*server_, get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return !kept_.empty(); }));
  std::vector<HttpClient> idle;
  idle.reserve(10);
  for (int i = 0; i < 10; ++i) idle.emplace_back(*server_, "GET / HTTP/1.1\r\nHo");
  HttpClient asking(*server_, get("/asked"));
  EXPECT_THAT(asking.hear("/asked"), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(idle.front().hear_all(), "") << "the oldest makes room";
  EXPECT_FALSE(idle.back().listen());
  EXPECT_LE(server_->connections(), 4U);
  kept_[0]->answer({.body = "busy"});
  EXPECT_THAT(busy.hear("busy"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, BodiesShareTheirMemory) {
  serve({.head_bytes = 4096, .body_bytes = 100'000, .all_bodies_bytes = 230'000});
  const auto begin = [](const std::string& path) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n";
  };
  const std::string part(60'000, 'a'), rest(30'000, 'a');
  HttpClient slow(*server_, begin("/slow") + part), idle(*server_, "GET / HTTP/1.1\r\nHo");
  std::vector<HttpClient> later;
  later.reserve(2);
  for (std::size_t i = 0; i < 2; ++i) {
    later.emplace_back(*server_, begin("/later") + part + rest);
    ASSERT_TRUE(serve_until(*server_, [&] { return kept_.size() == i + 1; }));
  }
  EXPECT_EQ(slow.hear_all(), "") << "the body that has been coming for the longest time makes room";
  EXPECT_FALSE(idle.listen()) << "without a body there is nothing to be gained";
  HttpClient third(*server_, begin("/third") + part + rest);
  EXPECT_EQ(third.hear("\r\n\r\n").substr(0, 13), "HTTP/1.1 503 ") << "the others are being answered";
  for (std::size_t i = 0; i < 2; ++i) kept_[i]->answer({.body = "done"});
  EXPECT_THAT(later[0].hear("done"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(later[1].hear("done"), StartsWith("HTTP/1.1 200 "));
  kept_.clear();
  HttpClient fourth(*server_, begin("/fourth") + part + rest);
  EXPECT_EQ(fourth.hear(rest).substr(0, 13), "HTTP/1.1 200 ");
}

TEST_F(HttpServerTest, DrainsWhatIsUnderWay) {
  HttpClient idle(serve()), busy(*server_, get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return !kept_.empty(); }));
  server_->drain();
  EXPECT_EQ(idle.hear_all(), "");
  kept_[0]->answer({.body = "done"});
  EXPECT_THAT(busy.hear_all(), AllOf(HasSubstr("Connection: close"), EndsWith("done")));
  busy.leave();
  kept_.clear();
  EXPECT_TRUE(serve_until(*server_, [this] { return server_->connections() == 0; }));
}

TEST_F(HttpServerTest, EndsWithRequestsUnderWay) {
  HttpClient client(serve(), get("/later"));
  ASSERT_TRUE(serve_until(*server_, [this] { return !kept_.empty(); }));
  kept_.clear();
  server_.reset();
  EXPECT_TRUE(client.listen());
}

TEST_F(HttpServerTest, SpeaksThroughWebSockets) {
  HttpClient client(serve(),
                    "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_THAT(
      client.hear("\r\n\r\n"),
      AllOf(StartsWith("HTTP/1.1 101 "), HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")));
  // "Hello", masked, as in section 5.7 of RFC 6455.
  client.say("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
  EXPECT_EQ(client.hear("Hello"), "\x81\x0c/socketHello");
  client.say(std::string("\x88\x80\0\0\0\0", 6));
  EXPECT_EQ(client.hear_all().substr(0, 1), "\x88");
}

TEST_F(HttpServerTest, RefusesHandshakesOfNoWebSocket) {
  serve();
  const auto heard = [&](const std::string& said) { return HttpClient(*server_, said).hear_all(); };
  const std::string upgrade =
      "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  EXPECT_THAT(heard(upgrade + key + "Sec-WebSocket-Version: 8\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 426 "), HasSubstr("\r\nSec-WebSocket-Version: 13\r\n")));
  EXPECT_THAT(heard(upgrade + "Sec-WebSocket-Version: 13\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard(upgrade + "Sec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
}

TEST(HttpServer, RefusesWhereItCannotListen) {
  const HttpServer taken(HttpSettings{.handle = [](const auto&) {}});
  EXPECT_THROW(HttpServer({.port = taken.port(), .handle = [](const auto&) {}}), Error);
  EXPECT_THROW(HttpServer({.host = "nowhere.example", .handle = [](const auto&) {}}), UsageError);
}

}  // namespace
}  // namespace nmt
