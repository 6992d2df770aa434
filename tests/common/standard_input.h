// Redirects standard input.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace nmt {

/// During its lifetime, standard input comes from a file.
class StandardInput {
 public:
  /// Takes ownership of `file`.
  explicit StandardInput(int file) : saved_(::dup(STDIN_FILENO)) {
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  explicit StandardInput(const std::string& path)
      : StandardInput(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

}  // namespace nmt
