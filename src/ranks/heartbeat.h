// Heartbeat: makes processes that are ranks of one run end together.
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

#include "common/file_descriptor.h"
#include "common/job_context.h"

namespace nmt {

/// Callbacks of a program that joins ranks.
struct RankEvents {
  JobContext job = {};
  /// Reports why this process ends if nobody else can: rank 0, which normally reports errors, is gone or is
  /// this process. Called right before end().
  std::function<void(const std::string& error)> tell;
  /// Ends this process at once with this exit code, whatever its threads are doing: the run is over, and
  /// other ranks, for which a thread may be waiting, are gone. Does not return. (end_at_once)
  std::function<void(int code)> end;
};

struct HeartbeatSettings {
  int rank = 0;
  std::vector<std::string> names;  // of all ranks, for messages: "rank 1 (process 4711 on n2)"
  bool speaks = true;              // whether this rank reports that rank 0 is gone
  std::chrono::milliseconds beat{1000};
  int timeout_beats = 20;
  RankEvents events;  // tell() and end() are called on a thread of the heartbeat
};

/// Connects each rank with rank 0. A thread at each end sends a sign of life every second. So both ends
/// notice when a process has ended, because the system closes its connection. They also notice when a process
/// hangs, or a machine or the network fails, because nothing arrives any more. This works whatever the main
/// thread is doing. Rank 0 then logs an error that names the rank, informs the others, and its heartbeat
/// thread ends the process with exit code 1. If rank 0 is gone, the others end in the same way.
///
/// A rank that fails sends its error to rank 0, which logs it and ends the run, unless rank 0 itself is about
/// to fail for the same reason. A request to any rank to end or to save becomes a request to rank 0, which
/// ends or saves the run for all ranks (see StopRequest).
class Heartbeat {
 public:
  /// The kind of a message, which is its first byte.
  enum class Kind : char { beat, words, signal, save, end };

  /// `connections`: on rank 0, the connection to each rank, by rank (none for itself); on others, the
  /// connection to rank 0 only.
  Heartbeat(HeartbeatSettings settings, std::vector<FileDescriptor> connections);
  /// Stops the heartbeat. The process is about to end, and the others have been or will be informed.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// On rank 0: declares that the run is over and all processes end with this exit code.
  void end(int code);
  /// On other ranks: returns when rank 0 reports that the run has ended normally, with 0. With any other exit
  /// code, the heartbeat thread ends the process when rank 0 is gone, or soon after its report.
  void wait_for_end();
  /// On other ranks: reports to rank 0 why this rank ends. Returns when rank 0 has ended, or after ten
  /// seconds.
  void fail(std::string_view line);

 private:
  struct Peer {
    FileDescriptor connection;
    std::string received;  // the beginning of a message
    int silent_beats = 0;
    bool is_open() const { return static_cast<bool>(connection); }
  };
  void serve();
  /// Sends and checks the signs of life; called once per beat.
  void beat();
  void tell_signal();
  void tell_save();
  void send(Peer& peer, Kind kind, std::string_view text = {});
  void send_all(Kind kind, std::string_view text = {});
  /// Reads the available bytes; false if the connection is closed.
  bool read(Peer& peer);
  void take_messages(std::size_t rank);
  void take(std::size_t rank, Kind kind, std::string_view text);
  void lost(std::size_t rank, const std::string& how);
  /// Ends this process, after ending the others if this is rank 0. Reports `error` unless it is empty.
  [[noreturn]] void end_process(const std::string& error);
  /// Returns the rank at the other end of a connection.
  std::size_t rank_of(std::size_t peer) const { return settings_.rank == 0 ? peer : 0; }

  const HeartbeatSettings settings_;
  std::mutex guard_;  // protects everything below except the thread
  std::condition_variable changed_;
  std::vector<Peer> peers_;
  std::string last_words_;  // error of another rank that has failed
  std::chrono::steady_clock::time_point last_words_at_;
  int beats_after_end_ = 0;
  int signal_ = 0;     // signal that all ranks know of
  int saves_ = 0;      // value of StopRequest::save_requests() that rank 0 knows of
  int end_code_ = -1;  // -1: not set yet
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace nmt
