// Tests settings from YAML files: precedence, errors with file and line, and the round trip of the resolved
// configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <limits>
#include <stdexcept>

#include "cli/options_fixture.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using Texts = std::vector<std::string>;

using Yaml = InFolder;

TEST_F(Yaml, GivesSettings) {
  const Settings s = settings_of(
      "# comment\nbeam: 8\nsave-every: 1e\nquiet: true\ntrain:\n  - a\n  - b\n"
      "model: {d_model: 256, norm: \"pre\"}\ntitle: 'a: b'\nnote: |\n  two\n  lines\n");
  EXPECT_EQ(s.beam, 8);
  EXPECT_EQ(s.save_every, (Interval{1, Interval::Unit::epochs}));
  EXPECT_TRUE(s.quiet);
  EXPECT_EQ(s.train, (Texts{"a", "b"}));
  EXPECT_EQ(s.d_model, 256);
  EXPECT_EQ(s.norm, "pre");
  EXPECT_EQ(s.title, "a: b");
  EXPECT_EQ(s.note, "two\nlines\n");
}

TEST_F(Yaml, ListsMayHoldOneOrNone) {
  EXPECT_EQ(settings_of("train: a\n").train, (Texts{"a"}));
  EXPECT_EQ(settings_of("train: []\n").train, Texts{});
}

TEST_F(Yaml, EmptyFilesGiveNothing) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "{}\n"}) {
    EXPECT_EQ(settings_of(text), Settings()) << text;
  }
}

TEST_F(Yaml, LaterFilesAndTheCommandLineAreStronger) {
  write("first.yml", "beam: 2\nsteps: 20\nseed: 200\ntrain: [a, b]\nquiet: true\n");
  write("second.yml", "steps: 30\nseed: 300\ntrain: [c]\n");
  Program program;
  program.options.parse({"--seed", "400", "--config", "first.yml", "--no-quiet", "--config=second.yml"});
  EXPECT_EQ(program.settings.beam, 2);
  EXPECT_EQ(program.settings.steps, 30);
  EXPECT_EQ(program.settings.seed, 400U);
  EXPECT_EQ(program.settings.train, (Texts{"c"})) << "a stronger list replaces";
  EXPECT_FALSE(program.settings.quiet);
  EXPECT_TRUE(program.options.given("steps"));
  EXPECT_FALSE(program.options.given("dropout"));
}

/// A program with another source of settings: the text after --other, which sets steps.
struct ProgramWithOther : Program {
  std::string other;

  ProgramWithOther() {
    options.add("other", other, "TEXT", "").command_line_only();
    options.source_below([](const Options::Source& line) -> Options::Source {
      if (!line.contains("other")) return {};
      const std::string text = line.at("other").back().text;
      if (text == "bad") throw UsageError("other: bad");
      if (text == "wrong") return {{"nothing", {{"1", "other"}}}};
      return {{"beam", {{"3", "other:1: width"}}}, {"steps", {{text, "other:2: end"}}}};
    });
  }
};

TEST_F(Yaml, OtherSourcesAreWeakerThanFiles) {
  write("run.yml", "beam: 2\n");
  ProgramWithOther program;
  const Settings& s = program.settings;
  program.options.parse({"--other", "30", "--config", "run.yml"});
  EXPECT_EQ(s.beam, 2);
  EXPECT_EQ(s.steps, 30);
  EXPECT_EQ(program.options.origin("steps"), "other:2: end");
  program.options.parse({"--other", "30", "--steps", "40"});
  EXPECT_EQ(s.beam, 3);
  EXPECT_EQ(s.steps, 40);
}

TEST_F(Yaml, FaultsOfOtherSourcesAreToldWithAllOthers) {
  ProgramWithOther program;
  EXPECT_EQ(program.error({"--other", "x", "--steps", "4"}),
            "other:2: end: expected a whole number, got 'x'");
  EXPECT_THAT(program.error({"--other", "bad", "--beam", "x"}),
              AllOf(HasSubstr("other: bad; "), HasSubstr("--beam: expected")));
  EXPECT_THROW(program.options.parse({"--other", "wrong"}), std::logic_error);
}

