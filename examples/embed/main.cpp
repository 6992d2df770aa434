// Translates a text line by line with a model of nmt, or several: embed MODEL... < source > target
#include <nmt/engine.h>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: embed MODEL... < source > target (libnmt " << nmt::v1::version() << ")\n";
    return 2;
  }
  try {
    nmt::v1::Engine engine({argv + 1, argv + argc});
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    for (const auto& translations : engine.translate(lines)) std::cout << translations[0].text << '\n';
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
