// Checksums of files on the Hugging Face Hub.
#pragma once

#include <string>

#include "common/job_context.h"

namespace nmt {

/// Whether a file has the contents that the ETag of the Hub stands for: the SHA-256 of large files (64
/// digits), the SHA-1 that git computes of others (40 digits). True for other ETags, which say nothing.
/// Throws Error if the file cannot be read, Interrupted on a request to stop.
bool has_contents(const std::string& path, const std::string& etag, const StopRequest& stop);

}  // namespace nmt
