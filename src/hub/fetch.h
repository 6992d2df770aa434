// Fetches models from the Hugging Face Hub.
#pragma once

#include <string>

#include "common/job_context.h"
#include "hub/hub_name.h"
#include "hub/hub_settings.h"

namespace nmt {

/// Returns the folder of a model in the cache, after fetching files that are missing there or have changed
/// since. If the Hub cannot be reached, the version in the cache is used, with a warning. An interrupted
/// transfer continues where it ended, and contents are compared with their checksums. Throws Error if there
/// is no such model, if it cannot be fetched, or if the disk is full, and Interrupted on a request to stop.
std::string fetch_model(const HubName& name, const HubSettings& settings, const JobContext& job = {});
/// Returns the folder of a model like fetch_model(), but fetches only its tokenizer and its config.json.
std::string fetch_tokenizer(const HubName& name, const HubSettings& settings, const JobContext& job = {});

}  // namespace nmt
