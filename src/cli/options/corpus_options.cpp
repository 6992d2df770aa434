#include "cli/options/corpus_options.h"

#include "cli/program.h"
#include "common/error.h"
#include "data/text/long_text.h"
#include "engine/models.h"
#include "foreign/open.h"

namespace nmt {

void add_text_options(Options& options, TextOptions& target, const std::string& group,
                      TargetAlone target_alone) {
  const char* const target_help = target_alone == TargetAlone::accepted
                                      ? "target side, parallel to the source; for a language model alone"
                                      : "target side, parallel to the source";
  options
      .add("source", target.source, "FILE",
           "source side of the text, a sentence a line: plain, .gz, .xz or .zst, or - for standard input")
      .group(group);
  options.add("target", target.target, "FILE", target_help).group(group);
  options.add("tsv", target.tsv, "FILE", "both sides in one file: source, a tab, target").group(group);
}

void add_vocabulary_options(Options& options, VocabularyOptions& target, const std::string& group) {
  options
      .add(
          "vocab", target.vocab, "FILE",
          "SentencePiece model of both sides; or a model file or run directory, whose vocabularies are taken")
      .group(group);
  options.add("source-vocab", target.source_vocab, "FILE", "the same for the source alone").group(group);
  options.add("target-vocab", target.target_vocab, "FILE", "the same for the target alone").group(group);
}

void add_filter_options(Options& options, Filter& target, const std::string& group) {
  constexpr double kMany = 1e15;
  const std::vector<std::string> names_of_text = {"source", "tsv"};
  const char* const text = "text, which is filtered when it is read; give --source and --target, or --tsv";
  options.add("max-length", target.max_length, "N", "pairs with more tokens than this on a side")
      .range(1, kMany)
      .group(group);
  options
      .add("max-ratio", target.max_ratio, "X",
           "pairs with more than this many tokens on one side for each of the other; 0: any ratio")
      .range(0, kMany)
      .group(group)
      .needs(names_of_text, text);
  options.flag("drop-identical", target.drop_identical, "pairs whose sides are the same text")
      .group(group)
      .needs(names_of_text, text);
}

void check(const Options& options, const TextOptions& text, TargetAlone target_alone) {
  if (!text.given()) {
    throw UsageError("text is needed: --source FILE and --target FILE, or --tsv FILE");
  }
  if (text.tsv && (text.source || text.target)) {
    throw UsageError("{0} holds both sides; leave out {1}, or {0}", options.origin("tsv"),
                     options.origins({"source", "target"}));
  }
  if (text.is_target_alone() && target_alone == TargetAlone::accepted) return;
  if (text.source.has_value() != text.target.has_value()) {
    throw UsageError(
        "--source and --target are needed together, but only {} is given; for both in one file use --tsv",
        options.origins({"source", "target"}));
  }
}

void check(const Options& options, const VocabularyOptions& vocabularies) {
  const auto& [vocab, source, target] = vocabularies;
  if (!vocabularies.given()) {
    throw UsageError(
        "a vocabulary is needed: --vocab FILE, or --source-vocab and --target-vocab; nmt vocab makes one");
  }
  if (vocab && (source || target)) {
    throw UsageError("{0} serves both sides; leave out {1}, or {0}", options.origin("vocab"),
                     options.origins({"source-vocab", "target-vocab"}));
  }
  if (source.has_value() != target.has_value()) {
    throw UsageError(
        "--source-vocab and --target-vocab are needed together, but only {} is given; for one model of both "
        "use --vocab",
        options.origins({"source-vocab", "target-vocab"}));
  }
}

PairReader open_text(const TextOptions& text, std::int64_t max_length) {
  if (text.tsv) return PairReader::from_columns(*text.tsv, program_job());
  const std::size_t most = most_bytes(max_length);
  if (text.is_target_alone()) return PairReader::target_alone(*text.target, most, program_job());
  return {*text.source, *text.target, most, program_job()};
}

VocabulariesOfFile load_vocabularies(const std::string& path) {
  const std::string toolkit = toolkit_of(path);
  if (!toolkit.empty()) {
    throw UsageError("'{}' is a model of {}; make a model file of it first, by nmt convert, and name that",
                     path, toolkit);
  }
  return vocabularies_in(model_file(path));
}

VocabulariesOfFile load_vocabularies(const VocabularyOptions& vocabularies) {
  const auto& [both, source, target] = vocabularies;
  if (both) return load_vocabularies(*both);
  const VocabulariesOfFile of_source = load_vocabularies(*source), of_target = load_vocabularies(*target);
  return {{of_source.vocabularies.source, of_target.vocabularies.target},
          {of_source.usual.source, of_target.usual.target}};
}

}  // namespace nmt
