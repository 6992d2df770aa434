// Tests the conversion of Marian's configurations of training and inference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/marian_conversions.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

TEST_F(MarianConversions, LeftOutOptionsHaveMariansDefaults) {
  const MarianOutcome train = convert(MarianProgram::train, "type: transformer\n");
  EXPECT_THAT(train.refused, IsEmpty());
  EXPECT_THAT(train.idle, IsEmpty());
  expect_settings(train, {{"type", "transformer"},
                          {"decoder-start", "zero"},
                          {"d-model", "512"},
                          {"d-ff", "2048"},
                          {"encoder-layers", "1"},
                          {"decoder-layers", "1"},
                          {"norm", "post"},
                          {"norm-kind", "layer"},
                          {"final-norm", "false"},
                          {"activation", "swish"},
                          {"heads", "8"},
                          {"tied-embeddings", "none"},
                          {"positions", "tensor2tensor"},
                          {"dropout", "0"},
                          {"label-smoothing", "0"},
                          {"clip-norm", "1"},
                          {"max-length", "49"},
                          {"schedule", "constant"},
                          {"learning-rate", "0.0001"},
                          {"warmup", "0"},
                          {"epochs", "0"},
                          {"steps", "0"},
                          {"adam-beta2", "0.999"},
                          {"max-ratio", "0"}});
  for (const char* setting : {"device", "precision", "threads", "seed", "batch-tokens", "valid-source"}) {
    EXPECT_FALSE(train.settings.contains(setting)) << setting;
  }
  const MarianOutcome translate = convert(MarianProgram::translate, "");
  EXPECT_THAT(translate.refused, IsEmpty());
  EXPECT_THAT(
      translate.settings,
      ElementsAre(Pair("beam", "12"), Pair("beam-rules", "marian"), Pair("input", "-"),
                  Pair("length-normalization", "power"), Pair("length-penalty", "0"),
                  Pair("max-length", "999"), Pair("max-length-extra", "3"), Pair("max-length-factor", "3"),
                  Pair("output", "-"), Pair("unk", "false"), Pair("word-penalty", "0")));
}

TEST_F(MarianConversions, SpansOfTraining) {
  EXPECT_EQ(trained_with("after: 10e", "epochs"), "10");
  EXPECT_EQ(trained_with("after: 10e\nafter-batches: 5", "steps"), "5");
  EXPECT_EQ(trained_with("after: 300Ku", "steps"), "300000");
  EXPECT_EQ(trained_with("after: '300,000'", "steps"), "300000");
  EXPECT_EQ(trained_with("save-freq: 2ku", "save-every"), "2000");
  EXPECT_EQ(trained_with("after: 10Gt", "stop-after"), "10000Mt");
  EXPECT_EQ(trained_with("after-epochs: 3", "epochs"), "3");
  EXPECT_EQ(trained_with("valid-sets: [v.en, v.de]\nvalid-freq: 5000u", "valid-every"), "5000");
  EXPECT_EQ(trained_with("save-freq: 1e", "save-every"), "1e");
  EXPECT_EQ(trained_with("disp-freq: 10Mt", "log-every"), "10Mt");
  for (const char* text : {"10x", "u", "-1u", "1e5", "''", "nan"}) {
    EXPECT_THAT(
        [&] { trained_with("disp-freq: " + std::string(text), "log-every"); },
        ::testing::ThrowsMessage<UsageError>(HasSubstr("m.yml:2: disp-freq: expected a number with u")))
        << text;
  }
}

