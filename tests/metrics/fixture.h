// Expected results from sacrebleu, made by tests/fixtures/bleu.py and metrics.py.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "common/test_data.h"

namespace nmt {

/// Returns a file of tests/data, such as "bleu/tokens.json", parsed.
inline nlohmann::json fixture(const std::string& name) {
  const std::string path = testing::test_data(name);
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(file);
}

}  // namespace nmt
