#include "hub/fetch.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/io/folder.h"
#include "common/log/progress_line.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "hub/contents_check.h"
#include "hub/curl.h"
#include "hub/hub_cache.h"
#include "hub/needed_files.h"
#include "hub/reception.h"

namespace nmt {
namespace {

using nlohmann::json;

constexpr int kOk = 200, kPartial = 206, kBadRange = 416;
constexpr std::chrono::minutes kMostTime(2);  // for responses that are small

/// A version of a repository, with the names of its files.
struct Listing {
  std::string commit;
  std::vector<std::string> files;
  std::map<std::string, std::int64_t> sizes;  // in bytes, of those files of which the Hub tells it
};

/// A file on the Hub, with the ETag and the size in bytes of its contents.
struct RemoteFile {
  std::string name, etag;
  std::int64_t size = 0;
};

/// The Hub, or its connection, failed in a way that may not last: the copy in the cache will do.
class Unreachable : public Error {
 public:
  using Error::Error;
};

bool may_pass(const WebResponse& response) {
  constexpr int kTooManyRequests = 429, kServerError = 500;
  return !response.failure.empty() || response.status == kTooManyRequests || response.status >= kServerError;
}

std::string megabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// Returns an ETag without what says how it is to be compared: W/"abc" is abc. Throws Error if the rest
/// cannot be the name of a file.
std::string plain_etag(std::string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  if (etag.size() > 1 && etag.front() == '"' && etag.back() == '"') etag = etag.substr(1, etag.size() - 2);
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (etag.empty() || !std::ranges::all_of(etag, is_plain))
    throw Error("the Hub sends the ETag {}, which cannot name a file", quoted(std::string(etag)));
  return std::string(etag);
}

/// Returns the part of a URL that names a file, which may be in a folder.
std::string path_encoded(std::string_view file) {
  const std::size_t slash = file.find('/');
  if (slash == file.npos) return url_encoded(file);
  return url_encoded(file.substr(0, slash)) + "/" + path_encoded(file.substr(slash + 1));
}

/// Thrown where a response has another part of a file than was asked for.
struct OtherPart {};

/// Whether a partial response begins at a byte.
bool begins_at(const WebResponse& response, std::int64_t offset) {
  const auto range = response.headers.find("content-range");
  return range != response.headers.end() && range->second.starts_with(fmt::format("bytes {}-", offset));
}

class Fetch {
 public:
  Fetch(const HubName& name, NeededFiles needed, const HubSettings& settings, const JobContext& job)
      : name_(name),
        needed_(needed),
        settings_(settings),
        job_(job),
        cache_(settings.cache, name.repository),
        curl_(*job.stop),
        hub_(without_password(settings.endpoint)) {}

  std::string run() {
    const Listing listing = list();
    const std::vector<std::string> needed = needed_(listing.files);
    if (needed.empty()) throw lacks_files(listing.files);
    const std::vector<RemoteFile> missing = missing_files(listing, needed);
    transfer_all(missing, listing.commit);
    record(listing.commit);
    return cache_.snapshot(listing.commit);
  }

 private:
  /// Records which commit is there. A branch "a" beside "a/b", as the Hub may have after one was deleted,
  /// cannot be recorded; nor can anything in a cache that must not be written.
  void record(const std::string& commit) const {
    cache_.mark_whole(commit);
    try {
      cache_.set_commit(name_.revision, commit);
    } catch (const Error& error) {
      job_.log->warning("{}; without the network, '{}' will not be found under the name '{}'", error.what(),
                        name_.repository, name_.revision);
    }
  }

  Error lacks_files(const std::vector<std::string>& files) const {
    constexpr std::size_t kMostBytes = 200;  // of names in the message
    std::string some;
    for (const std::string& file : files) {
      if (file.find('/') != file.npos || file.starts_with('.')) continue;
      some += (some.empty() ? "" : ", ") + file;
      if (some.size() > kMostBytes) break;
    }
    return Error("'{}' has no {}; its files are {}", name_.repository,
                 needed_ == tokenizer_files
                     ? "tokenizer that nmt reads (sentencepiece.bpe.model or tokenizer.json)"
                     : "weights that nmt reads (model.safetensors, pytorch_model.bin or model.bin)",
                 some.empty() ? "none" : some);
  }

