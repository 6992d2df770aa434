#include "foreign/containers/weight_map.h"

#include <nlohmann/json.hpp>

#include "common/io/memory_map.h"
#include "foreign/containers/tensor_limits.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

/// Extracts the map as the JSON is parsed and ignores everything else, at any depth.
class WeightMapReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit WeightMapReader(const std::string& path) : path_(path) {}

  std::map<std::string, std::string> take() {
    if (!has_map_) fail("it has no 'weight_map'");
    return std::move(files_);
  }

  bool start_object(std::size_t /*size*/) override {
    if (in_map()) fail("its 'weight_map' holds an object");
    ++depth_;
    if (depth_ == 2 && outer_key_ == "weight_map") {
      if (std::exchange(has_map_, true)) fail("it has two entries 'weight_map'");
      map_is_open_ = true;
    }
    return true;
  }

  bool end_object() override {
    if (in_map()) map_is_open_ = false;
    --depth_;
    return true;
  }

  bool key(std::string& text) override {
    if (depth_ == 1) outer_key_ = text;
    if (in_map()) tensor_ = text;
    return true;
  }

  bool string(std::string& text) override {
    if (!in_map()) return true;
    check_name(text);
    if (files_.size() == kMostTensors) fail(fmt::format("it has more than {} tensors", kMostTensors));
    if (!files_.emplace(tensor_, text).second) fail("it has two entries " + in_quotes(tensor_));
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    ++depth_;
    return other("a list");
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool null() override { return other("null"); }
  bool boolean(bool /*value*/) override { return other("true or false"); }
  bool number_integer(std::int64_t /*value*/) override { return other("a number"); }
  bool number_unsigned(std::uint64_t /*value*/) override { return other("a number"); }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return other("a number"); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return other("binary data"); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    fail("it is not valid JSON at its byte " + std::to_string(position));
  }

 private:
  bool in_map() const { return map_is_open_; }

  /// Rejects other values where tensors and files are expected.
  bool other(const char* what) {
    if (in_map()) fail(fmt::format("its 'weight_map' holds {}", what));
    return true;
  }

  /// Rejects a name that could lead out of the folder, as no toolkit writes one.
  void check_name(const std::string& name) const {
    if (name.empty() || name.starts_with('.') ||
        name.find_first_of(std::string("/\\\0", 3)) != std::string::npos)
      fail("it names a file " + in_quotes(name) + ", which is not in its folder");
  }

  [[noreturn]] void fail(const std::string& what) const { throw damaged(path_, what); }

  const std::string& path_;
  std::map<std::string, std::string> files_;
  std::string outer_key_, tensor_;
  int depth_ = 0;
  bool has_map_ = false, map_is_open_ = false;
};

}  // namespace

std::map<std::string, std::string> read_weight_map(const std::string& path) {
  const std::string text = map_file(path).copy();
  WeightMapReader reader(path);
  nlohmann::json::sax_parse(text, &reader);
  return reader.take();
}

}  // namespace nmt
