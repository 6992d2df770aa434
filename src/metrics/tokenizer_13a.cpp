#include "metrics/tokenizer_13a.h"

#include "metrics/white_space.h"

// Works on bytes: every character with a meaning here is ASCII, and no byte of a longer UTF-8 sequence is.
namespace nmt::metrics {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_no_digit(char c) {
  return !is_digit(c);
}
bool is_dash(char c) {
  return c == '-';
}
bool is_stop(char c) {
  return c == '.' || c == ',';
}

// ASCII punctuation and the blank, without ' , - .
bool stands_alone(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string replaced;
  replaced.reserve(text.size());
  for (std::size_t found = text.find(from); found != std::string_view::npos; found = text.find(from)) {
    replaced.append(text.substr(0, found)).append(to);
    text.remove_prefix(found + from.size());
  }
  return replaced.append(text);
}

// "&amp;lt;" becomes "<": the order is part of the definition.
std::string decode_entities(std::string_view text) {
  std::string decoded = replace_all(text, "&quot;", "\"");
  decoded = replace_all(decoded, "&amp;", "&");
  decoded = replace_all(decoded, "&lt;", "<");
  return replace_all(decoded, "&gt;", ">");
}

std::string space_symbols(std::string_view text) {
  std::string spaced;
  spaced.reserve(2 * text.size());
  for (const char c : text) {
    if (stands_alone(c)) {
      spaced += {' ', c, ' '};
    } else {
      spaced += c;
    }
  }
  return spaced;
}

enum class Apart { first, second };

// Where `first` holds for a byte and `second` for the next, puts blanks around the one that is to stand
// apart; left to right, a byte belongs to one pair at most.
std::string space_pairs(std::string_view text, bool (*first)(char), bool (*second)(char), Apart apart) {
  std::string spaced;
  spaced.reserve(2 * text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      spaced += text[i];
      continue;
    }
    if (apart == Apart::first) spaced += ' ';
    spaced += {text[i], ' ', text[i + 1]};
    if (apart == Apart::second) spaced += ' ';
    ++i;
  }
  return spaced;
}

}  // namespace

std::string tokenize_13a(std::string_view line) {
  std::string text = replace_all(line, "<skipped>", "");
  text = replace_all(text, "-\n", "");
  text = replace_all(text, "\n", " ");
  if (text.find('&') != std::string::npos) text = decode_entities(text);
  // The blanks let the first and the last byte meet the rules for pairs.
  text = space_symbols(" " + text + " ");
  text = space_pairs(text, is_no_digit, is_stop, Apart::second);
  text = space_pairs(text, is_stop, is_no_digit, Apart::first);
  text = space_pairs(text, is_digit, is_dash, Apart::second);
  return join_words(text);
}

}  // namespace nmt::metrics
