#include "data/text/html.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace nmt {
namespace {

struct Entity {
  std::string_view name, character;
};

constexpr std::size_t kLongestReference = 32;

// The five entities of XML, all of Latin-1, and the most common ones of HTML besides; others stay unchanged.
constexpr auto kEntities = std::to_array<Entity>(
    {{"amp", "&"},       {"lt", "<"},       {"gt", ">"},     {"quot", "\""},  {"apos", "'"},
     {"nbsp", "\u00a0"}, {"shy", "\u00ad"}, {"copy", "©"},   {"reg", "®"},    {"trade", "™"},
     {"deg", "°"},       {"sect", "§"},     {"para", "¶"},   {"middot", "·"}, {"bull", "•"},
     {"hellip", "…"},    {"ndash", "–"},    {"mdash", "—"},  {"lsquo", "‘"},  {"rsquo", "’"},
     {"sbquo", "‚"},     {"ldquo", "“"},    {"rdquo", "”"},  {"bdquo", "„"},  {"laquo", "«"},
     {"raquo", "»"},     {"lsaquo", "‹"},   {"rsaquo", "›"}, {"euro", "€"},   {"pound", "£"},
     {"yen", "¥"},       {"cent", "¢"},     {"times", "×"},  {"divide", "÷"}, {"plusmn", "±"},
     {"frac12", "½"},    {"frac14", "¼"},   {"sup2", "²"},   {"sup3", "³"},   {"micro", "µ"},
     {"iexcl", "¡"},     {"iquest", "¿"},   {"ordf", "ª"},   {"ordm", "º"},   {"szlig", "ß"},
     {"auml", "ä"},      {"ouml", "ö"},     {"uuml", "ü"},   {"Auml", "Ä"},   {"Ouml", "Ö"},
     {"Uuml", "Ü"},      {"agrave", "à"},   {"aacute", "á"}, {"acirc", "â"},  {"atilde", "ã"},
     {"aring", "å"},     {"aelig", "æ"},    {"ccedil", "ç"}, {"egrave", "è"}, {"eacute", "é"},
     {"ecirc", "ê"},     {"euml", "ë"},     {"igrave", "ì"}, {"iacute", "í"}, {"icirc", "î"},
     {"iuml", "ï"},      {"ntilde", "ñ"},   {"ograve", "ò"}, {"oacute", "ó"}, {"ocirc", "ô"},
     {"otilde", "õ"},    {"oslash", "ø"},   {"ugrave", "ù"}, {"uacute", "ú"}, {"ucirc", "û"},
     {"Agrave", "À"},    {"Aacute", "Á"},   {"Acirc", "Â"},  {"Atilde", "Ã"}, {"Aring", "Å"},
     {"AElig", "Æ"},     {"Ccedil", "Ç"},   {"Egrave", "È"}, {"Eacute", "É"}, {"Ecirc", "Ê"},
     {"Euml", "Ë"},      {"Ntilde", "Ñ"},   {"Oacute", "Ó"}, {"Ocirc", "Ô"},  {"Otilde", "Õ"},
     {"Oslash", "Ø"},    {"Uacute", "Ú"},   {"Ugrave", "Ù"}, {"Ucirc", "Û"},  {"oelig", "œ"},
     {"OElig", "Œ"},     {"scaron", "š"},   {"curren", "¤"}, {"brvbar", "¦"}, {"uml", "¨"},
     {"not", "¬"},       {"macr", "¯"},     {"acute", "´"},  {"cedil", "¸"},  {"sup1", "¹"},
     {"frac34", "¾"},    {"eth", "ð"},      {"thorn", "þ"},  {"yacute", "ý"}, {"yuml", "ÿ"},
     {"ETH", "Ð"},       {"THORN", "Þ"},    {"Yacute", "Ý"}, {"Igrave", "Ì"}, {"Iacute", "Í"},
     {"Icirc", "Î"},     {"Iuml", "Ï"},     {"Ograve", "Ò"}, {"AMP", "&"},    {"LT", "<"},
     {"GT", ">"},        {"QUOT", "\""},    {"COPY", "©"},   {"REG", "®"},    {"Scaron", "Š"}});

/// Whether an entity needs no ";": those of Latin-1, and the first four.
bool may_stand_alone(const Entity& entity) {
  constexpr std::string_view kFirstOfTwoBytes = "\xc2\xc3";
  const std::string_view character = entity.character;
  return character.size() == 1 ? entity.name != "apos"
                               : kFirstOfTwoBytes.find(character[0]) != std::string_view::npos;
}

std::optional<std::string> character_of_number(std::string_view digits) {
  const bool is_hexadecimal = digits.starts_with('x') || digits.starts_with('X');
  if (is_hexadecimal) digits.remove_prefix(1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number, is_hexadecimal ? 16 : 10);
  const bool is_surrogate = number >= 0xD800 && number <= 0xDFFF;
  if (error != std::errc() || end != digits.end() || number == 0 || number > 0x10FFFF || is_surrogate)
    return std::nullopt;
  std::array<char, 4> bytes{};
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, static_cast<UChar32>(number));
  return std::string(bytes.data(), size);
}

}  // namespace

