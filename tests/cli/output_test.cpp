#include "cli/files/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Output, LinesThatAreKeptCanBeUnpacked) {
  const TemporaryFolder folder;
  for (const char* ending : {"", ".gz", ".xz", ".zst"}) {
    const std::string path = folder / ("out" + std::string(ending));
    for (const bool is_whole : {true, false}) {
      Output output(path);
      output.write_lines("one\n");
      output.write_lines("two\nthree\n");
      if (is_whole) output.commit();
    }
    for (const std::string& name : {path, folder / ("out.partial" + std::string(ending))}) {
      EXPECT_THAT(read_lines(name), ElementsAre("one", "two", "three")) << name;
    }
  }
  EXPECT_EQ(folder.count(), 8);
  Output nothing(folder / "nothing.gz");
  nothing.commit();
  EXPECT_THAT(read_lines(folder / "nothing.gz"), IsEmpty());
}

TEST(Output, FormatsAreKnownByTheNameOfTheFile) {
  const std::vector<std::string> formats = {"svg", "png"};
  EXPECT_EQ(format_by_name("map.png", formats), "png");
  EXPECT_EQ(format_by_name("folder.png/map.svg.gz", formats), "svg");
  EXPECT_EQ(format_by_name("map.png.zst", formats), "png");
  EXPECT_EQ(format_by_name("MAP.PNG", formats), "png");
  for (const char* without : {"-", "map", "png", "map.gz", "/dev/null", ".png/map"}) {
    EXPECT_EQ(format_by_name(without, formats), "svg") << without;
  }
  for (const char* unknown : {"map.pdf", "map.jpeg.gz", "map.svg.txt", "map.1"}) {
    EXPECT_THROW(format_by_name(unknown, formats), UsageError) << unknown;
  }
}

TEST(Output, NamesOfOtherKindsOfFilesAreRefused) {
  for (const char* name : {"-", "page", "page.html", "PAGE.HTML.gz", "page.2", "page.html.new", "/dev/null"})
    EXPECT_NO_THROW(check_extension(name, "a page", "html")) << name;
  for (const char* name : {"page.pdf", "page.JSON", "page.html.png.gz"})
    EXPECT_THROW(check_extension(name, "a page", "html"), UsageError) << name;
}

}  // namespace
}  // namespace nmt
