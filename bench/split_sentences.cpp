// Prints the sentences of each line of standard input with tabs between them: split_sentences [LANGUAGE]
#include <iostream>
#include <string>
#include <string_view>

#include "data/text/sentences.h"

int main(int count, char** arguments) {
  const nmt::SentenceSplitter split(count > 1 ? arguments[1] : "");
  for (std::string line; std::getline(std::cin, line);) {
    std::string_view tab;
    for (const std::string_view sentence : split(line)) {
      std::cout << tab << sentence;
      tab = "\t";
    }
    std::cout << '\n';
  }
}
