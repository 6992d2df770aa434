#include "cli/options/likely_meant.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "common/text/number.h"

namespace nmt {

std::vector<std::string> likely_meant(const std::string& text) {
  constexpr std::size_t kLongestValue = 64;  // longer values are hardly typing errors
  if (text.size() > kLongestValue) return {};
  std::string word;
  std::ranges::remove_copy(text, std::back_inserter(word), ' ');
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<std::string> meant;
  if (text.ends_with('M')) meant.push_back(word.substr(0, word.size() - 1) + "Mt");
  meant.push_back(word);
  const std::size_t end = std::min(word.find_first_not_of("0123456789."), word.size());
  if (const std::string digits = without_dots(word.substr(0, end)); !digits.empty())
    meant.push_back(digits + word.substr(end));
  if (const auto digits = digits_of(word.ends_with('m') ? word.substr(0, word.size() - 1) + 'M' : word))
    meant.push_back(*digits);
  meant.push_back(word);
  std::ranges::replace(meant.back(), ',', '.');
  const auto is_of_number = [](unsigned char c) { return std::isdigit(c) != 0 || c == '.' || c == ','; };
  for (std::size_t length = word.size(); length-- > 1 && !is_of_number(word[length]);)
    meant.push_back(word.substr(0, length));
  return meant;
}

}  // namespace nmt
