// The interfaces of a server of translations: what is asked for at which path, and how it is answered.
#pragma once

#include "serve/call.h"

namespace nmt {

// nmt's own; /openapi.json describes it.
void answer_v1_translate(Call& call);
void answer_v1_models(Call& call);

/// The description, of OpenAPI 3.1.
void answer_openapi(Call& call);

/// The page for people, at /.
void answer_page(Call& call);

// That of LibreTranslate, of which /translate, /detect, /languages, /frontend/settings and /health are there.
void answer_libretranslate(Call& call);
void answer_detect(Call& call);
void answer_languages(Call& call);
void answer_frontend_settings(Call& call);

// The web socket of marian-server: each message is lines of text, the answer their translations.
void answer_marian(Call& call);

// The REST server of OpenNMT-py.
void answer_opennmt(Call& call);
void answer_opennmt_models(Call& call);

}  // namespace nmt
