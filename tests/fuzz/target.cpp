#include "fuzz/target.h"

#include "common/error.h"

namespace nmt::fuzz {

std::vector<Target> targets() {
  return {text_target(),
          yaml_target(),
          command_line_target(),
          model_target(),
          state_target(),
          packed_corpus_target(),
          vocabulary_target(),
          listed_vocabulary_target(),
          word_list_target(),
          npz_target(),
          marian_binary_target(),
          marian_shortlist_target(),
          torch_checkpoint_target(),
          fairseq_checkpoint_target(),
          comet_checkpoint_target(),
          comet_hparams_target(),
          ctranslate2_binary_target(),
          huggingface_config_target(),
          tokenizer_json_target(),
          document_target(),
          request_target(),
          form_target()};
}

bool refuses(const Target& target, const std::string& bytes) {
  try {
    target.load(bytes);
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace nmt::fuzz
