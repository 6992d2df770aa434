// Puts markup into a translation; markup_parser.cpp divides the source into text and markup.
#include "data/text/markup.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "common/text/words.h"
#include "data/text/html.h"

namespace nmt {
namespace {

// A translation with its markup has at most kMostRepeated times the bytes of both, but kLeastRestored bytes
// are always allowed.
constexpr std::size_t kMostRepeated = 4, kLeastRestored = 1 << 14;

bool contains(const std::vector<int>& numbers, int number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

}  // namespace

/// Writes words and points, each within the elements that it is in.
class MarkedText::Writer {
 public:
  /// `space`: what the translation begins with.
  Writer(const MarkedText& source, std::string_view space)
      : source_(source), is_written_(source.elements_.size()), text_(space) {}

  /// Whether tags of blocks that come next stand for a gap: where lines of the source meet, which may have no
  /// white space between them. Elsewhere words would run into each other.
  void let_blocks_separate(bool value) { blocks_separate_ = value; }
  /// `gap`: white space before it, for which white space of the source may stand, or tags of blocks.
  void put(int element, std::string_view gap, std::string_view text) {
    std::vector<int> begun;
    if (element != std::exchange(element_, element)) {
      const std::vector<int> path = source_.path_to(element);
      close_all_but(path);
      std::ranges::copy_if(path, std::back_inserter(begun), [&](int each) {
        return !contains(open_, each) && !is_written_[static_cast<std::size_t>(each)];
      });
    }
    const auto is_block = [this](int each) { return element_of(each).is_block; };
    is_apart_ |= blocks_separate_ && std::ranges::any_of(begun, is_block);
    if (!std::exchange(is_apart_, false)) text_ += gap;
    for (const int each : begun) open(each);
    text_ += text;
  }
  std::size_t bytes() const { return text_.size(); }
  /// Puts points before something in the element `next`. Returns what the gap before that becomes.
  std::string_view put_points(const std::vector<Point>& points, std::string_view gap, int next) {
    // The white space of the source takes its place, unless words would run into each other.
    const bool has_space = std::ranges::any_of(points, [](const Point& point) {
      return point.kind != Point::Kind::within_line || !point.space_before.empty() ||
             !point.space_after.empty();
    });
    if (has_space) gap = "";
    for (const Point& point : points) {
      const bool is_space = point.kind == Point::Kind::white_space;
      const int element = is_space ? begun_around(point.element, next) : point.element;
      put(element, point.space_before.empty() ? gap : point.space_before, point.text);
      if (is_space || point.kind == Point::Kind::block) is_apart_ = true;
      gap = point.space_after;
    }
    return gap;
  }
  std::string finish(std::string_view gap) {
    put(kNone, gap, "");
    return std::move(text_);
  }

 private:
  /// The innermost element around white space that has begun or that `next` is in: for white space alone,
  /// none begins.
  int begun_around(int element, int next) const {
    const std::vector<int> path = source_.path_to(next);
    const auto is_there = [&](int original) { return contains(open_, original) || contains(path, original); };
    while (element != kNone && !is_there(element_of(element).original)) element = element_of(element).parent;
    return element;
  }
  const Element& element_of(int element) const {
    return source_.elements_[static_cast<std::size_t>(element)];
  }
  /// An element without an end tag is written once, as a second one would be an element within the first.
  void open(int element) {
    text_ += element_of(element).open;
    if (element_of(element).is_unclosed()) {
      is_written_[static_cast<std::size_t>(element)] = true;
    } else {
      open_.push_back(element);
    }
  }
  void close_all_but(const std::vector<int>& path) {
    std::vector<int> closed;
    std::ranges::copy_if(open_, std::back_inserter(closed), [&](int each) { return !contains(path, each); });
    std::erase_if(open_, [&](int each) { return contains(closed, each); });
    std::ranges::sort(closed, {}, [this](int each) { return element_of(each).end; });
    for (const int each : closed) {
      text_ += element_of(each).close;
      is_apart_ |= blocks_separate_ && element_of(each).is_block;
    }
  }

