// The logs and metrics of a server.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/complaint.h"
#include "common/error.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"
#include "serve/access_log.h"
#include "serve/server_metrics.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(AccessLine, TellsOfARequest) {
  AccessEntry entry{
      .id = "7", .client = "127.0.0.1", .key = "site", .method = "POST", .path = "/translate", .bytes = 12};
  entry.request = {.interface = "libretranslate",
                   .status = 200,
                   .seconds = 0.25,
                   .texts = 1,
                   .sentences = 2,
                   .characters = 30,
                   .source_tokens = 8,
                   .target_tokens = 9,
                   .truncated = 1};
  EXPECT_EQ(
      access_line(entry, 1767225600.125),
      R"({"time":"2026-01-01T00:00:00.125Z","id":"7","client":"127.0.0.1","method":"POST",)"
      R"("path":"/translate","interface":"libretranslate","status":200,"bytes":12,"seconds":0.25,)"
      R"("key":"site","texts":1,"sentences":2,"characters":30,"source_tokens":8,"target_tokens":9,"truncated":1})");
}

TEST(AccessLog, LosesLinesOfAPipeThatNobodyReads) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const FileDescriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  RecordingLog log;
  {
    AccessLog access(pipe, log);
    const AccessEntry entry{.id = "7", .path = std::string(1000, 'a')};
    for (int i = 0; i < 10'000; ++i) access.write(entry);
    EXPECT_EQ(log.take(), "warning: the access log loses lines: '" + pipe + "' cannot be written now\n");
    std::string read(1 << 20, '\0');
    read.resize(static_cast<std::size_t>(::read(reader.get(), read.data(), read.size())));
    EXPECT_EQ(read.back(), '\n') << "those that are there are whole";
    access.write({.id = "8"});
    read.resize(static_cast<std::size_t>(::read(reader.get(), read.data(), read.size())));
    EXPECT_THAT(read, HasSubstr("\"id\":\"8\""));
    access.write({.id = "9", .path = std::string(10'000, 'a')});
  }
  EXPECT_THAT(log.take(), MatchesRegex("warning: the access log has lost [0-9]+ lines\n"));
}

TEST(AccessLog, WaitsForNobodyToReadAPipe) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(testing::complaint<Error>([&] { AccessLog(pipe, silent_log()); }),
            "the pipe '" + pipe + "' has no reader; start one first");
}

TEST(ServerMetrics, AddsUp) {
  ServerMetrics metrics;
  metrics.count(
      {.interface = "v1", .status = 200, .seconds = 0.02, .texts = 1, .sentences = 3, .target_tokens = 7});
  metrics.count(
      {.interface = "v1", .status = 200, .seconds = 0.25, .texts = 2, .sentences = 2, .target_tokens = 1});
  metrics.count({.interface = "v1", .status = 429, .seconds = 100, .texts = 9, .sentences = 9});
  const std::string text = metrics.text({.sentences_under_way = 5, .models = {{"a\"b", true}, {"c", false}}});
  for (const char* line :
       {"# TYPE nmt_requests_total counter\n", "nmt_requests_total{interface=\"v1\",status=\"200\"} 2\n",
        "nmt_requests_total{interface=\"v1\",status=\"429\"} 1\n",
        "nmt_request_seconds_bucket{interface=\"v1\",le=\"0.01\"} 0\n",
        "nmt_request_seconds_bucket{interface=\"v1\",le=\"0.025\"} 1\n",
        "nmt_request_seconds_bucket{interface=\"v1\",le=\"0.25\"} 2\n",
        "nmt_request_seconds_bucket{interface=\"v1\",le=\"+Inf\"} 3\n",
        "nmt_request_seconds_count{interface=\"v1\"} 3\n", "\nnmt_texts_total 3\n",
        "\nnmt_sentences_total 5\n", "\nnmt_target_tokens_total 8\n", "\nnmt_sentences_under_way 5\n",
        "nmt_model_ready{model=\"a\\\"b\"} 1\n", "nmt_model_ready{model=\"c\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace nmt
