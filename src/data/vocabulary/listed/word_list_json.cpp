#include "common/error.h"
#include "common/text/spelling.h"
#include "common/text/strict_json.h"
#include "data/vocabulary/listed/word_list.h"

namespace nmt {
namespace {

/// Reads an object of words and their numbers, or an array of words.
class WordReader : public StrictJson {
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

 private:
  Error unfit(const char* what) const override {
    const std::string where = word_.empty() ? "" : " at the word " + quoted(word_);
    return Error("'{}' is not a list of words: it holds {}{}", name_, what, where);
  }
  Error broken(std::size_t position) const override {
    return Error("'{}' is not valid JSON at its byte {}", name_, position);
  }

  const std::string& name_;
  WordListBuilder list_;
  bool is_open_ = false, is_array_ = false;
  std::string word_;         // waits for its id
  std::uint64_t count_ = 0;  // number of words of an array
};

}  // namespace

WordList word_list_from_json(std::string_view bytes, const std::string& name) {
  WordReader reader(name);
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &reader);
  return reader.finish();
}

}  // namespace nmt
