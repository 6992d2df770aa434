// A vocabulary for the toy language.
#pragma once

#include <string>

#include "common/temporary_folder.h"
#include "data/generated_text.h"
#include "data/vocabulary/vocabulary_trainer.h"

namespace nmt {

/// Returns a vocabulary whose pieces are the words of both sides of GeneratedText, so that each word is one
/// token. With the normalization identity it has less than 2 KB.
inline Vocabulary small_vocabulary(const std::string& normalization = "nmt_nfkc") {
  const TemporaryFolder folder;
  const GeneratedText::Pair text = GeneratedText(1).text(300);
  VocabularySettings settings;
  settings.inputs = {folder.write("source", text.source), folder.write("target", text.target)};
  settings.type = "word";
  settings.size = 60;
  settings.normalization = normalization;
  return train_vocabulary(settings).vocabulary;
}

}  // namespace nmt
