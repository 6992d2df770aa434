#include "cli/training/curriculum_file.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "cli/options/value.h"
#include "cli/options/yaml_document.h"
#include "cli/training/train_options.h"
#include "common/error.h"
#include "common/text/spelling.h"
#include "common/text/words.h"

namespace nmt {
namespace {

/// A value in a file of YAML. Messages about it begin with its place and its name: "a.yml:3: stage 'one':
/// until".
class YamlValue {
 public:
  /// `name`: empty for the whole file.
  YamlValue(const std::string& path, const YAML::Node& node, std::string name = "")
      : path_(path), node_(node), name_(std::move(name)) {}

  bool is_defined() const { return node_.IsDefined() && !node_.IsNull(); }
  bool is_mapping() const { return node_.IsMap(); }
  bool is_scalar() const { return node_.IsDefined() && node_.IsScalar(); }
  bool is_list() const { return node_.IsSequence(); }
  std::string place() const {
    const int line = std::max(node_.Mark().line, 0) + 1;
    return fmt::format("{}:{}{}{}", path_, line, name_.empty() ? "" : ": ", name_);
  }
  YamlValue named(std::string name) const { return {path_, node_, std::move(name)}; }

  void check(bool is_right, const char* expected) const {
    if (!is_right) throw UsageError("{}: expected {}", place(), expected);
  }
  std::string text() const {
    check(node_.IsScalar(), "a text");
    return node_.Scalar();
  }
  double number() const { return value<double>("a number"); }
  template <class Number>
  Number value(const char* expected) const {
    Number number{};
    check(node_.IsScalar() && ValueType<Number>::read(node_.Scalar(), number) == Reading::good, expected);
    return number;
  }
  /// Returns the path of a file that is named relative to the folder of this file.
  std::string file() const {
    return (std::filesystem::path(path_).parent_path() / text()).lexically_normal().string();
  }
  /// Returns a member of a mapping, which may be undefined.
  YamlValue member(const std::string& name) const { return {path_, node_[name], name_of_member(name)}; }
  /// Calls read(name, value) for each member of a mapping.
  template <class Read>
  void members(Read read) const {
    check(node_.IsMap(), "a mapping");
    std::set<std::string> names;
    for (const auto& member : node_) {
      const YamlValue key(path_, member.first, name_);
      const std::string name = key.text();
      if (!names.insert(name).second)
        throw UsageError("{}: {} is given twice; leave one out", key.place(), quoted(name));
      read(name, YamlValue(path_, member.second, name_of_member(name)));
    }
  }
  /// Returns the elements of a list.
  std::vector<YamlValue> elements() const {
    std::vector<YamlValue> elements;
    for (const YAML::Node& element : node_) elements.emplace_back(path_, element, name_);
    return elements;
  }
  /// Returns the texts of a list, or of a single value.
  std::vector<std::string> texts() const {
    if (!is_list()) return {text()};
    std::vector<std::string> texts;
    for (const YamlValue& element : elements()) texts.push_back(element.text());
    return texts;
  }
  /// Throws UsageError for the name of a member that this mapping does not have.
  [[noreturn]] void refuse(const std::string& name, const std::vector<std::string>& known) const {
    throw UsageError("{}: unknown setting {}{}; choose from {}", member(name).named(name_).place(),
                     quoted(name), did_you_mean(name, known), join(known, ", "));
  }

 private:
  std::string name_of_member(const std::string& name) const {
    return name_.empty() ? name : name_ + ": " + name;
  }

