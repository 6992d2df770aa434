#include "cli/options/corpus_options.h"

#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "cli/program.h"
#include "common/error.h"
#include "data/text/parallel_text.h"
#include "data/text/text_parts.h"
#include "engine/models.h"
#include "foreign/open.h"

namespace nmt {
namespace {

/// Throws UsageError for columns that do not form pairs.
void check_columns(const Options& options, const TextOptions& text) {
  const std::vector<Column> columns = text.columns();
  const auto count = [&](Column column) { return std::ranges::count(columns, column); };
  if (count(Column::source) != 1 || count(Column::target) != 1) {
    throw UsageError("{}: one column must be the source and one the target, as in source,target",
                     options.origin("tsv-columns"));
  }
  for (const Column column : {Column::alignment, Column::weights}) {
    const std::string name(name_of(column));
    if (count(column) > 1)
      throw UsageError("{}: {} columns are named {}; use skip for the others", options.origin("tsv-columns"),
                       count(column), name);
    if (count(column) == 1 && (column == Column::alignment ? text.alignment : text.weights)) {
      throw UsageError("{} has a column of {}; leave out {}", options.origin("tsv"), name,
                       options.origin(name));
    }
  }
}

}  // namespace

bool TextOptions::has(Column column) const {
  if (!tsv) return false;
  const std::vector<Column> all = columns();
  return std::ranges::count(all, column) > 0;
}

void add_text_options(Options& options, TextOptions& target, const std::string& group,
                      TargetAlone target_alone) {
  const char* const target_help =
      target_alone == TargetAlone::accepted
          ? "target side, parallel to the source. A language model needs only this side."
          : "target side, parallel to the source";
  options
      .add("source", target.source, "FILE",
           "source side of the text, one sentence per line. The file may be compressed (.gz, .xz or .zst); - "
           "is standard input.")
      .group(group);
  options.add("target", target.target, "FILE", target_help).group(group);
  options.add("tsv", target.tsv, "FILE", "text with both sides in one file, as source, tab, target")
      .group(group);
}

void add_annotation_options(Options& options, TextOptions& target, const std::string& group) {
  const std::vector<std::string> text = {"source", "target", "tsv"};
  const char* const what = "text; give --source and --target, or --tsv";
  options
      .add("tsv-columns", target.tsv_columns, "A,B",
           "columns of --tsv in order: source, target, and optionally alignment, weights, or skip")
      .elements(names_of<Column>())
      .default_text("source,target")
      .needs({"tsv"}, "a file of columns; give --tsv")
      .group(group);
  options
      .add("alignment", target.alignment, "FILE",
           "word alignment of each pair, such as 0-0 1-2 (source-target). It is used by "
           "--guided-alignment-weight.")
      .needs(text, what)
      .group(group);
  options
      .add("alignment-units", target.alignment_unit, "",
           "whether alignments count words or pieces of the vocabulary. Alignments for Marian count pieces.")
      .needs(text, what)
      .group(group);
  options
      .add("weights", target.weights, "FILE",
           "loss weights, one line per pair. A line has one weight for the pair, or one per target word and "
           "optionally one more for EOS.")
      .needs(text, what)
      .group(group);
}

void add_vocabulary_options(Options& options, VocabularyOptions& target, const std::string& group) {
  options
      .add("vocab", target.vocab, "FILE",
           "SentencePiece model, or a model to take the vocabularies from. The model may be a file or a run "
           "directory. Given twice, "
           "the first is for the source and the second for the target.")
      .twice("source-vocab", "target-vocab")
      .group(group);
  options
      .add("source-vocab", target.source_vocab, "FILE",
           "vocabulary of the source only, in any form that --vocab accepts")
      .group(group);
  options
      .add("target-vocab", target.target_vocab, "FILE",
           "vocabulary of the target only, in any form that --vocab accepts")
      .group(group);
}

Option& add_filter_option(Options& options, const FilterRow& row, Filter& target, const std::string& group) {
  const auto add = [&](const auto& member) -> Option& {
    using Setting = std::decay_t<decltype(member)>;
    if constexpr (std::is_same_v<Setting, std::monostate>) {
      throw std::logic_error("a filter without a setting has no option");
    } else if constexpr (std::is_same_v<Setting, bool Filter::*>) {
      return options.flag(row.option, target.*member, row.help);
    } else {
      return options.add(row.option, target.*member, row.value_name, row.help).range(row.least, row.most);
    }
  };
  return std::visit(add, row.setting).group(group);
}

void add_filter_options(Options& options, Filter& target, const std::string& group,
                        const std::vector<std::string>& texts) {
  const char* const text = "text, which is filtered when it is read; give --source and --target, or --tsv";
  std::vector<std::string> texts_of_any = texts;
  texts_of_any.emplace_back("target");
  for (const FilterRow& row : filter_table()) {
    if (row.option == nullptr || row.scope != FilterScope::pair) continue;
    Option& option = add_filter_option(options, row, target, group);
    if (row.needs_languages) {
      option.needs({"languages"}, "the languages of the text; give --languages SOURCE,TARGET");
    } else if (row.filter != PairFilter::too_long) {  // which applies to packed text, too
      option.needs(row.compares ? texts : texts_of_any, text);
    }
  }
  options
      .add("languages", target.languages, "A,B",
           "languages of source and target, such as en,de, or of the target alone. Pairs in other languages "
           "are dropped; see --min-language.")
      .needs(texts_of_any, text)
      .group(group);
}

void check(const Options& options, const Filter& filter) {
  for (const auto& [name, ratio] : {std::pair("max-ratio", filter.max_ratio),
                                    std::pair("max-character-ratio", filter.max_character_ratio)}) {
    if (ratio != 0 && ratio < 1)
      throw UsageError("{}: expected a ratio of at least 1, or 0 for any, got {}", options.origin(name),
                       ratio);
  }
  if (filter.min_length > filter.max_length)
    throw UsageError("{} {} is above {} {}, which drops all pairs; lower it", options.origin("min-length"),
                     filter.min_length, options.origin("max-length"), filter.max_length);
  if (filter.languages && filter.min_language == 0 && filter.min_script == 0)
    throw UsageError("{} has no effect, as {} is 0; leave it out, or give --min-script",
                     options.origin("languages"), options.origin("min-language"));
}

void check(const Options& options, const TextOptions& text, TargetAlone target_alone) {
  if (!text.given()) {
    throw UsageError("text is needed: --source FILE and --target FILE, or --tsv FILE");
  }
  if (text.tsv && (text.source || text.target)) {
    throw UsageError("{0} contains both sides; leave out {1}, or {0}", options.origin("tsv"),
                     options.origins({"source", "target"}));
  }
  if (text.tsv) check_columns(options, text);
  if (text.is_target_alone() && target_alone == TargetAlone::accepted) {
    const std::string of_pairs = options.origins({"alignment"});
    if (!of_pairs.empty())
      throw UsageError("{} is given without --source; leave out {}", options.origin("target"), of_pairs);
    return;
  }
  if (text.source.has_value() != text.target.has_value()) {
    throw UsageError(
        "--source and --target are needed together, but only {} is given; for both in one file use --tsv",
        options.origins({"source", "target"}));
  }
}

void check_sides(const Options& options, const VocabularyOptions& vocabularies) {
  const auto& [vocab, source, target] = vocabularies;
  if (!vocab || (!source && !target)) return;
  throw UsageError("{0} is for both sides; leave out {1}, or {0}", options.origin("vocab"),
                   options.origins({"source-vocab", "target-vocab"}));
}

void check(const Options& options, const VocabularyOptions& vocabularies) {
  const auto& [vocab, source, target] = vocabularies;
  if (!vocabularies.given()) {
    throw UsageError(
        "a vocabulary is needed: --vocab FILE, or --source-vocab and --target-vocab; nmt vocab makes one");
  }
  check_sides(options, vocabularies);
  if (source.has_value() != target.has_value()) {
    throw UsageError(
        "--source-vocab and --target-vocab are needed together, but only {} is given; for one model of both "
        "use --vocab",
        options.origins({"source-vocab", "target-vocab"}));
  }
}

PairReader open_text(const TextOptions& text, std::int64_t max_length) {
  PairReader reader = text.tsv ? PairReader::from_columns(*text.tsv, program_job(), text.columns())
                               : ParallelFiles{.source = text.source, .target = text.target}.open(
                                     program_job(), most_bytes(max_length));
  if (text.alignment) reader.read_alignment(*text.alignment, program_job());
  if (text.weights) reader.read_weights(*text.weights, program_job());
  return reader;
}

VocabulariesOfFile load_vocabularies(const std::string& path) {
  const std::string file = model_file(path, program_job()), toolkit = toolkit_of(file);
  if (!toolkit.empty()) {
    throw UsageError("'{}' is a model of {}; convert it first (nmt convert), and name the new file", path,
                     toolkit);
  }
  return vocabularies_in(file);
}

VocabulariesOfFile load_vocabularies(const VocabularyOptions& vocabularies) {
  const auto& [both, source, target] = vocabularies;
  if (both) return load_vocabularies(*both);
  const VocabulariesOfFile of_source = load_vocabularies(*source), of_target = load_vocabularies(*target);
  return {{of_source.vocabularies.source, of_target.vocabularies.target},
          {of_source.usual.source, of_target.usual.target}};
}

}  // namespace nmt
