// Sets up a TCP connection between rank 0 and each other rank.
#pragma once

#include <string>
#include <vector>

#include "common/file_descriptor.h"

namespace nmt {

/// The address at which rank 0 waits for connections, with a port chosen by the system. A process that
/// connects must know a random number that is part of the address.
class Rendezvous {
 public:
  /// Throws Error if this machine provides no port.
  Rendezvous();

  /// Returns the data that other ranks need to connect: the number, the port, and all addresses of this
  /// machine.
  std::string address() const;
  /// Returns the connections of ranks 1, 2 ... Throws Error, which names one of the missing ranks by `names`,
  /// if not all have connected after half a minute.
  std::vector<FileDescriptor> accept(const std::vector<std::string>& names);

 private:
  FileDescriptor listener_;
  int port_ = 0;
  std::string number_;
};

/// Connects this rank to the Rendezvous with this address. Throws Error if none of its addresses answers.
FileDescriptor connect_to_rendezvous(const std::string& address, int rank);

}  // namespace nmt
