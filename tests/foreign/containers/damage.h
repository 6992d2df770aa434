// Truncated and changed files: each must be read or rejected, and nothing else may happen.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "foreign/containers/every_reading.h"

namespace nmt::testing {

using OpenTensors = std::function<std::unique_ptr<TensorFile>(const std::string& path)>;

/// Whether a file with these bytes is rejected, when it is opened or read; any exception but Error ends the
/// test.
inline bool is_refused(const OpenTensors& open, const std::string& bytes) {
  static const TemporaryFolder folder;
  try {
    read_all(*open(folder.write("damaged", bytes)));
    return false;
  } catch (const Error&) {
    return true;
  }
}

/// Expects that a file truncated at any of some hundred places is rejected.
inline void expect_no_part_is_read(const OpenTensors& open, const std::string& bytes) {
  EXPECT_FALSE(is_refused(open, bytes));
  for (std::size_t size = 0; size < bytes.size(); size += std::max<std::size_t>(1, bytes.size() / 300))
    EXPECT_TRUE(is_refused(open, bytes.substr(0, size))) << size << " of " << bytes.size();
}

/// Flips a bit of each byte in turn, or of some hundred bytes; returns how many results were rejected.
inline int refused_after_flips(const OpenTensors& open, const std::string& bytes) {
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += std::max<std::size_t>(1, bytes.size() / 500)) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1 << at % 8);
    refused += is_refused(open, changed) ? 1 : 0;
  }
  return refused;
}

}  // namespace nmt::testing
