// The settings that name parallel text and its vocabularies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "data/text/filter.h"
#include "data/text/pair_reader.h"
#include "data/text/word_alignment.h"
#include "nn/files/saved_model.h"

namespace nmt {

struct TextOptions {
  std::optional<std::string> source, target, tsv;
  std::vector<std::string> tsv_columns = {"source", "target"};  // names of Column, or lists of them
  std::optional<std::string> alignment, weights;                // files, see PairReader
  AlignmentUnit alignment_unit = AlignmentUnit::word;

  bool given() const { return source || target || tsv; }
  bool is_target_alone() const { return target && !source; }
  /// Whether pairs come with alignments, or weights, in a file of their own or a column.
  bool has_alignment() const { return alignment || has(Column::alignment); }
  bool has_weights() const { return weights || has(Column::weights); }
  /// The columns of `tsv`. Throws UsageError for an unknown name.
  std::vector<Column> columns() const { return columns_named(tsv_columns); }
  bool has(Column column) const;
};

struct VocabularyOptions {
  std::optional<std::string> vocab, source_vocab, target_vocab;

  bool given() const { return vocab || source_vocab || target_vocab; }
};

/// What nmt batch and nmt train leave out of text unless they are told otherwise.
inline constexpr Filter kTextFilter{.max_ratio = 9, .drop_identical = true};

/// Whether a target may be named without a source: the text of a language model.
enum class TargetAlone : std::uint8_t { refused, accepted };

/// `--source` and `--target`, or `--tsv`.
void add_text_options(Options& options, TextOptions& target, const std::string& group,
                      TargetAlone target_alone = TargetAlone::refused);
/// `--alignment`, `--weights`, `--alignment-units` and `--tsv-columns`: what belongs to pairs of text.
void add_annotation_options(Options& options, TextOptions& target, const std::string& group);
/// `--vocab`, once for both sides or twice, or `--source-vocab` and `--target-vocab`.
void add_vocabulary_options(Options& options, VocabularyOptions& target, const std::string& group);

/// `--max-length`, `--max-ratio` and `--drop-identical`; the last two concern text alone.
void add_filter_options(Options& options, Filter& target, const std::string& group);

/// Throws UsageError unless the text is named completely, and once: with one source and one target among the
/// columns, and with no more than one alignment, and weights.
void check(const Options& options, const TextOptions& text, TargetAlone target_alone = TargetAlone::refused);
/// Throws UsageError where a vocabulary for both sides is named beside one for a side.
void check_sides(const Options& options, const VocabularyOptions& vocabularies);
/// Throws UsageError unless the vocabularies are named completely, and once.
void check(const Options& options, const VocabularyOptions& vocabularies);

/// Opens checked text, with its alignments and weights, of whose lines no more is read than sides of
/// `max_length` tokens can have, unless a line holds both. Throws as PairReader does.
PairReader open_text(const TextOptions& text, std::int64_t max_length);
/// Those of a vocabulary file, of a model file, or of a run. Throws UsageError for a model of another
/// toolkit, and Error.
VocabulariesOfFile load_vocabularies(const std::string& path);
/// Reads checked vocabularies. Throws likewise.
VocabulariesOfFile load_vocabularies(const VocabularyOptions& vocabularies);

}  // namespace nmt
