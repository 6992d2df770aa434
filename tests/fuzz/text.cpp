// Fuzz target: plain or compressed text.
#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/packing.h"
#include "common/text/utf8.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_text {
namespace {

constexpr std::string_view kGzip = "\x1F\x8B",
                           kXz =
                               "\xFD"
                               "7zXZ",
                           kZstd = "\x28\xB5\x2F\xFD";

std::vector<std::string> seeds() {
  const std::string
      text = "\xEF\xBB\xBFOne line.\r\n\nZwei Zeilen: \xC3\xA4\xC3\xB6\xC3\xBC\nwrong \xFF\xC3\n the last",
      lines = text + '\n' + std::string(3000, 'a') + "\n\n";
  return {"",
          text,
          lines,
          pack_gzip(text),
          pack_gzip(text) + pack_gzip(lines),
          pack_xz(lines),
          pack_xz(text) + pack_xz(text),
          pack_zstd(lines),
          pack_zstd(text) + pack_zstd(text)};
}

std::vector<std::string> words() {
  return {"\n",
          "\r\n",
          "\xEF\xBB\xBF",
          "\xF0\x9F\x98\x80",
          "\xED\xA0\x80",
          "\xC0\x80",
          std::string(kGzip),
          std::string(kXz),
          std::string(kZstd)};
}

/// Reads a limited number of lines, as compressed text can be a thousand times as long.
void load(const std::string& bytes) {
  constexpr std::size_t kEnough = std::size_t{1} << 24;
  TextReader reader(scratch_file("text", bytes), CarriageReturn::drop);
  std::size_t total = 0;
  for (std::string line; total < kEnough && reader.next(line); total += line.size() + 1) {
    check(line.find('\n') == std::string::npos && count_invalid_utf8(line) == 0,
          "a line is one line of UTF-8");
  }
}

}  // namespace
}  // namespace of_text

Target text_target() {
  using namespace of_text;
  return {"text", seeds, words, load};
}

}  // namespace nmt::fuzz
