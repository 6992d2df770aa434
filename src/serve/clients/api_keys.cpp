#include "serve/clients/api_keys.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/number.h"

namespace nmt {
namespace {

constexpr std::string_view kBlanks = " \t", kOperator = "role=operator";

/// Removes and returns the next word of a line, without spaces; empty if there is none.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

/// Applies an option of the form NAME=VALUE.
void set_option(ApiClient& client, std::string_view word) {
  if (word == kOperator) {
    client.is_operator = true;
    return;
  }
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const auto number = number_of<std::int64_t>(std::string(word.substr(equals + 1)));
  if ((name != "requests" && name != "characters") || !number || *number < 1)
    throw Error("'{}' is not a limit, such as requests=60 or characters=100000 in a minute, nor {}", word,
                kOperator);
  auto& limit = name == "requests" ? client.requests : client.characters;
  if (limit) throw Error("'{}': {} is given twice", word, name);
  limit = number;
}

/// Parses the part of a line after the hash: a name, and options of the form NAME=VALUE.
ApiClient client_in(std::string_view text) {
  ApiClient client;
  const char* const begin = text.data() + std::min(text.find_first_not_of(kBlanks), text.size());
  const char* end_of_name = begin;
  std::string_view option;  // the last one
  while (true) {
    const std::string_view word = take_word(text);
    if (word.empty()) break;
    if (word.find('=') != std::string_view::npos) {
      set_option(client, option = word);
    } else if (!option.empty()) {
      throw Error("'{}' comes after '{}': give the name first, then limits and {}", word, option, kOperator);
    } else {
      end_of_name = word.data() + word.size();
    }
  }
  client.name.assign(begin, end_of_name);
  return client;
}

/// Parses a line, which is not empty.
ApiClient client_of_line(std::string_view line) {
  const std::string_view digits = take_word(line);
  Sha256 hash{};
  bool is_hash = digits.size() == 2 * hash.size();
  for (std::size_t i = 0; is_hash && i < hash.size(); ++i) {
    const char* const pair = digits.data() + 2 * i;
    is_hash = std::from_chars(pair, pair + 2, hash[i], 16).ptr == pair + 2;
  }
  if (!is_hash) {
    throw Error(
        "expected the SHA-256 of a key (64 hexadecimal digits), a space and a name; printf %s KEY | "
        "sha256sum prints it");
  }
  ApiClient client = client_in(line);
  client.key_hash = hash;
  return client;
}

}  // namespace

ApiKeys::ApiKeys(const std::string& path) : path_(path) {
  TextReader lines(path, CarriageReturn::drop);
  std::map<Sha256, std::int64_t> line_of;  // the line of each key
  for (std::string line; lines.next(line);) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string::npos || line[begin] == '#') continue;
    const std::int64_t number = lines.line_number();
    try {
      ApiClient client = client_of_line(line);
      const auto [first, is_new] = line_of.emplace(client.key_hash, number);
      if (!is_new) throw Error("this key is in line {}, too", first->second);
      if (client.name.empty()) client.name = fmt::format("line {}", number);
      clients_.push_back(std::move(client));
    } catch (const Error& error) {
      throw Error("'{}', line {}: {}", path, number, error.what());
    }
  }
  if (clients_.empty()) throw Error("'{}' has no keys", path);
}

const ApiClient* ApiKeys::client_of(std::string_view key) const {
  const Sha256 hash = sha256_of(key);
  const ApiClient* found = nullptr;
  for (const ApiClient& client : clients_) {
    if (CRYPTO_memcmp(hash.data(), client.key_hash.data(), hash.size()) == 0) found = &client;
  }
  return found;
}

double ClientLimits::fill(std::optional<Bucket>& bucket, const std::optional<std::int64_t>& size,
                          std::int64_t wanted, Clock::time_point now) {
  if (!size) {
    bucket.reset();
    return 0;
  }
  const auto full = static_cast<double>(*size);
  if (!bucket) bucket = {full, now};
  const double a_second = full / 60;
  const std::chrono::duration<double> passed = now - bucket->time;
  *bucket = {std::min(bucket->level + passed.count() * a_second, full), now};
  return std::max((static_cast<double>(wanted) - bucket->level) / a_second, 0.0);
}

void ClientLimits::take(const ApiClient& client, std::int64_t characters, Clock::time_point now) {
  take(client, 1, characters, now);
}

void ClientLimits::take_more(const ApiClient& client, std::int64_t characters, Clock::time_point now) {
  take(client, 0, characters, now);
}

void ClientLimits::take(const ApiClient& client, std::int64_t requests, std::int64_t characters,
                        Clock::time_point now) {
  if (client.characters && characters > *client.characters)
    throw CallError(413, "{} characters; this key has {} in a minute", characters, *client.characters);
  const std::lock_guard lock(mutex_);
  Buckets& buckets = buckets_[client.key_hash];
  const double seconds = std::max(fill(buckets.requests, client.requests, requests, now),
                                  fill(buckets.characters, client.characters, characters, now));
  if (seconds > 0) {
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    throw LimitReached(whole, "this key has asked for as much as it may in a minute; try again in {} s",
                       whole);
  }
  if (buckets.requests) buckets.requests->level -= static_cast<double>(requests);
  if (buckets.characters) buckets.characters->level -= static_cast<double>(characters);
  buckets.all_characters += characters;
}

CharacterUse ClientLimits::use(const ApiClient& client, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Buckets& buckets = buckets_[client.key_hash];
  fill(buckets.characters, client.characters, 0, now);
  if (!buckets.characters) return {.count = buckets.all_characters};
  const double used = static_cast<double>(*client.characters) - buckets.characters->level;
  return {.count = static_cast<std::int64_t>(std::ceil(used)), .limit = client.characters};
}

}  // namespace nmt