  std::string path_;
  YAML::Node node_;
  std::string name_;
};

ModifierRates rates_in(const YamlValue& value) {
  std::vector<std::string> rates;
  if (value.is_mapping()) {
    value.members(
        [&](const std::string& name, const YamlValue& rate) { rates.push_back(name + "=" + rate.text()); });
  } else {
    rates = value.texts();
  }
  return modifier_rates(rates, value.place());
}

/// Returns the name of a stage for messages.
std::string stage_name(const YamlValue& stage, std::size_t number) {
  if (stage.is_mapping()) {
    if (const YamlValue name = stage.member("name"); name.is_scalar()) return "stage " + quoted(name.text());
  }
  return fmt::format("stage {}", number);
}

CurriculumStage stage_in(const YamlValue& given) {
  static const std::vector<std::string> kKnown = {"name",         "mix",           "augment", "max_length",
                                                  "batch_tokens", "learning_rate", "until"};
  CurriculumStage stage;
  given.members([&](const std::string& given_name, const YamlValue& value) {
    const std::string name = underscored(given_name);
    if (name == "name") {
      stage.name = value.text();
    } else if (name == "mix" && !value.is_mapping()) {
      stage.mix = {{value.text(), 1}};
    } else if (name == "mix") {
      value.members([&](const std::string& text, const YamlValue& ratio) {
        stage.mix.emplace_back(text, ratio.number());
      });
    } else if (name == "augment") {
      stage.augment = rates_in(value);
    } else if (name == "max_length" || name == "batch_tokens") {
      auto& number = name == "max_length" ? stage.max_length : stage.batch_tokens;
      number = value.value<std::int64_t>("a whole number");
      value.check(*number > 0, "a number above 0");
    } else if (name == "learning_rate") {
      stage.learning_rate = value.number();
      value.check(0 <= *stage.learning_rate && *stage.learning_rate <= kMostLearningRate,
                  "a number from 0 to 1000000");
    } else if (name == "until") {
      stage.until = value.text();
    } else {
      given.refuse(given_name, kKnown);
    }
  });
  given.check(!stage.name.empty(), "a stage with a name");
  return stage;
}

}  // namespace

Curriculum read_curriculum(const std::string& path) {
  const YamlDocument document = read_yaml_document(path);
  const YamlValue root(path, document.root);
  Curriculum curriculum;
  std::vector<Column> columns = {Column::source, Column::target};
  root.members([&](const std::string& name, const YamlValue& value) {
    if (name == "columns") {
      columns = columns_named(value.texts(), value.place());
    } else if (name == "corpora") {
      value.members([&](const std::string& text, const YamlValue& file) {
        curriculum.texts.push_back({text, file.file(), {}});
      });
    } else if (name == "stages") {
      value.check(value.is_list(), "a list of stages");
      for (const YamlValue& stage : value.elements())
        curriculum.stages.push_back(stage_in(stage.named(stage_name(stage, curriculum.stages.size() + 1))));
    } else {
      root.refuse(name, {"corpora", "columns", "stages"});
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
  explicit ModifierConversion(std::vector<std::string>& left_out) : left_out_(left_out) {}

  ModifierRates convert(const YamlValue& list) {
    rates_.clear();
    convert_list(list);
    return modifier_rates(rates_, list.place());
  }

 private:
  void convert_list(const YamlValue& list) {
    list.check(list.is_list(), "a list of modifiers");
    for (const YamlValue& modifier : list.elements()) {
      if (modifier.is_list()) {
        convert_list(modifier);
      } else {
        convert_modifier(modifier);
      }
    }
  }

  /// The first member is the modifier with its rate; the others are its parameters.
  void convert_modifier(const YamlValue& modifier) {
    static const std::map<std::string, std::string> kNames = {
        {"UpperCase", "upper"}, {"TitleCase", "title"},          {"Typos", "typo"},
        {"Merge", "merge"},     {"RemoveEndPunct", "strip-end"}, {"Noise", "noise"}};
    std::string kind;
    double rate = 0, copy = 0;
    modifier.members([&](const std::string& name, const YamlValue& value) {
      if (kind.empty()) {
        kind = name;
        rate = value.number();
      } else if (kind == "Tags" && name == "augment") {
        copy = value.number();
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
  bool has_usual_value(const std::string& kind, const std::string& name, const YamlValue& value) {
    static const std::map<std::string, std::string> kUsual = {
        {"Noise.min_word_length", "2"}, {"Noise.max_word_length", "5"}, {"Noise.max_words", "6"},
        {"Merge.min_lines", "2"},       {"Merge.max_lines", "4"},       {"Tags.tag", "0"},
        {"Tags.replace", "0"}};
    // Alignments are those of words, and become those of pieces, in any case.
    if (kind == "Tags" && name.starts_with("spm_vocab")) return true;
    const auto usual = kUsual.find(kind + "." + name);
    return usual != kUsual.end() && value.is_scalar() && value.text() == usual->second;
  }

  std::vector<std::string>& left_out_;
  std::vector<std::string> rates_;
};

/// Converts a list "TEXT RATIO", whose last element is "until TEXT PASSES" or "until TEXT inf".
void convert_mix(const YamlValue& list, CurriculumStage& stage) {
  list.check(list.is_list() && list.elements().size() > 1,
             "texts with ratios, and 'until TEXT PASSES' at the end");
  for (const YamlValue& element : list.elements()) {
    const std::string line = element.text();
    const std::vector<std::string_view> words = words_in(line);
    double ratio = 0;
    if (words.size() == 3 && words[0] == "until") {
      if (words[2] != "inf") stage.until = fmt::format("{} epochs of {}", words[2], words[1]);
    } else if (words.size() == 2 && ValueType<double>::read(words[1], ratio) == Reading::good) {
      if (ratio > 0) stage.mix.emplace_back(words[0], ratio);
    } else {
      throw UsageError("{}: expected 'TEXT RATIO' or 'until TEXT PASSES', got {}", element.place(),
                       quoted(line));
    }
  }
}

}  // namespace

ConvertedCurriculum read_opustrainer(const std::string& path) {
  const YamlDocument document = read_yaml_document(path);
  const YamlValue root(path, document.root);
  root.check(root.is_mapping(), "a mapping");
  ConvertedCurriculum converted;
  const auto member = [&](const std::string& name) {
    YamlValue value = root.member(name);
    if (!value.is_defined())
      throw UsageError("{}: a configuration of OpusTrainer has {}; add it", path, name);
    return value;
  };
  std::vector<Column> columns = {Column::source, Column::target};
  if (const YamlValue fields = root.member("num_fields"); fields.is_defined() && fields.text() == "3")
    columns.push_back(Column::alignment);
  member("datasets").members([&](const std::string& name, const YamlValue& file) {
    converted.curriculum.texts.push_back({name, file.file(), columns});
  });
  ModifierConversion modifiers(converted.left_out);
  ModifierRates rates;
  if (const YamlValue given = root.member("modifiers"); given.is_defined()) rates = modifiers.convert(given);
  for (const std::string& name : member("stages").texts()) {
    CurriculumStage stage{.name = name, .mix = {}, .augment = rates};
    const YamlValue given = member(name).named("stage " + quoted(name));
    if (given.is_mapping()) {
      const YamlValue mix = given.member("mix"), own = given.member("modifiers");
      given.check(mix.is_defined(), "a stage with a mix");
      convert_mix(mix, stage);
      if (own.is_defined()) stage.augment = modifiers.convert(own);
    } else {
      convert_mix(given, stage);
    }
    converted.curriculum.stages.push_back(std::move(stage));
  }
  for (const char* name : {"seed", "trainer"}) {
    if (root.member(name).is_defined()) converted.left_out.emplace_back(name);
  }
  std::ranges::sort(converted.left_out);
  converted.left_out.erase(std::unique(converted.left_out.begin(), converted.left_out.end()),
                           converted.left_out.end());
  converted.curriculum.check(path);
  return converted;
}

}  // namespace nmt
