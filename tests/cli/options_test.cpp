#include "cli/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <tuple>

#include "cli/options_fixture.h"
#include "common/complaint.h"
#include "common/terminal.h"

namespace nmt {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;
using Texts = std::vector<std::string>;

Settings parsed(const Texts& arguments) {
  Program program;
  EXPECT_TRUE(program.options.parse(arguments));
  return program.settings;
}

std::string error(const Texts& arguments) {
  return Program().error(arguments);
}

TEST(CommandLine, WithoutArgumentsTheDefaultsStay) {
  EXPECT_EQ(parsed({}), Settings());
}

TEST(CommandLine, ReadsEveryType) {
  const Settings s =
      parsed({"--beam",    "8",       "--steps",      "-9000000000", "--seed=18446744073709551615",
              "--dropout", ".5",      "--title",      "a: b",        "--shuffle",
              "false",     "--quiet", "--save-every", "2Mt",         "--clip-norm",
              "1e-3",      "--note=", "--d-model",    "256",         "--norm",
              "pre"});
  EXPECT_EQ(s.beam, 8);
  EXPECT_EQ(s.steps, -9000000000);
  EXPECT_EQ(s.seed, 18446744073709551615U);
  EXPECT_EQ(s.dropout, 0.5);
  EXPECT_EQ(s.title, "a: b");
  EXPECT_FALSE(s.shuffle);
  EXPECT_TRUE(s.quiet);
  EXPECT_EQ(s.save_every, (Interval{2e6, Interval::Unit::tokens}));
  EXPECT_EQ(s.clip_norm, 1e-3);
  EXPECT_EQ(s.note, "");
  EXPECT_EQ(s.d_model, 256);
  EXPECT_EQ(s.norm, "pre");
}

TEST(CommandLine, SpellingsOfOneName) {
  for (const Texts& arguments : {Texts{"--beam", "7"}, {"--beam=7"}, {"-b", "7"}, {"-b=7"}}) {
    EXPECT_EQ(parsed(arguments).beam, 7);
  }
  EXPECT_EQ(parsed({"--d_model", "7"}).d_model, 7);
  EXPECT_EQ(parsed({"--title=a=b"}).title, "a=b");
  EXPECT_EQ(parsed({"-o", "-"}).output, "-");
}

TEST(CommandLine, AnOptionWithOneValueIsGivenOnce) {
  const auto complaint = [](const Texts& arguments) {
    Program program;
    return testing::complaint<UsageError>([&] { program.options.parse(arguments); });
  };
  EXPECT_EQ(complaint({"--beam", "4", "-b5"}), "--beam is given 2 times, as '4' and '5'; give it once");
  EXPECT_EQ(complaint({"--beam=5", "--beam=5"}), "--beam is given 2 times, as '5' and '5'; give it once");
  EXPECT_EQ(complaint({"--train", "a", "--train", "b", "--quiet", "--no-quiet"}), "") << "as they are meant";
}

TEST(CommandLine, AnOptionGivenTwiceMayStandForTwoSettings) {
  struct Sides {
    std::optional<std::string> both, first, second;
  };
  const auto parsed_sides = [](const Texts& arguments) {
    Sides sides;
    Options options("test", "", "Tests.", "test");
    options.add("vocab", sides.both, "FILE", "both").twice("source-vocab", "target-vocab");
    options.add("source-vocab", sides.first, "FILE", "source");
    options.add("target-vocab", sides.second, "FILE", "target");
    options.parse(arguments);
    return sides;
  };
  EXPECT_EQ(parsed_sides({"--vocab", "a"}).both, "a");
  const Sides sides = parsed_sides({"--vocab", "a", "--vocab=b"});
  EXPECT_EQ(sides.both, std::nullopt);
  EXPECT_EQ(sides.first, "a");
  EXPECT_EQ(sides.second, "b");
  const auto complaint = [&](const Texts& arguments) {
    return testing::complaint<UsageError>([&] { parsed_sides(arguments); });
  };
  EXPECT_EQ(complaint({"--vocab=a", "--vocab=b", "--vocab=c"}),
            "--vocab is given 3 times, as 'a' and 'b'; give it twice at most");
  EXPECT_EQ(complaint({"--vocab=a", "--vocab=b", "--source-vocab=c"}),
            "--vocab twice is the same as --source-vocab and --target-vocab; leave those out");
}

TEST(CommandLine, StandardInputIsOneTextByWhateverName) {
  const auto complaint = [](const Texts& arguments) {
    Program program;
    program.options.reads_standard_input("the title", [&] { return program.settings.title == "read"; });
    return program.error(arguments);
  };
  for (const char* name : {"-", "/dev/stdin"}) {
    EXPECT_EQ(complaint({"--train", name, "--train", "text"}), "");
    EXPECT_THAT(complaint({"--train", "-", name}),
                HasSubstr("one text only, but FILE and --train are to come"));
    EXPECT_THAT(complaint({"--title", "read", "--train", name}), HasSubstr("but --train and the title are"));
  }
  Program program;
  program.options.parse({"--train", "text", "--train", "/dev/stdin"});
  EXPECT_EQ(program.options.standard_input()->path, "/dev/stdin");
  EXPECT_FALSE(Program().options.standard_input());
}

TEST(CommandLine, LettersWithTheirValueAndInGroups) {
  EXPECT_EQ(parsed({"-b7"}).beam, 7);
  EXPECT_EQ(parsed({"-ofile"}).output, "file");
  EXPECT_EQ(parsed({"-o-"}).output, "-");
  const Settings group = parsed({"-qb7"});
  EXPECT_TRUE(group.quiet);
  EXPECT_EQ(group.beam, 7);
  EXPECT_EQ(parsed({"-qb", "7"}).beam, 7);
  EXPECT_EQ(error({"-bq"}), "--beam: expected a whole number from 1 to 64, got 'q'");
  EXPECT_EQ(error({"-qx"}), "unknown option '-qx'; nmt try --help lists the options");
  EXPECT_EQ(error({"-q=maybe"}), "--quiet: expected true or false, got 'maybe'");
  EXPECT_EQ(error({"-ouput=x"}), "unknown option '-ouput', did you mean '--output'?")
      << "not --output=uput=x";
  Program program;
  program.options.parse({"--", "-b7"});
  EXPECT_EQ(program.arguments, (Texts{"-b7"}));
}

TEST(CommandLine, RepeatedSettings) {
  EXPECT_EQ(parsed({"--train", "a", "--train", "b"}).train, (Texts{"a", "b"}));
  EXPECT_FALSE(parsed({"--quiet", "--no-quiet"}).quiet);
  Program negated;
  negated.options.parse({"--quiet", "--no-quiet"});
  EXPECT_EQ(negated.options.origin("quiet"), "--no-quiet") << "what messages call it";
  EXPECT_TRUE(parsed({"--no_quiet", "-q"}).quiet);
}

TEST(CommandLine, ArgumentsWithoutAName) {
  Program program;
  program.options.parse({"one", "--beam", "2", "--", "--beam"});
  EXPECT_EQ(program.arguments, (Texts{"one", "--beam"}));
  EXPECT_EQ(program.settings.beam, 2);
  EXPECT_EQ(error({"a", "b", "c"}), "unexpected argument 'c'; usage: nmt try [FILE ...]");
}

TEST(CommandLine, OddArguments) {
  Program program;
  program.options.parse({"-5", "-q", "-"});
  EXPECT_EQ(program.arguments, (Texts{"-5", "-"})) << "a number and a stream";
  EXPECT_EQ(error({"--=x"}), "unknown option '--'; nmt try --help lists the options");
  EXPECT_EQ(error({"--quiet="}), "--quiet: expected true or false, got ''");
  for (const Texts& arguments : {Texts{"-b"}, {"-qb"}, {"-b", "--"}, {"-b", "-q"}, {"-b", "--beem"}}) {
    EXPECT_EQ(error(arguments), "--beam: expected a whole number from 1 to 64, got no value; give --beam N");
  }
}

TEST(CommandLine, MissingArgumentWithoutAName) {
  Texts references;
  Options options("nmt bleu", "reference [reference ...]", "", "");
  options.positional(references, "reference", "", 1, 9);
  try {
    options.parse({});
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "reference is missing; usage: nmt bleu reference [reference ...]");
  }
}

