#include "hub/fetch.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <filesystem>
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

namespace nmt {
namespace {

using nlohmann::json;

constexpr int kOk = 200, kPartial = 206, kBadRange = 416;

/// A version of a repository, with the names of its files.
struct Listing {
  std::string commit;
  std::vector<std::string> files;
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

/// Contents that are being received into a file of the cache.
class Reception {
 public:
  Reception(const std::string& path, std::int64_t size)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (!file_) cannot_write(path_);
    received_ = ::lseek(file_.get(), 0, SEEK_END);
    if (received_ > size) restart();
  }

  std::int64_t received() const { return received_; }
  void restart() {
    if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0) cannot_write(path_);
    received_ = 0;
  }
  void add(std::string_view bytes) {
    write_all(file_, bytes.data(), bytes.size(), path_);
    received_ += std::ssize(bytes);
  }
  void sync() {
    if (::fsync(file_.get()) != 0) cannot_write(path_);
  }

 private:
  std::string path_;
  FileDescriptor file_;
  std::int64_t received_ = 0;
};

class Fetch {
 public:
  Fetch(const HubName& name, const HubSettings& settings, const JobContext& job)
      : name_(name),
        settings_(settings),
        job_(job),
        cache_(settings.cache, name.repository),
        curl_(*job.stop) {}

  std::string run() {
    const Listing listing = list();
    const std::vector<std::string> needed = needed_files(listing.files);
    if (needed.empty()) throw no_weights(listing.files);
    const std::vector<RemoteFile> missing = missing_files(listing.commit, needed);
    transfer_all(missing, listing.commit);
    cache_.set_commit(name_.revision, listing.commit);
    return cache_.snapshot(listing.commit);
  }

 private:
  Error no_weights(const std::vector<std::string>& files) const {
    constexpr std::size_t kMostBytes = 200;  // of names in the message
    std::string some;
    for (const std::string& file : files) {
      if (file.find('/') != file.npos || file.starts_with('.')) continue;
      some += (some.empty() ? "" : ", ") + file;
      if (some.size() > kMostBytes) break;
    }
    return Error(
        "'{}' has no weights that nmt reads (model.safetensors, pytorch_model.bin or model.bin); its files "
        "are {}",
        name_.repository, some.empty() ? "none" : some);
  }

  std::string url(const std::string& kind, const std::string& rest) const {
    return settings_.endpoint + kind + name_.repository + rest;
  }

  /// Throws Error for a response that is no success, or that broke off.
  void check(const WebResponse& response) const {
    constexpr int kUnauthorized = 401, kForbidden = 403, kNotFound = 404;
    if (response.status == 0 || !response.failure.empty()) {
      throw Unreachable("cannot reach {}: {}; check the network, or set HF_ENDPOINT", settings_.endpoint,
                        response.failure.empty() ? "it does not answer" : response.failure);
    }
    if (response.status == kOk) return;
    const auto code = response.headers.find("x-error-code");
    if (response.status == kForbidden || (code != response.headers.end() && code->second == "GatedRepo")) {
      throw Error(
          "'{}' may not be read: accept its conditions on {}/{}, and set HF_TOKEN to a token of that account",
          name_.repository, settings_.endpoint, name_.repository);
    }
    if (code != response.headers.end() && code->second == "RevisionNotFound")
      throw Error("'{}' has no revision '{}'", name_.repository, name_.revision);
    if (response.status == kNotFound || response.status == kUnauthorized) {
      throw Error(
          "'{}' does not exist on {}, or is private; check its name, or set HF_TOKEN to a token that may "
          "read it",
          name_.repository, settings_.endpoint);
    }
    const std::string text =
        fmt::format("{} answers with status {}; try again later", settings_.endpoint, response.status);
    if (may_pass(response)) throw Unreachable("{}", text);
    throw Error("{}", text);
  }

  Listing list() {
    constexpr std::size_t kMostBytes = std::size_t{16} << 20;
    std::string body;
    const WebResponse response = curl_.send(
        {.url = url("/api/models/", "/revision/" + url_encoded(name_.revision)), .token = settings_.token},
        [&](const WebResponse&, std::string_view bytes) {
          if (body.size() + bytes.size() > kMostBytes)
            throw Error("{} sends a list of files that is too long", settings_.endpoint);
          body += bytes;
        });
    check(response);
    try {
      const json answer = json::parse(body);
      Listing listing{.commit = answer.at("sha").get<std::string>(), .files = {}};
      for (const json& file : answer.at("siblings"))
        listing.files.push_back(file.at("rfilename").get<std::string>());
      if (is_commit(listing.commit)) return listing;
    } catch (const json::exception&) {  // as below
    }
    throw Error("{} does not answer as a Hugging Face Hub does; check HF_ENDPOINT", settings_.endpoint);
  }

