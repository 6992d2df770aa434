// Chooses among candidate translations by their expected COMET score, as comet-mbr does, for comet_mbr.py.
//
//   bench_comet_mbr MODEL PRECISION THREADS SOURCES CANDIDATES COUNT
//
// SOURCES and CANDIDATES are texts; each source has COUNT lines of candidates. The output is a line for each
// source: the number of the best candidate, its expected score, and seconds of CPU time.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/opened_metric.h"

namespace nmt {
namespace {

void run(const std::string& model, const std::string& precision, int threads, std::ifstream sources,
         std::ifstream candidates, std::size_t count) {
  const auto metric = std::make_shared<const OpenedMetric>(
      model, DeviceSettings{.device = "cpu", .precision = precision, .threads = threads});
  const auto utility = OpenedMetric::utility(metric, std::nullopt);
  const std::vector<double> weights(count, 1 / static_cast<double>(count));
  for (std::string source; std::getline(sources, source);) {
    std::vector<std::string> lines(count);
    for (std::string& line : lines) std::getline(candidates, line);
    const std::clock_t begin = std::clock();
    const std::vector<double> expected =
        utility->expected(source, std::vector<std::string_view>(lines.begin(), lines.end()), weights);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const auto best = std::ranges::max_element(expected);
    std::cout << best - expected.begin() << ' ' << *best << ' ' << seconds << std::endl;
  }
}

}  // namespace
}  // namespace nmt

int main(int count, char** arguments) {
  if (count != 7) {
    std::cerr << "usage: bench_comet_mbr MODEL PRECISION THREADS SOURCES CANDIDATES COUNT\n";
    return 2;
  }
  nmt::run(arguments[1], arguments[2], std::atoi(arguments[3]), std::ifstream(arguments[4]),
           std::ifstream(arguments[5]), static_cast<std::size_t>(std::atoi(arguments[6])));
}
