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
  /// Adds the texts in quotation marks in a formula, and the items of a list in one of them: "yes,no".
  /// Throws as above.
  void add_formula(std::string_view formula);

  bool contains(std::string_view text) const;

 private:
  std::string document_;
  std::set<std::string> texts_;
  std::size_t bytes_ = 0;
};

}  // namespace nmt
