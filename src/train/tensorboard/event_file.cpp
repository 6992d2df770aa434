#include "train/tensorboard/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "common/error.h"
#include "common/system_message.h"
#include "data/vocabulary/protobuf.h"
#include "train/tensorboard/crc32c.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "events.out.tfevents.";

// Field numbers of tensorflow/core/util/event.proto.
constexpr std::uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
constexpr std::uint32_t kSessionStatus = 1, kSessionBegins = 1;

std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U;
}

template <class Number>
std::string_view bytes_of(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string event(std::int64_t step, const std::string& content) {
  return fixed64_field(kWallTime, std::bit_cast<std::uint64_t>(wall_time())) +
         varint_field(kStep, static_cast<std::uint64_t>(step)) + content;
}

/// Returns the time for the name of an event file, by which readers sort files: now, but later than all
/// existing files.
std::int64_t time_in_name(const std::string& folder) {
  auto seconds = static_cast<std::int64_t>(wall_time());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    std::int64_t other = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), other);
    if (other < INT64_MAX) seconds = std::max(seconds, other + 1);
  }
  return seconds;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw Error("cannot write events to '{}': {}; name another folder with `tensorboard`", path, reason);
}

}  // namespace

std::string tfrecord(std::string_view data) {
  const std::uint64_t size = data.size();
  const std::uint32_t size_crc = masked_crc(bytes_of(size)), data_crc = masked_crc(data);
  return std::string(bytes_of(size)).append(bytes_of(size_crc)).append(data).append(bytes_of(data_crc));
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFile::EventFile(std::string folder, std::int64_t first_step)
    : folder_(std::move(folder)), first_step_(first_step) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) cannot_write(folder_, error.message());
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) cannot_write(folder_, system_message(errno));
}

void EventFile::create() {
  path_ = fmt::format("{}/{}{:010}.{}.{}", folder_, kPrefix, time_in_name(folder_), host_name(), ::getpid());
  file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (!file_) cannot_write(path_, system_message(errno));
  write(event(0, bytes_field(kFileVersion, "brain.Event:2")));
  write(event(first_step_, bytes_field(kSessionLog, varint_field(kSessionStatus, kSessionBegins))));
}

void EventFile::write(const std::string& event) {
  const std::string record = tfrecord(event);
  write_all(file_, record.data(), record.size(), path_);
}

void EventFile::add(std::int64_t step, const std::string& summary) {
  if (!file_) create();
  write(event(step, bytes_field(kSummary, summary)));
}

}  // namespace nmt
