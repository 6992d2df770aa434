// The page of `nmt report`.
#pragma once

#include <string>
#include <vector>

#include "insight/run_record.h"

namespace nmt {

/// Returns the current data of the page; `refresh_seconds`: how often the page asks for new data, 0: never.
nlohmann::ordered_json report_data(const std::vector<RunRecord>& runs, int refresh_seconds);

/// Returns a page (see Page) with the charts, settings and translations of runs. With `refresh_seconds` above
/// 0 it asks its server for "data.json", which is report_data().
std::string report_page(const std::vector<RunRecord>& runs, int refresh_seconds);

}  // namespace nmt
