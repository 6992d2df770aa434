#include "common/io/packer.h"

#include <gtest/gtest.h>

#include "common/io/byte_source.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

std::string pack(const std::string& path, const std::vector<std::string>& pieces) {
  const auto packer = packer_for(path);
  std::string packed;
  const auto take = [&](std::string_view more) { packed += more; };
  for (const std::string& piece : pieces) packer->pack(piece, take);
  packer->finish(take);
  return packed;
}

std::string unpack(const std::string& path) {
  const auto source = open_bytes(path);
  std::string bytes, piece(1000, '\0');
  while (const std::size_t got = source->read(piece.data(), piece.size())) bytes.append(piece, 0, got);
  return bytes;
}

TEST(Packer, WhatIsPackedIsReadBack) {
  const TemporaryFolder folder;
  std::string noise;
  for (unsigned i = 0, state = 1; i < 300'000; ++i)
    noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  for (const char* name : {"text.gz", "text.xz", "text.zst"}) {
    for (const std::vector<std::string>& pieces : {std::vector<std::string>{},
                                                   {""},
                                                   {"a line\n", "", "another\n"},
                                                   {std::string(1 << 20, 'x'), noise}}) {
      std::string text;
      for (const std::string& piece : pieces) text += piece;
      EXPECT_EQ(unpack(folder.write(name, pack(name, pieces))), text) << name;
    }
    EXPECT_LT(pack(name, {std::string(1 << 20, 'x')}).size(), 10'000U) << name;
    EXPECT_EQ(pack(name, {noise}), pack(name, {noise})) << name;
  }
}

TEST(Packer, OtherNamesArePlain) {
  for (const char* name : {"text", "text.gz.txt", "-", "gz"}) EXPECT_EQ(packer_for(name), nullptr) << name;
}

}  // namespace
}  // namespace nmt
