// The HTTP interfaces of the translation server, with their paths.
#pragma once

#include "serve/call.h"

namespace nmt {

// nmt's own interface, which /openapi.json describes.
void answer_v1_translate(Call& call);
void answer_v1_models(Call& call);

// The glossaries that clients of nmt's own interface store.
void answer_v1_glossaries(Call& call);
void answer_v1_new_glossary(Call& call);
void answer_v1_glossary(Call& call);
void answer_v1_changed_glossary(Call& call);
void answer_v1_deleted_glossary(Call& call);

// The documents that clients of nmt's own interface send.
void answer_v1_documents(Call& call);
void answer_v1_new_document(Call& call);
void answer_v1_document(Call& call);
void answer_v1_translated_document(Call& call);
void answer_v1_deleted_document(Call& call);

/// Answers with the description in OpenAPI 3.1.
void answer_openapi(Call& call);

/// Answers with the web page, at /.
void answer_page(Call& call);

// The interface of LibreTranslate, with /translate, /detect, /languages, /suggest, /translate_file,
// /download_file, /frontend/settings and /health.
void answer_libretranslate(Call& call);
void answer_detect(Call& call);
void answer_languages(Call& call);
void answer_frontend_settings(Call& call);
void answer_suggest(Call& call);
void answer_translate_file(Call& call);
void answer_download_file(Call& call);

// The web socket of marian-server: each message has lines of text, and the answer has their translations.
void answer_marian(Call& call);

// The interface of OpenAI. A chat is a translation of its last message.
void answer_openai_chat(Call& call);
void answer_openai_model(Call& call);
/// Returns the models in OpenAI's form.
nlohmann::ordered_json openai_models(const ServedModels& models);
/// Returns {"error": {"message": message, ...}}.
nlohmann::ordered_json openai_error_body(int status, const std::string& message);

// The interface of DeepL.
void answer_deepl_translate(Call& call);
void answer_deepl_languages(Call& call);
void answer_deepl_usage(Call& call);
// Documents, whose results are deleted when they are downloaded.
void answer_deepl_new_document(Call& call);
void answer_deepl_document(Call& call);
void answer_deepl_translated_document(Call& call);
// Glossaries: version 2 knows those of one pair of languages, version 3 also those with several dictionaries.
void answer_deepl_glossary_pairs(Call& call);
void answer_deepl_v2_glossaries(Call& call);
void answer_deepl_v2_new_glossary(Call& call);
void answer_deepl_v2_glossary(Call& call);
void answer_deepl_v2_entries(Call& call);
void answer_deepl_v3_glossaries(Call& call);
void answer_deepl_v3_new_glossary(Call& call);
void answer_deepl_v3_glossary(Call& call);
void answer_deepl_v3_change(Call& call);
void answer_deepl_v3_entries(Call& call);
void answer_deepl_v3_dictionary(Call& call);
void answer_deepl_v3_dictionary_removal(Call& call);
void answer_deepl_glossary_removal(Call& call);

// For operators: whether the server answers, whether all models are open, Prometheus' metrics, and reloading.
void answer_live(Call& call);
void answer_ready(Call& call);
void answer_metrics(Call& call);
void answer_reload(Call& call);

// The interface of OpenNMT-py's REST server.
void answer_opennmt(Call& call);
void answer_opennmt_models(Call& call);

}  // namespace nmt
