// A fixture for tests of reading folders of Hugging Face.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/complaint.h"
#include "foreign/huggingface/huggingface_model.h"
#include "foreign/huggingface/made_up_folder.h"

namespace nmt::testing {

class HuggingFaceTest : public ::testing::Test {
 protected:
  ForeignModel read(const MadeUpFolder& made_up) {
    return read_huggingface_model(made_up.write(folder_, std::to_string(count_++)));
  }
  ModelFile file(const MadeUpFolder& made_up) { return model_with(read(made_up), "model"); }
  std::string complaint(const MadeUpFolder& made_up) {
    return testing::complaint([&] { file(made_up); });
  }

  TemporaryFolder folder_;
  int count_ = 0;
};

}  // namespace nmt::testing
