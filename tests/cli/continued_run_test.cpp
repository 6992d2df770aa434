#include <gmock/gmock.h>

#include "cli/options_fixture.h"
#include "cli/training/train_model.h"
#include "common/complaint.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::StartsWith;

/// Returns why a run with this configuration cannot continue with these arguments.
std::string complaint_of(const std::string& config, const std::vector<std::string>& arguments) {
  TrainOptions t;
  Options options{"nmt try", "", "Tries things.", "nmt try"};
  options.add("min-language", t.filter.min_language, "X", "least probability").range(0, 1);
  options.add("target-language", t.languages.target, "CODE", "language");
  options.parse(arguments);
  const TemporaryFolder folder;
  const std::string file = folder.write("config.yml", config);
  return testing::complaint<UsageError>([&] { check_continued_run(options, "run", file); });
}

TEST(ContinuedRun, KeepsItsFilters) {
  EXPECT_EQ(complaint_of("min_language: 0.1\n", {"--min-language", "0.1"}), "");
  EXPECT_THAT(complaint_of("min_language: 0.1\n", {"--min-language", "0.5"}),
              StartsWith("--min-language: the run in 'run' has min_language 0.1, not 0.5;"));
}

TEST(ContinuedRun, KeepsItsLanguagesInAnySpelling) {
  EXPECT_EQ(complaint_of("target_language: deu_Latn\n", {"--target-language", "de"}), "");
  EXPECT_THAT(complaint_of("target_language: de\n", {"--target-language", "fr"}),
              StartsWith("--target-language: the run in 'run' has target_language de, not fr;"));
}

}  // namespace
}  // namespace nmt
