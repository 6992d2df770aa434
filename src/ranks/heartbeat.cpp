#include "ranks/heartbeat.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "common/text/number.h"

namespace nmt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(100);  // interval of checks for signals and for the end
// Time in which rank 0 may fail by itself for the same reason as another rank.
constexpr auto kOwnFailure = std::chrono::milliseconds(500);
constexpr auto kMostForLastWords = std::chrono::seconds(10);
constexpr int kMostBeatsAfterEnd = 5;

/// The header before each text.
struct Head {
  char kind;
  std::uint32_t length;
};

}  // namespace

Heartbeat::Heartbeat(HeartbeatSettings settings, std::vector<FileDescriptor> connections)
    : settings_(std::move(settings)) {
  for (FileDescriptor& connection : connections) peers_.push_back({.connection = std::move(connection)});
  thread_ = std::thread([this] { serve(); });
}

Heartbeat::~Heartbeat() {
  stopping_ = true;
  thread_.join();
}

void Heartbeat::end(int code) {
  const std::lock_guard lock(guard_);
  end_code_ = code;
  send_all(Kind::end, std::to_string(code));
}

void Heartbeat::wait_for_end() {
  std::unique_lock lock(guard_);
  changed_.wait(lock, [this] { return end_code_ == 0; });
}

void Heartbeat::fail(std::string_view line) {
  std::unique_lock lock(guard_);
  send_all(Kind::words, line);
  changed_.wait_for(lock, kMostForLastWords, [this] { return !peers_[0].is_open(); });
}

void Heartbeat::serve() {
  Clock::time_point last_beat = Clock::now();
  for (; !stopping_;) {
    std::vector<pollfd> open;
    std::vector<std::size_t> numbers;
    {
      const std::lock_guard lock(guard_);
      for (std::size_t i = 0; i < peers_.size(); ++i) {
        if (!peers_[i].is_open()) continue;
        open.push_back({peers_[i].connection.get(), POLLIN, 0});
        numbers.push_back(i);
      }
    }
    ::poll(open.data(), open.size(), static_cast<int>(kLook.count()));
    const std::lock_guard lock(guard_);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].revents == 0) continue;
      const bool is_open = read(peers_[numbers[i]]);
      take_messages(numbers[i]);
      if (is_open) continue;
      peers_[numbers[i]].connection = {};
      changed_.notify_all();
      lost(rank_of(numbers[i]), "has ended");
    }
    tell_signal();
    tell_save();
    const Clock::time_point now = Clock::now();
    if (!last_words_.empty() && end_code_ < 0 && now - last_words_at_ > kOwnFailure) end_process(last_words_);
    // Count at most one beat, even if this process itself was suspended for longer.
    if (now - last_beat >= settings_.beat) {
      last_beat = now;
      beat();
    }
  }
}

void Heartbeat::beat() {
  send_all(Kind::beat);
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (!peers_[i].is_open() || ++peers_[i].silent_beats <= settings_.timeout_beats) continue;
    const auto silent = settings_.timeout_beats * settings_.beat;
    lost(rank_of(i),
         "has not been heard of for " +
             count_of(std::chrono::duration_cast<std::chrono::seconds>(silent).count(), "second"));
  }
  if (settings_.rank > 0 && end_code_ > 0 && ++beats_after_end_ > kMostBeatsAfterEnd) end_process("");
}

void Heartbeat::tell_signal() {
  if (signal_ != 0) return;
  signal_ = settings_.events.job.stop->pending();
  if (signal_ != 0) send_all(Kind::signal, std::to_string(signal_));
}

void Heartbeat::tell_save() {
  if (settings_.rank == 0) return;
  const int saves = settings_.events.job.stop->save_requests();
  if (saves != saves_) send_all(Kind::save);
  saves_ = saves;
}

void Heartbeat::send_all(Kind kind, std::string_view text) {
  for (Peer& peer : peers_) send(peer, kind, text);
}

void Heartbeat::send(Peer& peer, Kind kind, std::string_view text) {
  if (!peer.is_open()) return;
  Head head{static_cast<char>(kind), static_cast<std::uint32_t>(text.size())};
  std::array<iovec, 2> parts = {iovec{&head, sizeof head},
                                iovec{const_cast<char*>(text.data()), text.size()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  // Ignore errors: a lost peer is noticed when nothing arrives from it.
  ::sendmsg(peer.connection.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool Heartbeat::read(Peer& peer) {
  std::array<char, 4096> buffer;
  const ssize_t count = ::recv(peer.connection.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  peer.received.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

void Heartbeat::take_messages(std::size_t peer) {
  std::string& received = peers_[peer].received;
  peers_[peer].silent_beats = 0;
  Head head{};
  while (received.size() >= sizeof head) {
    std::memcpy(&head, received.data(), sizeof head);
    if (received.size() - sizeof head < head.length) return;
    take(rank_of(peer), static_cast<Kind>(head.kind),
         std::string_view(received).substr(sizeof head, head.length));
    received.erase(0, sizeof head + head.length);
  }
}

void Heartbeat::take(std::size_t rank, Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::beat:
      break;
    case Kind::words:
      if (!last_words_.empty()) break;
      last_words_ = fmt::format("{}: {}", settings_.names[rank], text);
      last_words_at_ = Clock::now();
      break;
    case Kind::signal: {
      const int signal = std::atoi(std::string(text).c_str());
      if (settings_.rank > 0) signal_ = signal;  // no need to send it to rank 0
      settings_.events.job.stop->request(signal);
      break;
    }
    case Kind::save:
      settings_.events.job.stop->request_save();
      break;
    case Kind::end:
      if (settings_.rank == 0) {  // rank 0 was given up but is running again
        settings_.events.job.log->file_line(fmt::format("error: {} {}", settings_.names[rank], text));
        end_process("");
      }
      end_code_ = std::atoi(std::string(text).c_str());
      changed_.notify_all();
      break;
  }
}

void Heartbeat::lost(std::size_t rank, const std::string& how) {
  if (settings_.rank > 0 && end_code_ > 0) end_process("");
  if (end_code_ >= 0 || !last_words_.empty()) return;  // the reason is already known
  if (settings_.rank > 0 && (signal_ != 0 || !settings_.speaks)) {
    end_code_ = signal_ != 0 ? 128 + signal_ : 1;
    end_process("");
  }
  if (settings_.rank > 0) send_all(Kind::end, fmt::format("has ended: {} {}", settings_.names[rank], how));
  end_process(fmt::format("{} {}, and so all others end; the same command continues from the last checkpoint",
                          settings_.names[rank], how));
}

void Heartbeat::end_process(const std::string& error) {
  if (!error.empty()) settings_.events.tell(error);
  if (end_code_ < 0) end_code_ = 1;
  if (settings_.rank == 0) send_all(Kind::end, std::to_string(end_code_));
  settings_.events.end(end_code_);
  std::terminate();
}

}  // namespace nmt
