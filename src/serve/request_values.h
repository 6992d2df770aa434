// The values of a request, whose body may be JSON or a form.
#pragma once

#include <nlohmann/json.hpp>

#include "http/message.h"
#include "serve/call.h"

namespace nmt {

/// Returns the values of the fields of a form by name. Fields with the same name become an array. Throws
/// CallError for a value that is not UTF-8.
nlohmann::json values_of_fields(FormFields fields);

/// Returns the values of a request by name: those of its query, and those of its body, which take precedence.
/// The body is a JSON object, a form, or empty. Fields of a form with the same name become an array. Throws
/// CallError or UsageError for a malformed body or query.
nlohmann::json values_of(const Call& call);

}  // namespace nmt
