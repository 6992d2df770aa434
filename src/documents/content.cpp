#include "documents/content.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "common/text/number.h"
#include "data/sentences/characters.h"
#include "data/text/html.h"

namespace nmt {
namespace {

std::size_t text_bytes(const Inline& part) {
  std::size_t bytes = part.text.size();
  for (const Inline& each : part.parts) bytes += text_bytes(each);
  return bytes;
}

bool has_runs(const std::vector<Inline>& parts) {
  return std::ranges::any_of(parts,
                             [](const Inline& part) { return part.holds_text || has_runs(part.parts); });
}

/// Makes adjacent texts one, and adjacent runs of the same format.
void merge(std::vector<Inline>& parts) {
  std::vector<Inline> merged;
  for (Inline& part : parts) {
    merge(part.parts);
    Inline* const last = merged.empty() ? nullptr : &merged.back();
    if (last != nullptr && last->kind == Inline::Kind::text && part.kind == Inline::Kind::text) {
      last->text += part.text;
    } else if (last != nullptr && last->holds_text && part.holds_text && last->format == part.format &&
               part.format != "\n") {
      std::ranges::move(part.parts, std::back_inserter(last->parts));
      merge(last->parts);
    } else {
      merged.push_back(std::move(part));
    }
  }
  parts = std::move(merged);
}

/// Makes a group around a single run, such as a link, one with the run, and groups without letters objects.
void simplify(std::vector<Inline>& parts, const Encode& encode) {
  for (Inline& part : parts) {
    if (part.kind != Inline::Kind::group || part.is_kept) continue;
    if (!has_letters(part.parts)) {
      Content bytes;
      append_original({part}, encode, bytes);
      const bool is_text = std::ranges::any_of(part.parts, [](const Inline& each) {
        return each.kind == Inline::Kind::text && !each.text.empty();
      });
      if (!is_text) part = Inline::object(std::move(bytes));
      continue;
    }
    simplify(part.parts, encode);
    const auto inner = std::ranges::find(part.parts, Inline::Kind::group, &Inline::kind);
    const bool is_alone = std::ranges::all_of(part.parts, [&](const Inline& each) {
      return &each == &*inner || (each.kind == Inline::Kind::object && !each.divides);
    });
    if (part.holds_text || inner == part.parts.end() || !is_alone) continue;
    Inline group = std::move(*inner);
    append_original(std::vector<Inline>(part.parts.begin(), inner), encode, part.open);
    part.open.add(group.open);
    append_original(std::vector<Inline>(inner + 1, part.parts.end()), encode, group.close);
    group.close.add(part.close);
    part.close = std::move(group.close);
    part.parts = std::move(group.parts);
    part.holds_text = group.holds_text;
    part.needs_text = part.needs_text && group.needs_text;
    part.is_kept = group.is_kept;
    if (part.holds_text) part.format = "\n";  // of this group alone
  }
}

/// Divides adjacent groups between which a new word begins.
void divide_groups(std::vector<Inline>& parts) {
  const auto is_group = [](const Inline& part) { return part.kind == Inline::Kind::group && !part.is_kept; };
  std::vector<Inline> divided;
  for (Inline& part : parts) {
    divide_groups(part.parts);
    const bool are_groups = is_group(part) && !divided.empty() && is_group(divided.back());
    if (are_groups && begins_word(text_of({divided.back()}), text_of({part})))
      divided.push_back(Inline::object({}, true));
    divided.push_back(std::move(part));
  }
  parts = std::move(divided);
}

/// Whether a part at an end of a text stays there.
bool is_outside(const Inline& part) {
  if (part.kind == Inline::Kind::object) return true;
  if (part.kind == Inline::Kind::text) return part.text.empty();
  return !part.is_kept && !has_letters(part.parts) && text_bytes(part) == 0;
}

}  // namespace

void Content::keep(std::string_view bytes) {
  if (bytes.empty()) return;
  if (parts_.empty() || parts_.back().segment) parts_.emplace_back();
  parts_.back().bytes += bytes;
}

void Content::add(const Content& other) {
  for (const Part& part : other.parts_) add(part);
}

void Content::add(const Part& part) {
  if (part.segment) {
    add(part.segment);
  } else {
    keep(part.bytes);
  }
}

Content Content::since(const Mark& mark) const {
  Content content;
  if (mark.parts > 0) content.keep(std::string_view(parts_[mark.parts - 1].bytes).substr(mark.bytes));
  for (std::size_t i = mark.parts; i < parts_.size(); ++i) content.add(parts_[i]);
  return content;
}

void Content::truncate(const Mark& mark) {
  parts_.resize(mark.parts);
  if (mark.parts > 0) parts_.back().bytes.resize(mark.bytes);
}

void Content::for_each_segment(const std::function<void(TextSegment&)>& take) const {
  for (const Part& part : parts_) {
    if (!part.segment) continue;
    part.segment->for_each_inner(take);
    take(*part.segment);
  }
}

void Content::append_to(std::string& to) const {
  for (const Part& part : parts_) {
    if (part.segment) {
      part.segment->append_to(to);
    } else {
      to += part.bytes;
    }
  }
}

std::size_t Content::kept_bytes() const {
  std::size_t bytes = 0;
  for (const Part& part : parts_) bytes += part.bytes.size();
  return bytes;
}

std::string text_of(const std::vector<Inline>& parts) {
  std::string text;
  for (const Inline& part : parts) text += part.seen + part.text + text_of(part.parts);
  return text;
}

bool begins_word(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return false;
  return sentences::is_lower(sentences::character_before(before, before.size()).value) &&
         sentences::is_upper(sentences::character_at(after, 0).value);
}

bool has_letters(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const sentences::Character character = sentences::character_at(text, i);
    if (sentences::is_letter(character.value)) return true;
    i += std::max<std::size_t>(character.size, 1);
  }
  return false;
}

