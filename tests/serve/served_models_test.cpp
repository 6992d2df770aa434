#include "serve/served_models.h"

#include <gtest/gtest.h>

#include <thread>

#include "serve/serving.h"

namespace nmt {
namespace {

using std::chrono::milliseconds;

class ServedModelsTest : public ServingTest {
 protected:
  /// Waits for something that is due; false where it does not come within a minute.
  template <class Condition>
  static bool becomes(const Condition& condition) {
    const auto begin = std::chrono::steady_clock::now();
    while (!condition()) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::minutes(1)) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
  }
  /// A copy of the model.
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

}  // namespace
}  // namespace nmt
