#include "foreign/containers/pytorch/pickled_json.h"

#include <algorithm>
#include <cmath>

#include "nn/files/safetensors.h"

namespace nmt {
namespace {

using nlohmann::json;

// Settings have some hundred values, three or four levels deep.
constexpr int kMostValues = 20'000, kMostLevels = 20;

class Converter {
 public:
  explicit Converter(const std::string& path) : path_(path) {}

  json converted(const PickledValue& value, int level = 0) {
    if (++count_ > kMostValues || level > kMostLevels)
      throw damaged(path_, "in its pickle, there are too many settings");
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
    if (auto* const* sequence = std::get_if<PickledSequence*>(&value))
      return (*sequence)->is_dict() ? dictionary(**sequence, level) : list(**sequence, level);
    if (auto* const* object = std::get_if<PickledObject*>(&value)) return of_object(**object, level);
    return nullptr;
  }

 private:
  json dictionary(const PickledSequence& sequence, int level) {
    json values = json::object();
    for (std::size_t i = 0; i + 1 < sequence.items.size(); i += 2) {
      if (const auto* key = std::get_if<std::string_view>(&sequence.items[i]))
        values[std::string(*key)] = converted(sequence.items[i + 1], level + 1);
    }
    return values;
  }

  json list(const PickledSequence& sequence, int level) {
    json values = json::array();
    for (const PickledValue& item : sequence.items) values.push_back(converted(item, level + 1));
    return values;
  }

  json of_object(const PickledObject& object, int level) {
    for (const char* wrapped : {"_content", "_val"}) {  // of OmegaConf
      const PickledValue inside = entry_of(object.attributes, wrapped);
      if (!std::holds_alternative<std::monostate>(inside)) return converted(inside, level + 1);
    }
    if (!std::holds_alternative<std::monostate>(object.attributes))
      return converted(object.attributes, level + 1);
    const std::vector<PickledValue>& arguments = object.arguments->items;
    return arguments.size() == 1 ? converted(arguments[0], level + 1) : json();
  }

  const std::string& path_;
  int count_ = 0;
};

}  // namespace

PickledValue entry_of(const PickledValue& value, std::string_view key) {
  auto* const* dictionary = std::get_if<PickledSequence*>(&value);
  if (dictionary == nullptr || !(*dictionary)->is_dict()) return {};
  const std::vector<PickledValue>& items = (*dictionary)->items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i] == PickledValue(key)) return items[i + 1];
  }
  return {};
}

json as_json(const PickledValue& value, const std::string& path) {
  return Converter(path).converted(value);
}

}  // namespace nmt
