// nmt vocab: makes a SentencePiece vocabulary from text.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <set>

#include "cli/files/output.h"
#include "cli/options/common_options.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/folder.h"
#include "common/io/memory_map.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "data/vocabulary/term_symbols.h"
#include "data/vocabulary/vocabulary_check.h"
#include "data/vocabulary/vocabulary_trainer.h"

namespace nmt {
namespace {

struct VocabSettings {
  VocabularySettings vocabulary;
  ByteSize sample_bytes{static_cast<std::uintmax_t>(vocabulary.sample_bytes)};
  std::string user_symbols, languages, output;
  bool has_terms = false, overwrite = false;
  LogOptions log;
};

bool parse(const Arguments& arguments, VocabSettings& settings) {
  Options options("nmt vocab", "", "Makes a subword vocabulary, shared by all languages of its input.",
                  "nmt vocab -i train.en -i train.de.gz -o shared.spm --size 32000");
  VocabularySettings& v = settings.vocabulary;
  options
      .add("input,i", v.inputs, "FILE",
           "text, one sentence per line. The file may be compressed (.gz, .xz or .zst); - is standard input.")
      .required();
  options.add("output,o", settings.output, "FILE", "vocabulary to write. - is standard output.")
      .required()
      .command_line_only()
      .writes();
  options
      .flag("overwrite", settings.overwrite,
            "replace another vocabulary. Without it, only a vocabulary with the same contents may exist, "
            "because models and packed text are made for one vocabulary.")
      .command_line_only();
  options.add("size", v.size, "N", "number of pieces").range(1, 10'000'000);
  options.add("type", v.type, "unigram|bpe|char|word", "kind of SentencePiece model")
      .choices({"unigram", "bpe", "char", "word"});
  options.add("coverage", v.coverage, "X", "share of the text's characters that get a piece").range(0.98, 1);
  options
      .add("normalization", v.normalization, "NAME",
           "normalization of the text: nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf or identity. cf means case "
           "folding.")
      .choices({"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"});
  options.flag("byte-fallback", v.byte_fallback, "spell characters without a piece as bytes");
  options.add("user-symbols", settings.user_symbols, "A,B",
              "texts that always become a piece. They may contain spaces: 'New York, de' means the texts "
              "'New York' and ' de', which matches only at the beginning of a word.");
  options.add("languages", settings.languages, "A,B",
              "codes of the target languages of a multilingual model. Each gets a piece (>>de<<), which "
              "--target-language of nmt batch, train and translate puts before a source.");
  options.flag("terms", settings.has_terms,
               "add the symbols with which sources have translations of terms, for terms of --augment of nmt "
               "train");
  options
      .add("sample-lines", v.sample_lines, "N",
           "maximum number of lines to train on. They are sampled at random.")
      .range(1, 1e12);
  options
      .add("sample-bytes", settings.sample_bytes, "SIZE",
           "maximum amount of text to train on. It is sampled at random. Each byte takes 27 bytes of memory.")
      .range(1, 1e15);
  options
      .add("threads", v.threads, "N",
           "number of threads. The vocabulary depends on it, so the same result needs the same number.")
      .range(1, 128);
  options.add("seed", v.seed, "N", "seed for sampling lines")
      .range(0, std::numeric_limits<std::uint32_t>::max());
  options.essential({"input", "output", "size", "type", "coverage", "byte-fallback", "languages"});
  return parse_with_log_options(options, arguments, settings.log);
}

/// Throws UsageError for an invalid language code; codes occur in options, in names of models and in text.
void check_language(const std::string& code, const std::string& normalization) {
  const auto is_of_code = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  const auto is_capital = [](unsigned char c) { return std::isupper(c) != 0; };
  if (code.empty() || std::isalpha(static_cast<unsigned char>(code[0])) == 0 ||
      !std::ranges::all_of(code, is_of_code)) {
    throw UsageError(
        "--languages: {} is not a language code, which begins with a letter, such as de or deu_Latn",
        quoted(code));
  }
  if (normalization.ends_with("_cf") && std::ranges::any_of(code, is_capital)) {
    throw UsageError(
        "--languages: {} has capital letters, but --normalization {} lowercases text; use lower-case letters",
        quoted(code), normalization);
  }
}

/// Returns the pieces of languages.
std::vector<std::string> language_pieces(const std::string& languages, const std::string& normalization) {
  std::set<std::string> pieces;
  for (const std::string& code : split_at_commas(languages)) {
    check_language(code, normalization);
    if (!pieces.insert(std::string(kSpaceMark) + bracketed(code)).second)  // a word of its own
      throw UsageError("--languages: {} is given twice; leave one out", quoted(code));
  }
  return {pieces.begin(), pieces.end()};
}

/// Returns the pieces of symbols of terms.
std::vector<std::string> term_pieces() {
  std::vector<std::string> pieces;
  for (const std::string_view symbol : kTermSymbols) pieces.push_back(std::string(kSpaceMark).append(symbol));
  return pieces;
}

/// Throws Error if the output would replace another vocabulary.
void check_replaced(const VocabSettings& settings, const Vocabulary& vocabulary) {
  if (settings.overwrite || AtomicFile::is_stream(settings.output) || !is_file(settings.output)) return;
  const MemoryMap existing = map_file(settings.output);
  if (!looks_like_vocabulary(existing.text()) || existing.text() == vocabulary.bytes()) return;
  throw Error(
      "'{}' is another vocabulary, which models may need; name another file, or replace it by `overwrite`",
      settings.output);
}

void report(const TrainedVocabulary& trained, const VocabSettings& settings) {
  const int pieces = trained.vocabulary.size();
  if (pieces < settings.vocabulary.size && settings.vocabulary.type != "char") {
    log_warning("the vocabulary has only {}, not {}, because the text yields no more",
                count_of(pieces, "piece"), settings.vocabulary.size);
  }
  if (trained.split_lines > 0) {
    log_warning("{} longer than 4192 bytes split into parts; does this text have one sentence per line?",
                count_of(trained.split_lines, "line"));
  }
  log_info("'{}': {} from {}{}, {:.1f} pieces per line", settings.output, count_of(pieces, "piece"),
           trained.partial ? "a sample of " : "", count_of(trained.lines, "line"), trained.pieces_per_line);
}

}  // namespace

int run_vocab(const Arguments& arguments) {
  VocabSettings settings;
  if (!parse(arguments, settings)) return 0;
  settings.vocabulary.sample_bytes = static_cast<std::int64_t>(settings.sample_bytes.bytes);
  settings.vocabulary.user_symbols = split_at_commas(settings.user_symbols);
  std::ranges::move(language_pieces(settings.languages, settings.vocabulary.normalization),
                    std::back_inserter(settings.vocabulary.user_symbols));
  if (settings.has_terms)
    std::ranges::move(term_pieces(), std::back_inserter(settings.vocabulary.user_symbols));
  check_binary_output(settings.output, "a SentencePiece vocabulary", "spm");
  settings.vocabulary.job = program_job();
  const TrainedVocabulary trained = train_vocabulary(settings.vocabulary);
  check_replaced(settings, trained.vocabulary);
  trained.vocabulary.save(settings.output);
  report(trained, settings);
  return 0;
}

}  // namespace nmt
