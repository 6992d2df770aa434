// Parallel text made by a seeded grammar.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace nmt {

/// Sentences of a toy language and their word-by-word "translation"; lengths are spread as in real text.
class GeneratedText {
 public:
  explicit GeneratedText(std::uint32_t seed) : random_(seed) {}

  struct Pair {
    std::string source, target;
  };

  Pair next() {
    static const std::vector<Pair> kWords = {{"the", "der"},
                                             {"small", "kleine"},
                                             {"dog", "hund"},
                                             {"house", "haus"},
                                             {"runs", "rennt"},
                                             {"over",
                                              "\xC3\xBC"
                                              "ber"},
                                             {"green", "gr\xC3\xBCne"},
                                             {"street",
                                              "stra\xC3\x9F"
                                              "e"},
                                             {"tree", "baum"},
                                             {"old", "alte"},
                                             {"man", "mann"},
                                             {"sees", "sieht"},
                                             {"water", "wasser"},
                                             {"and", "und"},
                                             {"woman", "frau"},
                                             {"under", "unter"},
                                             {"blue", "blaue"},
                                             {"sings", "singt"},
                                             {"bridge",
                                              "br\xC3\xBC"
                                              "cke"}};
    Pair pair;
    const auto count = 3 + random_() % 8 + random_() % 8;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Pair& word = kWords[random_() % kWords.size()];
      pair.source += (i > 0 ? " " : "") + word.source;
      pair.target += (i > 0 ? " " : "") + word.target;
      if (random_() % 7 == 0) pair.target += " doch";
    }
    pair.source += '.';
    pair.target += '.';
    return pair;
  }

  /// Returns lines of both sides.
  Pair text(int lines) {
    Pair text;
    for (int i = 0; i < lines; ++i) {
      const Pair pair = next();
      text.source += pair.source + "\n";
      text.target += pair.target + "\n";
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

}  // namespace nmt