bool has_letters(const std::vector<Inline>& parts) {
  return std::ranges::any_of(parts, [](const Inline& part) {
    return !part.is_kept && (has_letters(part.text) || has_letters(part.parts));
  });
}

void append_original(const std::vector<Inline>& parts, const Encode& encode, Content& to) {
  for (const Inline& part : parts) {
    to.add(part.open);
    if (!part.text.empty()) to.keep(encode(part.text));
    append_original(part.parts, encode, to);
    to.add(part.close);
  }
}

TextSegment::TextSegment(std::vector<Inline> parts, Content original, TextEncoding encoding)
    : original_(std::move(original)), encoding_(std::move(encoding)) {
  merge(parts);
  simplify(parts, encoding_.text);
  divide_groups(parts);
  const bool is_in_run = take_surroundings(parts);
  needs_runs_ = !is_in_run && has_runs(parts);
  if (needs_runs_) choose_run(parts);
  merge(parts);
  const bool is_plain = parts.size() == 1 && parts[0].kind == Inline::Kind::text && !needs_runs_;
  if (is_plain) {
    text_ = std::move(parts[0].text);
  } else {
    serialize(std::move(parts));
  }
}

TextSegment::TextSegment(std::string html, std::vector<Content> objects, Content original, Encode encode)
    : text_(std::move(html)), original_(std::move(original)), encoding_(std::move(encode)), is_html_(true) {
  for (Content& object : objects) inlines_.push_back({std::move(object), {}, false, false});
}

bool TextSegment::take_surroundings(std::vector<Inline>& parts) {
  std::vector<Content> after;  // the outermost last
  bool is_in_run = false;
  while (true) {
    const auto begin = std::ranges::find_if_not(parts, is_outside);
    append_original(std::vector<Inline>(parts.begin(), begin), encoding_.text, before_);
    parts.erase(parts.begin(), begin);
    auto end = parts.end();
    while (end != parts.begin() && is_outside(*(end - 1))) --end;
    Content trailing;
    append_original(std::vector<Inline>(end, parts.end()), encoding_.text, trailing);
    parts.erase(end, parts.end());
    after.push_back(std::move(trailing));
    if (parts.size() != 1 || parts[0].kind != Inline::Kind::group || parts[0].is_kept) break;
    Inline group = std::move(parts[0]);
    before_.add(group.open);
    after.push_back(std::move(group.close));
    is_in_run = is_in_run || group.holds_text;
    parts = std::move(group.parts);
  }
  std::for_each(after.rbegin(), after.rend(), [this](const Content& each) { after_.add(each); });
  return is_in_run;
}

void TextSegment::choose_run(std::vector<Inline>& parts) {
  std::map<std::string, std::size_t> bytes;
  const Inline* any = nullptr;
  const auto look = [&](const auto& self, const std::vector<Inline>& level) -> void {
    for (const Inline& part : level) {
      if (part.holds_text) any = any == nullptr ? &part : any;
      self(self, part.parts);
    }
  };
  look(look, parts);
  for (const Inline& part : parts) {
    if (part.holds_text && !part.is_kept && part.format != "\n") bytes[part.format] += text_bytes(part);
  }
  const auto most = std::max_element(bytes.begin(), bytes.end(), [](const auto& one, const auto& other) {
    return one.second < other.second;
  });
  const auto is_chosen = [&](const Inline& part) {
    return most != bytes.end() && part.holds_text && !part.is_kept && part.format == most->first;
  };
  const auto chosen = std::ranges::find_if(parts, is_chosen);
  const Inline& run = chosen == parts.end() ? *any : *chosen;
  run_open_ = run.open;
  run_close_ = run.close;
  std::vector<Inline> unwrapped;
  for (Inline& part : parts) {
    if (is_chosen(part)) {
      std::ranges::move(part.parts, std::back_inserter(unwrapped));
    } else {
      unwrapped.push_back(std::move(part));
    }
  }
  parts = std::move(unwrapped);
}

