#include "cli/commands/command.h"

namespace nmt {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"vocab", "text", "make a subword vocabulary from text", run_vocab},
      {"batch", "text", "pack parallel text for training, or show what is packed", run_batch},
      {"train", "training", "train a model from parallel text", run_train},
      {"report", "training", "show how training runs went, as a page of charts", run_report},
      {"average", "training", "average the weights of models", run_average},
      {"translate", "translation", "translate text with a model", run_translate},
      {"serve", "translation", "translate for programs that ask over HTTP", run_serve},
      {"bleu", "translation", "score a translation against references", run_bleu},
      {"score", "translation", "tell how probable a model finds given translations", run_score},
      {"convert", "translation", "write a model in another precision", run_convert},
      {"shortlist", "translation", "find the pieces that each source piece is likely to become",
       run_shortlist},
      {"attention", "insight", "show what a model looks at as it translates", run_attention},
      {"info", "insight", "tell what is in a model or corpus, or what this machine can do", run_info},
      {"plot", "insight", "draw pictures of the paper from the program's own functions", run_plot},
  };
  return table;
}

}  // namespace nmt