TEST_F(Yaml, OtherSourcesNeedNothingBesides) {
  ProgramWithOther program;
  bool shown = false;
  program.options.add("shown", shown, "true|false", "").needs({"title"}, "a title");
  program.options.source_below([](const Options::Source&) -> Options::Source {
    return {{"shown", {{"true", "other"}}}};
  });
  EXPECT_EQ(program.error({}), "");
  EXPECT_TRUE(shown);
  EXPECT_THAT(program.options.resolved(), Not(HasSubstr("shown")));
}

TEST_F(Yaml, PresetsAreWeakerThanEverySourceWhereverTheyStand) {
  write("run.yml", "beam: 2\npreset: small\n");
  Program program;
  std::string preset = "none";
  Settings& s = program.settings;
  program.options.add("preset", preset, "NAME", "").choices({"none", "small", "big"});
  program.options.before_others("preset", [&] {
    s.beam = 40;
    s.steps = 41;
    s.d_model = preset == "big" ? 1024 : 128;
  });
  program.options.parse({"--d-model", "64", "--config", "run.yml"});
  EXPECT_EQ(s.beam, 2);
  EXPECT_EQ(s.steps, 41);
  EXPECT_EQ(s.d_model, 64);
  program.options.parse({"--config", "run.yml", "--preset", "big"});
  EXPECT_EQ(s.d_model, 1024) << "the strongest source names the preset";
  s.steps = 1;
  program.options.parse({});
  EXPECT_EQ(s.steps, 1) << "no preset, no values";
}

TEST_F(Yaml, PresetsSetDefaultsByName) {
  write("run.yml", "beam: 2\n");
  Program program;
  bool small = false;
  program.options.flag("small", small, "");
  program.options.before_others("small", [&program] {
    program.options.set_default("beam", "3");
    program.options.set_default("d_model", "64");
  });
  program.options.parse({"--small", "--config", "run.yml"});
  EXPECT_EQ(program.settings.beam, 2);
  EXPECT_EQ(program.settings.d_model, 64);
  EXPECT_FALSE(program.options.given("d_model"));
  EXPECT_THROW(program.options.set_default("beam", "0"), UsageError);
}

TEST_F(Yaml, UnknownNamesComeWithFileLineAndSuggestion) {
  EXPECT_EQ(error_of("steps: 5\n\nbeem: 4\n"),
            "run.yml:3: unknown setting 'beem', did you mean 'beam'? (the line is 'beem: 4')");
  EXPECT_EQ(error_of("zebra: 4\n"),
            "run.yml:1: unknown setting 'zebra'; nmt try --help lists the settings (the line is 'zebra: 4')");
  EXPECT_EQ(error_of("model:\n  d-modell: 4\n"),
            "run.yml:2: unknown setting 'd-modell', did you mean 'd_model'? (the line is 'd-modell: 4')");
  EXPECT_EQ(error_of("modle:\n  d_model: 4\n"),
            "run.yml:1: unknown setting 'modle', did you mean 'model'? (the line is 'modle:')");
  EXPECT_EQ(error_of("dim-emb: 4\n"),
            "run.yml:1: unknown setting 'dim-emb', did you mean 'model.d_model'? (the line is 'dim-emb: 4')");
  EXPECT_EQ(error_of("'': {beam: 4}\n"),
            "run.yml:1: unknown setting ''; nmt try --help lists the settings (the line is ''': {beam: 4}')");
}