TEST_F(MarianConversions, LearningRates) {
  const std::string rate = "learn-rate: 3e-4\nlr-warmup: 16000\nlr-decay-inv-sqrt: ";
  EXPECT_EQ(trained_with(rate + "16000", "schedule"), "inverse-sqrt");
  EXPECT_EQ(trained_with(rate + "[16000, 16000]", "warmup"), "16000");
  EXPECT_EQ(trained_with(rate + "0", "schedule"), "constant");
  EXPECT_EQ(trained_with(rate + "16000u", "learning-rate"), "3e-4");
  EXPECT_EQ(trained_with(rate + "16000", "decay-start"), "") << "the end of warm-up";
  EXPECT_EQ(trained_with(rate + "32000", "decay-start"), "32000");
  EXPECT_EQ(trained_with(rate + "8000", "decay-start"), "8000");
  EXPECT_EQ(trained_with("lr-decay-inv-sqrt: 8000", "decay-start"), "8000") << "without warm-up";
  EXPECT_THAT(refused(rate + "[16000, 20000]"),
              ElementsAre(HasSubstr("m.yml:4: lr-decay-inv-sqrt (with one number")));
  EXPECT_THAT(refused(rate + "10Mt"), ElementsAre("m.yml:4: lr-decay-inv-sqrt (in updates)"));
  EXPECT_THAT(refused(rate + "10Mt", {"schedule=noam"}), IsEmpty()) << "the command line says which";
  EXPECT_THAT(refused(rate + "10Mt", {"schedule=inverse-sqrt"}), SizeIs(1)) << "which falls as Marian's does";
  EXPECT_THAT(refused(rate + "10Mt", {"decay-start=9"}), IsEmpty());
  EXPECT_EQ(trained_with("optimizer-params: [0.9, 0.98, 1e-9, 0.01]", "weight-decay"), "0.01");
  EXPECT_THAT(refused("optimizer-params: [0.9, 0.98, 1e-9, 0.01, 0]"),
              ElementsAre(HasSubstr("Adam has four")));
  EXPECT_EQ(trained_with("exponential-smoothing: 1e-4", "ema"), "0.9999");
  EXPECT_EQ(trained_with("exponential-smoothing: 0", "ema"), "0");
  EXPECT_EQ(trained_with("exponential-smoothing: True", "ema"), "0.9999") << "its value without a number";
  EXPECT_EQ(trained_with("exponential-smoothing: false", "ema"), "0");
}

TEST_F(MarianConversions, RatesThatFallWhenValidationsStall) {
  const std::string stalled = "lr-decay: 0.5\nlr-decay-strategy: stalled\nlr-decay-start: 4\n",
                    valid = "valid-sets: [v.en, v.de]\n";
  EXPECT_EQ(trained_with(valid + stalled, "stalled-decay"), "0.5");
  EXPECT_EQ(trained_with(valid + stalled, "stalled-patience"), "4");
  EXPECT_EQ(trained_with(stalled, "stalled-decay"), "") << "without validations";
  EXPECT_EQ(trained_with(valid + "lr-decay-strategy: stalled", "stalled-decay"), "") << "without a factor";
  EXPECT_THAT(refused(valid + "lr-decay: 0.5"),
              ElementsAre(HasSubstr("lr-decay (with the strategy stalled)")));
  EXPECT_THAT(refused(valid + stalled + "lr-decay-reset-optimizer: true"),
              ElementsAre(HasSubstr("lr-decay-reset-optimizer (only the rate changes)")));
}

TEST_F(MarianConversions, APartThatIsIgnoredLeavesTheRestOfTheSchedule) {
  const auto expect_schedule = [this](const std::string& text, const std::set<std::string>& command_line,
                                      const std::map<std::string, std::string>& expected) {
    SCOPED_TRACE(text);
    expect_settings(
        convert(MarianProgram::train, "type: transformer\nlearn-rate: 0.0003\n" + text, command_line),
        expected);
  };
  const std::string two = "lr-warmup: 8000\nlr-decay-inv-sqrt: [16000, 100]\n";
  const std::map<std::string, std::string> whole = {{"schedule", "inverse-sqrt"},
                                                    {"learning-rate", "0.0003"},
                                                    {"warmup", "8000"},
                                                    {"decay-start", "16000"}};
  expect_schedule(two, {}, whole);
  expect_schedule(two, {"schedule=inverse-sqrt", "learning-rate=3e-4"}, whole);
  expect_schedule(
      "lr-warmup: 0.5e\nlr-decay-inv-sqrt: 16000\n", {},
      {{"schedule", "inverse-sqrt"}, {"learning-rate", "0.0003"}, {"warmup", "0"}, {"decay-start", "16000"}});
  expect_schedule("lr-warmup: 8000\nlr-decay-inv-sqrt: 2e\n", {},
                  {{"schedule", "constant"}, {"learning-rate", "0.0003"}, {"warmup", "8000"}});
  EXPECT_THAT(refused("lr-warmup: 0.5e"), ElementsAre("m.yml:2: lr-warmup (in updates)"));
  EXPECT_THAT(convert(MarianProgram::train, "type: transformer\n" + two, {"schedule=linear"}).settings,
              Not(Contains(Pair("decay-start", ::testing::_))))
      << "only inverse-sqrt has it";
}

