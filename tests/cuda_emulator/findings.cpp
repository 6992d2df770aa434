#include "cuda_emulator/findings.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "cuda_emulator/shadow.h"

namespace simt {
namespace {

struct Findings {
  std::recursive_mutex mutex;
  std::deque<std::string> all;  // of the process; their texts do not move
  std::size_t begin = 0;        // of those that fail the calls
  std::map<std::string, int> living;
};

/// Never destroyed, because it is used until the end of the process.
Findings& findings() {
  static Findings& it = *new Findings;
  return it;
}

[[noreturn]] void refuse_setting(const char* name, const char* value) {
  std::fprintf(stderr, "emulator: %s=%s is not understood\n", name, value);
  std::abort();
}

void read_order(Settings& settings) {
  const char* value = std::getenv("NMT_EMULATOR_ORDER");
  if (value == nullptr) return;
  const std::string text = value;
  if (text == "forward")
    settings.order = Order::forward;
  else if (text == "reverse")
    settings.order = Order::reverse;
  else if (text.rfind("random", 0) == 0 && (text.size() == 6 || text[6] == ':'))
    settings.order = Order::random;
  else
    refuse_setting("NMT_EMULATOR_ORDER", value);
  if (text.size() > 7) settings.seed = std::strtoull(value + 7, nullptr, 10);
}

void read_streams(Settings& settings) {
  const char* value = std::getenv("NMT_EMULATOR_STREAMS");
  if (value == nullptr) return;
  settings.deferred = std::strcmp(value, "deferred") == 0;
  if (!settings.deferred && std::strcmp(value, "immediate") != 0)
    refuse_setting("NMT_EMULATOR_STREAMS", value);
}

void read_number(const char* name, int& number) {
  if (const char* value = std::getenv(name)) number = std::atoi(value);
}

/// Reads a setting with the values offered and refused.
void read_offer(const char* name, bool& offered) {
  const char* value = std::getenv(name);
  if (value == nullptr) return;
  offered = std::strcmp(value, "offered") == 0;
  if (!offered && std::strcmp(value, "refused") != 0) refuse_setting(name, value);
}

void read_rounding(Settings& settings) {
  const char* value = std::getenv("NMT_EMULATOR_ROUNDING");
  if (value == nullptr) return;
  settings.rough = std::strcmp(value, "rough") == 0;
  if (!settings.rough && std::strcmp(value, "nearest") != 0) refuse_setting("NMT_EMULATOR_ROUNDING", value);
}

/// Reads a setting of the form GPU:COUNT.
void read_fault(const char* name, int& gpu, int& count) {
  const char* value = std::getenv(name);
  if (value != nullptr && std::sscanf(value, "%d:%d", &gpu, &count) != 2) refuse_setting(name, value);
}

Settings from_environment() {
  Settings settings;
  read_number("NMT_EMULATOR_GPUS", settings.gpus);
  read_number("NMT_EMULATOR_CAPABILITY", settings.capability);
  read_number("NMT_EMULATOR_FAIL", settings.calls_until_failure);
  read_order(settings);
  read_streams(settings);
  read_rounding(settings);
  read_offer("NMT_EMULATOR_PRODUCTS", settings.products);
  read_offer("NMT_EMULATOR_LAYERS", settings.layers);
  read_fault("NMT_EMULATOR_HANG", settings.hanging_gpu, settings.operations);
  read_fault("NMT_EMULATOR_LOST", settings.lost_gpu, settings.calls_until_lost);
  return settings;
}

/// Reports the findings in its destructor, which runs when the process ends.
struct Verdict {
  Verdict() { findings(); }
  ~Verdict() {
    Findings& f = findings();
    for (const auto& [what, number] : f.living)
      if (number != 0) report("not given back at the end: " + what + " (" + std::to_string(number) + ")");
    if (f.all.empty()) return;
    std::fprintf(stderr, "emulator: %zu findings\n", f.all.size());
    std::fflush(nullptr);
    std::_Exit(EXIT_FAILURE);
  }
} const verdict;

}  // namespace

Settings& settings() {
  static Settings it = from_environment();
  return it;
}

void report(std::string text) {
  Findings& f = findings();
  const std::lock_guard lock(f.mutex);
  std::fprintf(stderr, "emulator: %s\n", text.c_str());
  f.all.push_back(std::move(text));
}

const char* first_finding() {
  Findings& f = findings();
  const std::lock_guard lock(f.mutex);
  return f.begin < f.all.size() ? f.all[f.begin].c_str() : nullptr;
}

std::vector<std::string> take_findings() {
  Findings& f = findings();
  const std::lock_guard lock(f.mutex);
  std::vector<std::string> taken(f.all.begin() + static_cast<long>(f.begin), f.all.end());
  f.all.resize(f.begin);
  forget_told();
  return taken;
}

void begin_anew() {
  Findings& f = findings();
  const std::lock_guard lock(f.mutex);
  f.begin = f.all.size();
  forget_told();
}

void born(const char* what) {
  Findings& f = findings();
  const std::lock_guard lock(f.mutex);
  ++f.living[what];
}

void died(const char* what) {
  Findings& f = findings();
  const std::lock_guard lock(f.mutex);
  --f.living[what];
}

}  // namespace simt
