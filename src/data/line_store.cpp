#include "data/line_store.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "common/checksum.h"
#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/text_reader.h"

namespace nmt {
namespace {

/// A temporary file without a name that is written in large pieces.
class Spool {
 public:
  Spool()
      : name_((std::filesystem::temp_directory_path() / "nmt-XXXXXX").string()),
        file_(mkstemp(name_.data())) {
    if (!file_) {
      throw Error("cannot create a temporary file '{}': {}; set TMPDIR to a directory with room", name_,
                  std::strerror(errno));
    }
    unlink(name_.c_str());
  }

  void write(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), bytes, bytes + size);
    if (buffer_.size() >= std::size_t{1} << 20) flush();
  }

  MemoryMap map() {
    flush();
    return {file_, name_};
  }

 private:
  void flush() {
    write_all(file_, buffer_.data(), buffer_.size(), name_);
    buffer_.clear();
  }

  std::string name_;
  FileDescriptor file_;
  std::vector<char> buffer_;
};

}  // namespace

LineStore::LineStore(const std::string& path) {
  TextReader reader(path, CarriageReturn::drop);
  name_ = reader.name();
  Spool text, index;
  Checksum checksum;
  std::int64_t end = 0;
  for (std::string line; reader.next(line); ++lines_) {
    end += static_cast<std::int64_t>(line.size());
    text.write(line.data(), line.size());
    checksum.add(line).add("\n");
    index.write(&end, sizeof end);
  }
  text_ = text.map();
  index_ = index.map();
  checksum_ = checksum.value();
}

std::string_view LineStore::operator[](std::int64_t i) const {
  const auto end_of = [&](std::int64_t line) {
    std::int64_t end = 0;
    if (line >= 0)
      std::memcpy(&end, index_.data() + line * static_cast<std::int64_t>(sizeof end), sizeof end);
    return static_cast<std::size_t>(end);
  };
  const std::size_t begin = end_of(i - 1);
  return text_.text().substr(begin, end_of(i) - begin);
}

}  // namespace nmt
