// The changes of the translations of some validation lines during training.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/text/parallel_text.h"

namespace nmt {

/// The files of a run that contain the validation translations.
struct ValidationFiles {
  std::string folder;  // contains step-00010000.txt ...
  ParallelFiles text;  // texts that cannot be read are left out
};

/// Selects lines of the validation text.
struct LineChoice {
  std::vector<std::int64_t>
      numbers;  // lines whose history is shown, counted from 1; empty: five evenly spaced lines
  std::int64_t searched =
      0;  // maximum number of evenly spaced lines of the last validation that can be searched
};

class ValidationLines {
 public:
  ValidationLines(ValidationFiles files, LineChoice choice, const JobContext& job = {})
      : job_(job),
        files_(std::move(files)),
        numbers_(std::move(choice.numbers)),
        most_searched_(choice.searched) {}

  /// Replaces the validation text.
  void set_text(ParallelFiles text);
  /// Reads what was added since the last call. Throws Error if a file of translations cannot be read.
  void refresh();

  /// Returns {"steps": [...], "lines": [{"number", "source", "reference", "texts": [one per step]}]}; of many
  /// steps, 40 evenly spaced ones. Texts are truncated after 2,000 bytes. Lines that the translations lack
  /// are left out. "searched": {"step", "of": number of lines, "numbers", "sources", "references", "texts":
  /// lists of equal length, or empty}, with texts truncated after 500 bytes.
  nlohmann::ordered_json data() const;

 private:
  struct Translations {
    std::filesystem::file_time_type written;
    std::vector<std::string> texts;  // of the lines numbers_, as far as the file contains them
  };

  /// Some lines of the text with their sources and references.
  struct Lines {
    std::vector<std::int64_t> numbers;
    std::vector<std::string> sources, references, texts;
  };

  void choose(const std::string& file);
  void read_text();
  nlohmann::ordered_json searched() const;

  JobContext job_;
  ValidationFiles files_;
  std::vector<std::int64_t> numbers_;
  std::int64_t most_searched_;
  std::int64_t count_ = 0;  // number of lines of the text
  std::map<std::int64_t, Translations> steps_;
  bool has_text_ = false;
  std::vector<std::string> sources_, references_;
  Lines searched_;
};

}  // namespace nmt
