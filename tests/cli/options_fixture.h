// A table with a setting of every type, for tests of the settings framework.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "train/interval.h"

namespace nmt {

struct Settings {
  int beam = 4;
  std::int64_t steps = 100;
  std::uint64_t seed = 1;
  double dropout = 0.1;
  std::string title = "plain";
  bool shuffle = true;
  bool quiet = false;
  Interval save_every{5000, Interval::Unit::updates};
  std::optional<double> clip_norm;
  std::optional<std::string> note;
  std::vector<std::string> train, words;
  int d_model = 512;
  std::string norm = "post";
  std::string output;
  std::string color = "auto";

  bool operator==(const Settings&) const = default;
};

/// The table bound to a set of settings.
struct Program {
  Settings settings;
  std::vector<std::string> arguments;
  Options options{"nmt try", "[FILE ...]", "Tries things.", "nmt try --beam 2 a b"};

  Program() {
    options.add("beam,b", settings.beam, "N", "width of the search").range(1, 64);
    options.add("steps", settings.steps, "N", "updates");
    options.add("seed", settings.seed, "N", "seed");
    options.add("dropout", settings.dropout, "P", "share dropped").range(0, 1);
    options.add("title", settings.title, "TEXT", "title");
    options.add("shuffle", settings.shuffle, "true|false", "whether to shuffle");
    options.flag("quiet,q", settings.quiet, "say less");
    options.add("save-every", settings.save_every, "INTERVAL", "how often to save");
    options.add("clip-norm", settings.clip_norm, "X", "clips gradients").range(0, 100);
    options.add("note", settings.note, "TEXT", "note");
    options.add("train", settings.train, "FILE", "training text");
    options.add("words", settings.words, "TEXT", "words");
    options.add("d-model", settings.d_model, "N", "width of the model").section("model").group("model");
    options.add("norm", settings.norm, "", "place of the norm")
        .choices({"post", "pre"})
        .section("model")
        .group("model");
    options.add("output,o", settings.output, "FILE", "where to write").command_line_only().writes();
    options.add("color", settings.color, "WHEN", "color").transient();
    options.positional(arguments, "FILE", "inputs", 0, 2);
  }

  /// Returns the message of the UsageError that these arguments cause; empty if they are valid.
  std::string error(const std::vector<std::string>& given) {
    try {
      options.parse(given);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
};

/// Runs tests that write settings files in a folder of their own, so that messages have short names.
class InFolder : public ::testing::Test {
 protected:
  InFolder() : home_(std::filesystem::current_path()) { std::filesystem::current_path(folder_ / ""); }
  ~InFolder() override { std::filesystem::current_path(home_); }

  void write(const std::string& path, const std::string& text) const { folder_.write(path, text); }

  /// Returns the message for a file run.yml with this text.
  std::string error_of(const std::string& text) const {
    write("run.yml", text);
    return Program().error({"--config", "run.yml"});
  }

  /// Returns the settings that a file with this text gives.
  Settings settings_of(const std::string& text) const {
    write("run.yml", text);
    Program program;
    program.options.parse({"--config", "run.yml"});
    return program.settings;
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path home_;
};

}  // namespace nmt
