#include "train/tensorboard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "common/error.h"
#include "common/text/number.h"
#include "data/vocabulary/protobuf.h"
#include "train/meter.h"
#include "train/validator.h"

namespace nmt {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82F63B78;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest % 2 != 0 ? rest >> 1 ^ kReversedPolynomial : rest >> 1;
    table[byte] = rest;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t rest = ~std::uint32_t{0};
  for (const char byte : bytes) rest = rest >> 8 ^ kTable[(rest ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~rest;
}

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

namespace {

// Field numbers of tensorflow/core/framework/{summary,tensor,tensor_shape}.proto.
constexpr std::uint32_t kSummaryValue = 1, kTag = 1, kSimpleValue = 2, kTensor = 8, kMetadata = 9;
constexpr std::uint32_t kPluginData = 1, kPluginName = 1, kPluginContent = 2;
constexpr std::uint32_t kDataType = 1, kShape = 2, kDimension = 2, kSize = 1, kStrings = 8;
constexpr std::uint64_t kFloats = 1, kTexts = 7;
// Field numbers of tensorboard/plugins/hparams/plugin_data.proto and google/protobuf/struct.proto.
constexpr std::uint32_t kSessionStart = 3, kSessionEnd = 4;
constexpr std::uint32_t kSettings = 1, kStartTime = 5, kStatus = 1, kEndTime = 2;
constexpr std::uint64_t kSuccess = 1;
constexpr std::uint32_t kKey = 1, kMapped = 2, kNumber = 2, kText = 3, kTruth = 4;

std::string double_field(std::uint32_t number, double value) {
  return fixed64_field(number, std::bit_cast<std::uint64_t>(value));
}

/// Returns a value that a plugin shows: metadata and a tensor.
std::string plugin_value(const std::string& tag, const char* plugin, const std::string& content,
                         const std::string& tensor) {
  const std::string data = bytes_field(kPluginName, plugin) + bytes_field(kPluginContent, content);
  return bytes_field(kSummaryValue, bytes_field(kTag, tag) + bytes_field(kTensor, tensor) +
                                        bytes_field(kMetadata, bytes_field(kPluginData, data)));
}

std::string dimension(std::size_t size) {
  return bytes_field(kDimension, varint_field(kSize, size));
}

/// Returns a value for the hparams plugin, which reads only the metadata.
std::string hparams_value(const char* tag, const std::string& content) {
  const std::string nothing = varint_field(kDataType, kFloats) + bytes_field(kShape, dimension(0));
  return plugin_value(tag, "hparams", content, nothing);
}

/// Returns a google.protobuf.Value.
std::string setting_value(const std::string& text) {
  if (const auto number = number_of<double>(text)) return double_field(kNumber, *number);
  if (text == "true" || text == "false") return varint_field(kTruth, text == "true" ? 1 : 0);
  return bytes_field(kText, text);
}

}  // namespace

std::string scalar_value(const std::string& tag, double value) {
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return bytes_field(kSummaryValue, bytes_field(kTag, tag) + fixed32_field(kSimpleValue, single));
}

std::string markdown(const std::string& text) {
  constexpr std::string_view kEscaped = "\\`*_{}[]()>#+-.!|~";
  std::string escaped;
  for (const char c : text) {
    if (c == '<' || c == '&') {
      escaped += c == '<' ? "&lt;" : "&amp;";
    } else if (c == '\t' || c == ' ') {  // leading spaces have a meaning
      if (!escaped.empty()) escaped += ' ';
    } else {
      if (kEscaped.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string table_value(const std::string& tag, const std::vector<std::vector<std::string>>& rows) {
  std::string tensor = varint_field(kDataType, kTexts) +
                       bytes_field(kShape, dimension(rows.size()) + dimension(rows.front().size()));
  for (const auto& row : rows) {
    for (const std::string& cell : row) tensor += bytes_field(kStrings, cell);
  }
  return plugin_value(tag, "text", "", tensor);
}

std::string settings_value(const std::vector<std::pair<std::string, std::string>>& settings, double time) {
  std::string start;
  for (const auto& [name, text] : settings) {
    start += bytes_field(kSettings, bytes_field(kKey, name) + bytes_field(kMapped, setting_value(text)));
  }
  start += double_field(kStartTime, time);
  return hparams_value("_hparams_/session_start_info", bytes_field(kSessionStart, start));
}

std::string finished_value(double time) {
  return hparams_value(
      "_hparams_/session_end_info",
      bytes_field(kSessionEnd, varint_field(kStatus, kSuccess) + double_field(kEndTime, time)));
}

TensorBoard::TensorBoard(const std::string& folder, std::int64_t first_step,
                         std::vector<std::pair<std::string, std::string>> settings)
    : settings_(std::move(settings)),
      run_(folder, first_step),
      train_(folder + "/train", first_step),
      valid_(folder + "/valid", first_step) {}

void TensorBoard::add(const nlohmann::ordered_json& line) {
  if (run_.empty()) run_.add(0, settings_value(settings_, wall_time()));
  std::string summary;
  for (const auto& [name, value] : figures_of(line)) summary += scalar_value(name, value);
  EventFile& file = line.at("event") == "valid" ? valid_ : train_;
  file.add(line.at("step").get<std::int64_t>(), summary);
}

void TensorBoard::add(std::int64_t step, const std::vector<std::string>& sources,
                      const std::vector<std::string>& references,
                      const std::vector<std::string>& translations) {
  constexpr std::size_t kLongestShown = 2000;
  std::vector<std::vector<std::string>> table = {{"**line and source**", "**reference**", "**translation**"}};
  for (const std::int64_t number : sample_lines(std::ssize(translations))) {
    const auto cell = [number](const std::vector<std::string>& lines) {
      return markdown(cut_short(lines[static_cast<std::size_t>(number)], kLongestShown));
    };
    // TensorBoard makes a column of numbers so narrow that they break.
    table.push_back({fmt::format("{}: {}", number + 1, cell(sources)), cell(references), cell(translations)});
  }
  valid_.add(step, table_value("translations", table));
}

void TensorBoard::finish(std::int64_t step) {
  if (!run_.empty()) run_.add(step, finished_value(wall_time()));
}

}  // namespace nmt
