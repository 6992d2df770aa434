#include "cli/training/curriculum_file.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "cli/options/value.h"
#include "cli/options/yaml_document.h"
#include "cli/training/train_options.h"
#include "common/error.h"
#include "common/text/spelling.h"
#include "common/text/words.h"

namespace nmt {
namespace {

/// A file of YAML whose nodes are read with their places.
class YamlFile {
 public:
  explicit YamlFile(const std::string& path) : path_(path), document_(read_yaml_document(path)) {}

  const YAML::Node& root() const { return document_.root; }
  std::string where(const YAML::Node& node) const {
    return fmt::format("{}:{}", path_, std::max(node.Mark().line, 0) + 1);
  }
  /// Returns the path of a file that this one names.
  std::string beside(const std::string& file) const {
    return (std::filesystem::path(path_).parent_path() / file).lexically_normal().string();
  }
  const YAML::Node& checked(const YAML::Node& node, bool is_right, const char* expected) const {
    if (!is_right) throw UsageError("{}: expected {}", where(node), expected);
    return node;
  }
  std::string text(const YAML::Node& node) const { return checked(node, node.IsScalar(), "a text").Scalar(); }
  double number(const YAML::Node& node) const { return value<double>(node, "a number"); }
  template <class Number>
  Number value(const YAML::Node& node, const char* expected) const {
    Number number{};
    checked(node, node.IsScalar() && ValueType<Number>::read(node.Scalar(), number) == Reading::good,
            expected);
    return number;
  }
  /// Calls read(name, value) for each member of a mapping.
  template <class Read>
  void members(const YAML::Node& node, Read read) const {
    checked(node, node.IsMap(), "a mapping");
    std::set<std::string> names;
    for (const auto& member : node) {
      const std::string name = text(member.first);
      if (!names.insert(name).second)
        throw UsageError("{}: {} is given twice; leave one out", where(member.first), quoted(name));
      read(name, member.second);
    }
  }
  /// Returns the texts of a list, or of a single value.
  std::vector<std::string> texts(const YAML::Node& node) const {
    if (!node.IsSequence()) return {text(node)};
    std::vector<std::string> texts;
    for (const YAML::Node& element : node) texts.push_back(text(element));
    return texts;
  }
  [[noreturn]] void unknown(const YAML::Node& node, const std::string& name,
                            const std::vector<std::string>& known) const {
    throw UsageError("{}: unknown setting {}{}; choose from {}", where(node), quoted(name),
                     did_you_mean(name, known), join(known, ", "));
  }
  /// Calls read(). Errors begin with the place of a node.
  template <class Read>
  auto at(const YAML::Node& node, Read read) const {
    try {
      return read();
    } catch (const UsageError& error) {
      throw UsageError("{}: {}", where(node), error.what());
    }
  }