TEST_F(Yaml, AllThatIsWrongIsToldAtOnce) {
  EXPECT_EQ(error_of("beem: 4\nsteps: many\nmodel:\n\td_modle: 4\n").find('\n'), std::string::npos);
  EXPECT_EQ(
      error_of("beem: 4 # of hypotheses\nsteps: many\nmodel:\n  d_modle: 4\n"),
      "run.yml:1: unknown setting 'beem', did you mean 'beam'? (the line is 'beem: 4 # of hypotheses'); "
      "run.yml:4: unknown setting 'd_modle', did you mean 'd_model'? (the line is 'd_modle: 4'); "
      "run.yml:2: steps: expected a whole number, got 'many'");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "zebra" + std::to_string(i) + ": 1\n";
  EXPECT_THAT(error_of(many), ::testing::EndsWith("zebra9: 1'); and 90 more"));
}

TEST_F(Yaml, NamesBelongToTheirSection) {
  EXPECT_EQ(error_of("d_model: 4\n"),
            "run.yml:1: 'd_model' belongs under 'model:' (the line is 'd_model: 4')");
  EXPECT_EQ(error_of("model:\n  beam: 4\n"),
            "run.yml:2: 'beam' belongs at the top level (the line is 'beam: 4')");
  EXPECT_EQ(error_of("model: 4\n"),
            "run.yml:1: 'model': expected a mapping of settings (the line is 'model: 4')");
  EXPECT_EQ(
      error_of("output: x\n"),
      "run.yml:1: 'output' can be given on the command line only, as --output (the line is 'output: x')");
}

TEST_F(Yaml, BadValuesComeWithFileAndLine) {
  EXPECT_EQ(error_of("\nbeam: many\n"), "run.yml:2: beam: expected a whole number from 1 to 64, got 'many'");
  EXPECT_EQ(
      error_of("beam: {a: 1}\n"),
      "run.yml:1: beam: expected a whole number from 1 to 64, got a mapping (the line is 'beam: {a: 1}')");
  EXPECT_EQ(error_of("beam: [1]\n"),
            "run.yml:1: beam: expected a whole number from 1 to 64, got a list (the line is 'beam: [1]')");
  EXPECT_EQ(error_of("beam:\nsteps: 1\n"), "run.yml:1: 'beam' has no value; write '' for an empty text");
  EXPECT_EQ(error_of("train:\n  - a\n  - [b]\n"),
            "run.yml:3: 'train' lists something that is not a plain value");
  EXPECT_EQ(error_of("model:\n  norm: pots\n"),
            "run.yml:2: norm: expected one of post, pre, got 'pots', did you mean 'post'?");
  EXPECT_EQ(error_of("title: a\nsteps: |\n  1\n  2\n"),
            "run.yml:2: steps: expected a whole number, got '1 2 '");
  write("run.yml", "beam: many\n");
  EXPECT_NE(Program().error({"--config", "run.yml", "--beam", "4"}), "") << "bad even where it is overridden";
}

TEST_F(Yaml, DuplicatesAreRefused) {
  EXPECT_EQ(error_of("beam: 1\nsteps: 1\nbeam: 2\n"), "run.yml:3: 'beam' is given twice, first in run.yml:1");
  EXPECT_EQ(error_of("save_every: 1\nsave-every: 1\n"),
            "run.yml:2: 'save-every' is given twice, first in run.yml:1");
  EXPECT_EQ(error_of("model: {norm: pre}\nmodel: {d_model: 2}\n"),
            "run.yml:2: 'model' is given twice, first in run.yml:1");
}