  std::string url(const std::string& kind, const std::string& rest) const {
    return settings_.endpoint + kind + name_.repository + rest;
  }

  /// Throws Error for a response that is no success, or that broke off.
  void check(const WebResponse& response) const {
    constexpr int kUnauthorized = 401, kForbidden = 403, kNotFound = 404;
    if (response.status == 0 || !response.failure.empty()) {
      throw Unreachable("cannot reach {}: {}; check the network, or set HF_ENDPOINT", hub_,
                        response.failure.empty() ? "it does not answer" : response.failure);
    }
    if (response.status == kOk) return;
    const auto code = response.headers.find("x-error-code");
    if (response.status == kForbidden || (code != response.headers.end() && code->second == "GatedRepo")) {
      throw Error(
          "'{}' may not be read: accept its conditions on {}/{}, and set HF_TOKEN to a token of that account",
          name_.repository, hub_, name_.repository);
    }
    if (code != response.headers.end() && code->second == "RevisionNotFound")
      throw Error("'{}' has no revision '{}'", name_.repository, name_.revision);
    if (response.status == kNotFound || response.status == kUnauthorized) {
      throw Error(
          "'{}' does not exist on {}, or is private; check its name, or set HF_TOKEN to a token that may "
          "read it",
          name_.repository, hub_);
    }
    const std::string text = fmt::format("{} answers with status {}; try again later", hub_, response.status);
    if (may_pass(response)) throw Unreachable("{}", text);
    throw Error("{}", text);
  }

  Listing list() {
    constexpr std::size_t kMostBytes = std::size_t{16} << 20;
    std::string body;
    const WebResponse response =
        curl_.send({.url = url("/api/models/", "/revision/" + url_encoded(name_.revision) + "?blobs=true"),
                    .token = settings_.token,
                    .most_time = kMostTime},
                   [&](const WebResponse&, std::string_view bytes) {
                     if (body.size() + bytes.size() > kMostBytes)
                       throw Error("{} sends a list of files that is too long", hub_);
                     body += bytes;
                   });
    check(response);
    try {
      const json answer = json::parse(body);
      Listing listing{.commit = answer.at("sha").get<std::string>(), .files = {}, .sizes = {}};
      for (const json& file : answer.at("siblings")) {
        listing.files.push_back(file.at("rfilename").get<std::string>());
        if (file.contains("size") && file["size"].is_number_integer())
          listing.sizes[listing.files.back()] = file["size"].get<std::int64_t>();
      }
      if (is_commit(listing.commit)) return listing;
    } catch (const json::exception&) {  // as below
    }
    throw Error("{} does not answer as a Hugging Face Hub does; check HF_ENDPOINT", hub_);
  }

  /// Asks for the ETag and size of a file.
  RemoteFile ask(const std::string& commit, const std::string& file) {
    constexpr int kRedirections = 5, kFirstRedirection = 300, kFirstError = 400;
    std::string at = url("/", "/resolve/" + commit + "/" + path_encoded(file));
    for (int i = 0; i < kRedirections; ++i) {
      WebResponse response =
          curl_.send({.url = at, .token = settings_.token, .is_head = true, .most_time = kMostTime});
      auto& headers = response.headers;
      const bool is_redirection = response.status >= kFirstRedirection && response.status < kFirstError;
      if (is_redirection && headers["location"].starts_with('/')) {  // the repository has another name now
        const std::size_t host = settings_.endpoint.find("://") + 3;
        at = settings_.endpoint.substr(0, settings_.endpoint.find('/', host)) + headers["location"];
        continue;
      }
      const bool is_elsewhere = is_redirection && headers.contains("x-linked-etag");
      if (!is_elsewhere) check(response);
      const std::string& size =
          headers[headers.contains("x-linked-size") ? "x-linked-size" : "content-length"];
      const auto bytes = number_of<std::int64_t>(size);
      if (!bytes || *bytes < 0) throw Error("{} does not say how large '{}' is", hub_, file);
      return {file, plain_etag(headers[headers.contains("x-linked-etag") ? "x-linked-etag" : "etag"]),
              *bytes};
    }
    throw Error("{} redirects '{}' in a circle", hub_, file);
  }