 private:
  std::string path_;
  YamlDocument document_;
};

ModifierRates rates_in(const YamlFile& file, const YAML::Node& node) {
  std::vector<std::string> rates;
  if (node.IsMap()) {
    file.members(node, [&](const std::string& name, const YAML::Node& rate) {
      rates.push_back(name + "=" + file.text(rate));
    });
  } else {
    rates = file.texts(node);
  }
  return file.at(node, [&] { return modifier_rates(rates); });
}

CurriculumStage stage_in(const YamlFile& file, const YAML::Node& node) {
  static const std::vector<std::string> kKnown = {"name",         "mix",           "augment", "max_length",
                                                  "batch_tokens", "learning_rate", "until"};
  CurriculumStage stage;
  file.members(node, [&](const std::string& given, const YAML::Node& value) {
    const std::string name = underscored(given);
    if (name == "name") {
      stage.name = file.text(value);
    } else if (name == "mix" && !value.IsMap()) {
      stage.mix = {{file.text(value), 1}};
    } else if (name == "mix") {
      file.members(value, [&](const std::string& text, const YAML::Node& ratio) {
        stage.mix.emplace_back(text, file.number(ratio));
      });
    } else if (name == "augment") {
      stage.augment = rates_in(file, value);
    } else if (name == "max_length" || name == "batch_tokens") {
      auto& number = name == "max_length" ? stage.max_length : stage.batch_tokens;
      number = file.value<std::int64_t>(value, "a whole number");
      file.checked(value, *number > 0, "a number above 0");
    } else if (name == "learning_rate") {
      stage.learning_rate = file.number(value);
      file.checked(value, 0 <= *stage.learning_rate && *stage.learning_rate <= kMostLearningRate,
                   "a number from 0 to 1000000");
    } else if (name == "until") {
      stage.until = file.text(value);
    } else {
      file.unknown(value, given, kKnown);
    }
  });
  file.checked(node, !stage.name.empty(), "a stage with a name");
  return stage;
}

}  // namespace

Curriculum read_curriculum(const std::string& path) {
  const YamlFile file(path);
  Curriculum curriculum;
  std::vector<Column> columns = {Column::source, Column::target};
  file.members(file.root(), [&](const std::string& name, const YAML::Node& value) {
    if (name == "columns") {
      columns = file.at(value, [&] { return columns_named(file.texts(value)); });
    } else if (name == "corpora") {
      file.members(value, [&](const std::string& text, const YAML::Node& named) {
        curriculum.texts.push_back({text, file.beside(file.text(named)), {}});
      });
    } else if (name == "stages") {
      file.checked(value, value.IsSequence(), "a list of stages");
      for (const YAML::Node& stage : value) curriculum.stages.push_back(stage_in(file, stage));
    } else {
      file.unknown(value, name, {"corpora", "columns", "stages"});
    }
  });
  for (CurriculumText& text : curriculum.texts) text.columns = columns;
  curriculum.check(path);
  return curriculum;
}

namespace {

/// Converts the modifiers of OpusTrainer.
class ModifierConversion {
 public:
  ModifierConversion(const YamlFile& file, std::vector<std::string>& left_out)
      : file_(file), left_out_(left_out) {}

  ModifierRates convert(const YAML::Node& list) {
    rates_.clear();
    convert_list(list);
    return file_.at(list, [&] { return modifier_rates(rates_); });
  }

 private:
  void convert_list(const YAML::Node& list) {
    file_.checked(list, list.IsSequence(), "a list of modifiers");
    for (const YAML::Node& modifier : list) {
      if (modifier.IsSequence()) {
        convert_list(modifier);
      } else {
        convert_modifier(modifier);
      }
    }
  }

  /// The first member is the modifier with its rate; the others are its parameters.
  void convert_modifier(const YAML::Node& modifier) {
    static const std::map<std::string, std::string> kNames = {
        {"UpperCase", "upper"}, {"TitleCase", "title"},          {"Typos", "typo"},
        {"Merge", "merge"},     {"RemoveEndPunct", "strip-end"}, {"Noise", "noise"}};
    std::string kind;
    double rate = 0, copy = 0;
    file_.members(modifier, [&](const std::string& name, const YAML::Node& value) {
      if (kind.empty()) {
        kind = name;
        rate = file_.number(value);
      } else if (kind == "Tags" && name == "augment") {
        copy = file_.number(value);
      } else if (!has_usual_value(kind, name, value)) {
        left_out_.push_back(kind + ": " + name);
      }
    });
    const auto named = kNames.find(kind);
    if (named != kNames.end()) {
      rates_.push_back(fmt::format("{}={}", named->second, rate));
    } else if (kind == "Tags" && copy > 0) {
      rates_.push_back(fmt::format("copy={}", rate * copy));
    } else if (rate > 0) {
      left_out_.push_back(kind);
    }
  }