std::optional<std::string> referenced_character(std::string_view name) {
  if (name.starts_with('#')) return character_of_number(name.substr(1));
  const auto* const found = std::ranges::find(kEntities, name, &Entity::name);
  return found == kEntities.end() ? std::nullopt : std::optional(std::string(found->character));
}

CharacterReference reference_at(std::string_view text) {
  if (!text.starts_with('&')) return {};
  const auto is_of_name = [](char c) { return c == '#' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const std::string_view rest = text.substr(1, kLongestReference);
  const std::string_view name(rest.begin(), std::ranges::find_if_not(rest, is_of_name));
  const std::string_view after = rest.substr(name.size());
  if (name.empty()) return {};
  if (after.starts_with(';')) return {.size = name.size() + 2, .character = referenced_character(name)};
  const auto* const found = std::ranges::find(kEntities, name, &Entity::name);
  if (found == kEntities.end() || !may_stand_alone(*found) || after.starts_with('=')) return {};
  return {.size = name.size() + 1, .character = std::string(found->character)};
}

std::string without_references(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    const CharacterReference reference = reference_at(text);
    if (reference.character) {
      decoded += *reference.character;
      text.remove_prefix(reference.size);
    } else {
      decoded += text[0];
      text.remove_prefix(1);
    }
  }
  return decoded;
}

std::string with_references(std::string_view text) {
  std::string written;
  for (const char c : text) {
    if (c == '&') {
      written += "&amp;";
    } else if (c == '<') {
      written += "&lt;";
    } else if (c == '>') {
      written += "&gt;";
    } else {
      written += c;
    }
  }
  return written;
}

namespace {

using ElementNames = std::set<std::string_view>;

const ElementNames kVoid = {"area",  "base",  "basefont", "bgsound", "br",    "col",
                            "embed", "frame", "hr",       "img",     "input", "keygen",
                            "link",  "meta",  "param",    "source",  "track", "wbr"};
const ElementNames kRaw = {"iframe", "script", "style", "textarea", "xmp"};
const ElementNames kUntranslated = {"address", "canvas", "code", "kbd",  "math",
                                    "pre",     "samp",   "svg",  "time", "var"};
const ElementNames kBlocks = {
    "address",  "article", "aside",  "blockquote", "body",     "br",      "caption",    "dd",     "details",
    "dialog",   "div",     "dl",     "dt",         "fieldset", "figure",  "figcaption", "footer", "form",
    "h1",       "h2",      "h3",     "h4",         "h5",       "h6",      "head",       "header", "hgroup",
    "hr",       "html",    "legend", "li",         "main",     "menu",    "nav",        "ol",     "option",
    "optgroup", "p",       "pre",    "section",    "select",   "summary", "table",      "tbody",  "td",
    "tfoot",    "th",      "thead",  "title",      "tr",       "ul",      "xmp"};

// The rules of the HTML standard (13.1.2.4, optional tags).
const ElementNames kEndTagOptional = {"body",  "caption", "colgroup", "dd",       "dt",   "head", "html",
                                      "li",    "option",  "p",        "optgroup", "rp",   "rt",   "td",
                                      "tbody", "th",      "tr",       "thead",    "tfoot"};
const ElementNames kAfterParagraph = {
    "address", "article",  "aside",      "blockquote", "details", "dialog", "div",  "dl",
    "form",    "fieldset", "figcaption", "figure",     "footer",  "h1",     "h2",   "h3",
    "h4",      "h5",       "h6",         "header",     "hgroup",  "hr",     "main", "menu",
    "nav",     "ol",       "p",          "pre",        "section", "table",  "ul"};
const std::map<std::string_view, ElementNames> kEnded = {
    {"body", {"head"}},
    {"li", {"li", "p"}},
    {"dt", {"dt", "dd", "p"}},
    {"dd", {"dt", "dd", "p"}},
    {"rt", {"rt", "rp"}},
    {"rp", {"rt", "rp"}},
    {"option", {"option"}},
    {"optgroup", {"option", "optgroup"}},
    {"colgroup", {"caption", "colgroup"}},
    {"thead", {"caption", "colgroup"}},
    {"tbody", {"caption", "colgroup", "p", "td", "th", "tr", "thead", "tbody"}},
    {"tfoot", {"caption", "colgroup", "p", "td", "th", "tr", "thead", "tbody"}},
    {"tr", {"caption", "colgroup", "p", "td", "th", "tr"}},
    {"td", {"p", "td", "th"}},
    {"th", {"p", "td", "th"}}};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_html_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool has_class(std::string_view tag, std::string_view name) {
  std::istringstream classes(attribute_in_tag(tag, "class").value_or(""));
  return std::any_of(std::istream_iterator<std::string>(classes), {},
                     [name](const std::string& each) { return each == name; });
}

}  // namespace

