#include "serve/served_models.h"

#include <gmock/gmock.h>

#include <thread>

#include "common/error.h"
#include "nn/saved/convert.h"
#include "nn/saved/shortlist.h"
#include "serve/serving.h"

namespace nmt {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ServedModelsTest : public ServingTest {
 protected:
  /// Waits for a condition; returns false if it does not hold within ten minutes.
  template <class Condition>
  static bool becomes(const Condition& condition) {
    const auto begin = std::chrono::steady_clock::now();
    while (!condition()) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::minutes(10)) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
  }
  /// Returns whether a model could not be opened.
  static bool fails(const ServedModels& models) {
    try {
      models.check();
      return false;
    } catch (const Error&) {
      return true;
    }
  }
  /// Returns a copy of the model.
  ModelSource source(const std::string& name) {
    const std::string copy = folder_ / (name + ".safetensors");
    std::filesystem::copy_file(path_, copy);
    return model_source(copy);
  }
};

TEST_F(ServedModelsTest, AModelTakesMemoryUntilItsLastRequestIsDone) {
  ServingSettings serving = kServing;
  serving.memory = std::filesystem::file_size(path_);  // of one model
  ServedModels models({source("en-de"), source("en-fr")}, serving, 1, silent_log());
  ASSERT_TRUE(becomes([&] { return models.are_ready(); }));
  EXPECT_TRUE(models.is_open(0));
  EXPECT_FALSE(models.is_open(1));
  ServedModelPtr in_use = models.take(0);
  ASSERT_NE(in_use, nullptr);
  EXPECT_EQ(models.take(1), nullptr);
  ASSERT_TRUE(becomes([&] { return !models.is_open(0); })) << "it makes room";
  std::this_thread::sleep_for(milliseconds(500));  // many times what opening takes
  EXPECT_FALSE(models.is_open(1)) << "memory for one holds two";
  const std::string text = lines_[0];
  EXPECT_EQ(in_use->service().submit({.text = text, .search = in_use->search()}).get().translations[0].text,
            expected({text})[0]);
  in_use = nullptr;
  EXPECT_TRUE(becomes([&] { return models.is_open(1); }));
}

/// Weights of a file of 8-bit integers take four times the memory when they are computed as f32.
TEST_F(ServedModelsTest, WeightsCountAsTheyAreInMemory) {
  const SavedModel model =
      testing::text_model(*backend_, testing::text_vocabulary(), {{"d_model", 128}, {"d_ff", 2048}});
  const std::string reals = folder_ / "reals.safetensors";
  save_model(reals, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  convert_model(ModelFile(reals), DType::i8, path_);
  ServingSettings serving = kServing;
  serving.device.precision = "f32";
  const ModelSource first = source("en-de"), second = source("en-fr");
  const std::size_t bytes = OpenedModel(first, serving).bytes();
  ASSERT_LT(std::filesystem::file_size(path_), bytes);

  serving.memory = bytes - 1;
  ServedModels none({first}, serving, 1, silent_log());
  ASSERT_TRUE(becomes([&] { return none.are_ready() || fails(none); }));
  EXPECT_THAT([&] { none.check(); }, ThrowsMessage<UsageError>(HasSubstr("that 'en-de' takes in memory")));

  serving.memory = 2 * bytes - 1;
  ServedModels one({first, second}, serving, 1, silent_log());
  ASSERT_TRUE(becomes([&] { return one.are_ready(); }));
  EXPECT_TRUE(becomes([&] { return !one.is_open(1); })) << "two files fit, but not their weights";
  EXPECT_TRUE(one.is_open(0));
  EXPECT_FALSE(one.fit_together({0, 1}));
}

TEST_F(ServedModelsTest, AReloadedModelServesWhoHasItUntilTheyAreDone) {
  ServedModels models({source("en-de")}, kServing, 1, silent_log());
  ASSERT_TRUE(becomes([&] { return models.are_ready(); }));
  ServedModelPtr before = models.take(0);
  models.reload();
  ASSERT_TRUE(becomes([&] { return models.take(0) != before; }));
  EXPECT_EQ(
      before->service().submit({.text = lines_[1], .search = before->search()}).get().translations[0].text,
      expected({lines_[1]})[0]);
}

TEST_F(ServedModelsTest, SearchAsTheyAreGiven) {
  ModelSource narrow = source("en-de"), usual = narrow, listed = narrow;
  usual.name = "en-fr";
  listed.name = "en-it";
  narrow.defaults.search.beam = 2;
  narrow.defaults.search.beam_groups = 2;
  narrow.defaults.given = {"beam", "beam_groups"};
  const Vocabularies vocabularies = open_model(path_, *backend_).vocabularies;
  const Vocabulary& target = vocabularies.target;
  const auto end = static_cast<std::int32_t>(target.end());
  const Shortlist shortlist({end, end + 1}, std::vector<Shortlist::Ids>(vocabularies.source.size()),
                            static_cast<std::int32_t>(target.rows()));
  listed.shortlist = folder_.write("list", text_of(shortlist, vocabularies));
  ServedModels models({narrow, usual, listed}, kServing, 1, silent_log());
  ASSERT_TRUE(becomes([&] { return models.are_ready(); }));
  EXPECT_EQ(models.take(0)->search()->beam, 2);
  EXPECT_EQ(models.take(0)->search()->beam_groups, 2);
  EXPECT_EQ(models.take(1)->search()->beam, SearchSettings().beam);
  EXPECT_EQ(&models.take(0)->service(), &models.take(1)->service());
  EXPECT_EQ(models.take(1)->service().settings().allowed.shortlist, nullptr);
  EXPECT_NE(models.take(2)->service().settings().allowed.shortlist, nullptr);
  const TranslationRequest request{.text = lines_[0], .search = models.take(2)->search()};
  std::string text = models.take(2)->service().submit(request).get().translations[0].text;
  const std::string only = target.decode({static_cast<int>(end) + 1});
  for (std::size_t at = text.find(only); at != std::string::npos; at = text.find(only))
    text.erase(at, only.size());
  EXPECT_EQ(text.find_first_not_of(' '), std::string::npos) << text << " is not of " << only << " alone";
}

TEST_F(ServedModelsTest, DefaultsThatDoNotGoTogetherAreRefused) {
  ModelSource wrong = source("en-de");
  wrong.defaults.search.beam_groups = 3;
  wrong.defaults.given = {"beam", "beam_groups"};
  ServedModels models({wrong}, kServing, 1, silent_log());
  const auto refuses = [&] {
    try {
      models.check();
      return false;
    } catch (const UsageError& error) {
      return std::string(error.what()).starts_with("model 'en-de': `beam` is 4 and `beam_groups` 3");
    }
  };
  EXPECT_TRUE(becomes(refuses));
}

}  // namespace
}  // namespace nmt
