// Heartbeat: how processes that are ranks of one run end together.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/io/file_descriptor.h"
#include "common/process/job_context.h"

namespace nmt {

/// What a program gives the ranks that it joins.
struct RankEvents {
  JobContext job = {};
  /// Tells why this process ends, where nobody else can: rank 0, to which errors go otherwise, is gone, or
  /// is this one. Called right before end().
  std::function<void(const std::string& error)> tell;
  /// Ends this process at once with this exit code, whatever its threads are doing: the run is over, and
  /// other ranks, for which a thread may be waiting, are gone. Does not return. (end_at_once)
  std::function<void(int code)> end;
};

struct HeartbeatSettings {
  int rank = 0;
  std::vector<std::string> names;  // of all ranks, for messages: "rank 1 (process 4711 on n2)"
  bool speaks = true;              // whether this one tells that rank 0 is gone
  std::chrono::milliseconds beat{1000};
  int timeout_beats = 20;
  RankEvents events;  // tell() and end() are called on a thread of the heartbeat
};

/// Connects each rank with rank 0, and a thread at both ends tells every second that it lives. So it is seen
/// when a process is gone (the system closes its connection), and when it hangs or the machine or the network
/// is gone (nothing comes any more); the main thread may be at whatever work meanwhile. Then rank 0 logs an
/// error that names the rank, lets the others know, and the thread ends the process with exit code 1. When it
/// is rank 0 that is gone, the others end so.
///
/// A rank that fails sends its last words to rank 0, which logs them as an error and ends likewise, unless
/// rank 0 itself is about to fail for the same reason. A request to any rank to end or to save becomes a
/// request to rank 0, which ends or saves the run for all (see StopRequest).
class Heartbeat {
 public:
  /// Kinds of messages, the first byte of each.
  enum class Kind : char { beat, words, signal, save, end };

  /// `connections`: on rank 0 with each rank, by rank (its own is none); on others with rank 0 alone.
  Heartbeat(HeartbeatSettings settings, std::vector<FileDescriptor> connections);
  /// The process ends, and the others have been told, or are.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// On rank 0: the run is over, and all processes are to end with this exit code.
  void end(int code);
  /// On others: returns when rank 0 says that the run has ended as it should, with 0. With any other exit
  /// code the thread ends the process when rank 0 is gone, or soon after it has said so.
  void wait_for_end();
  /// On others: why this rank ends. Returns when rank 0 has ended, or after ten seconds.
  void fail(std::string_view line);

 private:
  struct Peer {
    FileDescriptor connection;
    std::string received;  // the beginning of a message
    int silent_beats = 0;
    bool is_open() const { return static_cast<bool>(connection); }
  };
  void serve();
  /// What is due every beat; with signals, more often.
  void beat();
  void tell_signal();
  void tell_save();
  void send(Peer& peer, Kind kind, std::string_view text = {});
  void send_all(Kind kind, std::string_view text = {});
  /// Reads what has come; false when the connection is closed.
  bool read(Peer& peer);
  void take_messages(std::size_t rank);
  void take(std::size_t rank, Kind kind, std::string_view text);
  void lost(std::size_t rank, const std::string& how);
  /// Ends this process, and first the others where this is rank 0; with an error where there is one to tell.
  [[noreturn]] void end_process(const std::string& error);
  /// The rank at the other end of a connection.
  std::size_t rank_of(std::size_t peer) const { return settings_.rank == 0 ? peer : 0; }

  const HeartbeatSettings settings_;
  std::mutex guard_;  // of all below but the thread
  std::condition_variable changed_;
  std::vector<Peer> peers_;
  std::string last_words_;  // of another rank, which has failed
  std::chrono::steady_clock::time_point last_words_at_;
  int beats_after_end_ = 0;
  int signal_ = 0;     // that all have been told of
  int saves_ = 0;      // StopRequest::save_requests() that rank 0 has been told of
  int end_code_ = -1;  // -1: not yet
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace nmt
