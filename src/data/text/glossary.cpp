#include "data/text/glossary.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/spelling.h"
#include "data/text/white_space.h"
#include "data/text/word_characters.h"

namespace nmt {
namespace {

constexpr char kTargetSeparator = '|';
constexpr const char *kCaseFlag = "case", *kStemFlag = "prefix";

/// A word, white space, or any other character of a text.
struct Part {
  std::size_t begin, end;
  bool is_space = false;
};

std::vector<Part> parts_in(std::string_view text) {
  enum class Kind { word, space, other };
  std::vector<Part> parts;
  Kind before = Kind::other;
  const auto size = static_cast<std::int32_t>(text.size());
  for (std::int32_t place = 0; place < size;) {
    const auto begin = static_cast<std::size_t>(place);
    UChar32 character = 0;
    U8_NEXT_OR_FFFD(text.data(), place, size, character);
    const auto end = static_cast<std::size_t>(place);
    const Kind kind = is_word_character(character) ? Kind::word
                      : u_isUWhiteSpace(character) ? Kind::space
                                                   : Kind::other;
    if (kind != Kind::other && kind == before) {
      parts.back().end = end;
    } else {
      parts.push_back({begin, end, kind == Kind::space});
    }
    before = kind;
  }
  return parts;
}

/// Returns a form in which texts are compared.
const icu::Normalizer2& form_for(bool matches_case) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const form = matches_case ? icu::Normalizer2::getNFCInstance(status)
                                                    : icu::Normalizer2::getNFKCCasefoldInstance(status);
  if (U_FAILURE(status)) throw Error("ICU has no normalization forms: {}", u_errorName(status));
  return *form;
}

std::string normalized(std::string_view text, const icu::Normalizer2& form) {
  UErrorCode status = U_ZERO_ERROR;
  std::string normalized;
  icu::StringByteSink<std::string> sink(&normalized);
  form.normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink, nullptr,
                     status);
  if (U_FAILURE(status)) throw Error("ICU cannot normalize text: {}", u_errorName(status));
  return normalized;
}

/// Returns the parts of a text as they are compared.
std::vector<std::string> normalized(std::string_view text, const std::vector<Part>& parts,
                                    const icu::Normalizer2& form) {
  std::vector<std::string> texts;
  texts.reserve(parts.size());
  for (const Part& part : parts)
    texts.push_back(part.is_space ? " " : normalized(text.substr(part.begin, part.end - part.begin), form));
  return texts;
}

std::string name_of(const TermNames& names, std::size_t term) {
  const auto number = static_cast<std::int64_t>(term);
  return fmt::format("{}, {} {}", names.whole, names.unit,
                     names.numbers.empty() ? number + 1 : names.numbers[term]);
}

/// Removes white space at the ends of the texts of a term. Throws UsageError, which calls the term `name`, if
/// it is invalid.
void complete(Term& term, const std::string& name) {
  const auto check_length = [&](const std::string& text) {
    if (text.size() > Glossary::kLongest) {
      throw UsageError("{}: {} has {} bytes; a term or a translation has at most {}", name, quoted(text),
                       text.size(), Glossary::kLongest);
    }
  };
  term.source = without_outer_space(term.source);
  check_length(term.source);
  if (term.source.empty()) throw UsageError("{}: there is no term; name one, or remove the entry", name);
  std::size_t bytes = 0;
  for (std::string& target : term.targets) {
    target = without_outer_space(target);
    check_length(target);
    if (target.empty())
      throw UsageError("{}: {} has an empty alternative; remove it", name, quoted(term.source));
    bytes += target.size();
  }
  if (bytes > Glossary::kMostTargetBytes) {
    throw UsageError("{}: the alternatives of {} have {} bytes together; they have at most {}", name,
                     quoted(term.source), bytes, Glossary::kMostTargetBytes);
  }
}

}  // namespace

