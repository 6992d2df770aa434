// The subcommands of nmt: one file each, listed in one table.
#pragma once

#include <string>
#include <vector>

namespace nmt {

using Arguments = std::vector<std::string>;

/// A subcommand: takes the arguments after its name and returns the exit code. Errors are exceptions.
struct Command {
  const char* name;
  const char* group;  // heading in the list of subcommands
  const char* summary;
  int (*run)(const Arguments&);
};

// The functions of the subcommands; --help of each lists its settings.
int run_vocab(const Arguments& arguments);
int run_batch(const Arguments& arguments);
int run_train(const Arguments& arguments);
int run_average(const Arguments& arguments);
int run_convert(const Arguments& arguments);
int run_translate(const Arguments& arguments);
int run_serve(const Arguments& arguments);
int run_score(const Arguments& arguments);
int run_shortlist(const Arguments& arguments);
int run_attention(const Arguments& arguments);
int run_bleu(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_plot(const Arguments& arguments);

/// Returns all subcommands in the order in which `nmt` lists them, which is the order of use.
const std::vector<Command>& commands();

}  // namespace nmt