  const MarkedText& source_;
  int element_ = kNone;           // what was put last is in it
  std::vector<int> open_;         // of the elements that have end tags
  std::vector<bool> is_written_;  // by element, of those that have none
  std::string text_;
  bool is_apart_ = true;         // what comes next, from the word before
  bool blocks_separate_ = true;  // see let_blocks_separate()
};

/// Points by the word of a translation that they stand before, or attached behind.
struct MarkedText::Placement {
  std::vector<std::vector<Point>> before, behind;
  std::vector<bool> begins_line;  // by the word, too: what stands between lines is there
};

std::string MarkedText::lines() const {
  std::string text = plain_;
  std::size_t word = 0;
  for (char& c : text) {
    if (c == ' ' && words_[++word].begins_line) c = '\n';
  }
  return text;
}

std::vector<int> MarkedText::path_to(int element) const {
  std::vector<int> path;
  while (element != kNone) {
    const Element& each = elements_[static_cast<std::size_t>(element)];
    path.push_back(each.original);
    element = each.parent;
  }
  std::ranges::reverse(path);
  return path;
}

std::vector<MarkedText::Point> MarkedText::points_besides(const std::vector<int>& elements) const {
  std::vector<bool> is_visited(elements_.size()), is_there(elements_.size());
  const auto add = [&](int element) {
    while (element != kNone && !is_visited[static_cast<std::size_t>(element)]) {
      const Element& each = elements_[static_cast<std::size_t>(element)];
      is_visited[static_cast<std::size_t>(element)] = true;
      is_there[static_cast<std::size_t>(each.original)] = true;
      element = each.parent;
    }
  };
  std::ranges::for_each(elements, add);
  for (const Point& point : points_) {
    if (point.kind != Point::Kind::white_space) add(point.element);
  }
  std::vector<int> missing;
  for (auto i = static_cast<int>(elements_.size()); i-- > 0;) {
    if (elements_[static_cast<std::size_t>(i)].original != i || is_there[static_cast<std::size_t>(i)])
      continue;
    missing.push_back(i);
    add(i);
  }
  std::vector<Point> points;
  auto next = points_.begin();
  std::ranges::reverse(missing);
  for (const int each : missing) {
    const Element& element = elements_[static_cast<std::size_t>(each)];
    const auto begin = points_.begin() + static_cast<std::ptrdiff_t>(element.point);
    points.insert(points.end(), next, begin);
    next = begin;
    points.push_back({.element = each, .word = element.word});
  }
  points.insert(points.end(), next, points_.end());
  return points;
}

MarkedText::Placement MarkedText::placed(const std::vector<int>& elements, const SourceWords& sources) const {
  const std::size_t count = words_.size(), none = sources.size() + 1;
  // By source word: words of the translation, and how many of them come of the words before it.
  std::vector<std::size_t> first(count + 1, none), last(count, none), earlier(count + 2);
  std::size_t latest = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] >= 0) {
      latest = static_cast<std::size_t>(sources[i]);
      first[latest] = std::min(first[latest], i);
      last[latest] = i;
    }
    ++earlier[latest + 1];
  }
  std::partial_sum(earlier.begin(), earlier.end(), earlier.begin());
  std::vector<std::size_t> places(count + 1);
  for (std::size_t word = count + 1; word-- > 0;) {
    const std::size_t next = begins_line(word) ? word : word + 1;
    const std::size_t otherwise = begins_line(next) ? earlier[next] : places[next];
    places[word] = first[word] != none ? first[word] : otherwise;
  }
  Placement placement{.before = std::vector<std::vector<Point>>(sources.size() + 1),
                      .behind = std::vector<std::vector<Point>>(sources.size()),
                      .begins_line = std::vector<bool>(sources.size() + 1)};
  for (std::size_t word = 0; word <= count; ++word) {
    if (begins_line(word)) placement.begins_line[earlier[word]] = true;
  }
  for (Point& point : points_besides(elements)) {
    const auto word = static_cast<std::size_t>(point.word);
    if (point.is_behind && last[word - 1] != none) {
      placement.behind[last[word - 1]].push_back(std::move(point));
    } else {
      const bool stays = begins_line(word) && !point.is_ahead;
      placement.before[stays ? earlier[word] : places[word]].push_back(std::move(point));
    }
  }
  return placement;
}

void MarkedText::give_words_to_elements(SourceWords& sources) const {
  // By source word: the first and the last of its words in the translation.
  std::vector<std::optional<std::size_t>> first(words_.size()), last(words_.size());
  std::vector<bool> has_words(elements_.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] < 0) continue;
    const auto word = static_cast<std::size_t>(sources[i]);
    first[word] = first[word].value_or(i);
    last[word] = i;
    for (int each = words_[word].element; each != kNone;
         each = elements_[static_cast<std::size_t>(each)].parent) {
      if (has_words[static_cast<std::size_t>(each)]) break;
      has_words[static_cast<std::size_t>(each)] = true;
    }
  }
  for (std::size_t begin = 0, end = 0; begin < words_.size(); begin = end) {
    const int element = words_[begin].element;
    for (end = begin + 1; end < words_.size() && words_[end].element == element && !begins_line(end); ++end) {
    }
    if (element == kNone || has_words[static_cast<std::size_t>(element)]) continue;
    const int around = elements_[static_cast<std::size_t>(element)].parent;
    const auto belongs = [&](std::size_t word) { return words_[word].element == around; };
    const auto word = static_cast<std::int64_t>(begin);
    if (begin > 0 && !begins_line(begin) && belongs(begin - 1) && last[begin - 1]) {
      const std::size_t before = *last[begin - 1];
      if (before + 1 < sources.size() && sources[before + 1] < 0) {
        sources[before + 1] = word;
        continue;
      }
      if (before > 0 && sources[before - 1] == sources[before]) {
        sources[before] = word;
        continue;
      }
    }
    if (end == words_.size() || begins_line(end) || !belongs(end) || !first[end]) continue;
    const std::size_t after = *first[end];
    const bool is_free = after > 0 && sources[after - 1] < 0;
    const bool is_repeated = after + 1 < sources.size() && sources[after + 1] == sources[after];
    if (is_free || is_repeated) sources[is_free ? after - 1 : after] = word;
  }
}

