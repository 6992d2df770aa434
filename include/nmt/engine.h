// The public interface of libnmt, a library that translates, scores and aligns text with nmt's models:
//
//   nmt::v1::Engine engine({"model.safetensors"});
//   std::cout << engine.translate({"Hello, world!"})[0][0].text << '\n';
//
// In CMakeLists.txt:
//
//   find_package(nmt REQUIRED)
//   target_link_libraries(program PRIVATE nmt::nmt)
//
// Namespace nmt::v1 is the public interface; everything else in namespace nmt is private.
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

/// Returns the version of the library, such as "0.2.0".
NMT_EXPORT std::string version();

/// The device, precision, languages and weights of an engine. The settings mean what the options of
/// `nmt translate` mean.
struct EngineSettings {
  /// The device to compute on: "cpu", "cuda" (the first GPU, "cuda:0"), "cuda:N" for GPU N, or "auto" for a
  /// GPU if there is one, else the CPU.
  std::string device = "auto";
  /// The arithmetic of the models: "f32", "bf16" or "int8", on GPUs also "f16" and "tf32". "auto" means bf16
  /// on GPUs; on the CPU, int8 for models that are stored as int8, else f32.
  std::string precision = "auto";
  /// Number of CPU threads; 0: one for each core that this process may use.
  int threads = 0;
  /// Source and target language of multilingual models, as the codes that these models use ("deu_Latn").
  std::string source_language, target_language;
  /// The weight of each model of an ensemble, above 0; empty: all models count equally.
  std::vector<double> weights;
  /// The file of a language model that has the target vocabulary; empty: none. Its log-probabilities, times
  /// language_model_weight (above 0), are added to those of the translation models (shallow fusion).
  std::string language_model;
  double language_model_weight = 0.2;
  /// A model that judges translations without references, such as CometKiwi or MetricX-24, for
  /// SearchSettings::quality; empty: none. It has the device and the precision of the engine.
  std::string quality_model;
  /// Searches consider all target pieces, even if the model comes with a lexical shortlist.
  bool no_shortlist = false;
};

/// Settings of random sampling. Tokens are drawn one after the other from the distribution of the models,
/// whose logits are divided by `temperature`. The filters top_k, top_p, min_p and epsilon apply in this
/// order, each to the tokens that the filters before it have kept.
struct SamplingSettings {
  double temperature = 1;
  std::int64_t top_k = 0;  // keeps the K most probable tokens; 0: all
  double top_p = 1;        // keeps the most probable tokens whose probabilities sum to P
  double min_p = 0;        // keeps tokens that are at least P times as probable as the most probable one
  double epsilon = 0;      // keeps tokens with a probability of at least P, or the most probable one
  /// Draws no translation of a text twice (stochastic beam search), from the unchanged distribution of the
  /// models: without temperature and filters.
  bool without_replacement = false;
  /// Seed of the random numbers. The samples of a text depend only on the text, the seed and the position of
  /// the text.
  std::uint64_t seed = 1;
  /// The position of the first text of a call, from 0, among all texts that are sampled with this seed.
  std::int64_t first_place = 0;
};

/// A term of a glossary, and its translation.
struct Term {
  std::string source;
  /// Alternatives, one of which a translation must include. Empty: the term as it stands in the text.
  std::vector<std::string> targets = {};
  /// Whether the term must have the same case in a text.
  bool matches_case = false;
  /// Whether letters may follow the term in a text: "invoice" also finds "invoices".
  bool is_stem = false;
};

