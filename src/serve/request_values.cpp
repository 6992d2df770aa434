#include "serve/request_values.h"

#include <optional>
#include <string>
#include <utility>

#include "common/text/spelling.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

using nlohmann::json;

/// Returns the fields of a form. Throws CallError or UsageError for a body that is not a form.
FormFields form_of(const HttpRequest& request) {
  const std::string type = request.body_type();
  if (type == "multipart/form-data")
    return multipart_fields(request.body, request.body_parameter("boundary"));
  if (type != "application/x-www-form-urlencoded") {
    throw CallError(
        415, "the body must be application/json, application/x-www-form-urlencoded or multipart/form-data");
  }
  std::optional<FormFields> fields = form_fields(request.body);
  if (!fields) throw CallError(400, "Invalid request: the form is malformed");
  return std::move(*fields);
}

/// Whether a body is JSON: by its type or, because curl declares every body to be a form, by its beginning.
bool is_json(const HttpRequest& request) {
  const std::string type = request.body_type();
  if (type == "application/json") return true;
  const std::size_t begin = request.body.find_first_not_of(" \t\r\n");
  return type != "multipart/form-data" && begin != std::string::npos && request.body[begin] == '{';
}

json values_of_body(const Call& call) {
  if (call.request().body.empty()) return json::object();
  if (!is_json(call.request())) return values_of_fields(form_of(call.request()));
  json body = call.json_body();
  if (!body.is_object()) throw CallError(400, "Invalid request: the body is a JSON object");
  return body;
}

}  // namespace

json values_of_fields(FormFields fields) {
  json values = json::object();
  for (auto& [name, value] : fields) {
    if (count_invalid_utf8(value) > 0)
      throw CallError(400, "Invalid request: {} is not valid UTF-8", quoted(name));
    if (!values.contains(name)) {
      values[name] = std::move(value);
    } else {
      if (!values[name].is_array()) values[name] = json::array({std::move(values[name])});
      values[name].push_back(std::move(value));
    }
  }
  return values;
}

json values_of(const Call& call) {
  auto query = form_fields(call.request().query);
  if (!query) throw CallError(400, "Invalid request: the query is malformed");
  json values = values_of_fields(std::move(*query));
  values.update(values_of_body(call));
  return values;
}

}  // namespace nmt