  /// Whether a file of a commit is in the cache. One that was cut off there is not.
  bool is_there(const Listing& listing, const std::string& file) const {
    std::error_code none;
    const auto size = std::filesystem::file_size(cache_.snapshot(listing.commit) + "/" + file, none);
    const auto expected = listing.sizes.find(file);
    return !none && (expected == listing.sizes.end() || static_cast<std::int64_t>(size) == expected->second);
  }

  /// Whether the contents of a file are in the cache.
  bool has_blob(const RemoteFile& file) const {
    std::error_code none;
    const auto size = std::filesystem::file_size(cache_.blob(file.etag), none);
    return !none && static_cast<std::int64_t>(size) == file.size;
  }

  /// Returns the files to fetch, and links files that other commits have in common with this one.
  std::vector<RemoteFile> missing_files(const Listing& listing, const std::vector<std::string>& needed) {
    std::vector<RemoteFile> missing;
    for (const std::string& file : needed) {
      if (is_there(listing, file)) continue;
      RemoteFile remote = ask(listing.commit, file);
      if (has_blob(remote)) {
        cache_.link(remote.etag, listing.commit, file);
      } else {
        missing.push_back(std::move(remote));
      }
    }
    return missing;
  }

  void transfer_all(const std::vector<RemoteFile>& files, const std::string& commit) {
    if (files.empty()) return;
    for (const RemoteFile& file : files) total_ += file.size;
    job_.log->info("fetching {} ({}) into '{}'", name_.repository, megabytes(total_), settings_.cache);
    ProgressLine progress(*job_.log, "fetching", "byte");
    bool is_checked = false;
    for (const RemoteFile& file : files) {
      const FileDescriptor lock = cache_.lock(file.etag, job_);
      if (!std::exchange(is_checked, true)) check_space(files);
      if (!has_blob(file)) transfer(file, commit, progress);
      cache_.link(file.etag, commit, file.name);
      done_ += file.size;
    }
  }

  /// Throws Error if the disk is too small for the files to fetch.
  void check_space(const std::vector<RemoteFile>& files) const {
    std::int64_t needed = total_;
    for (const RemoteFile& file : files) {
      std::error_code none;
      const auto there = std::filesystem::file_size(cache_.incomplete_blob(file.etag), none);
      if (!none) needed -= static_cast<std::int64_t>(there);
    }
    struct statvfs disk {};
    if (::statvfs(settings_.cache.c_str(), &disk) != 0) return;
    const auto free = static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
    if (free < needed) {
      throw Error(
          "'{}' needs {} on the disk of '{}', which has {} left; free some, or set HF_HOME to another folder",
          name_.repository, megabytes(needed), settings_.cache, megabytes(free));
    }
  }

  void transfer(const RemoteFile& file, const std::string& commit, ProgressLine& progress) {
    const std::string path = cache_.incomplete_blob(file.etag);
    Reception reception(path, file.size);
    while (!reception.is_whole()) {
      const bool is_begun = reception.received() > 0;
      const WebResponse response = receive(file, commit, reception, progress);
      if (reception.is_whole()) break;
      if (response.status == kBadRange && is_begun) {
        reception.restart();
        continue;
      }
      if (response.status != kPartial && !may_pass(response)) check(response);
      wait_before_retry(response, reception.count_failure());
    }
    if (!has_contents(path, file.etag, *job_.stop)) {
      std::filesystem::remove(path);
      throw Error("'{}' of '{}' arrived damaged: its checksum is wrong; try again", file.name,
                  name_.repository);
    }
    reception.sync();
    std::filesystem::rename(path, cache_.blob(file.etag));
    sync_folder(parent_folder(path));
  }

