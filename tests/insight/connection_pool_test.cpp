#include "insight/connection_pool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

namespace nmt {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kRequest = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A client, one end of a socket whose other end the pool has.
class Client {
 public:
  explicit Client(const std::string& said = "") {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    mine_ = FileDescriptor(ends[0]);
    theirs_ = FileDescriptor(ends[1]);
    say(said);
  }

  FileDescriptor socket() { return std::move(theirs_); }
  void say(const std::string& text) const {
    EXPECT_EQ(::send(mine_.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// What has come, up to `most` bytes of it.
  std::string hear(std::size_t most = 1 << 24) const {
    std::string heard;
    std::array<char, 4096> bytes{};
    for (ssize_t count = 0;
         heard.size() < most && (count = ::recv(mine_.get(), bytes.data(), bytes.size(), 0)) > 0;) {
      heard.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return heard;
  }
  bool is_closed() const {
    char byte = 0;
    return ::recv(mine_.get(), &byte, 1, MSG_PEEK) == 0;
  }

 private:
  FileDescriptor mine_, theirs_;
};

class ConnectionPoolTest : public ::testing::Test {
 protected:
  ConnectionPoolTest()
      : pool_([this](auto) { return Document{.type = "text/plain", .text = text_}; }, kLimits) {}

  void add(Client& client) { pool_.add(client.socket(), now_); }
  void proceed() {
    std::vector<pollfd> polled = pool_.wishes();
    ::poll(polled.data(), polled.size(), 0);
    pool_.proceed(polled, now_);
  }
  /// Says what a page says that is much larger than what a socket holds.
  void make_pages_large() { text_.assign(8 << 20, 'x'); }

  static constexpr ConnectionLimits kLimits{.connections = 4,
                                            .head_bytes = 1000,
                                            .head = std::chrono::seconds(5),
                                            .stall = std::chrono::seconds(10)};

  std::string text_ = "the page";
  ConnectionPool::Time now_;
  ConnectionPool pool_;
};

TEST_F(ConnectionPoolTest, AnswersWhoAsksBehindManyWhoDoNot) {
  std::vector<Client> idle(50);
  for (Client& client : idle) {
    add(client);
    client.say("GET / HTTP/1.1\r\nHo");
    proceed();
    EXPECT_LE(pool_.size(), kLimits.connections);
  }
  Client asking;
  add(asking);
  asking.say(kRequest);
  proceed();
  EXPECT_THAT(asking.hear(), HasSubstr("the page"));
  EXPECT_TRUE(asking.is_closed());
  EXPECT_TRUE(idle.front().is_closed()) << "the oldest makes room";
  EXPECT_FALSE(idle.back().is_closed());
}

TEST_F(ConnectionPoolTest, AnswersAtOnceWhatWasAskedBeforeThereWasTime) {
  Client asking(kRequest);
  add(asking);
  EXPECT_THAT(asking.hear(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(pool_.size(), 0U);
}

TEST_F(ConnectionPoolTest, DropsARequestThatDoesNotEnd) {
  Client slow("GET /");
  add(slow);
  for (int i = 0; i < 10; ++i) {  // a byte now and then buys no time
    now_ += milliseconds(500);
    slow.say("x");
    proceed();
    EXPECT_FALSE(slow.is_closed());
  }
  now_ += milliseconds(1);
  proceed();
  EXPECT_TRUE(slow.is_closed());
}

TEST_F(ConnectionPoolTest, DropsARequestOfAnyLength) {
  Client endless(std::string(kLimits.head_bytes + 1, 'x'));
  add(endless);
  EXPECT_TRUE(endless.is_closed());
}

TEST_F(ConnectionPoolTest, DropsWhoTakesNothingOfTheAnswer) {
  make_pages_large();
  Client deaf(kRequest);
  add(deaf);
  now_ += kLimits.stall;
  proceed();
  EXPECT_EQ(pool_.size(), 1U);
  now_ += milliseconds(1);
  proceed();
  EXPECT_EQ(pool_.size(), 0U);
}

TEST_F(ConnectionPoolTest, LetsAnAnswerTakeItsTimeOverASlowLine) {
  make_pages_large();
  Client slow(kRequest);
  add(slow);
  std::string heard = slow.hear(1 << 16);
  for (int i = 0; i < 1000 && !slow.is_closed(); ++i) {
    now_ += std::chrono::seconds(9);
    proceed();
    heard += slow.hear(1 << 18);
  }
  EXPECT_GT(heard.size(), text_.size());
}

TEST_F(ConnectionPoolTest, ThoseWhoAreAnsweredGoLast) {
  make_pages_large();
  std::vector<Client> busy(kLimits.connections - 1);
  for (Client& client : busy) {
    client.say(kRequest);
    add(client);
  }
  now_ += std::chrono::seconds(1);
  Client idle, another;
  add(idle);
  add(another);
  EXPECT_TRUE(idle.is_closed());
  EXPECT_EQ(pool_.size(), kLimits.connections);
  while (pool_.size() > 0) EXPECT_TRUE(pool_.make_room());
  EXPECT_FALSE(pool_.make_room());
}

}  // namespace
}  // namespace nmt
