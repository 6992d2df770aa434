#include "cli/options/model_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns the models en-de, en-fr and fr-en with the settings from these arguments.
std::vector<ModelSource> given(const std::vector<std::string>& arguments) {
  ModelOptions of_models;
  Options options("nmt try", "", "", "");
  of_models.add_to(options);
  EXPECT_TRUE(options.parse(arguments));
  std::vector<ModelSource> models = model_sources("en-de,fr=a");
  models.push_back(model_sources("fr-en=b").at(0));
  of_models.give_to(models, options);
  return models;
}

TEST(ModelOptions, GiveAllModelsOrOne) {
  const auto models = given({"--beam", "3", "--beam", "en-de=7", "--length-penalty", "fr-en=0.5",
                             "--beam-rules=en-de,fr=marian", "--shortlist", "fr-en=lists/x=y"});
  EXPECT_EQ(models[0].defaults.search.beam, 7);
  EXPECT_EQ(models[1].defaults.search.beam, 3);
  EXPECT_EQ(models[2].defaults.search.beam, 3);
  EXPECT_EQ(models[2].defaults.search.length_penalty, 0.5);
  EXPECT_EQ(models[1].defaults.search.beam_rules, BeamRules::marian);
  EXPECT_THAT(models[0].defaults.given, ElementsAre("beam", "beam_rules"));
  EXPECT_THAT(models[2].defaults.given, ElementsAre("beam", "length_penalty"));
  EXPECT_EQ(models[0].shortlist, std::nullopt);
  EXPECT_EQ(models[2].shortlist, "lists/x=y");
  EXPECT_EQ(given({})[0].defaults.given.size(), 0U);
}

TEST(ModelOptions, GiveVocabularies) {
  const auto models =
      given({"--vocab", "en-de=v", "--source-vocab", "en-fr=s", "--target-vocab", "en-fr=./t=u"});
  EXPECT_EQ(models[0].vocabularies.source_vocabulary, "v");
  EXPECT_EQ(models[0].vocabularies.target_vocabulary, "v");
  EXPECT_EQ(models[1].vocabularies.source_vocabulary, "s");
  EXPECT_EQ(models[1].vocabularies.target_vocabulary, "./t=u");
  EXPECT_EQ(models[2].vocabularies.source_vocabulary, std::nullopt);
  EXPECT_THAT(testing::complaint<UsageError>([] {
                given({"--vocab", "v", "--source-vocab", "en-de=s"});
              }),
              HasSubstr("model 'en-de': --vocab is for both sides; leave out --source-vocab, or it"));
}

TEST(ModelOptions, AreReadFromFiles) {
  const TemporaryFolder folder;
  folder.write("serve.yml", "beam: [2, fr-en=5]\nlength_penalty: 1\n");
  const auto models = given({"--config", folder / "serve.yml"});
  EXPECT_EQ(models[0].defaults.search.beam, 2);
  EXPECT_EQ(models[2].defaults.search.beam, 5);
  EXPECT_EQ(models[0].defaults.search.length_penalty, 1);
  folder.write("wrong.yml", "patience: 1\nbeam: fr-en=wide\n");
  EXPECT_THAT(testing::complaint<UsageError>([&] {
                given({"--config", folder / "wrong.yml"});
              }),
              HasSubstr("wrong.yml:2: beam: expected a whole number from 1 to 1000, got 'wide'"));
}

TEST(ModelOptions, RefuseWhatNoModelTakes) {
  const auto complaint = [](const std::vector<std::string>& arguments) {
    return testing::complaint<UsageError>([&] { given(arguments); });
  };
  EXPECT_EQ(complaint({"--beam", "0"}),
            "--beam: expected a whole number from 1 to 1000, got '0', which is out of range");
  EXPECT_EQ(complaint({"--beam", "en-dee=4"}), "--beam: unknown model 'en-dee', did you mean 'en-de'?");
  EXPECT_EQ(complaint({"--beam", "en-de,it=4"}), "--beam 'en-de,it=4': unknown model 'en-it'");
  EXPECT_EQ(complaint({"--vocab", "a", "--vocab", "b"}),
            "--vocab is given twice for all models; give it once");
  EXPECT_EQ(complaint({"--beam", "en-de=2", "--beam", "en-de,fr=3"}),
            "--beam is given twice for model 'en-de'; give it once");
  EXPECT_THAT(complaint({"--beam-rules", "en-de=mariam"}), HasSubstr("did you mean 'marian'?"));
}

}  // namespace
}  // namespace nmt
