// How a connection comes about between rank 0 and each other rank, over TCP.
#pragma once

#include <string>
#include <vector>

#include "common/io/file_descriptor.h"

namespace nmt {

/// Where rank 0 waits for the others, at a port that the system chooses. Whoever connects must know a random
/// number, which comes with the address.
class Rendezvous {
 public:
  /// Throws Error where this machine gives no port.
  Rendezvous();

  /// What the others need: the number, the port, and all addresses of this machine.
  std::string address() const;
  /// The connections of ranks 1, 2 ... Throws Error which names, by `names`, one of those that have not come
  /// after half a minute.
  std::vector<FileDescriptor> accept(const std::vector<std::string>& names);

 private:
  FileDescriptor listener_;
  int port_ = 0;
  std::string number_;
};

/// The connection of another rank with a Rendezvous of this address. Throws Error where none of its addresses
/// answers.
FileDescriptor connect_to_rendezvous(const std::string& address, int rank);

}  // namespace nmt
