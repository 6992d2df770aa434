#include "ranks/launched_ranks.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "common/error.h"
#include "common/io/checksum.h"
#include "common/io/memory_map.h"
#include "common/process/plugin.h"
#include "common/text/number.h"
#include "ranks/rendezvous.h"
#include "ranks/transport.h"
#include "tensor/communicator.h"

namespace nmt {
namespace {

struct Variables {
  const char *launcher, *rank, *ranks;
};

/// Innermost launcher first: mpirun may run inside a script of srun.
constexpr std::array kVariables = {
    Variables{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    Variables{"mpirun", "PMI_RANK", "PMI_SIZE"},
    // This variable describes a job step only; SLURM_NTASKS is also set for a batch script.
    Variables{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

std::optional<int> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::optional<int> value = number_of<int>(text);
  return value >= 0 ? value : std::nullopt;
}

}  // namespace

std::optional<Launch> find_launch(const Environment& environment) {
  for (const auto& [launcher, rank_name, ranks_name] : kVariables) {
    const std::optional<int> rank = number(environment(rank_name)), ranks = number(environment(ranks_name));
    if (!rank || !ranks) continue;
    if (*ranks < 2 || *rank >= *ranks) return std::nullopt;
    return Launch{launcher, *rank, *ranks};
  }
  return std::nullopt;
}

std::optional<Launch> find_launch() {
  return find_launch([](const char* name) -> const char* { return std::getenv(name); });
}

namespace {

constexpr const char* kLibrary = "libnmt_mpi.so";

std::unique_ptr<Transport> connect(const Launch& launch) {
  if (launch.launcher == "srun" && std::getenv("PMIX_RANK") == nullptr) {
    throw UsageError("srun has started {} processes, but they do not know of each other: use srun --mpi=pmix",
                     launch.ranks);
  }
  const std::filesystem::path library = find_plugin(kLibrary);
  if (library.empty()) {
    throw UsageError(
        "{} has started {} processes, but this nmt cannot join them: it was built without MPI, or {} is not "
        "in {}",
        launch.launcher, launch.ranks, kLibrary, plugin_places());
  }
  const auto join =
      reinterpret_cast<JoinMpiRanks>(open_plugin(library, "what joins processes", kMpiBuild, kJoinMpiRanks));
  std::unique_ptr<Transport> transport(join());
  if (transport->size() != launch.ranks) {
    throw UsageError(
        "{} has started {} processes, but MPI sees {}: with srun, use --mpi=pmix; with mpirun, use that of "
        "the MPI which nmt was built with",
        launch.launcher, launch.ranks, transport->size());
  }
  return transport;
}

/// Returns the host name, or "an unknown machine".
std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "an unknown machine";
  return name.data();
}

/// Returns an id of the machine, equal for all of its processes, including those in containers, until it
/// reboots.
std::string machine_of_process() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

/// Returns a string with the digit 1 for each core that this process may run on.
std::string cores_of_process() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  std::string digits;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) digits += CPU_ISSET(core, &allowed) ? '1' : '0';
  return digits;
}

std::string checksum_of_program() {
  return fmt::format("{:016x}", checksum_of(map_file("/proc/self/exe").text()));
}

void close_standard_output() {
  const FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nowhere) ::dup2(nowhere.get(), STDOUT_FILENO);
}

