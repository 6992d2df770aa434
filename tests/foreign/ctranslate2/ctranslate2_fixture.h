// A fixture for tests that read models of CTranslate2.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/complaint.h"
#include "foreign/ctranslate2/ctranslate2_model.h"
#include "foreign/ctranslate2/made_up_ctranslate2.h"
#include "foreign/foreign_model.h"
#include "foreign/weights_of_file.h"
#include "nn/saved/saved_model.h"

namespace nmt::testing {

/// Reads models that are made up.
class CTranslate2Fixture : public ::testing::Test {
 protected:
  static ModelFile read(const std::string& path) { return model_with(read_ctranslate2_model(path), "model"); }
  ModelFile read(const MadeUpCTranslate2& made_up) const { return read(made_up.write(folder_)); }

  /// Returns the settings of the usual model after a change.
  template <class Change>
  ModelSettings settings_after(const Change& change) const {
    MadeUpCTranslate2 made_up;
    change(made_up);
    return blank_model(read(made_up)).settings;
  }
  template <class Change>
  std::string complaint_after(const Change& change) const {
    MadeUpCTranslate2 made_up;
    change(made_up);
    const std::string path = made_up.write(folder_);
    return complaint([&] { read(path); });
  }

  TemporaryFolder folder_;
};

}  // namespace nmt::testing
