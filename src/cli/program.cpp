#include "cli/program.h"

#include <mutex>

#include "common/file_descriptor.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"

namespace nmt {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"vocab", "text", "make a subword vocabulary from text", run_vocab},
      {"batch", "text", "pack and filter parallel text for training, or show a packed corpus", run_batch},
      {"train", "training", "train a model from parallel text", run_train},
      {"report", "training", "show how training runs went, as a page of charts", run_report},
      {"average", "training", "average the weights of models", run_average},
      {"translate", "translation", "translate text with a model", run_translate},
      {"serve", "translation", "serve translations over HTTP", run_serve},
      {"bleu", "translation", "score a translation against references", run_bleu},
      {"score", "translation", "print the log-probability of given translations", run_score},
      {"convert", "translation", "convert a model to another precision or toolkit", run_convert},
      {"shortlist", "translation", "build a lexical shortlist for faster decoding", run_shortlist},
      {"attention", "insight", "show what a model attends to as it translates", run_attention},
      {"info", "insight", "describe a model, a corpus, or this machine", run_info},
      {"plot", "insight", "draw the figures of the Transformer paper", run_plot},
  };
  return table;
}

namespace {

std::mutex ending;  // locked for good by the thread that ends the program
std::function<void()> the_exit_hook;

}  // namespace

TerminalLog& program_log() {
  static TerminalLog log(with_options);
  return log;
}

JobContext program_job() {
  return {.stop = &InterruptGuard::stop_request(), .log = &program_log()};
}

void write_output(std::string_view text) {
  write_output(text, InterruptGuard::stop_request());
}

void end_program(std::string_view error) {
  ending.lock();  // wait until the process is gone
  program_log().line(LogLevel::error, error);
  if (the_exit_hook) the_exit_hook();
  end_at_once(1);
}

void set_exit_hook(std::function<void()> exit_hook) {
  const std::lock_guard lock(ending);
  the_exit_hook = std::move(exit_hook);
}

}  // namespace nmt
