#include "documents/accelerator.h"

#include <gtest/gtest.h>

#include <string>

namespace nmt {
namespace {

TEST(Accelerator, IsFoundWhereAMarkMeansNothingElse) {
  const auto text = [](std::string_view marked, std::string_view marks = "_&") {
    const auto accelerator = Accelerator::in(marked, marks);
    return accelerator ? accelerator->text() : "";
  };
  EXPECT_EQ(text("_File"), "File");
  EXPECT_EQ(text("&File", "&"), "File");
  EXPECT_EQ(text("Save _As..."), "Save As...");
  EXPECT_EQ(text("E&xit"), "Exit");
  EXPECT_EQ(text("Find _next"), "Find next");
  EXPECT_EQ(text("(_Undo)"), "(Undo)");
  for (const std::string other :
       {"File", "file_name", "a file_name", "AT&T", "R&D", "a & b", "_id", "&amp;", "_File _Edit", "a_",
        "__init__", "_file.txt", "?a=1&b=2", "MY_NAME", "&copy; 2020", "_"})
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

}  // namespace
}  // namespace nmt
