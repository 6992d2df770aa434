// The HTTP interfaces of the translation server, with their paths.
#pragma once

#include "serve/call.h"

namespace nmt {

// nmt's own interface, which /openapi.json describes.
void answer_v1_translate(Call& call);
void answer_v1_models(Call& call);

/// Answers with the description in OpenAPI 3.1.
void answer_openapi(Call& call);

/// Answers with the web page, at /.
void answer_page(Call& call);

// The interface of LibreTranslate, with /translate, /detect, /languages, /frontend/settings and /health.
void answer_libretranslate(Call& call);
void answer_detect(Call& call);
void answer_languages(Call& call);
void answer_frontend_settings(Call& call);

// The web socket of marian-server: each message has lines of text, and the answer has their translations.
void answer_marian(Call& call);

// The interface of OpenNMT-py's REST server.
void answer_opennmt(Call& call);
void answer_opennmt_models(Call& call);

}  // namespace nmt
