#include "serve/language_detection.h"

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#include <fmt/ranges.h>
#include <unicode/locid.h>

#include <algorithm>
#include <array>

namespace nmt {
namespace {

/// A language and its usual script: "zh" and "Hant" of "zho_Hant" and of "zh-TW".
struct Language {
  explicit Language(const std::string& code) {
    icu::Locale locale = icu::Locale::createCanonical(code.c_str());
    UErrorCode status = U_ZERO_ERROR;
    locale.addLikelySubtags(status);
    name = locale.getLanguage();
    script = locale.getScript();
    if (name == "nb") name = "no";  // as CLD2 calls it
  }

  std::string name, script;
};

/// The place of the code for what CLD2 calls so: that of the same script, or else of the language alone; the
/// number of languages where there is none.
std::size_t place_of(const Language& found, const std::vector<Language>& languages) {
  const auto is_same = [&found](const Language& language) { return language.name == found.name; };
  auto place = std::ranges::find_if(languages, [&](const Language& language) {
    return is_same(language) && language.script == found.script;
  });
  if (place == languages.end()) place = std::ranges::find_if(languages, is_same);
  return static_cast<std::size_t>(place - languages.begin());
}

}  // namespace

std::vector<DetectedLanguage> detect_languages(std::string_view text, const std::vector<std::string>& codes) {
  const std::vector<Language> languages(codes.begin(), codes.end());
  std::vector<std::string> names;
  names.reserve(languages.size());
  for (const Language& language : languages) names.push_back(language.name);
  const std::string expected = fmt::format("{}", fmt::join(names, ","));
  const CLD2::CLDHints hints{expected.c_str(), "", CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  constexpr std::size_t kMost = 3;  // that CLD2 tells of
  std::array<CLD2::Language, kMost> found{};
  std::array<int, kMost> percents{};
  std::array<double, kMost> scores{};
  int bytes = 0;
  bool is_reliable = false;
  CLD2::ExtDetectLanguageSummary(text.data(), static_cast<int>(text.size()), true, &hints,
                                 CLD2::kCLDFlagBestEffort, found.data(), percents.data(), scores.data(),
                                 nullptr, &bytes, &is_reliable);
  std::vector<DetectedLanguage> detected;
  for (std::size_t i = 0; i < kMost; ++i) {
    const std::size_t place = place_of(Language(CLD2::LanguageCode(found[i])), languages);
    if (percents[i] > 0 && place < codes.size()) detected.push_back({codes[place], percents[i]});
  }
  if (detected.empty()) detected.push_back({codes.front(), 0});
  return detected;
}

}  // namespace nmt