  /// Asks for the ETag and size of a file.
  RemoteFile ask(const std::string& commit, const std::string& file) {
    constexpr int kRedirections = 5, kFirstRedirection = 300, kFirstError = 400;
    std::string at = url("/", "/resolve/" + commit + "/" + url_encoded(file));
    for (int i = 0; i < kRedirections; ++i) {
      WebResponse response = curl_.send({.url = at, .token = settings_.token, .is_head = true});
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
      if (!bytes || *bytes < 0) throw Error("{} does not say how large '{}' is", settings_.endpoint, file);
      return {file, plain_etag(headers[headers.contains("x-linked-etag") ? "x-linked-etag" : "etag"]),
              *bytes};
    }
    throw Error("{} redirects '{}' in a circle", settings_.endpoint, file);
  }

  /// Returns what is to be fetched, and links what other commits have in common with this one.
  std::vector<RemoteFile> missing_files(const std::string& commit, const std::vector<std::string>& needed) {
    const std::vector<std::string> there = cache_.files(commit);
    std::vector<RemoteFile> missing;
    for (const std::string& file : needed) {
      if (std::ranges::find(there, file) != there.end()) continue;
      RemoteFile remote = ask(commit, file);
      if (std::filesystem::exists(cache_.blob(remote.etag))) {
        cache_.link(remote.etag, commit, file);
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
    ProgressLine progress(*job_.log, "fetching");
    bool is_checked = false;
    for (const RemoteFile& file : files) {
      const FileDescriptor lock = cache_.lock(file.etag, job_);
      if (!std::exchange(is_checked, true)) check_space(files);
      if (!std::filesystem::exists(cache_.blob(file.etag))) transfer(file, commit, progress);
      cache_.link(file.etag, commit, file.name);
      done_ += file.size;
    }
  }

  /// Throws Error if the disk is too small for what is to come.
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
    for (int failures = 0; reception.received() < file.size || file.size == 0;) {
      const std::int64_t before = reception.received();
      const WebResponse response = receive(file, commit, reception, progress);
      if (reception.received() >= file.size) break;
      if (reception.received() > before) failures = 0;
      if (response.status == kBadRange) reception.restart();
      const bool goes_on = response.status == kPartial || response.status == kBadRange || may_pass(response);
      if (!goes_on) check(response);
      wait_before_retry(response, ++failures);
    }
    if (reception.received() != file.size || !has_contents(path, file.etag, *job_.stop)) {
      std::filesystem::remove(path);
      throw Error("'{}' of '{}' arrived damaged: its checksum is wrong; try again", file.name,
                  name_.repository);
    }
    reception.sync();
    std::filesystem::rename(path, cache_.blob(file.etag));
    sync_folder(parent_folder(path));
  }

  WebResponse receive(const RemoteFile& file, const std::string& commit, Reception& reception,
                      ProgressLine& progress) {
    bool is_first = true;
    return curl_.send({.url = url("/", "/resolve/" + commit + "/" + url_encoded(file.name)),
                       .token = settings_.token,
                       .offset = reception.received()},
                      [&](const WebResponse& response, std::string_view bytes) {
                        const bool is_whole = response.status != kPartial;
                        if (std::exchange(is_first, false) && is_whole) reception.restart();
                        reception.add(bytes);
                        const std::int64_t done = done_ + reception.received();
                        progress.show(done, static_cast<double>(done) /
                                                static_cast<double>(std::max<std::int64_t>(total_, 1)));
                      });
  }

  /// Waits longer after each failure, and throws Error after the last one.
  void wait_before_retry(const WebResponse& response, int failures) const {
    constexpr int kMostFailures = 5;
    constexpr auto kTick = std::chrono::milliseconds(100);
    if (failures == kMostFailures) {
      if (response.status != kPartial || !response.failure.empty()) check(response);
      throw Unreachable(
          "the connection to {} breaks again and again; what was received is kept, so try again later",
          settings_.endpoint);
    }
    for (int ticks = 0; ticks < 5 << failures; ++ticks) {
      job_.stop->check();
      std::this_thread::sleep_for(kTick);
    }
  }

  const HubName& name_;
  const HubSettings& settings_;
  const JobContext& job_;
  HubCache cache_;
  Curl curl_;
  std::int64_t done_ = 0, total_ = 0;  // bytes of all files
};

/// Returns the folder of the model as it was when it was last fetched; empty if it is not there as a whole.
std::string fetched_before(const HubName& name, const HubSettings& settings) {
  const HubCache cache(settings.cache, name.repository);
  const std::string commit = cache.commit_of(name.revision);
  if (commit.empty() || needed_files(cache.files(commit)).empty()) return "";
  return cache.snapshot(commit);
}

}  // namespace

std::string fetch_model(const HubName& name, const HubSettings& settings, const JobContext& job) {
  const std::string before = fetched_before(name, settings);
  if (!before.empty() && (settings.is_offline || is_commit(name.revision))) return before;
  if (settings.is_offline) {
    throw Error("HF_HUB_OFFLINE is set, but '{}' ({}) is not in '{}'; unset it to fetch the model",
                name.repository, name.revision, settings.cache);
  }
  try {
    return Fetch(name, settings, job).run();
  } catch (const Unreachable& error) {
    if (before.empty()) throw;
    job.log->warning("{}; using the copy of '{}' that was fetched before", error.what(), name.repository);
    return before;
  }
}

}  // namespace nmt
