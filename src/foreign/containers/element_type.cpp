#include "foreign/containers/element_type.h"

#include <array>

namespace nmt {
namespace {

struct Properties {
  const char* name;
  std::size_t size;
};

// In the order of ElementType.
constexpr std::array<Properties, 13> kProperties = {{{"f64", 8},
                                                     {"f32", 4},
                                                     {"f16", 2},
                                                     {"bf16", 2},
                                                     {"i64", 8},
                                                     {"i32", 4},
                                                     {"i16", 2},
                                                     {"i8", 1},
                                                     {"u64", 8},
                                                     {"u32", 4},
                                                     {"u16", 2},
                                                     {"u8", 1},
                                                     {"boolean", 1}}};

const Properties& properties_of(ElementType type) {
  return kProperties.at(static_cast<std::size_t>(type));
}

}  // namespace

std::size_t size_of(ElementType type) {
  return properties_of(type).size;
}

const char* name_of(ElementType type) {
  return properties_of(type).name;
}

bool is_real(ElementType type) {
  return type <= ElementType::bf16;
}

}  // namespace nmt
