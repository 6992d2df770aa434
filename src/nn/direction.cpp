#include "nn/direction.h"

namespace nmt {
namespace {

ModelKey direction_key(const char* name, const char* help) {
  return {name, "left-to-right", help, {"left-to-right", "right-to-left"}};
}

Direction direction_of(const ModelKey& key, const ModelSettings& settings) {
  return chosen({key}, settings, key.name, {Direction::left_to_right, Direction::right_to_left});
}

}  // namespace

ModelKey source_direction_key() {
  return direction_key("source_direction",
                       "order in which the encoder reads the tokens of a source. Marian's right-left is "
                       "right-to-left here and in target_direction.");
}

ModelKey target_direction_key() {
  return direction_key("target_direction", "order in which the tokens of a target are predicted");
}

Direction source_direction_of(const ModelSettings& settings) {
  return direction_of(source_direction_key(), settings);
}

Direction target_direction_of(const ModelSettings& settings) {
  return direction_of(target_direction_key(), settings);
}

}  // namespace nmt
