// Small model files of fastText.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nmt::testing {

/// The contents of a fastText model file.
struct FastTextFile {
  std::int32_t magic = 793'712'314, version = 12, columns = 2, word_ngrams = 1, loss = 3, kind = 3,
               buckets = 3, shortest = 1, longest = 3;
  bool is_quantized = false, is_pruned = false;
  std::vector<std::string> words = {"</s>", "ab", "cd"};
  std::vector<std::string> labels = {"x", "xx", "xxx"};
  std::vector<std::int64_t> label_counts = {5, 4, 2};

  std::string bytes() const {
    std::string file;
    const auto put = [&file](auto... numbers) {
      (file.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    };
    put(magic, version, columns, 5, 1, 1, 5, word_ngrams, loss, kind, buckets, shortest, longest, 100, 1e-4);
    const auto count = static_cast<std::int32_t>(words.size()),
               label_count = static_cast<std::int32_t>(labels.size());
    put(count + label_count, count, label_count, std::int64_t{9}, std::int64_t{is_pruned ? 2 : -1});
    for (const std::string& word : words) {
      file.append(word.c_str(), word.size() + 1);
      put(std::int64_t{3}, std::int8_t{0});
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::string label = "__label__" + labels[i];
      file.append(label.c_str(), label.size() + 1);
      put(label_counts[i], std::int8_t{1});
    }
    if (is_pruned) put(2, 0, 1, 1);  // buckets 2 and 1 are rows 0 and 1
    put(is_quantized);
    const std::int64_t rows = count + (is_pruned ? 2 : buckets);
    if (is_quantized) {
      put(true, rows, std::int64_t{columns}, static_cast<std::int32_t>(rows));
      for (std::int64_t i = 0; i < rows; ++i) put(static_cast<std::uint8_t>(40 * i + 7));
      put(columns, 1, columns, columns);
      for (int i = 0; i < 256 * columns; ++i) put(static_cast<float>((i * 37) % 101 - 50) / 25);
      for (std::int64_t i = 0; i < rows; ++i) put(static_cast<std::uint8_t>(9 * i + 1));
      put(1, 1, 1, 1);
      for (int i = 0; i < 256; ++i) put(0.5F + static_cast<float>(i) / 64);
    } else {
      put(rows, std::int64_t{columns});
      for (std::int64_t i = 0; i < rows * columns; ++i) put(static_cast<float>((i * 7) % 11 - 5) / 2);
    }
    put(false, std::int64_t{label_count}, std::int64_t{columns});
    for (int i = 0; i < label_count * columns; ++i) put(static_cast<float>((i * 5) % 7 - 3));
    return file;
  }
};

}  // namespace nmt::testing