/// Settings of the search for translations. A setting without a value takes the default of the model
/// (doc/model-file.md), else the default of the beam rules, else the default named below. "EOS" is the token
/// that ends a translation.
struct SearchSettings {
  /// Beam width; 1: greedy search. Default: 4.
  std::optional<int> beam = {};
  /// Number of translations, or samples, of each text. A beam whose width is not given is at least as wide.
  int n_best = 1;
  /// Exponent A of the length penalty: scores are log-probabilities divided by ((5 + tokens) / 6)^A, or by
  /// tokens^A or (1 + tokens)^A, depending on length_normalization. EOS counts as a token. Default: 0.6.
  std::optional<double> length_penalty = {};
  /// Form of the length penalty: "wu" for ((5 + tokens) / 6)^A, "power" for tokens^A, "eole" for
  /// (1 + tokens)^A. Default: "wu".
  std::optional<std::string> length_normalization = {};
  /// Number subtracted from the log-probability for each token, EOS included. Default: 0.
  std::optional<double> word_penalty = {};
  /// The rules by which hypotheses are kept and a search ends: those of "nmt", "marian", "huggingface",
  /// "ctranslate2" or "eole". Default: "nmt".
  std::optional<std::string> beam_rules = {};
  /// Ends a search when this times `beam` hypotheses have finished. Default: a search ends when no better
  /// translation can come.
  std::optional<double> patience = {};
  /// Weight of the coverage of the source (Wu et al., 2016, equation 14). The weight times the sum of
  /// log(min(attention, 1)) over the source tokens is added to scores. The attention of a token is the total
  /// attention that the translation pays to it in the first model. Default: 0.
  std::optional<double> coverage_penalty = {};
  /// A translation has at most max_length_factor * source tokens + max_length_extra tokens, rounded down, or
  /// up by the rules of "marian". Defaults: 1 and 50.
  std::optional<double> max_length_factor = {};
  std::optional<double> max_length_extra = {};
  /// Minimum number of tokens of a translation. Default: 0.
  std::optional<std::int64_t> min_length = {};
  /// No sequence of this many tokens occurs twice in a translation; 0: sequences may repeat. Default: 0.
  std::optional<std::int64_t> no_repeat_ngram_size = {};
  /// Lowers the logits of tokens that the translation already has: positive logits are divided by this
  /// number, negative ones multiplied by it. Default: 1 (no penalty).
  std::optional<double> repetition_penalty = {};
  /// Whether translations may include the unknown piece. Default: they may.
  std::optional<bool> unknown = {};
  /// Words and phrases, in UTF-8, that no translation includes.
  std::vector<std::string> avoid = {};
  /// Words and phrases that each translation must include: one of each inner list of alternatives.
  /// Translation::missing counts the lists that were not met; a wider beam meets more.
  std::vector<std::vector<std::string>> constraints = {};
  /// Terms with the translations that they must have in sentences where they occur as whole words, the
  /// longest term at each place. Translation::terms reports them. A search from right to left, samples and
  /// beam groups take no terms.
  std::vector<Term> glossary = {};
  /// How translations follow the glossary: by "constraints" of the search, or by "annotation" of the terms in
  /// the source, for models that were trained with such sources. Default: "annotation" for these models, else
  /// "constraints". With annotation, samples and beam groups take terms, too, and Translation::terms may
  /// report inflected translations as not met.
  std::optional<std::string> glossary_by = {};
  /// A factor from 0 to 1: a translation ends only if EOS is at least this times as probable as any other
  /// token. Default: 0.
  std::optional<double> end_threshold = {};
  /// Number of groups that the beam is divided into (diverse beam search); the beam width must be a multiple
  /// of it. `diversity` is subtracted from the log-probability of a token for each hypothesis of an earlier
  /// group that chose the same token in the same step. Defaults: 1 and 0.5.
  std::optional<int> beam_groups = {};
  std::optional<double> diversity = {};
  /// Starts the n_best translations of a text with the n_best most probable tokens after its prefix. Each is
  /// the best translation that starts with its token, and is found with a beam of its own, which may be
  /// narrower than n_best. See Translation::alternative.
  bool alternatives = false;
  /// No two of the n best translations have the same text.
  bool distinct = false;
  /// Minimum Bayes risk: chooses the candidates that are most similar to all candidates by this metric,
  /// "chrf", "chrf++" or "bleu". Scores are then the mean similarities, from 0 to 100. Empty: off.
  std::string mbr = {};
  /// Number of translations or samples that `mbr` chooses among. Default: the beam width, or 32 samples.
  std::optional<int> candidates = {};
  /// If set, translations are drawn at random instead of searched for, and their scores are their
  /// log-probabilities.
  std::optional<SamplingSettings> sampling = {};
  /// The beginning of the translations of each text of a call, as plain text; empty: no text has a prefix.
  /// Models that write from right to left take no prefixes.
  std::vector<std::string> prefixes = {};
  /// More constraints and more phrases to avoid for each text of a call, one list per text; empty: none. They
  /// add to `constraints` and `avoid`, which concern all texts.
  std::vector<std::vector<std::vector<std::string>>> constraints_of_texts = {};
  std::vector<std::vector<std::string>> avoid_of_texts = {};
  /// Translates each sentence of a text separately, for models that were trained on single sentences, and
  /// keeps the white space between sentences. Such a text has one translation and takes no prefix,
  /// constraints or alternatives.
  bool split_sentences = false;
  /// The language of the texts ("en"), whose abbreviations end no sentence. Empty:
  /// EngineSettings::source_language if that is set, else the abbreviations of all languages count.
  std::string split_language = {};
  /// A file of more abbreviations, one per line, in the format of `nmt translate --abbreviations`. Empty:
  /// none.
  std::string abbreviations = {};
  /// The handling of a sentence that has more than 1024 tokens, or more than the models take.
  /// "split" translates it in parts, each of which ends after a sentence, a clause, a comma or a word, and
  /// joins the translations. It also divides sentences that are longer than those that the models were
  /// trained with. With align, prefixes, constraints or alternatives, "split" truncates.
  /// "truncate" drops the end of the sentence and sets Translation::truncated.
  /// "refuse" throws.
  std::string too_long = "split";
  /// The texts are HTML or XML. Tags are not translated and stay where they are, around the words that the
  /// attention of the first model aligns. End tags may be missing. translate() throws if a tag has no end.
  bool markup = false;
  /// Parts of the texts that are copied instead of translated: names of presets ("urls", "emails",
  /// "placeholders", "printf", "emoji"; several separated by commas), or regular expressions of ICU. Cannot
  /// be combined with align. translate() throws if an expression is invalid or takes too long.
  std::vector<std::string> keep = {};
  /// Whether unknown pieces are replaced by the source text that they are aligned to. Default: as the model
  /// file says.
  std::optional<bool> replace_unknown = {};
  /// Translates each text together with up to this many sentences before it: texts, or with split_sentences
  /// sentences, of the same call, and before them those of `earlier_texts`; at most 100. A text without words
  /// separates documents. The models must be trained for it (doc/context.md). Cannot be combined with
  /// prefixes, constraints, alternatives and min_length.
  int context = 0;
  /// The texts before the first text of a call, which are only its context.
  std::vector<std::string> earlier_texts = {};
  /// Sets Translation::alignment. Cannot be combined with markup or with dividing texts into sentences.
  bool align = false;
  /// Sets Translation::tokens and Translation::words.
  bool score_tokens = false;
  /// Sets Translation::quality and Translation::sentences. Needs EngineSettings::quality_model.
  bool quality = false;
};

