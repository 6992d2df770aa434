// libnmt: translates and scores text with models of nmt. A program that uses it says in its CMakeLists.txt
//
//   find_package(nmt REQUIRED)
//   target_link_libraries(program PRIVATE nmt::nmt)
//
// What is in namespace nmt::v1 is for others; all else is private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#if defined(__GNUC__)
#define NMT_EXPORT [[gnu::visibility("default")]]
#else
#define NMT_EXPORT
#endif

namespace nmt::v1 {

/// The version of the library, such as "0.2.0".
NMT_EXPORT std::string version();

/// What models compute on, and how. Names are those of `nmt translate`.
struct EngineSettings {
  /// "cpu"; "cuda", the same as "cuda:0"; "cuda:N"; "auto": a card where there is one, else the CPU.
  std::string device = "auto";
  /// "f32", "bf16", "int8", on cards also "f16" and "tf32"; "auto": on the CPU f32, or int8 for models that
  /// are stored so, and bf16 on cards.
  std::string precision = "auto";
  /// Threads to compute with; 0: as many as there are cores for this process.
  int threads = 0;
  /// The languages of texts and of their translations, for models of several: codes that they know
  /// ("deu_Latn").
  std::string source_language, target_language;
  /// How much each model of an ensemble counts, above 0; empty: all the same.
  std::vector<double> weights;
  /// The file of a language model with the target vocabulary, whose log-probabilities, times a weight above
  /// 0, are added to those of the models; none where it is empty.
  std::string language_model;
  double language_model_weight = 0.2;
  /// Searches consider all target pieces, even where the model comes with a shortlist.
  bool no_shortlist = false;
};

/// How translations are drawn at random: token by token, from the distribution of the models with its logits
/// divided by `temperature`, and what the filters leave of it, each of what the one before has left: the
/// top_k most probable tokens (0: all), the most probable ones that have a probability of top_p together, and
/// those that are at least min_p times as probable as the most probable one.
struct SamplingSettings {
  double temperature = 1;
  std::int64_t top_k = 0;
  double top_p = 1;
  double min_p = 0;
  /// No translation of a text is drawn twice; by the model's distribution as it is, without the above.
  bool without_replacement = false;
  /// With the same seed, a text has the same samples in its place among the texts of a call.
  std::uint64_t seed = 1;
  /// The place of the first text of a call among all that are drawn for with this seed, from 0.
  std::int64_t first_place = 0;
};

/// How translations are searched for. What is left out is as the model asks for, as its rules of the search
/// are (doc/model-file.md), or else as the paper has it.
struct SearchSettings {
  /// Hypotheses that live on at each step; 1: greedy search. Else 4.
  std::optional<int> beam = {};
  /// Translations of each text, or samples; a beam that is not given is as wide at least.
  int n_best = 1;
  /// Scores are log-probabilities over ((5 + tokens) / 6)^length_penalty, EOS counted, or over
  /// tokens^length_penalty where the model asks for that. Else 0.6.
  std::optional<double> length_penalty = {};
  /// "wu" or "power", the two forms above, or "eole". Else "wu".
  std::optional<std::string> length_normalization = {};
  /// What is taken from log-probabilities for each token. Else 0.
  std::optional<double> word_penalty = {};
  /// Which hypotheses live on and when a search ends: "nmt", "marian", "huggingface", "ctranslate2" or
  /// "eole", for the rules of these programs. Else "nmt".
  std::optional<std::string> beam_rules = {};
  /// The search ends when this times the beam hypotheses have finished. Else when no better one can come.
  std::optional<double> patience = {};
  /// What is added to scores for each token of the source that the translation does not look at, as far as
  /// models' attention tells (Wu et al., 2016, equation 14): so many times the logarithm of how much it does.
  /// Else 0.
  std::optional<double> coverage_penalty = {};
  /// A translation has at most max_length_factor * source tokens + max_length_extra tokens, rounded down, or
  /// by the rules of "marian" up. Else 1 and 50.
  std::optional<double> max_length_factor = {};
  std::optional<double> max_length_extra = {};
  /// And at least so many. Else 0.
  std::optional<std::int64_t> min_length = {};
  /// No so many tokens in a row come twice in a translation; 0: they may. Else 0.
  std::optional<std::int64_t> no_repeat_ngram_size = {};
  /// Logits of tokens that a translation has already are divided by this where they are above 0, else
  /// multiplied by it. Else 1.
  std::optional<double> repetition_penalty = {};
  /// Whether translations may hold the unknown piece. Else they may.
  std::optional<bool> unknown = {};
  /// Words and phrases, UTF-8, that no translation holds.
  std::vector<std::string> avoid = {};
  /// Those that must occur in each translation: of each inner list one of several alternatives. Where that
  /// cannot be, Translation::missing tells; wider beams find more.
  std::vector<std::vector<std::string>> constraints = {};
  /// Translations end only where EOS is at least this times as probable as any other token; at most 1. Else
  /// 0.
  std::optional<double> end_threshold = {};
  /// Groups that the beam, a multiple of it, is divided into (diverse beam search): each avoids the tokens
  /// that those before it have chosen, by taking `diversity` of their log-probabilities. Else 1 and 0.5.
  std::optional<int> beam_groups = {};
  std::optional<double> diversity = {};
  /// The n_best translations of a text go on, behind its prefix, with the n_best most probable tokens, and
  /// each is the best one that does; see Translation::alternative. The beam, which each has, may be narrower.
  bool alternatives = false;
  /// No two of the n best translations read the same.
  bool distinct = false;
  /// Minimum Bayes risk: of candidates, those are told that are most like all of them by this metric, "chrf",
  /// "chrf++" or "bleu", and scores are its means, from 0 to 100. Empty: it does not count.
  std::string mbr = {};
  /// The best that are found, or samples. Else as many as the beam is wide, or 32 samples.
  std::optional<int> candidates = {};
  /// Where given, translations are drawn, not searched for. Their scores are their log-probabilities.
  std::optional<SamplingSettings> sampling = {};
  /// What the translations of each text of a call begin with, as they would be written; none: as the search
  /// finds. Models from right to left take none.
  std::vector<std::string> prefixes = {};
  /// What those of each text hold and do not hold besides `constraints` and `avoid`; none: no more than that.
  std::vector<std::vector<std::vector<std::string>>> constraints_of_texts = {};
  std::vector<std::vector<std::string>> avoid_of_texts = {};
  /// Translates the sentences of a text for themselves, as models that have learned from sentences like it,
  /// and puts white space between their translations as it was between them. Such a text has one translation
  /// and no prefix, constraints or alternatives.
  bool split_sentences = false;
  /// The language of texts, whose abbreviations end no sentence ("en"). Empty:
  /// EngineSettings::source_language, or the abbreviations of all languages.
  std::string split_language = {};
  /// A file of more abbreviations, one a line, as --abbreviations of nmt translate takes it. Empty: none.
  std::string abbreviations = {};
  /// How a sentence is handled that has more than 1024 tokens, or more than the models take. "split"
  /// translates it in parts, which end after a sentence, a clause, a comma or a word, and joins the
  /// translations; it does so as well where a sentence is longer than those that the models were trained
  /// with. "truncate" leaves out its end and sets Translation::truncated. "refuse" throws. With align,
  /// prefixes, constraints and alternatives, "split" truncates.
  std::string too_long = "split";
  /// Texts are HTML or XML: their markup stays where it is, around the words that the first model's attention
  /// aligns, and is not translated. End tags may be missing. Throws for tags that do not end.
  bool markup = false;
  /// What of the texts stays as it is: names of presets ("urls", "emails", "placeholders", "printf", "emoji";
  /// several with commas between them), or regular expressions as ICU has them. Not with align. Throws for an
  /// expression that is not valid, and for one that takes too long.
  std::vector<std::string> keep = {};
  /// Whether unknown pieces are replaced by the text of the source that they are aligned to; by default as
  /// the model file says.
  std::optional<bool> replace_unknown = {};
  /// Whether Translation::alignment is told; not with markup, nor where a text is divided into sentences.
  bool align = false;
  /// Whether the tokens and words of translations are told.
  bool score_tokens = false;
};

/// A part of a translation and its natural log-probability; 0 for what was given (SearchSettings::prefixes).
struct ScoredPart {
  std::string text;
  double log_probability = 0;
};

/// How much each word of a target looks at each word of its source. ASCII white space divides words.
struct Alignment {
  std::size_t source_words = 0, target_words = 0;
  /// Row-major, [target_words + 1, source_words + 1], those of EOS last. A row sums to 1, unless its word has
  /// no pieces.
  std::vector<double> weights = {};
};

struct Translation {
  std::string text;
  double score = 0;  // see SearchSettings::length_penalty
  double log_probability = 0;
  /// Where they are asked for: pieces, as the vocabulary has them, EOS last where it ends with that; and
  /// words, as ASCII white space divides `text`, with the sums of their pieces.
  std::vector<ScoredPart> tokens = {}, words = {};
  /// Where alternatives are asked for: the piece by which it differs from the others.
  std::optional<ScoredPart> alternative = {};
  std::int64_t missing = 0;  // constraints that it does not meet
  /// Where it is asked for: how its words look at those of the text.
  std::optional<Alignment> alignment = {};
  /// Whether the end of the text was left out; see SearchSettings::too_long.
  bool truncated = false;
  /// Defaults, such as the model's, that gave way to settings of the call, a line for each change: beam rules
  /// of other programs to constraints, alternatives and beam groups, a narrow beam to more translations.
  std::vector<std::string> notices = {};
};

/// A text and a translation of it.
struct TextPair {
  std::string source, target;
};

/// Models that translate together, on a device. Any thread may call: texts of calls at the same time share
/// the steps of a search, and where there are few, all threads of the engine work on them. Scoring waits for
/// translations, and they for it. Texts are UTF-8; bytes that are none become U+FFFD. Of pairs that are
/// scored or aligned, the first 1024 tokens of each side count. Nothing is written to the streams of the
/// process, and its signals are left alone.
class NMT_EXPORT Engine {
 public:
  /// Opens model files, or of run directories the best or else last model: one, or an ensemble with the same
  /// vocabularies, of whose log-probabilities of each next token the mean counts. Throws std::runtime_error
  /// with a line that says what is wrong when a file is missing or damaged, when they do not go together,
  /// when they do not know a language, or need to be told one, and when this machine lacks what is asked for.
  explicit Engine(const std::vector<std::string>& models, const EngineSettings& settings = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// The translations of each text, best first: n_best, or as many as there are, at least one. Those of a
  /// text do not depend on the others, but for its place where they are drawn, and an empty one stays empty.
  /// Throws std::runtime_error when a setting is out of range or has no part in what another one asks for (a
  /// beam, where translations are drawn) or in what the model does, when there are other numbers of texts
  /// than of prefixes, constraints_of_texts or avoid_of_texts, when the engine has language models alone,
  /// which only score, when a text takes more memory than there is, and when a model computes what is not
  /// finite. `while_waiting` is called on the calling thread, at once and then some ten times a second
  /// until all are there; what it throws ends the call, and the texts that are not done are given up.
  std::vector<std::vector<Translation>> translate(const std::vector<std::string>& texts,
                                                  const SearchSettings& settings = {},
                                                  const std::function<void()>& while_waiting = {});

  /// Warnings since the last call of this, each a line: of text that cannot be what the models expect, as
  /// more than a third of its tokens are unknown or it begins with the token of a language that they do not
  /// know (once for an engine), and of a vocabulary with fewer pieces than its model has rows.
  std::vector<std::string> take_warnings();

  /// For each pair the natural log-probability of each token of its target and of EOS; their sum is that of
  /// the translation. Throws as translate() does.
  std::vector<std::vector<double>> score(const std::vector<TextPair>& pairs);

  /// For each pair the attention of the decoder over the source: that of the first model's last layer, the
  /// mean of its heads. Throws as translate() does, and for models without such attention.
  std::vector<Alignment> align(const std::vector<TextPair>& pairs);

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

}  // namespace nmt::v1
