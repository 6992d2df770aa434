#include "data/vocabulary/listed/tokenizer_facts.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "data/vocabulary/listed/json_number.h"

namespace nmt {
namespace {

using nlohmann::json;

/// Reads one file after another into the same facts.
class FactsReader {
 public:
  explicit FactsReader(const std::string& name) : name_(name) {}

  void read_config(const std::string& text) {
    read(text, "tokenizer_config.json", [this](const json& config) {
      facts_.type = text_of(config, "tokenizer_class");
      if (facts_.type.ends_with("Fast")) facts_.type.resize(facts_.type.size() - std::string("Fast").size());
      facts_.source_language = text_of(config, config.contains("src_lang") ? "src_lang" : "source_lang");
      facts_.target_language = text_of(config, config.contains("tgt_lang") ? "tgt_lang" : "target_lang");
      facts_.is_legacy = config.value("legacy_behaviour", false);
      facts_.separate_vocabs = config.value("separate_vocabs", false);
      const json added = config.value("added_tokens_decoder", json::object());
      for (const auto& [id, token] : added.items()) {
        add(number(id), token.at("content"));
      }
      read_special(config);
    });
  }

  void read_added(const std::string& text) {
    read(text, "added_tokens.json", [this](const json& added) {
      for (const auto& [token, id] : added.items()) add(whole_number(id), token);
    });
  }

  void read_special_map(const std::string& text) {
    read(text, "special_tokens_map.json", [this](const json& special) { read_special(special); });
  }

  TokenizerFacts facts() { return std::move(facts_); }

 private:
  template <class Take>
  void read(const std::string& text, const char* file, Take take) const {
    if (text.empty()) return;
    constexpr int kDeepest = 8;  // limits the nesting of input
    const auto is_flat = [](int depth, json::parse_event_t, json&) { return depth < kDeepest; };
    try {
      take(json::parse(text, is_flat));
    } catch (const json::parse_error& error) {
      throw Error("'{}': {} is not valid JSON at its byte {}", name_, file, error.byte);
    } catch (const json::exception&) {
      throw Error("'{}': {} is not as transformers writes it", name_, file);
    } catch (const Error& error) {
      throw Error("'{}': {}: {}", name_, file, error.what());
    }
  }

  /// Returns a text, or an empty one if it is missing.
  static std::string text_of(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? "" : found->get<std::string>();
  }

  static int number(const std::string& text) {
    const int number = number_of<int>(text).value_or(-1);
    if (number < 0) throw Error("the id {} is not a number", quoted(text));
    return number;
  }

  /// Returns a token, given as a text or as an object that describes it.
  static std::string token_in(const json& value) {
    return value.is_object() ? value.at("content").get<std::string>() : value.get<std::string>();
  }

  void read_special(const json& object) {
    for (const auto& [key, value] : object.items()) {
      if (key == "additional_special_tokens") {
        facts_.additional.clear();  // the other file contains them too
        for (const json& token : value) facts_.additional.push_back(token_in(token));
      } else if (key.ends_with("_token") && (value.is_string() || value.is_object())) {
        facts_.special[key] = token_in(value);
      }
    }
  }

  void add(int id, const std::string& token) {
    const auto [place, is_new] = facts_.added.emplace(id, token);
    if (!is_new && place->second != token) {
      throw Error("{1} and {2} have the same id, {0}", id, quoted(place->second), quoted(token));
    }
  }

  const std::string& name_;
  TokenizerFacts facts_;
};

}  // namespace

TokenizerFacts tokenizer_facts(const TokenizerFiles& files, const std::string& name) {
  FactsReader reader(name);
  reader.read_config(files.tokenizer_config);
  reader.read_added(files.added_tokens);
  reader.read_special_map(files.special_tokens_map);
  return reader.facts();
}

}  // namespace nmt
