#include "foreign/ctranslate2/ctranslate2_export.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "data/vocabulary/listed/listed_file.h"
#include "foreign/containers/ctranslate2_writer.h"
#include "foreign/ctranslate2/ctranslate2_config.h"
#include "foreign/ctranslate2/ctranslate2_variables.h"
#include "foreign/layer_variants.h"
#include "foreign/not_held.h"
#include "nn/files/file_weights.h"
#include "nn/saved/saved_model.h"

namespace nmt {
namespace {

/// A vocabulary in the form of CTranslate2 and its callers.
struct ExportedList {
  WordList tokens;
  std::string sentencepiece;  // divides text into the tokens; empty: at spaces
};

bool is_listed(const Vocabulary& vocabulary) {
  return vocabulary.bytes().starts_with("nmt.vocabulary ");
}

ExportedList exported(const Vocabulary& vocabulary) {
  ExportedList list;
  if (is_listed(vocabulary)) {
    ListedFile file = parse_listed_file(vocabulary.bytes());
    list.sentencepiece = std::move(file.sentencepiece);
    if (list.sentencepiece.empty()) list.tokens = std::move(file.words);
  } else {
    list.sentencepiece = vocabulary.bytes();
  }
  if (list.tokens.empty()) {
    for (int id = 0; id < vocabulary.size(); ++id) list.tokens.push_back(vocabulary.piece(id));
  }
  // Adds tokens without text until each row has one.
  list.tokens.resize(static_cast<std::size_t>(std::max(vocabulary.rows(), vocabulary.size())));
  return list;
}

const std::string& token(const ExportedList& list, int id) {
  return list.tokens.at(static_cast<std::size_t>(id));
}

/// Checks that CTranslate2's callers can express languages, by adding tokens around those of a text.
void check_languages(const Vocabulary& source, const std::string& name) {
  if (!is_listed(source)) return;
  const LanguageUse use = parse_listed_file(source.bytes()).facts.languages;
  if (use.source == LanguageUse::Source::own_at_end || use.target == LanguageUse::Target::begin) {
    throw NotHeld(
        "'{}' cannot become a model of CTranslate2: its decoder or its source has a language where "
        "others have BOS or EOS",
        name);
  }
}

/// Returns a special token, for which CTranslate2 has one name for both sides.
std::string name_of_both(const char* what, const std::string& source, const std::string& target,
                         const std::string& name) {
  if (source == target) return source;
  throw NotHeld(
      "'{}' cannot become a model of CTranslate2: {} is {} in the source vocabulary, but {} in that "
      "of the target",
      name, what, in_quotes(source), in_quotes(target));
}

class CTranslate2Exporter {
 public:
  CTranslate2Exporter(const ModelFile& file, const std::string& folder)
      : file_(file),
        folder_(folder),
        model_(blank_model(file)),
        source_(exported(model_.vocabularies.source)),
        target_(exported(model_.vocabularies.target)) {}

  void run() const {
    check_variants(Toolkit::ctranslate2, model_.settings, file_.path());
    check_languages(model_.vocabularies.source, file_.path());
    const std::string config = json_of(this->config());
    write_ctranslate2_binary(
        path("model.bin"), kCTranslate2Spec, kCTranslate2Revision,
        ctranslate2_variables(model_.settings, weights_in(file_, model_.model->parameters()), type()));
    write_file(path("config.json"), config);
    write_lists();
  }

 private:
  std::string path(const std::string& name) const { return (std::filesystem::path(folder_) / name).string(); }
  bool has_mark(const char* mark) const {
    const std::string& tokens = model_.settings.at("source_special_tokens");
    return tokens == mark || tokens == "both";
  }

  /// Returns the type of the weights: that of the largest matrix, the table of target words.
  ElementType type() const {
    if (is_quantized(file_)) return ElementType::i8;
    const FileTensor* table = file_.find("target_embedding.weight");
    if (table == nullptr) table = file_.find("embedding.weight");
    if (table->dtype == DType::f16) return ElementType::f16;
    return table->dtype == DType::bf16 ? ElementType::bf16 : ElementType::f32;
  }

  CTranslate2Config config() const {
    const auto& [source, target] = model_.vocabularies;
    const auto named = [&](const char* what, int in_source, int in_target) {
      return name_of_both(what, token(source_, in_source), token(target_, in_target), file_.path());
    };
    CTranslate2Config config;
    config.tokens.unk = named("the unknown token", source.unknown(), target.unknown());
    config.tokens.source_has_bos = has_mark("bos");
    config.tokens.source_has_eos = has_mark("eos");
    config.tokens.eos = config.tokens.source_has_eos ? named("EOS", source.end(), target.end())
                                                     : token(target_, target.end());
    const std::optional<int> bos = config.tokens.source_has_bos ? source.begin() : target.begin();
    if (bos) config.tokens.bos = token(config.tokens.source_has_bos ? source_ : target_, *bos);
    const std::int32_t start = model_.special_tokens.start;
    config.tokens.decoder_start = start < 0 ? config.tokens.eos : token(target_, start);
    config.layer_norm_epsilon = real_setting(model_.settings, "layer_norm_epsilon", 0, 1);
    return config;
  }

  void write_list(const std::string& side, const ExportedList& list) const {
    write_file(path(side + "_vocabulary.json"), nlohmann::json(list.tokens).dump(0) + "\n");
  }

  void write_lists() const {
    if (source_.tokens == target_.tokens) {
      write_list("shared", source_);
    } else {
      write_list("source", source_);
      write_list("target", target_);
    }
    // Callers that divide text by these files add EOS as well.
    if (source_.sentencepiece.empty() || target_.sentencepiece.empty() || !has_mark("eos")) return;
    write_file(path("source.spm"), source_.sentencepiece);
    write_file(path("target.spm"), target_.sentencepiece);
  }

  const ModelFile& file_;
  const std::string& folder_;
  SavedModel model_;
  ExportedList source_, target_;
};

}  // namespace

void export_to_ctranslate2(const ModelFile& file, const std::string& folder) {
  CTranslate2Exporter(file, folder).run();
}

}  // namespace nmt
