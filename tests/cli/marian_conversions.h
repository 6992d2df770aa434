// A fixture of tests that convert Marian's configurations.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/marian/conversion.h"
#include "cli/marian/marian_config.h"
#include "cli/options_fixture.h"

namespace nmt {

struct MarianOutcome {
  std::map<std::string, std::string> settings;  // elements of lists are separated by spaces
  std::set<std::string> idle;
  std::vector<std::string> refused, notes;
};

/// Expects that these settings are given; others may be, too.
inline void expect_settings(const MarianOutcome& outcome,
                            const std::map<std::string, std::string>& expected) {
  for (const auto& [setting, text] : expected) {
    const auto found = outcome.settings.find(setting);
    EXPECT_EQ(found == outcome.settings.end() ? "nothing" : found->second, text) << setting;
  }
}

class MarianConversions : public InFolder {
 protected:
  /// Converts a file m.yml with this text. The command line gives settings: "train=t.nmtc".
  MarianOutcome convert(MarianProgram program, const std::string& text,
                        const std::set<std::string>& command_line = {}) const {
    write("m.yml", text);
    return convert_file(program, "m.yml", command_line);
  }
  static MarianOutcome convert_file(MarianProgram program, const std::string& file,
                                    const std::set<std::string>& command_line = {}) {
    const MarianConfig config({file});
    const MarianOptions options = marian_options(program);
    Options::Source given;
    for (const std::string& setting : command_line) {
      const std::size_t end = std::min(setting.find('='), setting.size());
      given[setting.substr(0, end)] = {{setting.substr(std::min(end + 1, setting.size())), "--" + setting}};
    }
    MarianConversion conversion(config, options, given);
    conversion.run();
    MarianOutcome outcome{
        .idle = conversion.idle(), .refused = conversion.refused(), .notes = conversion.notes()};
    for (const auto& [setting, values] : conversion.settings()) {
      std::string& text = outcome.settings[setting];
      for (const GivenValue& value : values) text += (text.empty() ? "" : " ") + value.text;
    }
    return outcome;
  }

  /// Returns the value that training a Transformer gets with this setting.
  std::string trained_with(const std::string& text, const std::string& setting) const {
    const MarianOutcome outcome = convert(MarianProgram::train, "type: transformer\n" + text + "\n");
    const auto found = outcome.settings.find(setting);
    return found == outcome.settings.end() ? "" : found->second;
  }
  /// Returns why training rejects it.
  std::vector<std::string> refused(const std::string& text,
                                   const std::set<std::string>& command_line = {}) const {
    return convert(MarianProgram::train, "type: transformer\n" + text + "\n", command_line).refused;
  }
};

}  // namespace nmt
