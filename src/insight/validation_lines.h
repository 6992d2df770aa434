// How the translations of some lines of the validation text changed while a model was trained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "data/text/parallel_files.h"

namespace nmt {

/// The files of a run from which they come.
struct ValidationFiles {
  std::string folder;  // of step-00010000.txt ...
  ParallelFiles text;  // what of it cannot be read is left out
};

/// The lines of the validation text that are of interest.
struct LineChoice {
  std::vector<std::int64_t> numbers;  // shown as they changed, counted from 1; none: five that lie evenly
  std::int64_t searched = 0;          // at most so many that lie evenly, of the last validation alone
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
  /// Reads what has come since the last call. Throws Error when a file of translations cannot be read.
  void refresh();

  /// {"steps": [...], "lines": [{"number", "source", "reference", "texts": [one for each step]}]}; of many
  /// steps 40 that lie evenly. Texts are truncated after 2,000 bytes. Lines that the translations do not have
  /// are left out. "searched": {"step", "of": the lines there are, "numbers", "sources", "references",
  /// "texts": lists of one length, or empty}, texts truncated after 500 bytes.
  nlohmann::ordered_json data() const;

 private:
  struct Translations {
    std::filesystem::file_time_type written;
    std::vector<std::string> texts;  // of the lines numbers_, as far as the file has them
  };

  /// What is known of some lines of the text.
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
  std::int64_t count_ = 0;  // lines of the text
  std::map<std::int64_t, Translations> steps_;
  bool has_text_ = false;
  std::vector<std::string> sources_, references_;
  Lines searched_;
};

}  // namespace nmt
