#include "documents/messages/accelerator.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace nmt {
namespace {

TEST(Accelerator, IsFoundWhereAMarkMeansNothingElse) {
  const auto text = [](std::string_view marked, std::string_view marks = "_&") {
    const auto accelerator = Accelerator::in(marked, marks);
    return accelerator ? std::string(marked).erase(accelerator->place(), 1) : "";
  };
  EXPECT_EQ(text("_File"), "File");
  EXPECT_EQ(text("&File", "&"), "File");
  EXPECT_EQ(text("Save _As..."), "Save As...");
  EXPECT_EQ(text("E&xit"), "Exit");
  EXPECT_EQ(text("Find _next"), "Find next");
  EXPECT_EQ(text("(_Undo)"), "(Undo)");
  EXPECT_EQ(text("&Open 'R&D' file_name && more"), "Open 'R&D' file_name && more");
  EXPECT_EQ(text("_Save & close"), "Save & close");
  EXPECT_EQ(text("&A:"), "A:");
  EXPECT_EQ(text("Axis _X"), "Axis X");
  for (const std::string other : {"File",
                                  "file_name",
                                  "a file_name",
                                  "AT&T",
                                  "R&D",
                                  "a & b",
                                  "_id",
                                  "&amp;",
                                  "_File _Edit",
                                  "a_",
                                  "__init__",
                                  "_file.txt",
                                  "?a=1&b=2",
                                  "MY_NAME",
                                  "&copy; 2020",
                                  "_",
                                  "_File and _Edit",
                                  "&&File",
                                  "This is _very important_",
                                  "Rock && Roll",
                                  "Q &A",
                                  "The Q &A, please"})
    EXPECT_FALSE(Accelerator::in(other, "_&")) << other;
  EXPECT_FALSE(Accelerator::in("_File", "&"));
  EXPECT_FALSE(Accelerator::in("_File", ""));
}

TEST(Accelerator, GoesToALetterOfTheTranslation) {
  const auto accelerator = *Accelerator::in("_File", "_");
  EXPECT_EQ(accelerator.marked("Das Fenster"), "Das _Fenster");
  EXPECT_EQ(accelerator.marked("Ein Zweifel"), "Ein Zwei_fel");
  EXPECT_EQ(accelerator.marked("Datei"), "_Datei");
  EXPECT_EQ(accelerator.marked("{file} %f <f> \"Datei\"..."), "{file} %f <f> \"_Datei\"...");
  EXPECT_EQ(accelerator.marked("\u0424\u0430\u0439\u043b"), "_\u0424\u0430\u0439\u043b");
  EXPECT_EQ(accelerator.marked("\u30d5\u30a1\u30a4\u30eb..."), "\u30d5\u30a1\u30a4\u30eb(_F)...");
  EXPECT_EQ(accelerator.marked("\u30a6\u2026"), "\u30a6(_F)\u2026");
  EXPECT_EQ(accelerator.marked(""), "(_F)");
}

TEST(Accelerator, GoesToNoTag) {
  const auto accelerator = *Accelerator::in("&File", "&");
  EXPECT_EQ(accelerator.marked("<g id=\"1\">Das</g><x id=\"2\"/> Fenster", true),
            "<g id=\"1\">Das</g><x id=\"2\"/> &amp;Fenster");
  EXPECT_EQ(accelerator.marked("<g id=\"1\" translate=\"no\">f</g> <g id=\"2\">a&amp;f</g> Datei", true),
            "<g id=\"1\" translate=\"no\">f</g> <g id=\"2\">a&amp;f</g> &amp;Datei");
  EXPECT_EQ(accelerator.marked("<g id=\"1\">\u30a6</g>.", true), "<g id=\"1\">\u30a6</g>(&amp;F).");
}

TEST(Accelerator, OtherMarksAreOfWords) {
  const auto words = [](std::string_view text) {
    std::vector<std::string> found;
    for (const auto& [begin, end] : words_with_marks(text, "_&"))
      found.emplace_back(text.substr(begin, end - begin));
    return found;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words("Rock && Roll, 'R&D' (file_name). _\u00d6l"),
            (Words{"&&", "R&D", "file_name", "_\u00d6l"}));
  EXPECT_EQ(words("a & b &amp; c&nbsp;d _ (&)"), Words{});
  EXPECT_EQ(words("\u7684AT&T\u7684 a_b_c"), (Words{"AT&T", "a_b_c"}));
}

}  // namespace
}  // namespace nmt
