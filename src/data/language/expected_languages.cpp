#include "data/language/expected_languages.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "common/text/spelling.h"
#include "data/language/language_detector.h"
#include "data/sentences/characters.h"

namespace nmt {
namespace {

const LanguageDetector& classifier() {
  static const LanguageDetector detector;
  return detector;
}

/// Returns the scripts of a language: Latin for "de", but three for "ja".
std::vector<UScriptCode> scripts_of(const std::string& code) {
  const LanguageCode language(code);
  const std::string locale = language.language + '_' + language.script;
  std::vector<UScriptCode> scripts(8);
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t count =
      uscript_getCode(locale.c_str(), scripts.data(), static_cast<std::int32_t>(scripts.size()), &status);
  scripts.resize(U_SUCCESS(status) ? static_cast<std::size_t>(std::max(count, 0)) : 0);
  return scripts;
}

}  // namespace

std::optional<ExpectedLanguages::Language> ExpectedLanguages::language(const std::string& code) {
  constexpr const char* kSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  if (code.find_first_not_of(kSigns) != code.npos) return std::nullopt;  // which ICU would overlook
  std::vector<std::size_t> labels = classifier().labels_of(code);
  if (labels.empty()) return std::nullopt;
  return Language{std::move(labels), scripts_of(code)};
}

std::optional<ExpectedLanguages> ExpectedLanguages::parse(std::string_view text) {
  const std::vector<std::string> codes = split_at_commas(std::string(text));
  if (codes.size() > 2 || std::ssize(codes) != std::ranges::count(text, ',') + 1) return std::nullopt;
  ExpectedLanguages expected;
  expected.text_ = text;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::optional<Language> language = ExpectedLanguages::language(codes[i]);
    if (!language) return std::nullopt;
    expected.sides_.at(2 - codes.size() + i) = std::move(*language);
  }
  return expected;
}

double ExpectedLanguages::probability(Side side, std::string_view text) const {
  const Language& language = of(side);
  if (language.labels.empty()) return 1;
  return classifier().probability(text, language.labels).value_or(1);
}

double ExpectedLanguages::script_share(Side side, std::string_view text) const {
  const std::vector<UScriptCode>& scripts = of(side).scripts;
  if (scripts.empty()) return 1;
  std::int64_t letters = 0, expected = 0;
  for (std::size_t place = 0; place < text.size();) {
    const auto [character, size] = sentences::character_at(text, place);
    place += size;
    if (!sentences::is_letter(character)) continue;
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(character, &status);
    if (script == USCRIPT_COMMON || script == USCRIPT_INHERITED) continue;
    ++letters;
    expected += std::ranges::count(scripts, script);
  }
  return letters == 0 ? 1 : static_cast<double>(expected) / static_cast<double>(letters);
}

}  // namespace nmt