TEST(CommandLine, UnknownNames) {
  EXPECT_EQ(error({"--beem", "4"}), "unknown option '--beem', did you mean '--beam'?");
  EXPECT_EQ(error({"--no-quit"}), "unknown option '--no-quit', did you mean '--no-quiet'?");
  EXPECT_EQ(error({"--bea=4"}), "unknown option '--bea', did you mean '--beam'?")
      << "abbreviations are not guessed";
  EXPECT_EQ(error({"--no-beam"}), "unknown option '--no-beam'; nmt try --help lists the options");
  EXPECT_EQ(error({"-x"}), "unknown option '-x'; nmt try --help lists the options");
  EXPECT_EQ(error({"---beam", "4"}), "unknown option '---beam', did you mean '--beam'?");
  EXPECT_EQ(error({"-beam", "4"}), "unknown option '-beam', did you mean '--beam'?");
}

TEST(CommandLine, MissingValues) {
  EXPECT_EQ(error({"--beam"}), "--beam: expected a whole number from 1 to 64, got no value; give --beam N");
  EXPECT_EQ(error({"-o", "--beam", "4"}), "--output: expected a file, got no value; give --output FILE");
  EXPECT_EQ(error({"--no-shuffle=maybe"}), "--no-shuffle: expected true or false, got 'maybe'");
}

