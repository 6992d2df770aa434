// nmt convert: a model in another precision.
#include "nn/files/convert.h"

#include <algorithm>
#include <array>

#include "cli/commands/command.h"
#include "cli/files/model_file.h"
#include "cli/files/output.h"
#include "cli/files/overwriting.h"
#include "cli/options/common_options.h"
#include "cli/program.h"
#include "common/error.h"

namespace nmt {
namespace {

struct ConvertSettings {
  std::string model, precision, output;
  LogOptions log;
};

struct Type {
  const char* name;
  DType weights;
};
constexpr std::array<Type, 4> kTypes = {
    {{"int8", DType::i8}, {"bf16", DType::bf16}, {"f16", DType::f16}, {"f32", DType::f32}}};

Choices names_of_types() {
  Choices names;
  for (const Type& type : kTypes) names.emplace_back(type.name);
  return names;
}

bool parse(const Arguments& arguments, ConvertSettings& settings) {
  Options options("nmt convert", "", "Writes a model in another precision, for translating and scoring.",
                  "nmt convert -m model.safetensors --precision int8 -o small.safetensors");
  options
      .add("model,m", settings.model, "FILE",
           "model file, or a run directory, whose best or else last model is taken")
      .required();
  options
      .add("precision", settings.precision, "",
           "type of the matrices of weights, the rest stays in f32: int8, a quarter of f32, has 8 bits and a "
           "scale for each row; bf16 and f16 are half; what comes from int8 keeps its rounding")
      .choices(names_of_types())
      .required();
  options.add("output,o", settings.output, "FILE", "the model to write; -: standard output")
      .required()
      .command_line_only()
      .writes();
  return parse_with_log_options(options, arguments, settings.log);
}

DType type_of(const std::string& name) {
  return std::ranges::find(kTypes, name, &Type::name)->weights;
}

}  // namespace

int run_convert(const Arguments& arguments) {
  ConvertSettings settings;
  if (!parse(arguments, settings)) return 0;
  settings.model = chosen_model(settings.model);
  refuse_overwriting({"--output", settings.output}, {{"--model", settings.model}});
  check_binary_output(settings.output);
  convert_model(settings.model, type_of(settings.precision), settings.output);
  log_info("'{}': {} in {}", settings.output, settings.model, settings.precision);
  return 0;
}

}  // namespace nmt