/// A part of a translation and its natural log-probability, which is 0 for parts that were given
/// (SearchSettings::prefixes).
struct ScoredPart {
  std::string text;
  double log_probability = 0;
};

/// The attention that each word of a target pays to each word of its source. Words are separated by ASCII
/// white space.
struct Alignment {
  std::size_t source_words = 0, target_words = 0;
  /// Matrix of shape [target_words + 1, source_words + 1], row-major; the last row and the last column belong
  /// to EOS. Each row sums to 1, unless its word has no pieces.
  std::vector<double> weights = {};
};

/// A term of the glossary in a text.
struct FoundTerm {
  std::string source;                // as it stands in the text
  std::vector<std::string> targets;  // its translations
  bool is_met = false;               // whether one of them is in the translation
};

/// A sentence of a text, its translation, and an estimate of the quality of this translation by a model, of
/// which more is better (doc/neural-metrics.md).
struct JudgedSentence {
  std::string source, translation;
  double quality = 0;
};

/// A translation of a text, with its scores.
struct Translation {
  std::string text;
  double score = 0;            // see SearchSettings::length_penalty
  double log_probability = 0;  // natural logarithm, EOS included
  /// With score_tokens: the pieces of the vocabulary, with EOS last if the translation ends with it; and the
  /// words of `text`, separated by ASCII white space, with the sums of the log-probabilities of their pieces.
  std::vector<ScoredPart> tokens = {}, words = {};
  /// With alternatives: the piece that distinguishes this translation from the others.
  std::optional<ScoredPart> alternative = {};
  std::int64_t missing = 0;  // number of constraints that the translation does not meet
  /// The terms of the glossary that the text has, in order, those of each sentence once.
  std::vector<FoundTerm> terms = {};
  /// With align: the alignment of `text` to the source text.
  std::optional<Alignment> alignment = {};
  /// Whether the end of the text was dropped; see SearchSettings::too_long.
  bool truncated = false;
  /// One line for each default (of the model, for example) that the settings of the call have overridden.
  /// Constraints, a glossary, alternatives and beam groups override the beam rules of other programs, and
  /// n_best widens a beam.
  std::vector<std::string> notices = {};
  /// With quality: the sentences that are not empty (one, unless the text was divided), and the mean of their
  /// estimates, if there are any.
  std::vector<JudgedSentence> sentences = {};
  std::optional<double> quality = {};
};