TEST(CommandLine, WholeNumbersMayBeWrittenAsOthersAre) {
  for (const auto& [text, steps] : std::vector<std::pair<std::string, std::int64_t>>{
           {"4.0", 4}, {"1e3", 1000}, {"2.5e2", 250}, {"-3.0", -3}, {"9e15", 9'000'000'000'000'000}}) {
    Program program;
    EXPECT_TRUE(program.options.parse({"--steps", text})) << text;
    EXPECT_EQ(program.settings.steps, steps) << text;
  }
  EXPECT_EQ(error({"--beam", "4.5"}), "--beam: expected a whole number from 1 to 64, got '4.5'");
  EXPECT_EQ(error({"--beam", "1e3"}),
            "--beam: expected a whole number from 1 to 64, got '1e3', which is out of range");
  EXPECT_EQ(error({"--beam", "1e10"}),
            "--beam: expected a whole number from 1 to 64, got '1e10', which is out of range");
  EXPECT_EQ(error({"--seed", "-1.0"}),
            "--seed: expected a whole number of at least 0, got '-1.0', which is out of range");
  for (const char* text : {"inf", "nan", "0x1p3", "1e400"})
    EXPECT_THAT(error({"--steps", text}), HasSubstr("expected a whole number")) << text;
}

TEST(CommandLine, BadValuesNameTheOptionAndWhatIsAccepted) {
  EXPECT_EQ(error({"--steps", "10x"}), "--steps: expected a whole number, got '10x', did you mean '10'?");
  EXPECT_EQ(error({"--steps", "99999999999999999999"}),
            "--steps: expected a whole number, got '99999999999999999999', which is out of range");
  EXPECT_EQ(error({"-b", "0"}),
            "--beam: expected a whole number from 1 to 64, got '0', which is out of range");
  EXPECT_EQ(error({"--seed", "-1"}),
            "--seed: expected a whole number of at least 0, got '-1', which is out of range");
  EXPECT_EQ(error({"--norm", "pres"}), "--norm: expected one of post, pre, got 'pres', did you mean 'pre'?");
  EXPECT_EQ(error({"--shuffle", "maybe"}), "--shuffle: expected true or false, got 'maybe'");
  EXPECT_THAT(error({"--save-every", "x"}), HasSubstr("expected an interval such as 5000 (updates)"));
  EXPECT_EQ(error({"--beam", "x"}), "--beam: expected a whole number from 1 to 64, got 'x'");
  EXPECT_EQ(error({"--steps", "1\n2"}), "--steps: expected a whole number, got '1 2'");
}

TEST(CommandLine, BadValuesComeWithTheLikelyGoodOne) {
  for (const auto& [option, text, meant] :
       std::vector<std::tuple<std::string, std::string, std::string>>{{"--steps", "2m", "2000000"},
                                                                      {"--steps", "25.000", "25000"},
                                                                      {"--steps", "1.000.000", "1000000"},
                                                                      {"--save-every", "5.000u", "5000u"},
                                                                      {"--beam", "5x", "5"},
                                                                      {"--clip-norm", "0,001", "0.001"},
                                                                      {"--clip-norm", "0,0005", "0.0005"},
                                                                      {"--dropout", "0,1", "0.1"},
                                                                      {"--save-every", "2M", "2Mt"},
                                                                      {"--save-every", "8 H", "8h"},
                                                                      {"--save-every", "8H", "8h"}}) {
    EXPECT_THAT(error({option, text}), HasSubstr("got '" + text + "', did you mean '" + meant + "'?"));
  }
  for (const auto& [option, text] :
       {std::pair{"--steps", "0.5.1x"}, {"--beam", "many"}, {"--beam", "99x"}, {"--steps", "2,5"}}) {
    EXPECT_THAT(error({option, text}), Not(HasSubstr("did you mean '99"))) << text;
  }
  EXPECT_THAT(error({"--save-every", "5x"}), EndsWith("got '5x'")) << "another unit was meant";
  EXPECT_THAT(error({"--save-every", "0.5"}), Not(HasSubstr("did you mean"))) << "no digit is left out";
}

TEST(CommandLine, ValuesWithAnObviousMeaningAreAccepted) {
  const auto given = [](const std::string& option, const std::string& text) {
    Program program;
    EXPECT_EQ(program.error({option, text}), "") << option << ' ' << text;
    return program.settings;
  };
  for (const char* text : {"25,000", "25_000", "2.5e4", "25k", "25K"})
    EXPECT_EQ(given("--steps", text).steps, 25000) << text;
  EXPECT_EQ(given("--steps", "2M").steps, 2000000);
  EXPECT_EQ(given("--save-every", "4m30s").save_every, (Interval{4.5, Interval::Unit::minutes}));
  EXPECT_EQ(given("--save-every", "8 hours").save_every, (Interval{480, Interval::Unit::minutes}));
  EXPECT_EQ(given("--save-every", "10k").save_every, (Interval{10000, Interval::Unit::updates}));
  for (const char* text : {"no", "False", "off", "0"}) EXPECT_FALSE(given("--shuffle", text).shuffle) << text;
  for (const char* text : {"yes", "TRUE", "on", "1"}) EXPECT_TRUE(given("--shuffle", text).shuffle) << text;
  EXPECT_EQ(given("--norm", "PRE").norm, "pre");
}

TEST(CommandLine, SwitchesTakeValuesAndTrueNeedsNone) {
  const auto given = [](const Texts& arguments) {
    Program program;
    EXPECT_EQ(program.error(arguments), "");
    return program.settings;
  };
  for (const char* on : {"--quiet", "--quiet=true", "--quiet=1", "--no-quiet=false", "-q", "-q=yes"})
    EXPECT_TRUE(given({on}).quiet) << on;
  for (const char* off : {"--quiet=false", "--quiet=off", "--no-quiet", "--no-quiet=true", "-q=no"})
    EXPECT_FALSE(given({"--quiet", off}).quiet) << off;
  for (const char* on : {"--shuffle", "--shuffle=yes", "--no-shuffle=false"})
    EXPECT_TRUE(given({on, "--beam", "2"}).shuffle) << on;
  for (const char* off : {"--shuffle=no", "--no-shuffle", "--no_shuffle", "--no-shuffle=true"})
    EXPECT_FALSE(given({off}).shuffle) << off;
  Program program;
  EXPECT_EQ(program.error({"--quiet", "true"}), "");
  EXPECT_EQ(program.arguments, (Texts{"true"})) << "an argument without a name";
}

/// A table without arguments that have no name.
struct Nameless {
  bool quiet = false;
  std::string gate = "false", vocab, source_vocab, target_vocab;
  Texts inputs;
  Options options{"nmt try", "", "Tries things.", "nmt try"};

  Nameless() {
    options.flag("quiet,q", quiet, "say less");
    options.add("gate", gate, "", "a gate").choices({"true", "false"});
    options.add("input,i", inputs, "FILE", "texts");
    options.add("vocab", vocab, "FILE", "both").twice("source-vocab", "target-vocab");
    options.add("source-vocab", source_vocab, "FILE", "one");
    options.add("target-vocab", target_vocab, "FILE", "the other");
  }
};

TEST(CommandLine, WordsAfterASwitchAreItsValue) {
  Nameless on, off, gate, no_gate;
  on.options.parse({"--quiet", "true", "--no-gate", "false"});
  EXPECT_TRUE(on.quiet);
  EXPECT_EQ(on.gate, "true");
  off.options.parse({"--quiet", "--quiet", "false", "-i", "true"});
  EXPECT_FALSE(off.quiet);
  EXPECT_EQ(off.inputs, Texts{"true"});
  gate.options.parse({"--gate", "--quiet"});
  EXPECT_EQ(gate.gate, "true");
  no_gate.gate = "true";
  no_gate.options.parse({"--no-gate"});
  EXPECT_EQ(no_gate.gate, "false");
}

TEST(CommandLine, SeveralValuesMayFollowARepeatedOption) {
  Nameless several;
  several.options.parse({"-i", "a", "b", "-q", "--input=c", "d", "--vocab", "s", "t"});
  EXPECT_EQ(several.inputs, (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(several.source_vocab, "s");
  EXPECT_EQ(several.target_vocab, "t");
  Nameless one;
  EXPECT_THROW(one.options.parse({"-i", "a", "--source-vocab", "s", "t"}), UsageError);
  Program program;
  EXPECT_EQ(program.error({"--train", "a", "b"}), "");
  EXPECT_EQ(program.arguments, Texts{"b"}) << "of a command that takes arguments without a name";
}

TEST(CommandLine, ChoicesHaveTheNamesOfOtherToolkits) {
  std::string precision, device, preset;
  Options options("nmt try", "", "Tries things.", "nmt try");
  options.add("precision", precision, "", "which").choices({"f32", "f16", "bf16"});
  options.add("device", device, "", "where").choices({"cpu", "cuda"}, "cuda");
  options.add("preset", preset, "", "what").choices({"transformer-tiny", "student-tiny"});
  options.parse({"--precision", "float16", "--device", "GPU:1", "--preset", "Transformer_Tiny"});
  EXPECT_EQ(precision, "f16");
  EXPECT_EQ(device, "cuda:1");
  EXPECT_EQ(preset, "transformer-tiny");
  EXPECT_THAT(
      [&] {
        options.parse({"--preset", "tiny"});
      },
      ThrowsMessage<UsageError>(HasSubstr("did you mean 'transformer-tiny' or 'student-tiny'?")));
}

TEST(CommandLine, NamesOfOtherToolkitsAreKnown) {
  EXPECT_EQ(error({"--beam-size", "6"}), "unknown option '--beam-size', did you mean '--beam'?");
  EXPECT_EQ(error({"--beam_size=6"}), "unknown option '--beam_size', did you mean '--beam'?");
  EXPECT_EQ(error({"-beam_size", "6"}), "unknown option '-beam_size', did you mean '--beam'?");
  EXPECT_EQ(error({"-j", "6"}), "unknown option '-j'; nmt try --help lists the options");
  EXPECT_EQ(error({"--max-update", "6"}), "unknown option '--max-update', did you mean '--steps'?");
  EXPECT_EQ(error({"--num-layers", "6"}), "unknown option '--num-layers'; nmt try --help lists the options");
}

TEST(Help, ShowsTheDefaultsOfWhatComesEarly) {
  std::string preset = "small";
  int width = 1;
  Options options("nmt try", "", "Tries things.", "nmt try");
  options.add("preset", preset, "", "recipe").choices({"small", "large"});
  options.add("width", width, "N", "width");
  options.add("steps", width, "N", "steps");
  options.before_others("preset", [&] {
    options.set_default("width", preset == "large" ? "9" : "1");
    options.describe_default("steps", "from the corpus size");
  });
  ::testing::internal::CaptureStdout();
  EXPECT_FALSE(options.parse({"--help", "--preset", "large", "--unknown"}));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr("Width (default: 9)."), HasSubstr("Steps (default: from the corpus size).")));
  EXPECT_THROW(options.parse({"--help", "--preset", "other"}), UsageError);
  ::testing::internal::CaptureStdout();
  EXPECT_FALSE(options.parse({"--preset", "--help"}));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("usage: nmt try")) << "without a value";
}

TEST(CommandLine, NumbersAreFiniteAndComplete) {
  for (const char* text :
       {"", "nan", "inf", "-inf", "1e999", "1e-999", "0x1p3", "1,5", "1.5 ", " 1.5", "1.5f", "+1"}) {
    EXPECT_NE(error({std::string("--clip-norm=") + text}), "") << text;
    EXPECT_NE(error({std::string("--steps=") + text}), "") << text;
  }
  EXPECT_EQ(error({"--steps=1.0"}), "");
}

TEST(CommandLine, RequiredSettings) {
  std::string model;
  Options options("nmt translate", "", "", "");
  options.add("model,m", model, "FILE", "").required();
  EXPECT_NO_THROW(options.parse({"-m", "x"}));
  try {
    options.parse({});
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--model is required; give --model FILE");
  }
}

TEST(Table, RefusesTwoSettingsOfOneName) {
  int number = 0;
  Options options("nmt", "", "", "");
  options.add("d-model,d", number, "N", "");
  EXPECT_THROW(options.add("d_model", number, "N", ""), std::logic_error);
  EXPECT_THROW(options.add("depth,d", number, "N", ""), std::logic_error);
  EXPECT_THROW(options.add("width,wide", number, "N", ""), std::logic_error);
  EXPECT_THROW(options.given("depth"), std::logic_error);
}

TEST(Table, KnowsWhatWasGiven) {
  Program program;
  program.options.parse({"--beam", "4"});
  EXPECT_TRUE(program.options.given("beam"));
  EXPECT_FALSE(program.options.given("d_model"));
  program.options.parse({"--d-model", "4"});
  EXPECT_FALSE(program.options.given("beam")) << "each parse starts anew";
  EXPECT_TRUE(program.options.given("d_model"));
}

TEST(CommandLine, AChoiceMayHaveANumber) {
  const auto device_of = [](const std::string& text) {
    std::string device = "cpu";
    Options options("nmt try", "", "Tries things.", "nmt try");
    options.add("device", device, "", "which").choices({"cpu", "cuda", "other"}, "cuda");
    EXPECT_THAT(options.help(), HasSubstr("--device cpu|cuda|cuda:N|other"));
    options.parse({"--device", text});
    return device;
  };
  for (const std::string text : {"cpu", "cuda", "cuda:0", "cuda:12"}) EXPECT_EQ(device_of(text), text);
  EXPECT_EQ(device_of("0"), "cuda:0") << "a GPU as Marian numbers it";
  for (const std::string text : {"cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cpu:1", "other:1", ":1"}) {
    EXPECT_THAT(
        [&] { device_of(text); },
        ThrowsMessage<UsageError>(HasSubstr("expected one of cpu, cuda, cuda:N, other, got '" + text)));
  }
}

TEST(Help, GoesToStdoutWhateverElseIsOnTheLine) {
  for (const Texts& arguments : {Texts{"--help"}, {"-h"}, {"--beem", "--steps", "x", "-h"}}) {
    Program program;
    ::testing::internal::CaptureStdout();
    EXPECT_FALSE(program.options.parse(arguments));
    EXPECT_EQ(::testing::internal::GetCapturedStdout(),
              arguments.back() == "-h" ? program.options.short_help() : program.options.help());
  }
  EXPECT_THAT(error({"--", "-h", "a", "b"}), HasSubstr("unexpected argument"))
      << "-h is an argument after --";
}

TEST(Help, IsShortWithALetter) {
  int beam = 4, patience = 0;
  bool fast = false;
  Options options("nmt try", "FILE", "Tries things.", "nmt try --beam 2 a");
  options.add("beam", beam, "N", "how many. 0 means all.").group("search");
  options.add("patience", patience, "P", "how long").group("search");
  options.flag("fast", fast, "be quick");
  EXPECT_EQ(options.short_help(), R"(usage: nmt try [options] FILE

Tries things.

search:
      --beam N      how many (default: 4)
      --patience P  how long (default: 0)

options:
      --fast        be quick

example:
  nmt try --beam 2 a

nmt try --help lists all 5 options
)");
  options.essential({"beam"});
  EXPECT_EQ(options.short_help(), R"(usage: nmt try [options] FILE

Tries things.

search:
      --beam N  how many (default: 4)

example:
  nmt try --beam 2 a

nmt try --help lists all 5 options
)");
}

TEST(Help, ListsEverySettingByGroup) {
  bool fast = true;
  std::string word;
  Options options("nmt try", "FILE", "Tries things.", "nmt try --beam 2 a");
  int beam = 4;
  Texts inputs;
  options.add("beam,b", beam, "N", "width of the search. More takes longer.");
  options.flag("fast", fast, "be quick");
  options.add("word", word, "", "the word").choices({"yes", "no"}).required().group("words");
  options.add("input", inputs, "FILE", "what to read").default_text("standard input");
  options.positional(inputs, "FILE", "files", 1, 1);
  EXPECT_EQ(options.help(), R"(usage: nmt try [options] FILE

Tries things.

arguments:
  FILE               Files.

options:
  -b, --beam N       Width of the search (default: 4). More takes longer.
      --fast         Be quick (on; --no-fast turns it off).
      --input FILE   What to read (repeatable, default: standard input).

words:
      --word yes|no  The word (required).

general:
  -h, --help         Print this help and exit. -h shows the most used options, --help=GROUP one
                     group. Other forms: --help=man, markdown, json, bash, fish or zsh.
      --config FILE  YAML file to take settings from (repeatable). The command line overrides it.

example:
  nmt try --beam 2 a
)");
}

TEST(Help, WrapsLongTexts) {
  int number = 0;
  std::string long_help;
  for (int i = 0; i < 40; ++i) long_help += "word" + std::to_string(i) + " ";
  Options options("nmt", "", long_help, "");
  options.add("number", number, "N", long_help);
  options.add("a-name-that-is-longer-than-its-column", number, "N", "on the next line");
  std::istringstream help(options.help());
  size_t longest = 0;
  for (std::string line; std::getline(help, line);) longest = std::max(longest, line.size());
  EXPECT_LE(longest, 100U);
  EXPECT_GT(longest, 80U);
  EXPECT_THAT(options.help(),
              HasSubstr("column N\n" + std::string(36, ' ') + "On the next line (default: 0).\n"));
}

TEST(Help, FitsTheTerminal) {
  const Terminal terminal(40, STDOUT_FILENO);
  std::istringstream help(Program().options.help());
  for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 40U) << line;
}

}  // namespace
}  // namespace nmt
