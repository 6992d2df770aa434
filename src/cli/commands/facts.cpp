#include "cli/commands/facts.h"

#include <expat.h>
#include <fmt/format.h>
#include <lzma.h>
#include <unicode/uvernum.h>
#include <xxhash.h>
#include <yaml-cpp/yaml.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <boost/version.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "backend/factory.h"
#include "cli/files/model_file.h"
#include "cli/options/value.h"
#include "commit.h"
#include "common/error.h"
#include "common/process/resources.h"
#include "common/text/utf8.h"
#include "data/packed/packed_corpus.h"
#include "data/vocabulary/vocabulary_check.h"
#include "engine/decoding_defaults.h"
#include "foreign/open.h"
#include "nn/files/file_weights.h"
#include "nn/registry.h"
#include "nn/saved/saved_model.h"
#include "train/meter.h"
#include "train/run/checkpoints.h"
#include "translate/search/search_state.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

constexpr std::string_view kBytesSuffix = "bytes";
constexpr std::size_t kIndent = 2;

bool is_size(const std::string& name, const Facts& value) {
  return value.is_number() && name.ends_with(kBytesSuffix);
}

/// Returns the label of a line: "weights" for "weights_bytes", "size" for "bytes".
std::string label(const std::string& name, const Facts& value) {
  std::string text = name;
  if (is_size(name, value)) text.resize(name.size() - kBytesSuffix.size());
  std::ranges::replace(text, '_', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text.empty() ? "size" : text;
}

/// Makes text from a file safe to print on one line of a terminal.
std::string harmless(std::string text) {
  repair_utf8(text);
  std::ranges::replace_if(
      text, [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7F'; }, ' ');
  return text;
}

std::string value_text(const std::string& name, const Facts& value) {
  if (is_size(name, value)) return fmt::format("{:.1f} MB", value.get<double>() / 1e6);
  if (value.is_string()) return harmless(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{:.4f}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Facts& element : value) {
    if (!text.empty()) text += ' ';
    text += value_text(name, element);
  }
  return text;
}

std::string lines_of(const Facts& facts, std::size_t margin) {
  std::size_t widest = 0;
  for (const auto& [name, value] : facts.items()) {
    if (!value.is_object()) widest = std::max(widest, label(name, value).size());
  }
  std::string text;
  for (const auto& [name, value] : facts.items()) {
    const std::string begin = std::string(margin, ' ') + label(name, value);
    if (value.is_object()) {
      text += begin + '\n' + lines_of(value, margin + kIndent);
    } else {
      text += fmt::format("{:<{}}  {}\n", begin, margin + widest, value_text(name, value));
    }
  }
  return text;
}

}  // namespace

std::string facts_text(const Facts& facts) {
  return lines_of(facts, 0);
}

std::string facts_json(const Facts& facts) {
  return facts.dump(2, ' ', false, Facts::error_handler_t::replace) + '\n';
}

namespace {

/// Returns the processor's name according to the system.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Returns the instruction sets that this program has code for and this processor supports.
Facts instruction_sets() {
  Facts sets = Facts::array();
  for (const std::string& isa : cpu_instruction_sets()) {
    const auto opens = [&](const std::string& precision) {
      try {
        open_backend({.device = "cpu", .precision = precision, .cpu_isa = isa});
        return true;
      } catch (const UsageError&) {
        return false;  // not on this processor, or not for this type
      }
    };
    if (opens("bf16") || opens("int8")) sets.push_back(isa);
  }
  return sets;
}

std::string description(const DeviceSettings& settings) {
  try {
    return open_backend(settings)->description();
  } catch (const Error& error) {
    return error.what();
  }
}

Facts devices() {
  const int threads = cores_available();
  return {{"auto", description({.threads = threads})},
          {"cpu", description({.device = "cpu", .threads = threads})},
          {"cpu in bf16", description({.device = "cpu", .precision = "bf16", .threads = threads})},
          {"cpu in int8", description({.device = "cpu", .precision = "int8", .threads = threads})},
          {"cuda", description({.device = "cuda"})},
          {"reference", description({.device = "reference"})}};
}

Facts libraries() {
  return {{"boost",
           fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
          {"expat", fmt::format("{}.{}.{}", XML_MAJOR_VERSION, XML_MINOR_VERSION, XML_MICRO_VERSION)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"icu", U_ICU_VERSION},
          {"libzip", zip_libzip_version()},
          {"lzma", lzma_version_string()},
          {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                        NLOHMANN_JSON_VERSION_PATCH)},
          {"sentencepiece", NMT_SENTENCEPIECE_VERSION},
          {"xxhash", fmt::format("{}.{}.{}", XXH_versionNumber() / 10000, XXH_versionNumber() / 100 % 100,
                                 XXH_versionNumber() % 100)},
          {"yaml-cpp", NMT_YAML_CPP_VERSION},
          {"zlib", zlibVersion()},
          {"zstd", ZSTD_versionString()}};
}

}  // namespace

Facts build_facts() {
  return {{"nmt", NMT_VERSION}, {"commit", NMT_COMMIT}, {"compiler", __VERSION__}, {"build", NMT_BUILD}};
}

Facts machine_facts() {
  Facts facts = build_facts();
  facts.update(Facts{{"processor", processor()},
                     {"instruction_sets", instruction_sets()},
                     {"threads", cores_available()},
                     {"memory_bytes", machine_bytes()},
                     {"memory_available_bytes", available_bytes()},
                     {"devices", devices()},
                     {"libraries", libraries()}});
  return facts;
}

namespace {

namespace fs = std::filesystem;

constexpr int kSampledPieces = 12;

std::optional<std::int64_t> number_in(const ModelFile& file, const std::string& key) {
  std::int64_t number = 0;
  const bool is_read = ValueType<std::int64_t>::read(file.metadata(key), number) == Reading::good;
  return is_read ? std::optional(number) : std::nullopt;
}

/// Returns the counters that training wrote into the file, and the validation of that update if the file is
/// in its run directory.
Facts training_facts(const ModelFile& file) {
  Facts facts = Facts::object();
  for (const char* key : {"updates", "source_tokens", "target_tokens", "averaged_models"}) {
    if (const auto number = number_in(file, key)) facts[key] = *number;
  }
  const auto updates = number_in(file, "updates");
  if (updates && !number_in(file, "averaged_models")) {
    const auto validation = validation_of(fs::path(file.path()).parent_path().string(), *updates);
    if (validation && validation->value("target_tokens", Facts()) == facts.value("target_tokens", Facts())) {
      for (const auto& [figure, value] : figures_of(*validation)) facts["validation"][figure] = value;
    }
  }
  return facts;
}

/// Returns the size of a vocabulary and sample pieces, evenly spaced.
Facts vocabulary_facts(const Vocabulary& vocabulary) {
  std::vector<int> ids;
  const std::int64_t count = std::min(kSampledPieces, vocabulary.size());
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(static_cast<int>(i * vocabulary.size() / count));
  Facts facts = {{"pieces", vocabulary.size()}, {"samples", vocabulary.pieces(ids)}};
  if (!vocabulary.languages().empty()) facts["languages"] = vocabulary.languages();
  return facts;
}

Facts vocabularies_facts(const Vocabularies& vocabularies) {
  if (vocabularies.shared()) return {{"shared", vocabulary_facts(vocabularies.source)}};
  return {{"source", vocabulary_facts(vocabularies.source)},
          {"target", vocabulary_facts(vocabularies.target)}};
}

/// Returns how many target pieces a shortlist allows for any sentence, and for a source piece on average.
Facts shortlist_facts(const Shortlist& shortlist) {
  double ids = 0;
  for (const Shortlist::Ids& of_piece : shortlist.of_source()) ids += static_cast<double>(of_piece.size());
  const auto pieces = static_cast<double>(shortlist.of_source().size());
  return {{"pieces_of_any_sentence", shortlist.always().size()},
          {"pieces_of_a_source_piece", std::round(10 * ids / std::max(pieces, 1.0)) / 10}};
}

Facts parameter_facts(const Parameters& parameters) {
  Facts facts = {{"all", parameters.count()}};
  for (const auto& [part, count] : parameters.count_by_part()) facts[part] = count;
  return facts;
}

/// Returns the element types of the weights, which are all tensors except vocabularies and the shortlist.
Facts precisions(const ModelFile& file) {
  std::set<std::string> types;
  for (const FileTensor& tensor : file.tensors()) {
    const bool is_weight = tensor.dtype != DType::u8 && tensor.dtype != DType::i32;
    if (is_weight) types.emplace(tensor.dtype == DType::i8 ? "int8" : name_of(tensor.dtype));
  }
  return types;
}

/// Returns the default settings of nmt translate for a model. Throws Error if the model file has invalid
/// ones.
TranslationSettings usual_settings(const SavedModel& model, const std::string& path) {
  TranslationSettings usual;
  ForbiddenTokens forbidden;
  take_decoding_defaults(model, model.vocabularies.target, path, {}, usual.search, forbidden);
  return usual;
}

/// Returns the memory of translating on one CPU thread, in the CPU's default precision for the model, with
/// these settings, sentences of a usual length into equally long ones. Nothing if the processor is not
/// supported.
Facts memory_facts(const SavedModel& model, TranslationSettings usual, bool quantized) {
  constexpr std::int64_t kUsualLength = 25;
  const std::int64_t length = std::min(kUsualLength, model.model->max_positions().value_or(kUsualLength));
  usual.search.max_length_factor = 1;
  usual.search.max_length_extra = 0;
  std::unique_ptr<Backend> cpu;
  try {
    cpu = open_backend({.device = "cpu", .quantized_models = quantized});
  } catch (const UsageError&) {
    return {};
  }
  const SentenceRules rules{.allowed = {.shortlist = model.shortlist},
                            .first_tokens = model.vocabularies.target.first_tokens()};
  const TranslationMemory memory =
      translation_memory(model.settings, *cpu, usual.search, translation_capacity(usual), length, rules);
  return {{"of", fmt::format("{} tokens at a time, sentences of {} into as many, beam {}", usual.batch_tokens,
                             length, usual.search.beam)},
          {"weights_bytes", memory.weights},
          {"search_bytes", memory.search}};
}

/// Returns settings that are not empty.
Facts settings_facts(const std::vector<std::pair<std::string, std::string>>& settings) {
  Facts facts = Facts::object();
  for (const auto& [name, value] : settings) {
    if (!value.empty()) facts[name] = value;
  }
  return facts;
}

/// Returns the settings of a model that have an effect.
Facts effective_settings(const ModelSettings& settings) {
  const ModelType& type = ModelRegistry::instance().type_of(settings);
  Facts facts = Facts::object();
  for (const auto& [name, value] : settings) {
    const ModelKey* const key = type.key(name);
    if (key == nullptr || has_effect(*key, settings)) facts[name] = value;
  }
  return facts;
}

}  // namespace

Facts model_facts(const std::string& path) {
  const std::string toolkit = toolkit_of(path);
  const ModelFile file = open_model_file(path);
  Facts facts = {{"file", path}, {"kind", "model"}};
  if (toolkit.empty()) {
    facts["bytes"] = fs::file_size(path);
    facts["checksum"] = file.metadata("checksum").empty() ? "none" : "matches";
  } else {
    facts["toolkit"] = toolkit;
  }
  facts["precision"] = toolkit.empty() ? precisions(file) : Facts(types_in_files_of(path));
  if (const SavedNetwork saved = blank_network(file);
      !ModelRegistry::instance().type_of(saved.settings).translates) {
    facts["weights"] = parameter_facts(saved.network->parameters());
    facts["model"] = settings_facts({saved.settings.begin(), saved.settings.end()});
    facts["vocabulary"] = vocabularies_facts(saved.vocabularies);
    return facts;
  }
  const SavedModel model = blank_model(file);
  facts["weights"] = parameter_facts(model.model->parameters());
  if (const Facts training = training_facts(file); !training.empty()) facts["trained"] = training;
  if (const auto merged = low_rank_base(file, kMergedKey)) {
    facts["low_rank_updates"] = {
        {"rank", merged->settings.rank}, {"alpha", merged->settings.alpha}, {"base", merged->path}};
  }
  facts["model"] = effective_settings(model.settings);
  if (const Facts recipe = settings_facts(read_plain_settings(file.config())); !recipe.empty()) {
    facts["training_settings"] = recipe;
  }
  const TranslationSettings usual = usual_settings(model, path);
  if (!model.decoding.empty())
    facts["decoding"] = settings_facts({model.decoding.begin(), model.decoding.end()});
  facts["vocabulary"] = vocabularies_facts(model.vocabularies);
  if (model.shortlist) facts["shortlist"] = shortlist_facts(*model.shortlist);
  if (!model.model->has_source()) return facts;
  if (const Facts memory = memory_facts(model, usual, is_quantized(file)); !memory.empty())
    facts["memory_to_translate"] = memory;
  return facts;
}

Facts run_directory_facts(const std::string& directory) {
  Facts facts = {{"run", directory}};
  const std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  facts["checkpoints"] = checkpoints.size();
  if (!checkpoints.empty()) facts["newest_update"] = checkpoints.back().step;
  facts.update(model_facts(chosen_model(directory)));
  return facts;
}

Facts vocabulary_file_facts(const std::string& path) {
  static const std::map<VocabularyType, const char*> kTypes = {{VocabularyType::unigram, "unigram"},
                                                               {VocabularyType::bpe, "bpe"},
                                                               {VocabularyType::word, "word"},
                                                               {VocabularyType::character, "char"}};
  const Vocabulary vocabulary = Vocabulary::load(path);
  Facts facts = {{"file", path},
                 {"kind", "vocabulary"},
                 {"bytes", vocabulary.bytes().size()},
                 {"type", kTypes.at(check_vocabulary(vocabulary.bytes()))}};
  facts.update(vocabulary_facts(vocabulary));
  return facts;
}

Facts corpus_facts(const std::string& path) {
  const PackedCorpus corpus(path);
  corpus.verify();
  const PackedFoot& foot = corpus.foot();
  const Dropped counts = corpus.packing_dropped();
  Facts dropped;
  for (const auto& [filter, name] : Names<PairFilter>::kAll) dropped[std::string(name)] = counts[filter];
  const auto facts_of = [](const PackedFoot::Side& side, const Vocabulary& vocabulary) {
    return Facts{{"tokens", side.tokens},
                 {"longest", side.longest},
                 {"unknown", side.unknown},
                 {"vocabulary", vocabulary.size()}};
  };
  return {{"file", path},
          {"kind", "packed corpus"},
          {"bytes", fs::file_size(path)},
          {"checksum", fmt::format("{:016x}", corpus.fingerprint())},
          {"pairs", corpus.size()},
          {"alignment", corpus.has_links()},
          {"weights", corpus.has_weights()},
          {"dropped", std::move(dropped)},
          {"source", facts_of(foot.source, corpus.source_vocabulary())},
          {"target", facts_of(foot.target, corpus.target_vocabulary())}};
}

}  // namespace nmt
