#include "data/text/line_store.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace nmt {

void LineStore::Builder::add(std::string_view line) {
  end_ += std::ssize(line);
  longest_ = std::max(longest_, std::ssize(line));
  text_.append(line.data(), line.size());
  index_.append(&end_, sizeof end_);
  checksum_.add(line).add("\n");
  ++lines_;
}

LineStore LineStore::Builder::finish() {
  LineStore store;
  store.name_ = name_;
  store.text_ = text_.map();
  store.index_ = index_.map();
  store.lines_ = lines_;
  store.longest_ = longest_;
  store.checksum_ = checksum_.value();
  return store;
}

void LineStore::forget_pages() const {
  text_.forget_pages();
  index_.forget_pages();
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