/// The terms of one kind of letters: a tree whose edges are the parts of terms.
class Glossary::Index {
 public:
  /// The longest term at a place.
  struct Longest {
    std::size_t end;  // the number of the part after it
    bool is_stem;
    std::size_t term;
  };
  /// The parts of a text as numbers.
  struct Text {
    std::vector<std::uint32_t> parts;               // kNone: in no term
    std::vector<std::vector<std::uint32_t>> stems;  // with which each part begins, the shortest first
  };

  explicit Index(const icu::Normalizer2& form) : form_(form) {}

  bool is_empty() const { return nodes_.size() == 1 && stem_terms_.empty(); }

  /// Adds a term. Returns the earlier term with the same source, if there is one.
  std::optional<std::size_t> add(const Term& term, const std::vector<Part>& parts, std::size_t number) {
    const std::vector<std::string> texts = normalized(term.source, parts, form_);
    std::uint32_t node = 0;
    for (std::size_t i = 0; i + 1 < texts.size(); ++i) node = next(node, texts[i]);
    std::uint32_t* place = nullptr;
    if (term.is_stem) {
      place = &stem_terms_.try_emplace(edge(node, id_of(texts.back(), stems_)), kNone).first->second;
      longest_stem_ = std::max(longest_stem_, texts.back().size());
    } else {
      place = &nodes_[next(node, texts.back())];
    }
    if (*place != kNone) return *place;
    *place = static_cast<std::uint32_t>(number);
    return std::nullopt;
  }

  Text read(std::string_view text, const std::vector<Part>& parts) const {
    Text read;
    for (const std::string& part : normalized(text, parts, form_)) {
      const auto found = ids_.find(part);
      read.parts.push_back(found == ids_.end() ? kNone : found->second);
      read.stems.push_back(stems_of(part));
    }
    return read;
  }

  /// Returns the longest term that begins with this part of a text.
  std::optional<Longest> longest(const Text& text, std::size_t first) const {
    std::optional<Longest> longest;
    std::uint32_t node = 0;
    for (std::size_t i = first; i < text.parts.size(); ++i) {
      for (const std::uint32_t stem : text.stems[i]) {
        if (const auto found = stem_terms_.find(edge(node, stem)); found != stem_terms_.end())
          longest = {i + 1, true, found->second};
      }
      const auto found = edges_.find(edge(node, text.parts[i]));
      if (found == edges_.end()) break;
      node = found->second;
      if (nodes_[node] != kNone) longest = {i + 1, false, nodes_[node]};
    }
    return longest;
  }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Ids = std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>>;

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  static std::uint64_t edge(std::uint32_t node, std::uint32_t id) { return std::uint64_t{node} << 32 | id; }
  static std::uint32_t id_of(const std::string& text, Ids& ids) {
    return ids.try_emplace(text, static_cast<std::uint32_t>(ids.size())).first->second;
  }

  /// Returns the node that a part leads to, which is made if it is new.
  std::uint32_t next(std::uint32_t node, const std::string& part) {
    const auto [found, is_new] =
        edges_.try_emplace(edge(node, id_of(part, ids_)), static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(kNone);
    return found->second;
  }

  std::vector<std::uint32_t> stems_of(std::string_view part) const {
    std::vector<std::uint32_t> stems;
    for (std::size_t size = 1; size <= std::min(part.size(), longest_stem_); ++size) {
      if (size < part.size() && U8_IS_TRAIL(part[size])) continue;
      if (const auto found = stems_.find(part.substr(0, size)); found != stems_.end())
        stems.push_back(found->second);
    }
    return stems;
  }

  const icu::Normalizer2& form_;
  Ids ids_, stems_;
  std::unordered_map<std::uint64_t, std::uint32_t> edges_;       // a node and a part: the next node
  std::vector<std::uint32_t> nodes_ = {kNone};                   // the term that ends there
  std::unordered_map<std::uint64_t, std::uint32_t> stem_terms_;  // a node and a stem: the term
  std::size_t longest_stem_ = 0;                                 // in bytes
};

Glossary::Glossary(std::vector<Term> terms, const TermNames& names)
    : terms_(std::move(terms)),
      any_case_(std::make_unique<Index>(form_for(false))),
      exact_case_(std::make_unique<Index>(form_for(true))) {
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    Term& term = terms_[i];
    complete(term, name_of(names, i));
    const std::vector<Part> parts = parts_in(term.source);
    if (parts.size() > kMostParts) {
      throw UsageError("{}: {} has {} words, signs and spaces; a term has at most {}", name_of(names, i),
                       quoted(term.source), parts.size(), kMostParts);
    }
    Index& index = term.matches_case ? *exact_case_ : *any_case_;
    if (const std::optional<std::size_t> earlier = index.add(term, parts, i)) {
      throw UsageError("{}: {} is the term of {}, too; give all of its translations in one place",
                       name_of(names, i), quoted(term.source), name_of(names, *earlier));
    }
  }
}