  /// Asks for the rest of a file, or all of it. A server that sends another part has the status of one that
  /// cannot send parts.
  WebResponse receive(const RemoteFile& file, const std::string& commit, Reception& reception,
                      ProgressLine& progress) {
    const std::int64_t offset = reception.received();
    bool is_first = true;
    const auto take = [&](const WebResponse& response, std::string_view bytes) {
      if (std::exchange(is_first, false)) begin(response, reception);
      if (!reception.add(bytes)) {
        throw Error("{} sends more than the {} bytes that '{}' of '{}' has; try again later", hub_, file.size,
                    file.name, name_.repository);
      }
      const std::int64_t done = done_ + reception.received();
      progress.show(done, static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(total_, 1)));
    };
    try {
      return curl_.send({.url = url("/", "/resolve/" + commit + "/" + path_encoded(file.name)),
                         .token = settings_.token,
                         .offset = offset},
                        take);
    } catch (const OtherPart&) {
      if (offset > 0) return {.status = kBadRange, .headers = {}, .failure = {}};
      throw Error("{} sends another part of '{}' than was asked for; try again later", hub_, file.name);
    }
  }

  /// Prepares for the bytes of a response, which are a whole file or a part of it.
  static void begin(const WebResponse& response, Reception& reception) {
    if (response.status != kPartial) {
      reception.restart();
    } else if (!begins_at(response, reception.received())) {
      throw OtherPart();
    }
  }

  /// Waits longer after each failure, and throws Error after the last one.
  void wait_before_retry(const WebResponse& response, int failures) const {
    constexpr int kMostFailures = 5;
    constexpr auto kTick = std::chrono::milliseconds(100);
    if (failures == kMostFailures) {
      if (response.status != kPartial || !response.failure.empty()) check(response);
      throw Unreachable(
          "the connection to {} breaks again and again; what was received is kept, so try again later", hub_);
    }
    for (int ticks = 0; ticks < 5 << failures; ++ticks) {
      job_.stop->check();
      std::this_thread::sleep_for(kTick);
    }
  }

  const HubName& name_;
  NeededFiles needed_;
  const HubSettings& settings_;
  const JobContext& job_;
  HubCache cache_;
  Curl curl_;
  std::string hub_;                    // the endpoint, for messages
  std::int64_t done_ = 0, total_ = 0;  // bytes of all files
};

/// Returns the folder of the model as it was when it was last fetched; empty if it is not there as a whole.
std::string fetched_before(const HubName& name, NeededFiles needed, const HubSettings& settings) {
  const HubCache cache(settings.cache, name.repository);
  const std::string commit = cache.commit_of(name.revision);
  if (commit.empty() || needed(cache.files(commit)).empty()) return "";
  return cache.snapshot(commit);
}

std::string fetch(const HubName& name, NeededFiles needed, const HubSettings& settings,
                  const JobContext& job) {
  std::string before = fetched_before(name, needed, settings);
  const bool is_known =
      is_commit(name.revision) && HubCache(settings.cache, name.repository).was_whole(name.revision);
  if (!before.empty() && (settings.is_offline || is_known)) return before;
  if (settings.is_offline) {
    throw Error("HF_HUB_OFFLINE is set, but '{}' ({}) is not in '{}'; unset it to fetch the model",
                name.repository, name.revision, settings.cache);
  }
  try {
    return Fetch(name, needed, settings, job).run();
  } catch (const Unreachable& error) {
    if (before.empty()) {
      throw Error("{}; or download the files of '{}' elsewhere, and name their folder instead", error.what(),
                  name.repository);
    }
    job.log->warning("{}; using the copy of '{}' that was fetched before", error.what(), name.repository);
    return before;
  }
}

}  // namespace

std::string fetch_model(const HubName& name, const HubSettings& settings, const JobContext& job) {
  return fetch(name, needed_files, settings, job);
}

std::string fetch_tokenizer(const HubName& name, const HubSettings& settings, const JobContext& job) {
  return fetch(name, tokenizer_files, settings, job);
}

}  // namespace nmt
