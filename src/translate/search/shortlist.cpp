#include "translate/search/shortlist.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

using Ids = Shortlist::Ids;

// A source piece of which a target piece takes less notice has nothing to do with it.
constexpr double kLeastWeight = 0.1;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find('\t', begin);
    fields.push_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

/// What stands in the lines of a file.
class Reader {
 public:
  Reader(const std::string& path, const Vocabularies& vocabularies, const JobContext& job)
      : text_(path, CarriageReturn::drop, std::nullopt, job),
        vocabularies_(vocabularies),
        of_source_(static_cast<std::size_t>(vocabularies.source.size())) {}

  Shortlist read() {
    for (std::string line; text_.next(line);) add(fields_of(line));
    if (!always_) {
      throw Error(
          "'{}' has no line that begins with a tab, with the pieces that any translation may hold; make it "
          "with nmt shortlist",
          text_.name());
    }
    if (const std::int32_t end = vocabularies_.target.end(); !std::ranges::binary_search(*always_, end)) {
      always_->insert(std::ranges::lower_bound(*always_, end), end);
    }
    return {std::move(*always_), std::move(of_source_), vocabularies_.target.size()};
  }

 private:
  std::int32_t find(const Vocabulary& vocabulary, std::string_view piece, const char* side) const {
    if (const std::optional<int> id = vocabulary.find(piece)) return *id;
    throw Error("'{}', line {}: {} is no piece of the {} vocabulary; the shortlist belongs to another model",
                text_.name(), text_.line_number(), quoted(std::string(piece)), side);
  }

  void add(const std::vector<std::string_view>& fields) {
    std::set<std::int32_t> ids;
    for (auto field = fields.begin() + 1; field != fields.end(); ++field) {
      if (!ids.insert(find(vocabularies_.target, *field, "target")).second) fail_for_repetition(*field);
    }
    if (fields[0].empty()) {
      if (always_) fail_for_repetition("the beginning with a tab");
      always_ = Ids(ids.begin(), ids.end());
      return;
    }
    const std::int32_t source = find(vocabularies_.source, fields[0], "source");
    if (!seen_.insert(source).second) fail_for_repetition(fields[0]);
    of_source_[static_cast<std::size_t>(source)] = Ids(ids.begin(), ids.end());
  }

  [[noreturn]] void fail_for_repetition(std::string_view what) const {
    throw Error("'{}', line {}: '{}' stands there twice; remove one", text_.name(), text_.line_number(),
                what);
  }

  TextReader text_;
  const Vocabularies& vocabularies_;
  std::optional<Ids> always_;
  std::vector<Ids> of_source_;
  std::set<std::int32_t> seen_;
};

void insert(Ids& ids, std::int32_t id) {
  const auto place = std::ranges::lower_bound(ids, id);
  if (place == ids.end() || *place != id) ids.insert(place, id);
}

bool is_writable(const std::string& piece) {
  return !piece.empty() && piece.find_first_of("\t\r\n") == std::string::npos;
}

}  // namespace

Shortlist::Shortlist(Ids always, std::vector<Ids> of_source, std::int32_t target_size)
    : always_(std::move(always)), of_source_(std::move(of_source)), target_size_(target_size) {}

Ids Shortlist::candidates(const std::vector<int>& source, std::int64_t least) const {
  std::vector<bool> may(static_cast<std::size_t>(target_size_));
  std::int64_t count = 0;
  const auto allow = [&](std::int32_t id) {
    if (may[static_cast<std::size_t>(id)]) return;
    may[static_cast<std::size_t>(id)] = true;
    ++count;
  };
  std::ranges::for_each(always_, allow);
  for (const int piece : source) std::ranges::for_each(of_source_[static_cast<std::size_t>(piece)], allow);
  for (std::int32_t id = 0; id < target_size_ && count < least; ++id) allow(id);
  Ids ids;
  ids.reserve(static_cast<std::size_t>(count));
  for (std::int32_t id = 0; id < target_size_; ++id) {
    if (may[static_cast<std::size_t>(id)]) ids.push_back(id);
  }
  return ids;
}

Ids best_of(const std::map<std::int32_t, double>& counts, std::size_t most) {
  std::vector<std::pair<double, std::int32_t>> order;
  order.reserve(counts.size());
  for (const auto& [id, count] : counts) order.emplace_back(-count, id);
  const std::size_t kept = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end());
  Ids ids;
  for (std::size_t i = 0; i < kept; ++i) ids.push_back(order[i].second);
  std::ranges::sort(ids);
  return ids;
}

Shortlist read_shortlist(const std::string& path, const Vocabularies& vocabularies, const JobContext& job) {
  return Reader(path, vocabularies, job).read();
}

std::string text_of(const Shortlist& shortlist, const Vocabularies& vocabularies) {
  std::string text;
  const auto add_line = [&](const std::string& first, const Ids& ids) {
    text += first;
    for (const std::int32_t id : ids) {
      const std::string piece = vocabularies.target.piece(id);
      if (is_writable(piece)) text += '\t' + piece;
    }
    text += '\n';
  };
  add_line("", shortlist.always());
  for (std::size_t i = 0; i < shortlist.of_source().size(); ++i) {
    const std::string piece = vocabularies.source.piece(static_cast<int>(i));
    const Ids& ids = shortlist.of_source()[i];
    if (!ids.empty() && is_writable(piece)) add_line(piece, ids);
  }
  return text;
}

ShortlistCounts::ShortlistCounts(const Vocabularies& vocabularies)
    : vocabularies_(vocabularies), of_source_(static_cast<std::size_t>(vocabularies.source.size())) {}

void ShortlistCounts::add(const std::vector<int>& source, const std::vector<int>& target,
                          const Alignment& alignment) {
  for (std::size_t t = 0; t < target.size(); ++t) {
    of_target_[target[t]] += 1;
    for (std::size_t s = 0; s < source.size(); ++s) {
      const double weight = alignment.weight(static_cast<std::int64_t>(t), static_cast<std::int64_t>(s));
      if (weight >= kLeastWeight) of_source_[static_cast<std::size_t>(source[s])][target[t]] += weight;
    }
  }
}

Shortlist ShortlistCounts::shortlist(std::size_t best, std::size_t frequent) const {
  std::vector<Ids> of_source;
  of_source.reserve(of_source_.size());
  for (const Counts& counts : of_source_) {
    of_source.push_back(best_of(counts, best));
    if (vocabularies_.shared()) insert(of_source.back(), static_cast<std::int32_t>(of_source.size()) - 1);
  }
  Ids always = best_of(of_target_, frequent);
  insert(always, vocabularies_.target.end());
  return {std::move(always), std::move(of_source), vocabularies_.target.size()};
}

}  // namespace nmt