Glossary::~Glossary() = default;

std::vector<TermPlace> Glossary::places_in(std::string_view text) const {
  const std::vector<Part> parts = parts_in(text);
  std::vector<std::pair<const Index*, Index::Text>> texts;
  for (const Index* const index : {any_case_.get(), exact_case_.get()}) {  // the later one has precedence
    if (!index->is_empty()) texts.emplace_back(index, index->read(text, parts));
  }
  std::vector<TermPlace> places;
  for (std::size_t first = 0; first < parts.size();) {
    std::optional<Index::Longest> longest;
    for (const auto& [index, read] : texts) {
      const std::optional<Index::Longest> found = index->longest(read, first);
      if (found && (!longest || found->end >= longest->end)) longest = found;
    }
    if (longest) places.push_back({parts[first].begin, parts[longest->end - 1].end, &terms_[longest->term]});
    first = longest ? longest->end : first + 1;
  }
  return places;
}

void take_flags(const std::string& flags, const std::string& place, Term& term) {
  for (const std::string& part : split_at_commas(flags)) {
    const std::string_view flag = without_outer_space(part);
    if (flag == kCaseFlag) {
      term.matches_case = true;
    } else if (flag == kStemFlag) {
      term.is_stem = true;
    } else {
      throw UsageError("{}: unknown flag {}; flags are {} and {}", place, quoted(std::string(flag)),
                       kCaseFlag, kStemFlag);
    }
  }
}

std::string flags_of(const Term& term) {
  std::vector<std::string> flags;
  if (term.matches_case) flags.emplace_back(kCaseFlag);
  if (term.is_stem) flags.emplace_back(kStemFlag);
  return join(flags, ",");
}

Term term_in_line(std::string_view line, const std::string& place) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    fields.emplace_back(without_outer_space(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (fields.size() < 2 || fields.size() > 3) {
    throw UsageError("{}: {}; a line has a term, a tab, its translation and, after another tab, its flags",
                     place, fields.size() < 2 ? "there is no tab" : "there are more than two tabs");
  }
  Term term{.source = std::move(fields[0])};
  for (std::string_view rest = fields[1]; !fields[1].empty();) {
    const std::size_t end = rest.find(kTargetSeparator);
    term.targets.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (fields.size() == 3) take_flags(fields[2], place, term);
  return term;
}

std::shared_ptr<const Glossary> read_glossary(const std::string& path, const JobContext& job) {
  TextReader reader(path, CarriageReturn::drop, std::nullopt, job);
  std::vector<Term> terms;
  TermNames names{.whole = quoted(reader.name()), .unit = "line"};
  for (std::string line; reader.next(line);) {
    if (without_outer_space(line).empty()) continue;
    names.numbers.push_back(reader.line_number());
    terms.push_back(term_in_line(line, name_of(names, terms.size())));
  }
  return std::make_shared<const Glossary>(std::move(terms), names);
}

}  // namespace nmt
