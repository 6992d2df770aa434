// How the translations of some lines of the validation text changed while a model was trained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

/// The files of a run from which they come.
struct ValidationFiles {
  std::string folder;                            // of step-00010000.txt ...
  std::optional<std::string> source, reference;  // the validation text; what cannot be read is left out
};

class ValidationLines {
 public:
  /// `numbers`: the lines, counted from 1; none: five that lie evenly in the text.
  ValidationLines(ValidationFiles files, std::vector<std::int64_t> numbers)
      : files_(std::move(files)), numbers_(std::move(numbers)) {}

  /// Reads what has come since the last call. Throws Error when a file of translations cannot be read.
  void refresh();

  /// {"steps": [...], "lines": [{"number", "source", "reference", "texts": [one for each step]}]}; of many
  /// steps 40 that lie evenly. Texts are cut after 2,000 bytes. Lines that the translations do not have are
  /// left out.
  nlohmann::ordered_json data() const;

 private:
  struct Translations {
    std::filesystem::file_time_type written;
    std::vector<std::string> texts;  // of the lines numbers_, as far as the file has them
  };

  void choose(const std::string& file);
  void read_text();

  ValidationFiles files_;
  std::vector<std::int64_t> numbers_;
  std::map<std::int64_t, Translations> steps_;
  bool has_text_ = false;
  std::vector<std::string> sources_, references_;
};

}  // namespace nmt