TEST_F(Yaml, FilesThatAreNotSettings) {
  EXPECT_THAT(error_of("beam: 1\ntitle: 'a\n"), MatchesRegex("run.yml:[23]: not valid YAML: [^\n]+"));
  EXPECT_THAT(error_of("beam: 1\n\t- x: [\n"), MatchesRegex("run.yml:[23]: not valid YAML: [^\n]+"));
  EXPECT_THAT(error_of("title: *nowhere\n"), MatchesRegex("run.yml:1: not valid YAML: [^\n]+"));
  EXPECT_THAT(error_of(std::string(10000, '[')), MatchesRegex("run.yml:1: not valid YAML: [^\n]+"));
  EXPECT_THAT(error_of("model: &a\n  b: *a\n"), HasSubstr("run.yml:2: unknown setting 'b'"));
  EXPECT_EQ(error_of("- beam\n"), "run.yml:1: expected settings as 'name: value'");
  EXPECT_EQ(error_of("just text\n"), "run.yml:1: expected settings as 'name: value'");
  EXPECT_EQ(error_of("[a]: b\n"), "run.yml:1: expected 'name: value'");
  EXPECT_EQ(error_of("beam: 1\n---\nbeam: 2\n"),
            "run.yml:2: a second document starts; a settings file holds one");
  EXPECT_EQ(error_of(std::string(70'000, '#')),
            "'run.yml' is longer than 65536 bytes; name a file of settings");
  EXPECT_THAT(error_of("title: &a " + std::string(30'000, 'x') + "\ntrain: [*a, *a, *a, *a, *a]\n"),
              HasSubstr("run.yml:1: aliases expand to more than 65536 bytes"));
  EXPECT_EQ(error_of("beam: 1\ntitle: \xff\n"), "run.yml:2: not UTF-8; save the file as UTF-8");
  EXPECT_EQ(error_of("beam: 1\n\x04steps: 2\n"), "run.yml:2: holds a control character; remove it");
}

TEST_F(Yaml, FilesThatCannotBeRead) {
  EXPECT_EQ(Program().error({"--config", "missing.yml"}),
            "cannot read the settings file 'missing.yml': No such file or directory");
  EXPECT_EQ(Program().error({"--config", "."}), "cannot read the settings file '.': Is a directory");
}

TEST_F(Yaml, ResolvedIsPlainBlockYaml) {
  Program program;
  program.options.parse(
      {"--train", "/a b", "--train", "/c:d", "-o", "x", "--color", "never", "--title", "5"});
  EXPECT_EQ(program.options.resolved(), R"(beam: 4
steps: 100
seed: 1
dropout: 0.1
title: "5"
shuffle: true
quiet: false
save_every: 5000
train:
  - /a b
  - /c:d
words:
  []
model:
  d_model: 512
  norm: post
)");
}

TEST_F(Yaml, ResolvedPathsHoldFromAnyFolder) {
  const std::string here = std::filesystem::current_path().string();
  Program program;
  program.options.parse({"--train", "a/../b", "--train", "-", "--train", "/c", "--title", "d"});
  EXPECT_THAT(program.options.resolved(), HasSubstr("title: d\n"));
  EXPECT_THAT(program.options.resolved(), HasSubstr("train:\n  - " + here + "/b\n  - \"-\"\n  - /c\n"));
  EXPECT_EQ(program.settings.train, (Texts{"a/../b", "-", "/c"})) << "messages keep the user's spelling";
  EXPECT_THAT(program.options.resolved_without_paths(), HasSubstr("title: d\n"));
  EXPECT_THAT(program.options.resolved_without_paths(), Not(HasSubstr("train:")));
}

TEST_F(Yaml, WhatIsLocalIsNotPassedOn) {
  std::string command = "./score.sh";
  Options options("nmt test", "", "", "");
  options.add("command", command, "CMD", "").local();
  options.parse({});
  EXPECT_EQ(options.resolved(), "command: ./score.sh\n");
  EXPECT_EQ(options.resolved_without_paths(), "{}\n");
}

TEST_F(Yaml, SettingsRememberWhereTheyComeFrom) {
  write("run.yml", "title: x\nbeam: 2\ntrain:\n  - a\n  - b\n");
  write("more.yml", "beam: 3\n");
  Program program;
  Options& options = program.options;
  options.parse({"--config", "run.yml", "--config", "more.yml", "--title", "y"});
  EXPECT_EQ(options.origin("title"), "--title");
  EXPECT_EQ(options.origin("beam"), "more.yml:1: beam");
  EXPECT_EQ(options.origin("train"), "run.yml:5: train");
  EXPECT_EQ(options.origin("d_model"), "--d-model") << "a default";
  EXPECT_EQ(options.origins({"beam", "d-model", "title"}), "more.yml:1: beam and --title");
  options.set_default("d_model", "4");
  EXPECT_FALSE(options.given("d_model"));
  options.parse({});
  EXPECT_EQ(options.origin("beam"), "--beam") << "each parse starts anew";
}

TEST_F(Yaml, ResolvedTextsReadBackUnchanged) {
  const Texts texts = {"",         " ",          " lead",
                       "trail ",   "a: b",       "a:",
                       "# x",      "x #y",       "- a",
                       "-",        "?",          "[",
                       "]",        "{}",         "\"",
                       "'",        "it's",       "\\",
                       "\\n",      "two\nlines", "tab\there",
                       "%",        "@",          "`",
                       "!tag",     "&a",         "*a",
                       "---",      "...",        "|",
                       ">",        "~",          "null",
                       "true",     "No",         "1e5",
                       "0x1F",     ".nan",       "-.inf",
                       "1_000",    "<<",         "=",
                       "é 日本 😀", "\u00a0",     "\u0085",
                       "\u2028",   "\ufeff",     "\x01\x04\x7f",
                       ", a",      "C:\\x",      std::string(2000, 'x')};
  for (const std::string& text : texts) {
    Program program;
    program.options.parse({"--title=" + text, "--note=" + text, "--words=" + text, "--words=" + text});
    Settings expected = program.settings;
    EXPECT_EQ(settings_of(program.options.resolved()), expected) << program.options.resolved();
    EXPECT_EQ(YAML::Load(program.options.resolved())["title"].Scalar(), text);
  }
}

TEST_F(Yaml, ResolvedTextsAreQuotedOnlyWhereNeeded) {
  for (const char* text : {"plain", "two words", "run/model.safetensors", "a:b", "13a", "v1.2.3", "été"}) {
    Program program;
    program.options.parse({"--title", text});
    EXPECT_THAT(program.options.resolved(), HasSubstr(std::string("title: ") + text + "\n"));
  }
  for (const char* text : {"", "a: b", "# x", "true", "NO", "12", "1e5", ".5", "0x1F", "~", "null"}) {
    Program program;
    program.options.parse({std::string("--title=") + text});
    EXPECT_THAT(program.options.resolved(), HasSubstr(std::string("title: \"") + text + "\"\n"));
  }
}

TEST_F(Yaml, PlainTextsStandForValuesOfOtherTypes) {
  std::string width = "512";
  Options options("nmt", "", "", "");
  options.add("width", width, "N", "").plain().section("model");
  EXPECT_EQ(options.resolved(), "model:\n  width: 512\n");
}

TEST_F(Yaml, ResolvedNumbersReadBackExactly) {
  for (const double value : {0.1, 1.0 / 3, 1e-6, 5e-324, 0.30000000000000004, 0.98, 1.0, 0.0}) {
    Program program;
    program.settings.dropout = value;
    program.settings.clip_norm = value * 3;
    program.settings.steps = std::numeric_limits<std::int64_t>::min();
    program.settings.seed = std::numeric_limits<std::uint64_t>::max();
    program.settings.save_every = {2.5e6, Interval::Unit::tokens};
    const Settings expected = program.settings;
    EXPECT_EQ(settings_of(program.options.resolved()), expected) << program.options.resolved();
  }
}

TEST_F(Yaml, ResolvedWithoutValuesReadsBack) {
  std::optional<int> depth;
  Options options("nmt", "", "", "");
  options.add("depth", depth, "N", "").section("model");
  write("run.yml", options.resolved());
  EXPECT_NO_THROW(options.parse({"--config", "run.yml"})) << options.resolved();
  EXPECT_FALSE(depth);
}

TEST_F(Yaml, AFileNamedByAnotherSettingIsTheWeakest) {
  write("below.yml", "beam: 7\nsteps: 8\ntitle: below\n");
  write("run.yml", "steps: 9\ntitle: above\n");
  Program program;
  program.options.config_below([](const Options::CommandLine& given) {
    EXPECT_EQ(given("title"), "");
    return given("output") == "out" ? "below.yml" : "";
  });
  program.options.parse({"--config", "run.yml", "-o", "out", "--steps", "10"});
  EXPECT_EQ(program.settings.beam, 7);
  EXPECT_EQ(program.settings.title, "above");
  EXPECT_EQ(program.settings.steps, 10);
  EXPECT_TRUE(program.options.given("beam"));
}

/// A program with a setting that needs another one.
struct DependentProgram : Program {
  std::int64_t valid_every = 500;
  std::optional<std::string> valid;

  explicit DependentProgram(const std::string& run = "") {
    options.add("valid", valid, "FILE", "text");
    options.add("valid-every", valid_every, "N", "interval").needs({"note", "valid"}, "a text; give --valid");
    options.config_below([run](const Options::CommandLine&) { return run; });
  }
};

TEST_F(Yaml, WhatNeedsAnotherSettingIsNotGivenWithoutIt) {
  EXPECT_EQ(DependentProgram().error({"--valid-every", "5"}), "--valid-every needs a text; give --valid");
  write("run.yml", "beam: 2\nvalid_every: 5\n");
  EXPECT_EQ(DependentProgram().error({"--config", "run.yml"}),
            "run.yml:2: valid_every needs a text; give --valid");
  for (const char* other : {"--valid", "--note"}) {
    DependentProgram program;
    EXPECT_TRUE(program.options.parse({"--config", "run.yml", other, "x"}));
    EXPECT_EQ(program.valid_every, 5);
    EXPECT_NE(program.options.resolved().find("valid_every: 5\n"), std::string::npos);
  }
}

TEST_F(Yaml, WhatNeedsAnotherSettingMayStandInARun) {
  write("run.yml", "valid_every: 5\n");
  DependentProgram program("run.yml");
  EXPECT_TRUE(program.options.parse({}));
  EXPECT_EQ(program.options.resolved().find("valid_every"), std::string::npos);
}

/// A program with a setting that has no effect with one value of another one.
struct ProgramWithIdle : Program {
  int width = 3;

  explicit ProgramWithIdle(const std::string& run = "") {
    options.add("width", width, "N", "width").idle_where([this] { return settings.beam == 1; }, "beam is 1");
    options.config_below([run](const Options::CommandLine&) { return run; });
  }
};

TEST_F(Yaml, WhatHasNoEffectIsToldWhereItIsAskedFor) {
  write("run.yml", "beam: 1\nwidth: 5\n");
  const auto warnings = [](const Texts& arguments, const std::string& run = "") {
    ProgramWithIdle program(run);
    EXPECT_TRUE(program.options.parse(arguments));
    return program.options.idle();
  };
  EXPECT_EQ(warnings({"--width", "5"}), Texts());
  EXPECT_EQ(warnings({"--beam", "1"}), Texts());
  EXPECT_EQ(warnings({"--config", "run.yml"}), Texts{"run.yml:2: width has no effect: beam is 1"});
  EXPECT_EQ(warnings({"--config", "run.yml", "--beam", "2"}), Texts());
  EXPECT_EQ(warnings({}, "run.yml"), Texts()) << "a run has it recorded";
}

TEST_F(Yaml, WhatHasNoEffectIsNotRecorded) {
  ProgramWithIdle program;
  EXPECT_TRUE(program.options.parse({"--width", "5", "--beam", "1"}));
  EXPECT_EQ(program.options.resolved().find("width"), std::string::npos);
}

TEST_F(Yaml, AnActionEndsTheCommand) {
  Program program;
  int runs = 0;
  program.options.action("list-things", "print things", [&] { ++runs; });
  EXPECT_TRUE(program.options.parse({"--beam", "2"}));
  EXPECT_EQ(runs, 0);
  EXPECT_FALSE(program.options.parse({"--list-things"}));
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace nmt
