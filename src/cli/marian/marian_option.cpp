#include "cli/marian/marian_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/marian/conversion.h"
#include "common/text/spelling.h"

namespace nmt {

MarianOption same(const char* name, const char* fallback, const char* setting) {
  return converted(name, fallback, {setting}, [](MarianConversion& to) {
    to.give(to.option().settings[0], to.texts(to.option().name));
  });
}

MarianOption same_switch(const char* name, const char* setting) {
  return converted(name, "false", {setting}, [](MarianConversion& to) {
    if (to.is_on(to.option().name)) to.give(to.option().settings[0], "true");
  });
}

MarianOption converted(const char* name, const char* fallback, std::vector<std::string> settings,
                       void (*convert)(MarianConversion&)) {
  return {name, fallback, std::move(settings), Fate::mapped, convert};
}

MarianOption part(const char* name, const char* fallback, std::vector<std::string> settings) {
  return {name, fallback, std::move(settings), Fate::part};
}

MarianOption elsewhere(const char* name, std::vector<std::string> settings) {
  return {name, "", std::move(settings), Fate::elsewhere};
}

MarianOption idle(const char* name, const char* fallback, std::vector<std::string> settings) {
  return {name, fallback, std::move(settings), Fate::idle};
}

MarianOption needed(const char* name, const char* fallback, std::vector<std::string> settings) {
  return {name, fallback, std::move(settings), Fate::needed};
}

MarianOption with_implicit(const char* implicit, MarianOption option) {
  option.implicit = implicit;
  return option;
}

MarianOptions of_types(const std::vector<std::string>& types, MarianOptions options) {
  for (MarianOption& option : options) option.types = types;
  return options;
}

const std::vector<std::string>& marian_recurrent_types() {
  static const std::vector<std::string> types = {"s2s", "amun"};
  return types;
}

MarianOption max_length_option(const char* fallback) {
  return converted("max-length", fallback, {"max-length"}, [](MarianConversion& to) {
    const double length = to.number("max-length");
    if (length != std::floor(length) || length < 1)
      to.fail("max-length", "expected a whole number of at least 1, got " + quoted(to.text("max-length")));
    to.give("max-length", fmt::format("{}", std::max(length - 1, 1.0)));
  });
}

MarianOption tsv_fields_option() {
  return converted("tsv-fields", "0", {}, [](MarianConversion& to) {
    if (to.number("tsv-fields") > 2) to.refuse("two: source and target");
  });
}

bool are_of_two_sides(MarianConversion& to, const std::vector<std::string>& paths) {
  const bool are_columns = to.is_on("tsv");
  if (are_columns && paths.size() > 1) {
    to.fail(
        to.option().name,
        fmt::format("tsv says that one file has both sides, but there are {} files; take tsv out, or name "
                    "one file",
                    paths.size()));
  }
  if (paths.size() == (are_columns ? 1 : 2)) return true;
  if (!paths.empty()) to.refuse("two files, or one with tsv");
  return false;
}

MarianOptions marian_options(MarianProgram program) {
  MarianOptions all = marian_general_options();
  const auto add = [&all](const MarianOptions& more) { all.insert(all.end(), more.begin(), more.end()); };
  const bool trains = program == MarianProgram::train;
  for (MarianOption option : marian_model_options()) {
    if (!trains) option = elsewhere(option.name.c_str());
    all.push_back(std::move(option));
  }
  if (trains) {
    add(marian_training_options());
    add(marian_validation_options());
  } else {
    add(marian_inference_options());
    add(program == MarianProgram::translate ? marian_translation_options() : marian_scoring_options());
  }
  return all;
}

}  // namespace nmt