TEST_F(MarianConversions, OtherPartsThatAreIgnoredLeaveTheRest) {
  EXPECT_EQ(trained_with("optimizer-params: [0.9, 0.98, 1e-9, 0.01, 7]", "adam-beta2"), "0.98");
  EXPECT_EQ(trained_with("guided-alignment: a\nguided-alignment-cost: mse", "alignment"), "a");
  expect_settings(convert(MarianProgram::train, "train-sets: [a, b]\n", {"source=a", "target=b"}),
                  {{"max-ratio", "0"}, {"drop-identical", "false"}});
  const std::string sets =
      "valid-sets: [v.en, v.de]\nearly-stopping: 5\nvalid-metrics: [valid-script, bleu]\n";
  EXPECT_EQ(trained_with(sets + "early-stopping-on: all", "early-stopping"), "5");
  EXPECT_EQ(trained_with(sets, "best-by"), "bleu");
  EXPECT_EQ(trained_with(sets, "valid-beam"), "12");
}

TEST_F(MarianConversions, ValuesComeFromTheOptionThatSaysThem) {
  const auto places = [this](const std::string& text, const std::string& setting) {
    write("m.yml", "type: transformer\n" + text + "\n");
    const MarianConfig config({"m.yml"});
    const MarianOptions options = marian_options(MarianProgram::train);
    const Options::Source none;
    MarianConversion conversion(config, options, none);
    conversion.run();
    return conversion.settings().at(setting).back().where;
  };
  EXPECT_EQ(places("after-batches: 5ku", "steps"), "m.yml:2: after-batches");
  EXPECT_EQ(places("after: 5ku", "steps"), "m.yml:2: after");
  EXPECT_EQ(places("after-epochs: 5", "epochs"), "m.yml:2: after-epochs");
  EXPECT_EQ(places("lr-warmup: 50", "warmup"), "m.yml:2: lr-warmup");
  EXPECT_EQ(places("lr-decay-inv-sqrt: 50", "schedule"), "m.yml:2: lr-decay-inv-sqrt");
  EXPECT_EQ(places("cpu-threads: 2", "threads"), "m.yml:2: cpu-threads");
  EXPECT_EQ(places("guided-alignment: a\nguided-alignment-weight: 2", "guided-alignment-weight"),
            "m.yml:3: guided-alignment-weight");
  EXPECT_EQ(places("valid-sets: [a, b]\nvalid-metrics: bleu\nbeam-size: 4", "valid-beam"),
            "m.yml:4: beam-size");
}

