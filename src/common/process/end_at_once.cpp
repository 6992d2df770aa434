#include "common/process/end_at_once.h"

#include <cstdlib>

#include "common/io/temporary_name.h"

namespace nmt {

void end_at_once(int code) {
  remove_temporary_files();
  std::_Exit(code);
}

}  // namespace nmt
