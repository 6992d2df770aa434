#include "serve/text_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/error.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns the pairs of models with these names.
LanguagePairs pairs_of(const std::vector<std::string>& names, const std::string& pivot = "") {
  std::vector<ModelSource> models;
  models.reserve(names.size());
  for (const std::string& name : names) models.push_back(model_sources(name + "=m").at(0));
  return {models, pivot};
}

TEST(LanguagePairs, TakeTheFirstModelForAPair) {
  const LanguagePairs pairs = pairs_of({"other", "en-de", "en-nl", "en-de"});
  EXPECT_EQ(pairs.path({"en", "de"}), ModelPath{1});
  EXPECT_EQ(pairs.longest_path(), 1);
  EXPECT_THAT(testing::complaint([&] { pairs.path({"de", "nl"}); }), HasSubstr("from de to nl"));
  EXPECT_THAT(testing::complaint([&] { pairs.path({"", ""}); }), HasSubstr("no model"));
}

TEST(LanguagePairs, SayHowModelsGetLanguages) {
  EXPECT_THAT(testing::complaint([] {
                pairs_of({"first", "second"}).path({"en", "de"});
              }),
              HasSubstr("no model translates from en to de; no model has its languages in its name"));
}

TEST(LanguagePairs, NeedNoModelFromALanguageToItself) {
  const LanguagePairs pairs = pairs_of({"en-de", "nl-nl"});
  EXPECT_THAT(pairs.path({"de", "de"}), IsEmpty());
  EXPECT_EQ(pairs.path({"nl", "nl"}), ModelPath{1});
  EXPECT_THAT(testing::complaint([&] { pairs.path({"fr", "fr"}); }), HasSubstr("from fr to fr"));
}

TEST(LanguagePairs, TakeTwoModelsByWayOfAPivotIfNoneHasBothLanguages) {
  const LanguagePairs pairs = pairs_of({"en-de", "en-fr", "fr-en", "pt-en", "pt-de", "de-nl"}, "en");
  EXPECT_EQ(pairs.path({"fr", "de"}), (ModelPath{2, 0}));
  EXPECT_EQ(pairs.path({"pt", "fr"}), (ModelPath{3, 1}));
  EXPECT_EQ(pairs.path({"pt", "de"}), ModelPath{4});
  EXPECT_THAT(pairs.path({"fr", "fr"}), IsEmpty());
  EXPECT_THAT(testing::complaint([&] { pairs.path({"fr", "nl"}); }), HasSubstr("from fr to nl"));
  EXPECT_EQ(pairs.longest_path(), 2);
  EXPECT_THAT(testing::complaint<UsageError>([] {
                pairs_of({"en-de", "en-fr"}, "en");
              }),
              HasSubstr("`pivot` 'en': it needs a model to this language"));
  EXPECT_THAT(testing::complaint<UsageError>([] { pairs_of({"de-en"}, "en"); }),
              HasSubstr("and one from it"));
}

}  // namespace
}  // namespace nmt