TEST_F(MarianConversions, InvalidValuesAreQuotedAsWritten) {
  const auto problem = [this](const std::string& text) -> std::string {
    try {
      convert(MarianProgram::train, text + "\n");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("exponential-smoothing: 2"),
            "m.yml:1: exponential-smoothing: expected a number from 0 to 1, got '2'");
  EXPECT_EQ(problem("max-length: 2.5"),
            "m.yml:1: max-length: expected a whole number of at least 1, got '2.5'");
  EXPECT_EQ(
      problem("tsv: true\ntrain-sets: [a, b]"),
      "m.yml:2: train-sets: tsv says that one file has both sides, but there are 2 files; take tsv out, or "
      "name one file");
  EXPECT_THAT(problem("tsv: true\ntrain-sets: a\nvalid-sets: [a, b]"), HasSubstr("m.yml:3: valid-sets: tsv"));
  EXPECT_EQ(problem("num-devices: 5000"), "m.yml:1: num-devices: expected at most 1024");
}

TEST_F(MarianConversions, TextsAndVocabularies) {
  const MarianOutcome two =
      convert(MarianProgram::train,
              "type: transformer\ntrain-sets: [t.en, t.de]\nvocabs: [v.spm, v.spm]\n"
              "valid-sets: [v.en, v.de]\nmini-batch-words: 8000\nsentencepiece-alphas: [0.1, 0.1]\n");
  expect_settings(two, {{"source", "t.en"},
                        {"target", "t.de"},
                        {"vocab", "v.spm"},
                        {"valid-source", "v.en"},
                        {"valid-target", "v.de"},
                        {"batch-tokens", "8000"},
                        {"sampling-alpha", "0.1"},
                        {"drop-identical", "false"}});
  EXPECT_EQ(trained_with("vocabs: [a.spm, b.spm]", "source-vocab"), "a.spm");
  EXPECT_EQ(trained_with("vocabs: [a.spm, b.spm]\npretrained-model: m.npz", "source-vocab"), "");
  EXPECT_EQ(trained_with("pretrained-model: m.npz", "from-weights"), "m.npz");
  EXPECT_EQ(trained_with("tsv: true\ntrain-sets: [stdin]", "tsv"), "-");
  EXPECT_THAT(refused("train-sets: [a, b, c]"),
              ElementsAre("m.yml:2: train-sets (two files, or one with tsv)"));
  EXPECT_THAT(refused("sentencepiece-alphas: [0.1, 0]"), ElementsAre(HasSubstr("both sides")));
  EXPECT_THAT(convert(MarianProgram::train, "train-sets: [a, b]\n", {"train", "type"}).settings,
              Not(Contains(Pair("source", "a"))));
}

TEST_F(MarianConversions, FixedEmbeddingsAreFrozen) {
  EXPECT_EQ(trained_with("tied-embeddings-all: true", "freeze"), "");
  EXPECT_EQ(trained_with("embedding-fix-src: true", "freeze"), "source_embedding");
  EXPECT_EQ(trained_with("embedding-fix-trg: true", "freeze"), "target_embedding");
  EXPECT_EQ(trained_with("tied-embeddings-all: true\nembedding-fix-trg: true", "freeze"), "embedding");
}

TEST_F(MarianConversions, AlignmentsAndWeightsAreFilesOrColumnsOfTheText) {
  const auto train = [&](const std::string& text, const std::set<std::string>& command_line = {}) {
    const MarianOutcome outcome =
        convert(MarianProgram::train, "type: transformer\n" + text + "\n", command_line);
    EXPECT_THAT(outcome.refused, IsEmpty());
    return outcome;
  };
  expect_settings(
      train("guided-alignment: corpus.aln.gz"),
      {{"alignment", "corpus.aln.gz"}, {"alignment-units", "pieces"}, {"guided-alignment-weight", "0.1"}});
  const MarianOutcome column =
      train("guided-alignment: 2\ntsv: True\ntsv-fields: 3\nguided-alignment-weight: 0.2");
  expect_settings(column, {{"tsv-columns", "source,target,alignment"}, {"guided-alignment-weight", "0.2"}});
  EXPECT_EQ(column.settings.count("alignment"), 0);
  expect_settings(train("guided-alignment: 2", {"tsv=t.tsv"}), {{"tsv-columns", "source,target,alignment"}});
  expect_settings(train("guided-alignment: 0\ndata-weighting: 2\ntsv: true"),
                  {{"tsv-columns", "alignment,source,weights,target"}});
  expect_settings(train("data-weighting: w.txt"), {{"weights", "w.txt"}});
  EXPECT_EQ(train("guided-alignment: none").settings.count("guided-alignment-weight"), 0);

  const MarianOutcome packed = train("guided-alignment: 2\ndata-weighting: w", {"train=t.nmtc"});
  expect_settings(packed, {{"guided-alignment-weight", "0.1"}});
  for (const char* setting : {"alignment", "alignment-units", "weights", "tsv-columns"})
    EXPECT_EQ(packed.settings.count(setting), 0) << setting << " is of text";

  EXPECT_THAT(refused("guided-alignment: 2"), ElementsAre(HasSubstr("give --tsv, or --alignment FILE")));
  EXPECT_THAT(refused("guided-alignment: 2", {"alignment=a"}), IsEmpty());
  EXPECT_THAT(refused("guided-alignment: 7\ntsv: true"), ElementsAre(HasSubstr("counted from 0")));
  EXPECT_THAT(refused("guided-alignment: a\nguided-alignment-cost: mse"),
              ElementsAre(HasSubstr("the cost is ce")));
  EXPECT_THAT(refused("data-weighting: w\ndata-weighting-type: word"),
              ElementsAre(HasSubstr("data-weighting-type (weights of pieces; give --weights, of words)")));
  EXPECT_THAT(refused("data-weighting: w\ndata-weighting-type: word", {"train=t.nmtc"}), IsEmpty());
  EXPECT_THAT(refused("tsv: true\ntsv-fields: 3"), ElementsAre(HasSubstr("a source, a target, alignments")));
}

TEST_F(MarianConversions, SwitchesAreAsYamlWritesThem) {
  for (const char* on : {"true", "True", "TRUE", "yes", "On", "y"})
    EXPECT_EQ(trained_with(fmt::format("tied-embeddings-all: {}", on), "tied-embeddings"), "all") << on;
  for (const char* off : {"false", "False", "no", "OFF"}) {
    EXPECT_EQ(trained_with(fmt::format("tied-embeddings-all: {}", off), "tied-embeddings"), "none") << off;
    EXPECT_THAT(refused(fmt::format("no-shuffle: {}\nulr: {}", off, off)), IsEmpty()) << "as by default";
  }
}

TEST_F(MarianConversions, TextIsAlwaysShuffled) {
  EXPECT_THAT(convert(MarianProgram::train, "type: transformer\nshuffle: data\n").notes, IsEmpty());
  const MarianOutcome batches = convert(MarianProgram::train, "type: transformer\nshuffle: batches\n");
  EXPECT_THAT(batches.refused, IsEmpty());
  EXPECT_THAT(batches.notes, ElementsAre(HasSubstr("m.yml:2: shuffle: pairs are shuffled in every pass")));
  EXPECT_THAT(refused("shuffle: none"), ElementsAre(HasSubstr("text is shuffled in every pass")));
}

TEST_F(MarianConversions, BatchesOfSentencesHaveToBeGivenByHand) {
  EXPECT_THAT(refused("mini-batch: 128"),
              ElementsAre("m.yml:2: mini-batch (batches are of tokens: give --batch-tokens)"));
  EXPECT_THAT(refused("mini-batch: 128", {"batch-tokens=4000"}), IsEmpty());
  EXPECT_THAT(refused("mini-batch: 64"), IsEmpty()) << "as Marian by itself";
  const MarianOutcome fit =
      convert(MarianProgram::train, "type: transformer\nmini-batch: 128\nmini-batch-fit: true\n");
  EXPECT_THAT(fit.refused, IsEmpty());
  EXPECT_THAT(fit.idle, ElementsAre("mini-batch", "mini-batch-fit"));
}

TEST_F(MarianConversions, Validation) {
  const std::string sets = "valid-sets: [v.en, v.de]\n";
  EXPECT_EQ(trained_with(sets + "valid-metrics: [chrf, ce-mean-words]", "best-by"), "chrf");
  EXPECT_EQ(trained_with("tsv: true\nvalid-sets: [v.tsv]\n", "valid-tsv"), "v.tsv");
  EXPECT_EQ(trained_with("tsv: true\nvalid-sets: v.tsv\n", "valid-every"), "10000");
  EXPECT_EQ(trained_with(sets + "valid-metrics: [ce-mean-words, bleu-detok]\nbeam-size: 6", "valid-beam"),
            "6");
  EXPECT_EQ(trained_with(sets + "valid-metrics: [ce-mean-words, chrf]", "valid-metrics"), "chrf");
  EXPECT_EQ(trained_with(sets, "valid-beam"), "0");
  EXPECT_EQ(trained_with(sets, "best-by"), "perplexity");
  EXPECT_EQ(trained_with(sets, "valid-every"), "10000");
  EXPECT_EQ(trained_with(sets, "early-stopping"), "10");
  EXPECT_EQ(trained_with(sets + "keep-best: true", "keep-best"), "1");
  EXPECT_EQ(trained_with("overwrite: true", "keep-last"), "1");
  EXPECT_THAT(refused(sets + "valid-metrics: [valid-script]"),
              ElementsAre(HasSubstr("there is no valid-script")));
  EXPECT_THAT(refused(sets + "valid-metrics: [translation]"), ElementsAre(HasSubstr("give --valid-command")));
  EXPECT_THAT(refused(sets + "valid-metrics: [translation]", {"valid-command"}), IsEmpty());
  const std::string script = "valid-script-path: bash score.sh\nvalid-script-args: [--gpu, 0]\n";
  const std::string by_script = sets + script + "valid-metrics: [translation, bleu]\nbeam-size: 6";
  EXPECT_EQ(trained_with(by_script, "valid-command"), "bash score.sh --gpu 0");
  EXPECT_EQ(trained_with(by_script, "best-by"), "command");
  EXPECT_EQ(trained_with(by_script, "valid-beam"), "6");
  const MarianOutcome unused = convert(MarianProgram::train, "type: transformer\n" + sets + script);
  EXPECT_THAT(unused.idle, ElementsAre("valid-script-path"));
  EXPECT_THAT(unused.settings, Not(Contains(Pair("valid-command", ::testing::_))));
  EXPECT_THAT(refused(sets + "early-stopping-on: all"), IsEmpty()) << "there is one metric";
  EXPECT_THAT(refused(sets + "early-stopping-on: all\nvalid-metrics: [bleu, perplexity]"),
              ElementsAre("m.yml:3: early-stopping-on (the first of valid-metrics decides alone)"));
  const MarianOutcome longer =
      convert(MarianProgram::train, "type: transformer\n" + sets + "valid-max-length: 300\n");
  EXPECT_THAT(longer.notes,
              ElementsAre("m.yml:3: valid-max-length: validation pairs are limited by max-length, "
                          "which is 50, as training pairs are"));
  EXPECT_THAT(longer.idle, IsEmpty());
  for (const char* setting : {"valid-every", "valid-beam", "best-by", "early-stopping", "keep-best"}) {
    EXPECT_EQ(trained_with("valid-metrics: [bleu]", setting), "") << "of no text";
  }
}

TEST_F(MarianConversions, Devices) {
  EXPECT_EQ(trained_with("devices: [0, 2]", "device"), "cuda:0,2");
  EXPECT_EQ(trained_with("devices: [all]", "device"), "cuda:all");
  EXPECT_EQ(trained_with("num-devices: 3", "device"), "cuda:0,1,2");
  EXPECT_EQ(trained_with("num-devices: 1", "device"), "") << "what is available";
  EXPECT_EQ(trained_with("num-devices: 2\ndevices: [1, 3]", "device"), "cuda:1,3");
  EXPECT_EQ(trained_with("cpu-threads: 4", "device"), "cpu");
  EXPECT_EQ(trained_with("devices: [0]\ncpu-threads: 4", "threads"), "4");
  EXPECT_EQ(trained_with("precision: [float32, float32]", "precision"), "f32");
  EXPECT_EQ(trained_with("fp16: true\ndevices: [0]", "precision"), "f16");
  for (const char* precision : {"fp16: True", "precision: [float16, float32]"}) {
    const std::string text = fmt::format("type: transformer\n{}\n", precision);
    const MarianOutcome on_cpu = convert(MarianProgram::train, text, {"device=cpu"});
    EXPECT_EQ(on_cpu.settings.count("precision"), 0);
    EXPECT_THAT(on_cpu.notes,
                ElementsAre(AllOf(HasSubstr(fmt::format("m.yml:2: {}", precision).substr(0, 13)),
                                  HasSubstr("the CPU computes in f32"))));
    EXPECT_THAT(convert(MarianProgram::train, text + "cpu-threads: 2\n").notes, SizeIs(1));
    EXPECT_THAT(convert(MarianProgram::train, text, {"device=cpu", "precision=bf16"}).notes, IsEmpty());
    EXPECT_EQ(convert(MarianProgram::train, text, {"device=cuda"}).settings.at("precision"), "f16");
  }
  EXPECT_THAT(refused("precision: [float64, float32]"), ElementsAre(HasSubstr("float32 and float16")));
  EXPECT_EQ(convert(MarianProgram::translate, "gemm-type: packed8avx2\n").settings.at("precision"), "int8");
  EXPECT_EQ(convert(MarianProgram::translate, "gemm-precision: int8shiftAlphaAll\n").settings.at("precision"),
            "int8");
  EXPECT_EQ(trained_with("log-level: warn", "quiet"), "true");
  EXPECT_EQ(trained_with("log-level: debug", "verbose"), "true");
  EXPECT_EQ(convert(MarianProgram::translate, "quiet-translation: true\n").settings.at("quiet"), "true");
}

TEST_F(MarianConversions, Translating) {
  const MarianOutcome outcome =
      convert(MarianProgram::translate,
              "models: [a.npz, b.npz]\nweights: [1, 2]\nvocabs: [v.spm, v.spm]\nbeam-size: 6\n"
              "normalize: 1\nword-penalty: 0.5\nmax-length-factor: 2\nallow-unk: true\n"
              "n-best: true\nalignment: 0.5\nmini-batch: 32\nmaxi-batch: 100\n"
              "maxi-batch-sort: src\nworkspace: 512\nenc-depth: 6\ntype: s2s\n");
  EXPECT_THAT(outcome.refused, IsEmpty());
  EXPECT_THAT(outcome.idle, IsEmpty());
  EXPECT_THAT(
      outcome.settings,
      ElementsAre(Pair("alignment", "0.5"), Pair("alignment-head", "1"), Pair("beam", "6"),
                  Pair("beam-rules", "marian"), Pair("input", "-"), Pair("length-normalization", "power"),
                  Pair("length-penalty", "1"), Pair("max-length", "999"), Pair("max-length-extra", "2"),
                  Pair("max-length-factor", "2"), Pair("model", "a.npz b.npz"), Pair("n-best", "6"),
                  Pair("n-best-format", "marian"), Pair("output", "-"), Pair("unk", "true"),
                  Pair("weights", "1 2"), Pair("word-penalty", "0.5")));
  const auto shortlist = [&](const std::string& models) {
    const auto found = convert(MarianProgram::translate, "shortlist: [lex.bin, false]\n" + models);
    EXPECT_THAT(found.refused, IsEmpty());
    return found.settings.contains("shortlist") ? found.settings.at("shortlist") : "";
  };
  EXPECT_EQ(shortlist("models: [a.safetensors]\n"), "lex.bin");
  EXPECT_EQ(shortlist("models: [a.npz]\nvocabs: [a.spm, a.spm]\n"), "") << "which comes with the model";
  const auto browser =
      convert(MarianProgram::translate,
              "gemm-precision: int8shiftAlphaAll\nssplit-prefix-file: x\nmax-length-break: 128\n"
              "max-length-factor: 2.5\ncpu-threads: 1\nquiet-translation: true\n");
  EXPECT_THAT(browser.refused, IsEmpty());
  EXPECT_EQ(browser.settings.at("precision"), "int8");
  EXPECT_EQ(browser.settings.at("max-length-factor"), "2.5");
  EXPECT_EQ(browser.settings.at("max-length-extra"), "2.5") << "EOS counts as a token of the source";
  EXPECT_EQ(convert(MarianProgram::translate, "normalize: True\n").settings.at("length-penalty"), "1");
  EXPECT_EQ(convert(MarianProgram::translate, "normalize: false\n").settings.at("length-penalty"), "0");
  EXPECT_EQ(convert(MarianProgram::translate, "alignment: true\n").settings.at("alignment"), "1");
  EXPECT_EQ(convert(MarianProgram::score, "normalize: True\n").settings.at("length-penalty"), "1");
  EXPECT_THAT(convert(MarianProgram::translate, "skip-cost: true\nbeam-size: 1\n").refused, IsEmpty());
  EXPECT_THAT(convert(MarianProgram::translate, "skip-cost: true\n").refused, SizeIs(1));
}

TEST_F(MarianConversions, Sampling) {
  const auto sampled = [this](const std::string& sampling) {
    return convert(MarianProgram::translate,
                   "beam-size: 1\nnormalize: 1\nword-penalty: 0.1\noutput-sampling: " + sampling + "\n");
  };
  const auto full = sampled("[full]").settings;
  EXPECT_EQ(full.at("sample"), "true");
  for (const char* name : {"temperature", "beam", "length-penalty", "word-penalty"})
    EXPECT_FALSE(full.contains(name)) << name;
  EXPECT_EQ(sampled("true").settings.at("sample"), "true");
  EXPECT_FALSE(sampled("false").settings.contains("sample"));
  EXPECT_EQ(sampled("false").settings.at("beam"), "1");
  EXPECT_EQ(sampled("[full, 0.7]").settings.at("temperature"), "0.7");
  const auto of_five = sampled("[topk, 5, 0.7]").settings;
  EXPECT_EQ(of_five.at("top-k"), "5");
  EXPECT_EQ(of_five.at("temperature"), "0.7");
  EXPECT_EQ(sampled("[topk]").settings.at("top-k"), "10") << "Marian's default";
  EXPECT_EQ(sampled("[nucleus, 0.8]").settings.at("top-p"), "0.8");
  EXPECT_EQ(sampled("[epsilon]").settings.at("epsilon"), "0.02");
  EXPECT_THAT(sampled("[epsilon, 0.05, 1.0]").refused, IsEmpty());
  EXPECT_THAT(sampled("[epsilon, 0.05, 2]").refused,
              ElementsAre(HasSubstr("output-sampling (Marian chooses")));
  EXPECT_THAT([&] { sampled("[best]"); },
              ::testing::ThrowsMessage<UsageError>(HasSubstr("epsilon, got 'best'")));
  EXPECT_THAT(convert(MarianProgram::translate, "output-sampling: [full]\n").refused,
              ElementsAre(HasSubstr("output-sampling (give --sample, or set beam-size to 1")));
}

TEST_F(MarianConversions, Scoring) {
  const MarianOutcome list =
      convert(MarianProgram::score,
              "model: m.npz\ntrain-sets: [t.en, list]\nn-best: true\nn-best-feature: F1\n"
              "normalize: true\n");
  EXPECT_THAT(list.settings,
              ElementsAre(Pair("feature", "F1"), Pair("length-normalization", "power"),
                          Pair("length-penalty", "1"), Pair("max-length", "999"), Pair("model", "m.npz"),
                          Pair("n-best", "list"), Pair("source", "t.en")));
  const MarianOutcome text = convert(MarianProgram::score, "train-sets: [t.en, t.de]\nword-scores: true\n");
  expect_settings(text,
                  {{"source", "t.en"}, {"target", "t.de"}, {"per-token", "true"}, {"length-penalty", "0"}});
  const auto summary = [&](const char* figure) {
    return convert(MarianProgram::score, fmt::format("summary: {}\n", figure));
  };
  EXPECT_EQ(summary("ce-mean-words").settings.at("summary"), "cross-entropy");
  EXPECT_EQ(summary("perplexity").settings.at("summary"), "perplexity");
  EXPECT_THAT(summary("cross-entropy").refused, ElementsAre(HasSubstr("ce-mean-words and perplexity")));
}

TEST_F(MarianConversions, PathsAreRelativeToTheFileThatSaysSo) {
  std::filesystem::create_directory("deep");
  write("deep/decoder.yml", "relative-paths: true\nmodels: [opus.npz, /abs.npz]\ninput: stdin\n");
  EXPECT_EQ(convert_file(MarianProgram::translate, "deep/decoder.yml").settings.at("model"),
            "deep/opus.npz /abs.npz");
  write("deep/decoder.yml", "relative-paths: false\nmodels: [opus.npz]\n");
  EXPECT_EQ(convert_file(MarianProgram::translate, "deep/decoder.yml").settings.at("model"), "opus.npz");
  write("deep/decoder.yml", "models: [opus.npz]\nvocabs: [a.yml, a.yml]\n");
  EXPECT_EQ(convert_file(MarianProgram::translate, "deep/decoder.yml").settings.at("model"),
            "deep/decoder.yml")
      << "a model of Marian with its vocabularies";
  write("deep/decoder.yml", "models: [nmt.safetensors]\nvocabs: [a.yml, a.yml]\n");
  EXPECT_EQ(convert_file(MarianProgram::translate, "deep/decoder.yml").settings.at("model"),
            "nmt.safetensors");
  write("deep/scorer.yml", "model: opus.npz\nvocabs: [a.yml, a.yml]\n");
  EXPECT_EQ(convert_file(MarianProgram::score, "deep/scorer.yml").settings.at("model"), "deep/scorer.yml");
  write("deep/decoder.yml", "relative-paths: false\nmodels: [opus.npz]\n");
  write("more.yml", "beam-size: 3\n");
  const MarianConfig both({"deep/decoder.yml", "more.yml"});
  EXPECT_EQ(both.find("beam-size")->where, "more.yml:1");
  EXPECT_EQ(both.find("models")->values, (std::vector<std::string>{"opus.npz"}));
}

TEST_F(MarianConversions, OptionsThatMakeNoDifferenceAreNotRefused) {
  const MarianOutcome outcome =
      convert(MarianProgram::train,
              "type: transformer\nmaxi-batch: 1000\ntempdir: /x\nright-left: false\n"
              "lr-decay: 0.0\nlogical-epoch: [1e, 0]\nversion: v1.12\nmodel: m.npz\n");
  EXPECT_THAT(outcome.refused, IsEmpty());
  EXPECT_THAT(outcome.idle, ElementsAre("maxi-batch", "tempdir"));
  for (const char* side : {"source-direction", "target-direction"}) {
    EXPECT_EQ(outcome.settings.at(side), "left-to-right");
    EXPECT_EQ(convert(MarianProgram::train, "type: transformer\nright-left: true\n").settings.at(side),
              "right-to-left");
  }
  EXPECT_THAT(
      refused("ulr: true\ndropout-src: 0.1\nrihgt-left: true"),
      ElementsAre("m.yml:2: ulr", "m.yml:3: dropout-src",
                  "m.yml:4: 'rihgt-left' (unknown to this program of Marian, did you mean 'right-left'?)"));
}

TEST_F(MarianConversions, WhatIsNoConfigurationIsAnError) {
  for (const char* text : {"- a\n", "type: {a: b}\n", "a: [\n", "type: ~\n"}) {
    EXPECT_THROW(convert(MarianProgram::train, text), UsageError) << text;
  }
  EXPECT_THAT([&] { convert(MarianProgram::train, "max-length: long\n"); },
              ::testing::ThrowsMessage<UsageError>("m.yml:1: max-length: expected a number, got 'long'"));
}

}  // namespace
}  // namespace nmt