void TextSegment::serialize(std::vector<Inline> parts) {
  for (Inline& part : parts) {
    if (part.kind == Inline::Kind::text) {
      text_ += with_references(part.text);
      continue;
    }
    if (part.is_kept) {
      Content bytes;
      append_original({part}, encoding_.text, bytes);
      inlines_.push_back({std::move(bytes), {}, false, false});
      text_ += fmt::format("<g id=\"{}\" translate=\"no\">{}</g>", inlines_.size(),
                           with_references(text_of({part})));
      continue;
    }
    inlines_.push_back({std::move(part.open), std::move(part.close), part.holds_text, part.needs_text});
    const std::size_t id = inlines_.size();
    if (part.kind == Inline::Kind::object) {
      text_ += fmt::format("<{} id=\"{}\"/>", part.divides ? "br" : "x", id);
      continue;
    }
    text_ += fmt::format("<g id=\"{}\">", id);
    serialize(std::move(part.parts));
    text_ += "</g>";
  }
}

void TextSegment::for_each_inner(const std::function<void(TextSegment&)>& take) const {
  before_.for_each_segment(take);
  for (const Numbered& each : inlines_) {
    each.open.for_each_segment(take);
    each.close.for_each_segment(take);
  }
  after_.for_each_segment(take);
}

void TextSegment::append_to(std::string& to) const {
  if (translation_ == text_) return original_.append_to(to);
  if (is_html_) return append_html(to);
  const std::string translation =
      encoding_.change ? encoding_.change(translation_, has_markup()) : translation_;
  std::string bytes;
  if (has_markup()) {
    append_with_markup(translation, bytes);
  } else {
    append_leaf(translation, !needs_runs_, bytes);
  }
  std::string around;
  before_.append_to(around);
  around += bytes;
  after_.append_to(around);
  to += encoding_.whole ? encoding_.whole(around) : around;
}

void TextSegment::append_html(std::string& to) const {
  const std::string html = encoding_.text(translation_);
  std::string_view rest = html;
  for (std::size_t at = rest.find(kHtmlObject); at != rest.npos; at = rest.find(kHtmlObject)) {
    const std::size_t begin = std::min(rest.rfind('<', at), at),
                      end = std::min(rest.find('>', at), rest.size());
    std::string_view number = rest.substr(at + kHtmlObject.size());
    number = number.substr(0, number.find('"'));
    const std::size_t id = number_of<std::size_t>(number).value_or(0);
    to += rest.substr(0, begin);
    if (id > 0 && id <= inlines_.size()) inlines_[id - 1].open.append_to(to);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  to += rest;
}

void TextSegment::append_leaf(std::string_view text, bool is_in_run, std::string& to) const {
  if (text.empty()) return;
  const bool is_bare = needs_runs_ && !is_in_run;
  if (is_bare) run_open_.append_to(to);
  to += encoding_.text(text);
  if (is_bare) run_close_.append_to(to);
}

void TextSegment::append_with_markup(std::string_view translation, std::string& to) const {
  /// A group that has begun.
  struct Open {
    std::size_t index, begin, end;  // in `inlines_`, and the place of its opening bytes in `to`
  };
  std::vector<Open> open;
  std::string_view rest = translation;
  while (!rest.empty()) {
    const std::string_view text = rest.substr(0, rest.find('<'));
    const bool is_in_run = !open.empty() && inlines_[open.back().index].holds_text;
    append_leaf(without_references(text), is_in_run, to);
    rest.remove_prefix(text.size());
    const std::string_view tag = rest.substr(0, std::min(rest.find('>'), rest.size() - 1) + 1);
    if (rest.empty()) break;
    rest.remove_prefix(tag.size());
    if (tag.starts_with("</")) {
      if (open.empty()) continue;
      const auto [index, begin, end] = open.back();
      open.pop_back();
      const Numbered& group = inlines_[index];
      const bool is_empty = to.find_first_not_of(group.holds_text ? "" : " ", end) == to.npos;
      if (is_empty && group.needs_text) {
        to.erase(begin, end - begin);
      } else {
        group.close.append_to(to);
      }
      continue;
    }
    const std::size_t number = number_of<std::size_t>(attribute_in_tag(tag, "id").value_or("")).value_or(0);
    if (number == 0 || number > inlines_.size()) continue;
    const std::size_t begin = to.size();
    inlines_[number - 1].open.append_to(to);
    if (tag.ends_with("translate=\"no\">")) {
      // The bytes are all of the part.
      rest.remove_prefix(std::min(rest.find("</g>"), rest.size()));
      rest.remove_prefix(std::min<std::size_t>(rest.size(), 4));
    } else if (!tag.ends_with("/>")) {
      open.push_back({number - 1, begin, to.size()});
    }
  }
}

Content translated(std::vector<Inline> parts, const Content& original, const TextEncoding& encoding) {
  if (!has_letters(parts)) return original;
  Content content;
  content.add(std::make_shared<TextSegment>(std::move(parts), original, encoding));
  return content;
}

Content translated(std::string_view text, std::string_view original, const TextEncoding& encoding) {
  return translated({Inline::of_text(std::string(text))}, Content(original), encoding);
}

}  // namespace nmt
