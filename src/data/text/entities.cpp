#include "data/text/entities.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

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

}  // namespace nmt
