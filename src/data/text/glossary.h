// Glossaries: terms, and the translations that they must have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/job_context.h"

namespace nmt {

/// A term and its translation.
struct Term {
  std::string source;
  /// Alternatives, one of which a translation must include. Empty: the term as it stands in the text.
  std::vector<std::string> targets = {};
  bool matches_case = false;
  /// Whether the last word is a stem, which letters may follow in a text: "invoice" also finds "invoices".
  bool is_stem = false;
};

/// An occurrence of a term in a text, in bytes.
struct TermPlace {
  std::size_t begin, end;
  const Term* term;  // belongs to the glossary
};

/// How messages name the terms of a glossary: "'terms.tsv', line 3".
struct TermNames {
  std::string whole = "glossary";
  std::string unit = "term";
  std::vector<std::int64_t> numbers = {};  // of the terms; empty: they are counted from 1
};

/// A list of terms, which does not change and may be used by any number of threads.
class Glossary {
 public:
  /// The maximum number of bytes of a term, or of a translation of it, and of the words and signs of a term,
  /// counting white space between them.
  static constexpr std::size_t kLongest = 1024, kMostParts = 128;
  /// The maximum number of bytes of all alternatives of a term.
  static constexpr std::size_t kMostTargetBytes = 4000;

  /// White space at the ends of texts is removed. Throws UsageError, which names the term, if a text is empty
  /// or too long, and if two terms have the same source and flags.
  explicit Glossary(std::vector<Term> terms, const TermNames& names = {});
  ~Glossary();
  Glossary(const Glossary&) = delete;
  Glossary& operator=(const Glossary&) = delete;

  const std::vector<Term>& terms() const { return terms_; }

  /// Returns the terms that occur in a UTF-8 text as whole words, from left to right. Of the terms that begin
  /// at a place, the longest counts; of equally long ones first those whose case matters, then those that are
  /// not stems. Terms do not overlap. Any white space equals any other. Without `matches_case`, texts are
  /// compared by Unicode's NFKC_Casefold, else by NFC. Scripts without spaces between words have no word
  /// boundaries to observe. The time does not depend on the number of terms.
  std::vector<TermPlace> places_in(std::string_view text) const;

 private:
  class Index;

  std::vector<Term> terms_;
  std::unique_ptr<Index> any_case_, exact_case_;  // of the terms without and with matches_case
};

/// Sets the flags of a term from their names, which commas separate: `case` for matches_case, `prefix` for
/// is_stem. Throws UsageError, which calls the term `place`, for other names.
void take_flags(const std::string& flags, const std::string& place, Term& term);
/// Returns the names of the flags of a term, as take_flags() reads them.
std::string flags_of(const Term& term);

/// Returns the term of a line of a glossary: the source, a tab, the translation and, optionally after another
/// tab, flags. | separates alternatives; an empty translation keeps
/// the term. Throws UsageError, which calls the line `place`, for anything else.
Term term_in_line(std::string_view line, const std::string& place);

/// Reads a file of terms, one in each line. Skips empty lines. Throws UsageError as Glossary and
/// term_in_line() do, and Error if the file cannot be read.
std::shared_ptr<const Glossary> read_glossary(const std::string& path, const JobContext& job = {});

}  // namespace nmt
