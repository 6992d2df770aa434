// The translated document while it is written.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/content.h"

namespace nmt {

/// A text of a document that is to be translated.
struct DocumentText {
  std::string text;         // UTF-8
  bool has_markup = false;  // then it has tags and references of HTML, see MarkedText
};

/// Translates texts; returns at once. The result has a translation for each text, or throws.
using TranslateTexts = std::function<std::future<std::vector<std::string>>(std::vector<DocumentText> texts)>;

/// Takes a text of a document and its translation, both without markup.
using TakePair = std::function<void(std::string_view source, std::string_view target)>;

/// The most bytes of a text.
inline constexpr std::size_t kLongestText = std::size_t{16} << 20;

/// Writes a document in order, while its texts are translated in batches. At most two batches of limited size
/// are in memory.
class DocumentOutput {
 public:
  /// `write` takes the bytes of the document. `take_pair`, if not null, gets each text that was translated.
  /// `name`: of the document, for messages.
  DocumentOutput(std::string name, TranslateTexts translate, std::function<void(std::string_view)> write,
                 TakePair take_pair = nullptr);

  // The following wait for translations now and then, and throw what these throw.

  void keep(std::string_view bytes);
  /// Throws Error for a text that is too long.
  void put(Content content);
  /// Sets the function that takes the bytes; returns the previous one.
  std::function<void(std::string_view)> redirect(std::function<void(std::string_view)> write) {
    return std::exchange(write_, std::move(write));
  }
  /// Calls `action` when all bytes so far have been written.
  void then(std::function<void()> action);
  /// Writes all that is left.
  void finish();

 private:
  struct Item {
    Content content;
    std::function<void()> action;  // null: the content is written
  };
  struct Batch {
    std::vector<Item> items;
    std::vector<TextSegment*> segments;  // of the items
    std::size_t bytes = 0;
    std::future<std::vector<std::string>> translations;
  };

  bool is_waiting() const { return !batches_.empty() || !batch_.items.empty(); }
  void submit();
  void write_first();
  void write(const Item& item);

  std::string name_;
  TranslateTexts translate_;
  std::function<void(std::string_view)> write_;
  TakePair take_pair_;
  Batch batch_;                // that is filled
  std::deque<Batch> batches_;  // that were submitted
};

}  // namespace nmt
