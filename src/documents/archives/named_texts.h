// Texts of the cells of a spreadsheet that formulas and other rules name.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace nmt {

/// A set of texts, in upper or lower case, as spreadsheets compare them.
class NamedTexts {
 public:
  /// `document`: its name, for messages.
  explicit NamedTexts(std::string document) : document_(std::move(document)) {}

  /// Adds a text. Throws Error if the texts have more than 16 MiB.
  void add(std::string_view text);
  /// Adds a text and what it names as a condition: after an operator ("<>blue car"), and all texts that match
  /// wildcards ("*blue*", "blue?car", or ".*" of regular expressions), unless those match any text. Throws as
  /// above, and Error for more than 1,000 texts with wildcards.
  void add_condition(std::string_view text);
  /// Adds as conditions the texts in quotation marks in a formula, those that "&" joins also as one, and the
  /// items of a list in one of them: "yes,no". Throws as above.
  void add_formula(std::string_view formula);

  bool contains(std::string_view text) const;

 private:
  std::string document_;
  std::set<std::string> texts_, patterns_;  // in folded case
  std::size_t bytes_ = 0;
};

}  // namespace nmt
