#include "nn/saved/shortlist.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

using Ids = Shortlist::Ids;

std::vector<std::string_view> tab_separated(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find('\t', begin);
    fields.push_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

/// The contents of the lines of a file.
class ShortlistReader {
 public:
  ShortlistReader(const std::string& path, const Vocabularies& vocabularies, const JobContext& job)
      : text_(path, CarriageReturn::drop, std::nullopt, job),
        vocabularies_(vocabularies),
        of_source_(static_cast<std::size_t>(vocabularies.source.size())) {}

  Shortlist read() {
    for (std::string line; text_.next(line);) add(tab_separated(line));
    if (!always_) {
      throw Error(
          "'{}' has no line that begins with a tab, with the pieces that any translation may use; make it "
          "with nmt shortlist",
          text_.name());
    }
    insert(*always_, vocabularies_.target.end());
    return {std::move(*always_), std::move(of_source_), vocabularies_.target.size()};
  }

 private:
  std::int32_t find(const Vocabulary& vocabulary, std::string_view piece, const char* side) const {
    if (const std::optional<int> id = vocabulary.find(piece)) return *id;
    throw Error(
        "'{}', line {}: {} is not a piece of the {} vocabulary; the shortlist belongs to another model",
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
    throw Error("'{}', line {}: '{}' occurs twice; remove one", text_.name(), text_.line_number(), what);
  }

  TextReader text_;
  const Vocabularies& vocabularies_;
  std::optional<Ids> always_;
  std::vector<Ids> of_source_;
  std::set<std::int32_t> seen_;
};

constexpr const char* kAlwaysName = "shortlist.always";
constexpr const char* kSourceIdsName = "shortlist.source";
constexpr const char* kEndsName = "shortlist.ends";

/// Returns the numbers of a shortlist tensor.
Ids numbers_in(const ModelFile& file, const char* name) {
  const FileTensor* tensor = file.find(name);
  if (tensor == nullptr || tensor->dtype != DType::i32 || tensor->shape.size() != 1)
    throw damaged(file.path(), fmt::format("its shortlist has no '{}', a list of I32", name));
  Ids numbers(tensor->bytes() / sizeof(std::int32_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor->read().data(), tensor->bytes());
  return numbers;
}

/// Throws Error if the ids are not rising or not in the target vocabulary.
void check_ids(std::span<const std::int32_t> ids, const Vocabulary& target, const std::string& path) {
  const auto is_foreign = [&](std::int32_t id) { return id < 0 || id >= target.size(); };
  if (std::ranges::any_of(ids, is_foreign) ||
      std::ranges::adjacent_find(ids, std::greater_equal()) != ids.end())
    throw damaged(path, "its shortlist has ids that are not rising, or not of its target vocabulary");
}

FileTensor numbers_tensor(const char* name, Ids numbers) {
  const auto count = std::ssize(numbers);
  return {name, DType::i32, {count}, nullptr, [numbers = std::move(numbers)](RowRange) { return numbers; }};
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

void insert(Ids& ids, std::int32_t id) {
  const auto place = std::ranges::lower_bound(ids, id);
  if (place == ids.end() || *place != id) ids.insert(place, id);
}

Shortlist read_shortlist(const std::string& path, const Vocabularies& vocabularies, const JobContext& job) {
  return ShortlistReader(path, vocabularies, job).read();
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

bool has_shortlist(const ModelFile& file) {
  return file.find(kAlwaysName) != nullptr;
}

std::shared_ptr<const Shortlist> embedded_shortlist(const ModelFile& file, const Vocabularies& vocabularies) {
  if (!has_shortlist(file)) return nullptr;
  Ids always = numbers_in(file, kAlwaysName);
  const Ids source = numbers_in(file, kSourceIdsName), ends = numbers_in(file, kEndsName);
  check_ids(always, vocabularies.target, file.path());
  if (!std::ranges::binary_search(always, vocabularies.target.end()))
    throw damaged(file.path(), "its shortlist does not allow EOS");
  if (std::ssize(ends) != vocabularies.source.size())
    throw damaged(file.path(), "its shortlist is not of its source vocabulary");
  std::vector<Ids> of_source;
  of_source.reserve(ends.size());
  std::int32_t begin = 0;
  for (const std::int32_t end : ends) {
    if (end < begin || end > std::ssize(source))
      throw damaged(file.path(), "the ids of a source piece in its shortlist end before they begin");
    of_source.emplace_back(source.begin() + begin, source.begin() + end);
    check_ids(of_source.back(), vocabularies.target, file.path());
    begin = end;
  }
  return std::make_shared<const Shortlist>(std::move(always), std::move(of_source),
                                           vocabularies.target.size());
}

std::vector<FileTensor> shortlist_tensors(const Shortlist& shortlist) {
  Ids source, ends;
  ends.reserve(shortlist.of_source().size());
  for (const Ids& ids : shortlist.of_source()) {
    source.insert(source.end(), ids.begin(), ids.end());
    ends.push_back(static_cast<std::int32_t>(source.size()));
  }
  return {numbers_tensor(kAlwaysName, shortlist.always()), numbers_tensor(kSourceIdsName, std::move(source)),
          numbers_tensor(kEndsName, std::move(ends))};
}

}  // namespace nmt