/// A source text and its translation.
struct TextPair {
  std::string source, target;
};

/// One or several models, loaded on a device, that translate, score and align text.
///
/// All methods may be called from several threads at a time. Texts of concurrent calls are batched together,
/// and if there are few, all threads of the engine work on them. Scoring and aligning wait for translations
/// that are running, and translations wait for them.
///
/// Texts are UTF-8; invalid bytes become U+FFFD. score() and align() take the first 1024 tokens of each side.
/// The library writes nothing to the standard streams of the process and leaves its signal handlers alone.
class NMT_EXPORT Engine {
 public:
  /// Opens one model, or an ensemble of models with the same vocabularies, which averages their
  /// log-probabilities of each next token. A path names a model file, or the directory of a training run,
  /// whose best model is opened, or else its last one. Throws std::runtime_error with a one-line message if a
  /// file is missing or damaged, if the models do not fit together, or if this machine lacks the device or
  /// precision. Also throws it if a language is unknown, or if the models need a language that is not given.
  explicit Engine(const std::vector<std::string>& models, const EngineSettings& settings = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// Returns the translations of each text, best first: n_best, or as many as there are, at least one. The
  /// translations of a text do not depend on the other texts (samples depend on its position), and the
  /// translation of an empty text is empty.
  ///
  /// Calls `while_waiting`, if given, on the calling thread, at once and then about ten times a second until
  /// all translations are done. An exception that it throws cancels the texts that are not done and leaves
  /// this call.
  ///
  /// Throws std::runtime_error
  /// - if a setting is out of range, or conflicts with another setting (a beam with sampling) or the model;
  /// - if prefixes, constraints_of_texts or avoid_of_texts has another size than `texts`;
  /// - if the engine has only language models, which can only score;
  /// - if there is not enough memory for a text, or a model computes infinity or NaN.
  std::vector<std::vector<Translation>> translate(const std::vector<std::string>& texts,
                                                  const SearchSettings& settings = {},
                                                  const std::function<void()>& while_waiting = {});

  /// Returns the warnings since the last call of this method, one line each. They are about
  /// - text that is probably not what the models expect, because more than a third of its tokens are unknown
  ///   or it begins with an unknown language token (once per engine);
  /// - a vocabulary that has fewer pieces than its model has rows;
  /// - pairs that score() or align() truncates, to 1024 tokens or to what the models take.
  std::vector<std::string> take_warnings();

  /// Returns, for each pair, the natural log-probability of each token of the target and of EOS. Their sum is
  /// the log-probability of the target. Throws as translate() does.
  std::vector<std::vector<double>> score(const std::vector<TextPair>& pairs);

  /// Returns, for each pair, the attention of the decoder over the source: the mean over the heads of the
  /// last layer of the first model. Throws as translate() does, and if the model has no such attention.
  std::vector<Alignment> align(const std::vector<TextPair>& pairs);

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

}  // namespace nmt::v1