  /// Whether a parameter asks for what nmt always does.
  bool has_usual_value(const std::string& kind, const std::string& name, const YAML::Node& value) {
    static const std::map<std::string, std::string> kUsual = {
        {"Noise.min_word_length", "2"}, {"Noise.max_word_length", "5"}, {"Noise.max_words", "6"},
        {"Merge.min_lines", "2"},       {"Merge.max_lines", "4"},       {"Tags.tag", "0"},
        {"Tags.replace", "0"}};
    // Alignments are those of words, and become those of pieces, in any case.
    if (kind == "Tags" && name.starts_with("spm_vocab")) return true;
    const auto usual = kUsual.find(kind + "." + name);
    return usual != kUsual.end() && value.IsScalar() && value.Scalar() == usual->second;
  }

  const YamlFile& file_;
  std::vector<std::string>& left_out_;
  std::vector<std::string> rates_;
};

/// Converts a list "TEXT RATIO", whose last element is "until TEXT PASSES" or "until TEXT inf".
void convert_mix(const YamlFile& file, const YAML::Node& list, CurriculumStage& stage) {
  file.checked(list, list.IsSequence() && list.size() > 1,
               "texts with ratios, and 'until TEXT PASSES' at the end");
  for (const YAML::Node& element : list) {
    const std::string line = file.text(element);
    const std::vector<std::string_view> words = words_in(line);
    double ratio = 0;
    if (words.size() == 3 && words[0] == "until") {
      if (words[2] != "inf") stage.until = fmt::format("{} epochs of {}", words[2], words[1]);
    } else if (words.size() == 2 && ValueType<double>::read(words[1], ratio) == Reading::good) {
      if (ratio > 0) stage.mix.emplace_back(words[0], ratio);
    } else {
      throw UsageError("{}: expected 'TEXT RATIO' or 'until TEXT PASSES', got {}", file.where(element),
                       quoted(line));
    }
  }
}

}  // namespace

ConvertedCurriculum read_opustrainer(const std::string& path) {
  const YamlFile file(path);
  ConvertedCurriculum converted;
  const YAML::Node root = file.checked(file.root(), file.root().IsMap(), "a mapping");
  const auto member = [&](const char* name) {
    const YAML::Node node = root[name];
    if (!node.IsDefined()) throw UsageError("{}: a configuration of OpusTrainer has {}; add it", path, name);
    return node;
  };
  std::vector<Column> columns = {Column::source, Column::target};
  if (const YAML::Node fields = root["num_fields"]; fields.IsDefined() && file.text(fields) == "3")
    columns.push_back(Column::alignment);
  file.members(member("datasets"), [&](const std::string& name, const YAML::Node& named) {
    converted.curriculum.texts.push_back({name, file.beside(file.text(named)), columns});
  });
  ModifierConversion modifiers(file, converted.left_out);
  ModifierRates rates;
  if (const YAML::Node given = root["modifiers"]; given.IsDefined() && !given.IsNull())
    rates = modifiers.convert(given);
  for (const std::string& name : file.texts(member("stages"))) {
    CurriculumStage stage{.name = name, .mix = {}, .augment = rates};
    const YAML::Node node = member(name.c_str());
    if (node.IsMap()) {
      const YAML::Node mix = node["mix"], own = node["modifiers"];
      file.checked(node, mix.IsDefined(), "a stage with a mix");
      convert_mix(file, mix, stage);
      if (own.IsDefined()) stage.augment = modifiers.convert(own);
    } else {
      convert_mix(file, node, stage);
    }
    converted.curriculum.stages.push_back(std::move(stage));
  }
  for (const char* name : {"seed", "trainer"}) {
    if (root[name].IsDefined()) converted.left_out.emplace_back(name);
  }
  std::ranges::sort(converted.left_out);
  converted.left_out.erase(std::unique(converted.left_out.begin(), converted.left_out.end()),
                           converted.left_out.end());
  converted.curriculum.check(path);
  return converted;
}

}  // namespace nmt
