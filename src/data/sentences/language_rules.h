// Tables of abbreviations by language. Words are separated by spaces and have no final period.
#pragma once

#include <span>
#include <string_view>

namespace nmt::sentences {

/// The rules of a language; see Abbreviations for the kinds.
struct LanguageRules {
  std::string_view codes;  // of ISO 639-1
  bool has_ordinals = false;
  std::string_view always = {};
  std::string_view usual = {};
  std::string_view before_number = {};
  std::string_view before_digit = {};
  std::string_view endings = {};  // word endings that make usual abbreviations: Goethestr.
  std::string_view of_time = {}, after_times = {};
  std::string_view openings = {};  // capitalized words that usually begin sentences
};

/// Abbreviations of all languages in names from English.
inline constexpr LanguageRules kCommonRules{
    .codes = "",
    .always = "Mr Mrs Ms Dr Prof",
    .usual = "St Jr Sr Inc Ltd Corp Co U.S U.S.A U.K U.N Ph.D Yahoo!"};

std::span<const LanguageRules> germanic_languages();
std::span<const LanguageRules> romance_languages();
std::span<const LanguageRules> slavic_languages();
std::span<const LanguageRules> other_languages();

}  // namespace nmt::sentences
