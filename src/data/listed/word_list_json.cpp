#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/listed/word_list.h"

namespace nmt {
namespace {

/// Takes words as they are parsed. Anything else ends the parsing, so that nothing can be nested.
class WordReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit WordReader(const std::string& name) : name_(name), list_(name) {}

  WordList finish() { return list_.finish(); }

  bool start_object(std::size_t /*size*/) override {
    if (std::exchange(is_open_, true)) unexpected("an object");
    return true;
  }
  bool key(std::string& text) override {
    word_ = std::move(text);
    return true;
  }
  bool number_unsigned(std::uint64_t number) override {
    if (!is_open_ || is_array_) unexpected("a number");
    list_.add(std::move(word_), number);
    return true;
  }
  bool end_object() override { return true; }

  bool start_array(std::size_t /*size*/) override {
    if (std::exchange(is_open_, true)) unexpected("an array");
    is_array_ = true;
    return true;
  }
  bool string(std::string& text) override {
    if (!is_array_) unexpected("a text");
    list_.add(std::move(text), count_++);
    return true;
  }
  bool end_array() override { return true; }

  bool null() override { unexpected("null"); }
  bool boolean(bool /*value*/) override { unexpected("true or false"); }
  bool number_integer(std::int64_t /*value*/) override { unexpected("a negative number"); }
  bool number_float(double /*value*/, const std::string& /*text*/) override { unexpected("a fraction"); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    throw Error("'{}' is no JSON at its byte {}", name_, position);
  }

 private:
  [[noreturn]] void unexpected(const char* what) const {
    const std::string where = word_.empty() ? "" : " at the word " + quoted(word_);
    throw Error("'{}' is no list of words: it holds {}{}", name_, what, where);
  }

  const std::string& name_;
  WordListBuilder list_;
  bool is_open_ = false, is_array_ = false;
  std::string word_;         // whose id comes next
  std::uint64_t count_ = 0;  // of the words of an array
};

}  // namespace

WordList word_list_from_json(std::string_view bytes, const std::string& name) {
  WordReader reader(name);
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &reader);
  return reader.finish();
}

}  // namespace nmt
