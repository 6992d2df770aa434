// The values that were used most recently.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace nmt {

/// Values by their keys. The least recently used ones are dropped first. Thread-safe.
template <class Value>
class RecentValues {
 public:
  /// Keeps at most `capacity` values; 0: none.
  explicit RecentValues(std::size_t capacity) : capacity_(capacity) {}

  std::size_t capacity() const { return capacity_; }

  /// Returns the value with this key, if it is kept.
  std::optional<Value> find(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto place = places_.find(key);
    if (place == places_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, place->second);
    return place->second->second;
  }
  /// Adds a value, unless there is one with this key.
  void put(const std::string& key, const Value& value) {
    const std::lock_guard lock(mutex_);
    if (capacity_ == 0 || places_.contains(key)) return;
    entries_.emplace_front(key, value);
    places_.emplace(entries_.front().first, entries_.begin());
    if (entries_.size() <= capacity_) return;
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;

  std::size_t capacity_;
  std::mutex mutex_;
  Entries entries_;  // the most recently used one first
  std::unordered_map<std::string_view, typename Entries::iterator> places_;  // by the keys of the entries
};

}  // namespace nmt
