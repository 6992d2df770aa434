#include "cli/options/yaml_document.h"

#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "common/text/utf8.h"
#include "nn/settings.h"

namespace nmt {
namespace {

std::string read_text(const std::string& path) {
  const auto fail = [&path] {
    throw UsageError("cannot read the settings file '{}': {}", path, std::generic_category().message(errno));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rbe"), std::fclose};
  if (file == nullptr) fail();
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
    if (text.size() > kLongestConfig) {
      throw UsageError("'{}' is longer than {} bytes; name a file of settings", path, kLongestConfig);
    }
  }
  if (std::ferror(file.get()) != 0) fail();
  refuse_lfs_pointer(text, path);
  return text;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
}

/// Rejects control characters and invalid UTF-8, at some of which yaml-cpp would stop silently.
void check_characters(const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (count_invalid_utf8(line) > 0) {
      throw UsageError("{}:{}: not UTF-8; save the file as UTF-8", path, number);
    }
    if (std::any_of(line.begin(), line.end(), is_control)) {
      throw UsageError("{}:{}: holds a control character; remove it", path, number);
    }
  }
}

/// Thrown at the start of the second document of a text.
struct SecondDocument {
  YAML::Mark mark;
};

/// Throws at a second document, if there is one: for some texts that are not YAML, yaml-cpp produces
/// documents without end.
class OneDocument : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) throw SecondDocument{mark};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

 private:
  bool started_ = false;
};

/// Returns the document of a text; null if it is empty. yaml-cpp misses an open quote if the text ends with a
/// line end, hence the first pass without trailing white space.
YAML::Node parsed(const std::string& text) {
  std::istringstream trimmed(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
  YAML::Parser parser(trimmed);
  OneDocument handler;
  while (parser.HandleNextDocument(handler)) {
  }
  return YAML::Load(text);
}

}  // namespace

YamlDocument read_yaml_document(const std::string& path) {
  std::string text = read_text(path);
  check_characters(text, path);
  const auto where = [&path](const YAML::Mark& mark) {
    return fmt::format("{}:{}", path, std::max(mark.line, 0) + 1);
  };
  try {
    YAML::Node root = parsed(text);
    return {std::move(text), std::move(root)};
  } catch (const SecondDocument& second) {
    throw UsageError("{}: a second document starts; a settings file holds one", where(second.mark));
  } catch (const YAML::Exception& error) {
    throw UsageError("{}: not valid YAML: {}", where(error.mark), error.msg);
  }
}

}  // namespace nmt
