// Checksums of files on the Hugging Face Hub.
#pragma once

#include <string>

#include "common/job_context.h"

namespace nmt {

/// Whether the contents of a file match the ETag of the Hub: the SHA-256 of large files (64 digits), the
/// SHA-1 that git computes of others (40 digits). True for other ETags, which cannot be checked. Throws Error
/// if the file cannot be read, Interrupted on a request to stop.
bool has_contents(const std::string& path, const std::string& etag, const StopRequest& stop);

}  // namespace nmt
