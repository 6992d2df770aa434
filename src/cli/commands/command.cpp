#include "cli/commands/command.h"

namespace nmt {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"vocab", "make a subword vocabulary from text", run_vocab},
      {"batch", "pack parallel text for training, or show what is packed", run_batch},
      {"train", "train a model from parallel text", run_train},
      {"average", "average the weights of models", run_average},
      {"convert", "write a model in another precision", run_convert},
      {"translate", "translate text with a model", run_translate},
      {"score", "tell how probable a model finds given translations", run_score},
      {"shortlist", "find the pieces that each source piece is likely to become", run_shortlist},
      {"attention", "show what a model looks at as it translates", run_attention},
      {"bleu", "score a translation against references", run_bleu},
      {"report", "show how training runs went, as a page of charts", run_report},
      {"info", "tell what is in a model or corpus, or what this machine can do", run_info},
      {"plot", "draw pictures of the paper from the program's own functions", run_plot},
  };
  return table;
}

}  // namespace nmt
