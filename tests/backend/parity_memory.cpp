#include <algorithm>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

struct MemoryShape {
  std::string name;
  std::int64_t rows, columns;
};

Results run(const MemoryShape& shape, Device& device, Random& random) {
  const auto [name, rows, columns] = shape;
  const Tensor from = normal_matrix(device, random, rows, columns);
  const Tensor copied = device.result(rows, columns);
  device.backend().copy(copied, from);
  const Tensor zeroed = device.result(rows, columns);
  device.backend().zero(zeroed);
  const Tensor sum = normal_matrix(device, random, rows, columns);
  device.backend().add(sum, from);
  const Tensor gradients = normal_master(device, random, rows, columns);
  device.backend().add(gradients, normal_master(device, random, rows, columns));

  const Tensor ids = device.integers(rows, columns, random.integers(rows * columns, -9, 9));
  const Tensor copied_ids = device.integers(rows, columns, random.integers(rows * columns, -9, 9));
  device.backend().copy(copied_ids, ids);
  const Tensor bits = device.mask(rows, columns);
  device.backend().zero(bits);
  return {{"copy", copied},
          {"zero", zeroed},
          {"add", sum},
          {"add gradients", gradients},
          {"copy of ids", copied_ids},
          {"zero bits", bits}};
}

Results run_convert(const MemoryShape& shape, Device& device, Random& random) {
  const auto [name, rows, columns] = shape;
  std::vector<double> values = random.normal(rows * columns);
  for (double& value : values) value = static_cast<float>(value / 3);  // no short fractions
  const Tensor from = device.master(rows, columns, values), to = device.result(rows, columns);
  device.backend().run(Convert{.from = from, .to = to});
  return {{"to", to}};
}

Results run_select(const MemoryShape& shape, Device& device, Random& random) {
  const auto [name, rows, columns] = shape;
  const Tensor from = normal_matrix(device, random, rows, columns), to = device.result(2 * rows, columns);
  const Tensor ids = device.integers(
      1, 2 * rows, random.integers(2 * rows, 0, std::max(static_cast<std::int32_t>(rows) - 1, 0)));
  device.backend().run(SelectRows{.from = from, .ids = ids, .to = to});
  return {{"to", to}};
}

const std::vector<MemoryShape> kMemoryShapes = {
    {"no rows", 0, 5},           {"one element", 1, 1}, {"odd", 7, 13},
    {"one row", 1, 1001},        {"one column", 33, 1}, {"large", 150, 257},
    {"a flat buffer", 1, 50'003}};

}  // namespace

Operation memory_operations() {
  return tabulate<MemoryShape>("memory", 1e-6, 1, kMemoryShapes, run);
}

Operation select_rows_operation() {
  return tabulate<MemoryShape>("select_rows", 0, 0, kMemoryShapes, run_select);
}

Operation convert_operation() {
  return tabulate<MemoryShape>("convert", 1e-6, 1, kMemoryShapes, run_convert);
}

}  // namespace nmt::testing