std::vector<MarkedText::Beside> MarkedText::beside_elements() const {
  std::vector<Beside> beside(elements_.size());
  const std::vector<std::string_view> texts = words_in(plain_);
  for (std::size_t i = 0; i < words_.size() && i < texts.size(); ++i) {
    const Word& word = words_[i];
    if (word.element == kNone) continue;
    Beside& each = beside[static_cast<std::size_t>(word.element)];
    if (word.before > 0) {
      each.before = texts[i].substr(0, word.before);
      each.element_before = word.element_before;
    }
    if (word.after > 0) {
      each.after = texts[i].substr(texts[i].size() - word.after);
      each.element_after = word.element_after;
    }
  }
  return beside;
}

std::size_t MarkedText::markup_bytes() const {
  std::size_t bytes = 0;
  for (const Element& element : elements_) bytes += element.open.size() + element.close.size();
  for (const Point& point : points_)
    bytes += point.text.size() + point.space_before.size() + point.space_after.size();
  return bytes;
}

std::string MarkedText::restore(std::string_view translation, const SourceWords& sources) const {
  const std::size_t most = kLeastRestored + kMostRepeated * (markup_bytes() + translation.size());
  std::optional<std::string> text = restored(translation, sources, most);
  if (!text) {
    const std::int64_t count = std::ssize(sources);
    SourceWords in_order;
    for (std::int64_t word = 0; word < count; ++word) in_order.push_back(word * words() / count);
    text = restored(translation, in_order, std::string::npos);
  }
  return before_ + *text + after_;
}

std::optional<std::string> MarkedText::restored(std::string_view translation, const SourceWords& sources,
                                                std::size_t most) const {
  const std::vector<std::string_view> texts = words_in(translation);
  std::vector<std::string_view> gaps = gaps_around(texts, translation);
  SourceWords aligned = sources;
  aligned.resize(texts.size(), kNone);
  std::ranges::replace_if(
      aligned, [this](std::int64_t word) { return word >= words(); }, kNone);
  give_words_to_elements(aligned);
  std::vector<int> elements;
  for (const std::int64_t word : aligned)
    elements.push_back(word < 0 ? kNone : words_[static_cast<std::size_t>(word)].element);
  const Placement points = placed(elements, aligned);
  const std::vector<Beside> beside = beside_elements();
  Writer writer(*this, std::exchange(gaps[0], ""));
  for (std::size_t word = 0; word <= texts.size(); ++word) {
    if (writer.bytes() > most) return std::nullopt;
    const bool is_end = word == texts.size();
    const std::vector<Point>& before = points.before[word];
    std::string_view gap = gaps[word];
    if (word > 0 && !is_end && parts_.joins(texts[word - 1], texts[word])) gap = "";
    const bool follows = word == 0 || is_end || aligned[word] > aligned[word - 1];
    writer.let_blocks_separate(follows && points.begins_line[word]);
    const int element = is_end ? kNone : elements[word];
    std::string_view text = is_end ? "" : texts[word];
    const Beside around = element == kNone ? Beside() : beside[static_cast<std::size_t>(element)];
    const bool begins = word == 0 || elements[word - 1] != element;
    const bool ends = word + 1 >= elements.size() || elements[word + 1] != element;
    const bool has_before = begins && text.size() > around.before.size() && text.starts_with(around.before) &&
                            !around.before.empty();
    gap = writer.put_points(before, gap, has_before ? around.element_before : element);
    if (is_end) return writer.finish(before.empty() ? gap : "");
    if (has_before) {
      writer.put(around.element_before, std::exchange(gap, ""), with_references(around.before));
      text.remove_prefix(around.before.size());
    }
    const bool has_after = ends && text.size() > around.after.size() && text.ends_with(around.after);
    if (has_after) text.remove_suffix(around.after.size());
    writer.put(element, gap, parts_.restored(with_references(text)));
    if (has_after && !around.after.empty())
      writer.put(around.element_after, "", with_references(around.after));
    for (const Point& point : points.behind[word]) writer.put(point.element, "", point.text);
  }
  return std::nullopt;
}

}  // namespace nmt
