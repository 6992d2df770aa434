#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/help/help.h"
#include "common/error.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// A table whose texts contain characters with a meaning for shells and man.
struct Awkward {
  std::string path, kind;
  bool fast = true;
  std::vector<std::string> inputs;
  Options options{"nmt try", "FILE", ".what [it's] a\\b: is", "nmt try --kind b x"};

  Awkward() {
    options.add("path,p", path, "FILE", "it's [a: b\\c]");
    options.add("kind", kind, "", "which").choices({"a-b", "c"});
    options.flag("fast", fast, "be quick. It takes less time.");
    options.positional(inputs, "FILE", "files", 0, 9);
  }
};

TEST(ManPage, TakesNoTextForRequests) {
  const std::string page = man_page(Awkward().options);
  EXPECT_THAT(page, StartsWith(".TH NMT\\-TRY 1 "));
  EXPECT_THAT(page, HasSubstr(".SH DESCRIPTION\n\\&.what [it's] a\\eb: is\n"));
  EXPECT_THAT(page, HasSubstr(".SH ARGUMENTS\n.TP\n\\fBFILE\\fR\nFiles.\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-p, \\-\\-path\\fR \\fIFILE\\fR\nIt's [a: b\\ec].\n"));
}

TEST(ManPage, EndsLinesBetweenChoices) {
  EXPECT_THAT(man_page(Awkward().options), HasSubstr("\\fB\\-\\-kind\\fR \\fIa\\-b|\\:c\\fR"));
}

TEST(ManPage, PutsWhatHeadingsExplainBelowThem) {
  int n = 0;
  Options options("nmt try", "", "", "");
  options.add("every", n, "N", "how often").group("reports (intervals: 10m)");
  EXPECT_THAT(man_page(options), HasSubstr(".SH REPORTS\nintervals: 10m\n.TP\n"));
}

TEST(Completion, QuotesForEachShell) {
  const Awkward table;
  EXPECT_EQ(bash_completion(table.options), R"(_nmt_try() {
  case $before in
    --kind) __nmt_words 'a-b c' ;;
    --config | --path | -p) compopt -o default ;;
    *) __nmt_words_or_files '--help --config --path --kind --fast --no-fast' ;;
  esac
}
)");
  const std::string zsh = zsh_completion(table.options);
  EXPECT_THAT(zsh, HasSubstr(R"('(--path -p)'{-p+,--path=}'[it'\''s \[a\: b\\c\]]:FILE:_files')"));
  EXPECT_THAT(zsh, HasSubstr("'(--kind)'--kind='[which]:a-b|c:(a-b c)'"));
  EXPECT_THAT(zsh, HasSubstr("[be quick]"));
  EXPECT_THAT(zsh, HasSubstr("'*:FILE:_files'"));
  const std::string fish = fish_completion(table.options);
  EXPECT_THAT(fish, HasSubstr(R"(-s p -l path -r -F -d 'it\'s [a: b\\c]')"));
  EXPECT_THAT(fish, HasSubstr("-l no-fast\n"));
}

TEST(HelpForms, AreNamed) {
  const Awkward table;
  EXPECT_EQ(help_in_form("man", table.options), man_page(table.options));
  EXPECT_THROW(help_in_form("pdf", table.options), UsageError);
}

TEST(HelpForms, ShowOneGroup) {
  int width = 0, depth = 0;
  std::string rate;
  Options options("nmt try", "", "Tries.", "nmt try");
  options.add("width", width, "N", "how wide").group("model");
  options.add("depth", depth, "N", "how deep").group("model");
  options.add("rate", rate, "X", "how fast").group("optimizer (intervals: 10m)");
  EXPECT_THAT(help_in_form("model", options),
              AllOf(HasSubstr("--width"), HasSubstr("--depth"), Not(HasSubstr("--rate"))));
  EXPECT_THAT(help_in_form("Optim", options), AllOf(HasSubstr("--rate"), Not(HasSubstr("--width"))));
  EXPECT_THAT(help_groups(options), ElementsAre("model", "optimizer", "general"));
  EXPECT_THAT([&] { help_in_form("modle", options); },
              ThrowsMessage<UsageError>(
                  HasSubstr("a group of settings (model, optimizer, general) or one of markdown, json, "
                            "man, bash, zsh, fish, did you mean 'model'?")));
}

}  // namespace
}  // namespace nmt