bool begins_markup(std::string_view text) {
  if (text.size() < 2 || text[0] != '<') return false;
  return std::isalpha(static_cast<unsigned char>(text[1])) != 0 || text[1] == '/' || text[1] == '!' ||
         text[1] == '?';
}

std::string_view ending_of_section(std::string_view text) {
  if (text.starts_with("<!--")) return "-->";
  if (text.starts_with("<![CDATA[")) return "]]>";
  return text.starts_with("<?") ? "?>" : "";
}

std::size_t find_unquoted(std::string_view text, std::string_view characters, char& quote) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (characters.find(c) != std::string_view::npos) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::size_t find_end_tag(std::string_view text, std::string_view name) {
  std::size_t at = text.find("</");
  while (at != std::string_view::npos && name_in_tag(text.substr(at, name.size() + 3)) != name)
    at = text.find("</", at + 2);
  return at;
}

std::string name_in_tag(std::string_view tag) {
  tag.remove_prefix(tag.starts_with("</") ? 2 : 1);
  const auto is_of_name = [](char c) { return !is_html_space(c) && c != '>' && c != '/'; };
  const auto end = std::ranges::find_if_not(tag, is_of_name);
  return in_lower_case(tag.substr(0, static_cast<std::size_t>(end - tag.begin())));
}

std::optional<std::string> attribute_in_tag(std::string_view tag, std::string_view name) {
  std::size_t i = 1 + name_in_tag(tag).size();
  /// Passes over what `is_skipped`, and returns it.
  const auto skip = [&](auto is_skipped) {
    const std::size_t begin = i;
    while (i < tag.size() && is_skipped(tag[i])) ++i;
    return tag.substr(begin, i - begin);
  };
  while (true) {
    skip([](char c) { return is_html_space(c) || c == '/'; });
    if (i >= tag.size() || tag[i] == '>') return std::nullopt;
    const std::size_t begin = i++;  // also a "=" that an attribute begins with is of its name
    skip([](char c) { return !is_html_space(c) && c != '/' && c != '>' && c != '='; });
    const std::string found = in_lower_case(tag.substr(begin, i - begin));
    skip(is_html_space);
    std::string_view value;
    if (i < tag.size() && tag[i] == '=') {
      ++i;
      skip(is_html_space);
      const char quote = i < tag.size() && (tag[i] == '"' || tag[i] == '\'') ? tag[i++] : '\0';
      value = skip([quote](char c) { return quote != 0 ? c != quote : !is_html_space(c) && c != '>'; });
      if (quote != 0 && i < tag.size()) ++i;
    }
    if (found == name) return in_lower_case(value);
  }
}

std::optional<bool> translates(std::string_view tag) {
  const auto translate = attribute_in_tag(tag, "translate");
  if (translate == "no") return false;
  if (translate == "yes" || translate == "") return true;
  if (has_class(tag, "notranslate") || kUntranslated.contains(name_in_tag(tag))) return false;
  return std::nullopt;
}

bool is_void_element(const std::string& name) {
  return kVoid.contains(name);
}

bool is_raw_element(const std::string& name) {
  return kRaw.contains(name);
}

bool is_block_element(const std::string& name) {
  // Declarations and style sheets stand before all text.
  return kBlocks.contains(name) || name == "!doctype" || name.starts_with("?xml");
}

bool may_omit_end_tag(const std::string& name) {
  return kEndTagOptional.contains(name);
}

bool may_span_lines(const std::string& name) {
  const bool is_picture = name == "canvas" || name == "math" || name == "svg";
  return is_picture || is_raw_element(name) || (is_block_element(name) && !may_omit_end_tag(name));
}

bool ends_element(const std::string& next, const std::string& open) {
  if (open == "p" && kAfterParagraph.contains(next)) return true;
  const auto found = kEnded.find(next);
  return found != kEnded.end() && found->second.contains(open);
}

}  // namespace nmt
