#include "data/language/language_detector.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/io/memory_map.h"
#include "common/text/utf8.h"

namespace nmt {

/// Returns the contents of src/data/assets/NAME, which nmt_embed() puts into the program.
std::string_view data_asset(std::string_view name);

namespace {

constexpr std::size_t kMostBytesRead = 8192;  // of a text that are read
constexpr std::size_t kLettersOfPart = 20;    // at least, unless the text has fewer
constexpr double kLettersOfEvidence = 5;      // a text of fewer is too short to be sure of its language
constexpr double kLettersOfWide = 2;          // of which a wide character says as much as this many
constexpr UChar32 kFirstWide = 0x3000;        // from here on, no space follows a sentence

std::vector<LanguageCode> languages_of(const std::vector<std::string>& codes) {
  return {codes.begin(), codes.end()};
}

/// Returns the index of the language of a label: with the same script, or else with any; languages.size() if
/// there is none.
std::size_t index_of_language(const LanguageCode& label, const std::vector<LanguageCode>& languages) {
  const auto is_same = [&label](const LanguageCode& language) { return language.language == label.language; };
  auto place = std::ranges::find_if(languages, [&](const LanguageCode& language) {
    return is_same(language) && language.script == label.script;
  });
  if (place == languages.end()) place = std::ranges::find_if(languages, is_same);
  return static_cast<std::size_t>(place - languages.begin());
}

/// A sentence or a line, its number of letters, and how many letters of an alphabet say as much.
struct LetterPart {
  icu::UnicodeString text = {};
  std::size_t letters = 0;
  double evidence = 0;
};

bool ends_sentence(UChar32 c) {
  return c == '.' || c == '!' || c == '?' || c == 0x3002 || c == 0xFF01 || c == 0xFF1F;
}

/// Returns the parts of a text that have letters. Text in capitals becomes lower case, which models know
/// better.
std::vector<LetterPart> letter_parts(std::string_view text) {
  const icu::UnicodeString all =
      icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
  std::vector<LetterPart> parts(1);
  bool has_ended = false;
  for (std::int32_t i = 0; i < all.length(); i = all.moveIndex32(i, 1)) {
    const UChar32 c = all.char32At(i);
    const bool is_space = u_isUWhiteSpace(c) != 0;
    if (ends_sentence(c) || c == '\n') {
      has_ended = true;
    } else if (u_isalnum(c) != 0) {
      has_ended = false;  // as in 3.5
    }
    parts.back().text.append(is_space ? UChar32{' '} : c);
    if (u_isalpha(c) != 0) {
      ++parts.back().letters;
      parts.back().evidence += c >= kFirstWide ? kLettersOfWide : 1;
    }
    if (has_ended && (is_space || c >= kFirstWide) && parts.back().letters >= kLettersOfPart) {
      parts.emplace_back();
      has_ended = false;
    }
  }
  if (parts.size() > 1 && parts.back().letters < kLettersOfPart) {
    parts[parts.size() - 2].text.append(' ').append(parts.back().text);
    parts[parts.size() - 2].letters += parts.back().letters;
    parts[parts.size() - 2].evidence += parts.back().evidence;
    parts.pop_back();
  }
  std::erase_if(parts, [](const LetterPart& part) { return part.letters == 0; });
  return parts;
}

std::string classified_text(icu::UnicodeString text) {
  icu::UnicodeString upper(text);
  if (upper.toUpper() == text) text.toLower();
  std::string bytes;
  text.toUTF8String(bytes);
  return bytes;
}

}  // namespace

std::string language_name(const std::string& code) {
  const icu::Locale locale = icu::Locale::createCanonical(code.c_str());
  icu::UnicodeString name;
  locale.getDisplayLanguage(icu::Locale::getEnglish(), name);
  std::string text;
  name.toUTF8String(text);
  return text.empty() ? code : text;
}

LanguageDetector::LanguageDetector()
    : model_(data_asset("languages.ftz"), "languages.ftz"), labels_(languages_of(model_.labels())) {}

LanguageDetector::LanguageDetector(const std::string& path)
    : model_(map_file(path).copy(), path), labels_(languages_of(model_.labels())) {}

std::vector<std::size_t> LanguageDetector::labels_of(const std::string& code) const {
  const std::vector<LanguageCode> languages = languages_of({code});
  std::vector<std::size_t> labels;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (index_of_language(labels_[i], languages) == 0) labels.push_back(i);
  }
  return labels;
}

LanguageDetector::Judgment LanguageDetector::judge(std::string_view text) const {
  std::vector<double> sum(labels_.size());
  double letters = 0, evidence = 0;
  for (const LetterPart& part : letter_parts(beginning_of(text, kMostBytesRead))) {
    const std::vector<float> found = model_.probabilities(classified_text(part.text));
    if (found.empty()) continue;
    const auto weight = static_cast<double>(part.letters);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * found[i];
    letters += weight;
    evidence += part.evidence;
  }
  for (double& each : sum) each /= std::max(letters, 1.0);
  return {std::move(sum), std::min(evidence / kLettersOfEvidence, 1.0)};
}

std::optional<double> LanguageDetector::probability(std::string_view text,
                                                    const std::vector<std::size_t>& labels) const {
  const auto [probabilities, certainty] = judge(text);
  if (certainty < 1) return std::nullopt;
  double sum = 0;
  for (const std::size_t label : labels) sum += probabilities[label];
  return sum;
}

std::vector<DetectedLanguage> LanguageDetector::detect(std::string_view text,
                                                       const std::vector<std::string>& codes) const {
  const std::vector<LanguageCode> languages = languages_of(codes);
  const auto [of_labels, certainty] = judge(text);
  std::vector<double> of_codes(codes.size() + 1);  // the last one: of other languages
  for (std::size_t i = 0; i < labels_.size(); ++i)
    of_codes[index_of_language(labels_[i], languages)] += certainty * of_labels[i];
  std::vector<std::size_t> order(codes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return of_codes[a] > of_codes[b]; });
  std::vector<DetectedLanguage> detected;
  for (const std::size_t i : order) {
    const int percent = static_cast<int>(std::lround(100 * of_codes[i]));
    if (percent > 0 || detected.empty()) detected.push_back({codes[i], percent});
  }
  return detected;
}

}  // namespace nmt
