// Encodings of text other than UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct UConverter;

namespace nmt {

/// An encoding of text, such as windows-1252.
class Charset {
 public:
  /// The treatment of characters that the encoding lacks: an error, or numeric references of HTML and XML.
  enum class Missing { fails, references };

  /// Whether ICU knows an encoding of this name.
  static bool is_known(const std::string& name);

  /// `document`: its name, for messages. Throws Error for an unknown encoding.
  Charset(std::string name, Missing missing, std::string document);

  /// Returns text in UTF-8. Throws Error if it is not in this encoding, or if it has more than 256 MiB.
  std::string to_utf8(std::string_view bytes) const;
  /// Returns UTF-8 in this encoding. Throws Error for a character that it lacks.
  std::string from_utf8(std::string_view text) const;

 private:
  struct Close {
    void operator()(UConverter* converter) const;
  };

  std::string name_, document_;
  std::unique_ptr<UConverter, Close> converter_;
};

/// Whether the name of an encoding means UTF-8 or ASCII.
bool means_utf8(std::string_view name);

}  // namespace nmt