/// Gives rank 0 time to report the same error, after which the launcher ends the other processes.
void let_rank_0_speak(const StopRequest& stop) {
  for (int i = 0; i < 20; ++i) {
    stop.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

/// The first message of each rank to the others, one line per field.
struct LaunchedRanks::Introduction {
  std::string host, machine, process, cores, program;
  std::string address;  // of rank 0

  std::string text() const {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", host, machine, process, cores, program, address);
  }
  static Introduction from(const std::string& text) {
    Introduction out;
    std::istringstream lines(text);
    for (std::string* line : {&out.host, &out.machine, &out.process, &out.cores, &out.program, &out.address})
      std::getline(lines, *line);
    return out;
  }
};

std::unique_ptr<LaunchedRanks> LaunchedRanks::join(const RankEvents& events) {
  const std::optional<Launch> launch = find_launch();
  if (!launch) return nullptr;
  try {
    return std::unique_ptr<LaunchedRanks>(new LaunchedRanks(*launch, events));
  } catch (const UsageError& error) {
    if (launch->rank == 0) throw;
    let_rank_0_speak(*events.job.stop);
    throw UsageError("rank {} on {}: {}", launch->rank, host_name(), error.what());
  }
}

LaunchedRanks::LaunchedRanks(const Launch& launch, const RankEvents& events)
    : stop_(*events.job.stop), communicator_([&launch] { return connect(launch); }) {
  const int rank = communicator_.rank();
  if (rank > 0) close_standard_output();
  std::optional<Rendezvous> rendezvous;
  if (rank == 0) rendezvous.emplace();
  const Introduction own{host_name(),        machine_of_process(),  std::to_string(::getpid()),
                         cores_of_process(), checksum_of_program(), rendezvous ? rendezvous->address() : ""};
  std::vector<Introduction> ranks;
  for (const std::string& text : all_gather_text(communicator_, own.text()))
    ranks.push_back(Introduction::from(text));
  meet(ranks);
  std::vector<FileDescriptor> connections;
  if (rank == 0) {
    connections = rendezvous->accept(names_);
  } else {
    connections.push_back(connect_to_rendezvous(ranks[0].address, rank));
  }
  // If rank 0 is gone, the first rank on another machine reports it, because the whole machine may be gone.
  int speaker = 1;
  for (int r = communicator_.size() - 1; r > 0; --r)
    if (ranks[static_cast<std::size_t>(r)].machine != ranks[0].machine) speaker = r;
  HeartbeatSettings settings{.rank = rank, .names = names_, .speaks = rank == speaker, .events = events};
  settings.timeout_beats = number_from_environment("NMT_RANK_TIMEOUT", "seconds", settings.timeout_beats);
  heartbeat_ = std::make_unique<Heartbeat>(std::move(settings), std::move(connections));
}

void LaunchedRanks::meet(const std::vector<Introduction>& ranks) {
  const Introduction& own = ranks[static_cast<std::size_t>(communicator_.rank())];
  std::set<std::string> machines;
  ranks_of_machine_ = 0;
  std::vector<double> users(own.cores.size());
  for (const Introduction& rank : ranks) {
    names_.push_back(fmt::format("rank {} (process {} on {})", names_.size(), rank.process, rank.host));
    if (stranger_.empty() && rank.program != ranks[0].program) stranger_ = names_.back();
    machines.insert(rank.machine);
    if (rank.machine != own.machine) continue;
    ++ranks_of_machine_;
    for (std::size_t core = 0; core < users.size(); ++core)
      if (core < rank.cores.size() && rank.cores[core] == '1') ++users[core];
  }
  machines_ = static_cast<int>(machines.size());
  double cores = 0;
  for (std::size_t core = 0; core < users.size(); ++core)
    if (own.cores[core] == '1') cores += 1 / users[core];
  cores_ = std::max(1, static_cast<int>(cores + 1e-6));
}

void LaunchedRanks::conclude(int code) {
  if (code > 0) communicator_.abandon();
  if (communicator_.rank() == 0) {
    heartbeat_->end(code);
  } else {
    heartbeat_->wait_for_end();
  }
  if (code == 0) communicator_.leave();
}

void LaunchedRanks::run(const std::function<void()>& work) {
  // Rank 0 handles signals; the other ranks end when it does.
  std::optional<InterruptDeferral> until_the_end;
  if (communicator_.rank() > 0) until_the_end.emplace(stop_);
  try {
    if (!stranger_.empty())
      throw UsageError("{} runs another nmt than rank 0: install the same on all machines", stranger_);
    work();
  } catch (const Interrupted& interrupted) {
    conclude(128 + interrupted.signal());
    throw;
  } catch (const UsageError&) {
    if (communicator_.rank() == 0) conclude(2);
    throw;
  } catch (...) {
    if (communicator_.rank() == 0) conclude(1);
    throw;
  }
  conclude(0);
}

}  // namespace nmt
