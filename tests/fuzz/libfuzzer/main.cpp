// The targets as a libFuzzer program: nmt_fuzz TARGET [options of libFuzzer] CORPUS..., and nmt_fuzz seeds
// FOLDER, which writes the seeds and the dictionary of each target.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/program.h"
#include "fuzz/target.h"

// The interface of libFuzzer, whose header is not always installed.
extern "C" {
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed);
}

namespace nmt::fuzz {
namespace {

Target chosen;

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Returns a line of a libFuzzer dictionary.
std::string dictionary_entry(const std::string& word) {
  std::string line = "\"";
  for (const char c : word) line += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  return line + "\"\n";
}

void write_seeds(const std::filesystem::path& folder) {
  for (const Target& target : targets()) {
    int number = 0;
    for (const std::string& seed : target.seeds()) {
      write_file(folder / target.name / fmt::format("seed-{}", number++), seed);
    }
    std::string dictionary;
    for (const std::string& word : target.words()) dictionary += dictionary_entry(word);
    write_file(folder / (target.name + ".dict"), dictionary);
  }
}

/// Removes the name of the target from the arguments.
void choose(int& argc, char** argv) {
  const std::vector<Target> all = targets();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Target& target) { return argc > 1 && target.name == argv[1]; });
  if (found == all.end()) {
    std::fputs(
        "usage: nmt_fuzz TARGET [libFuzzer's options] CORPUS...\n       nmt_fuzz seeds FOLDER\ntargets:",
        stderr);
    for (const Target& target : all) std::fprintf(stderr, " %s", target.name.c_str());
    std::fputc('\n', stderr);
    std::exit(2);
  }
  chosen = *found;
  std::copy(argv + 2, argv + argc + 1, argv + 1);
  --argc;
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, std::uint32_t seed) {
  constexpr std::size_t kRoom = 256;  // bytes that a part may grow by
  Parts parts = chosen.split({reinterpret_cast<const char*>(data), size});
  std::string& part = parts[seed % parts.size()];
  const std::size_t length = part.size();
  part.resize(length + kRoom);
  part.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.data()), length, part.size()));
  const std::string bytes = chosen.join(parts);
  if (bytes.size() > max_size) return size;
  return bytes.copy(reinterpret_cast<char*>(data), bytes.size());
}

}  // namespace
}  // namespace nmt::fuzz

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::strcmp((*argv)[1], "seeds") == 0) {
    nmt::fuzz::write_seeds((*argv)[2]);
    std::exit(0);
  }
  nmt::fuzz::choose(*argc, *argv);
  nmt::program_log().set_level(nmt::LogLevel::error);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nmt::fuzz::refuses(nmt::fuzz::chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}

/// Usually changes a part of a file and corrects the rest, sometimes changes the file directly.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return nmt::fuzz::mutate(data, size, max_size, seed / 8);
}
