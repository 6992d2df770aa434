#include "nn/target_direction.h"

namespace nmt {

ModelKey target_direction_key() {
  return {"target_direction",
          "left-to-right",
          "order in which the tokens of a target are predicted: left-to-right or right-to-left",
          {"left-to-right", "right-to-left"}};
}

TargetDirection target_direction_of(const ModelSettings& settings) {
  return chosen({target_direction_key()}, settings, "target_direction",
                {TargetDirection::left_to_right, TargetDirection::right_to_left});
}

}  // namespace nmt
