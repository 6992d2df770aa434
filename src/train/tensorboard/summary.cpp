#include "train/tensorboard/summary.h"

#include <bit>
#include <optional>
#include <string_view>

#include "common/text/number.h"
#include "data/vocabulary/protobuf.h"

namespace nmt {
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

}  // namespace nmt
