// The paths for operators of a server.
#include <nlohmann/json.hpp>

#include "serve/interfaces/interfaces.h"
#include "serve/translation_server.h"

namespace nmt {

void answer_live(Call& call) {
  call.answer(json_response({{"status", "ok"}}));
}

void answer_ready(Call& call) {
  if (!call.server().is_ready()) throw CallError(503, "models are being opened");
  answer_live(call);
}

void answer_metrics(Call& call) {
  call.answer({.type = "text/plain; version=0.0.4; charset=utf-8", .body = call.server().metrics()});
}

void answer_reload(Call& call) {
  if (!call.needs_key()) throw CallError(403, "without keys, only SIGHUP reopens the models");
  call.server().reload();
  call.answer(json_response({{"status", "reloading"}}, 202));
}

}  // namespace nmt
