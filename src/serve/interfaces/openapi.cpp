// The OpenAPI description of nmt's own interface, and of similar ones of other programs.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/json_request.h"
#include "serve/interfaces/interfaces.h"

namespace nmt {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kDocument = R"json({
  "openapi": "3.1.0",
  "info": {
    "title": "nmt serve",
    "version": "1",
    "description": "Translations by the models of a server. Errors are objects with a message in `error`."
  },
  "components": {
    "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
    "schemas": {
      "Error": {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}},
      "Texts": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
      "Request": {
        "type": "object",
        "required": ["text"],
        "additionalProperties": false,
        "properties": {
          "text": {"$ref": "#/components/schemas/Texts"},
          "model": {"type": "string", "description": "Its name; or else source and target, where there are several."},
          "source": {"type": "string", "description": "Code of a language, or auto: the language of each text is detected. Without it, the only language that is translated to the target, or auto where there are several."},
          "target": {"type": "string", "description": "Code of a language. Texts in it come back unchanged."},
          "split": {"type": "boolean", "description": "Translate the sentences of a text one by one. The default is that of the server (--split), which is true."},
          "alignment": {"type": "boolean", "default": false, "description": "Tell which words belong together."},
          "token_scores": {"type": "boolean", "default": false, "description": "Tell tokens and words with their log-probabilities."},
          "quality": {"type": "boolean", "default": false, "description": "Estimate the quality of the translation of each sentence, if the server has a model for this (--quality-model)."},
          "stream": {"type": "boolean", "default": false, "description": "Answer by server-sent events: sentence for each as it is done, then done or error."},
          "partial": {"type": "boolean", "default": false, "description": "With stream: before a sentence is done, events partial with its best translation so far."},
          "timeout": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000, "description": "Seconds after which the request is given up."}
        }
      },
      "Glossary": {
        "type": "object",
        "required": ["name", "dictionaries"],
        "additionalProperties": false,
        "properties": {
          "name": {"type": "string"},
          "dictionaries": {"type": "array", "minItems": 1, "items": {
            "type": "object",
            "required": ["terms"],
            "properties": {
              "source": {"type": "string", "description": "Code of a language. A dictionary without source and target is for any languages."},
              "target": {"type": "string"},
              "terms": {"oneOf": [{"type": "object"}, {"type": "array"}], "description": "As glossary of a request."}
            }
          }}
        }
      },
      "StoredGlossary": {
        "type": "object",
        "properties": {
          "id": {"type": "string"},
          "name": {"type": "string"},
          "created": {"type": "string", "format": "date-time"},
          "dictionaries": {"type": "array", "items": {"type": "object", "properties": {
            "source": {"type": "string"},
            "target": {"type": "string"},
            "term_count": {"type": "integer", "description": "Unless the terms are there."},
            "terms": {"type": "array"}
          }}}
        }
      },
      "Document": {
        "type": "object",
        "properties": {
          "id": {"type": "string"},
          "name": {"type": "string", "description": "Of its file."},
          "status": {"type": "string", "enum": ["queued", "translating", "done", "failed"]},
          "progress": {"type": "number", "minimum": 0, "maximum": 1},
          "characters": {"type": "integer", "description": "Of its texts. Absent until they have been counted."},
          "error": {"type": "string", "description": "Why it has failed."},
          "expires": {"type": "string", "format": "date-time", "description": "When it is deleted, if it is done or has failed."}
        }
      },
      "Translation": {
        "type": "object",
        "properties": {
          "text": {"type": "string"},
          "score": {"type": "number"},
          "log_probability": {"type": "number"},
          "tokens": {"type": "array", "items": {"type": "string"}},
          "token_log_probabilities": {"type": "array", "items": {"type": "number"}},
          "alternative": {"type": "string"},
          "alternative_log_probability": {"type": "number"},
          "words": {"type": "array", "items": {"type": "string"}},
          "word_log_probabilities": {"type": "array", "items": {"type": "number"}},
          "alignment": {
            "type": "array",
            "description": "Pairs of a source and a target word, counted from 0.",
            "items": {"type": "array", "items": {"type": "integer"}}
          },
          "missing_constraints": {"type": "integer", "description": "The number of constraints that do not occur in the translation. Absent if all occur."},
          "terms": {
            "type": "array",
            "description": "The terms of the glossary that the text has. Absent if there are none.",
            "items": {"type": "object", "properties": {
              "source": {"type": "string", "description": "The term as it stands in the text."},
              "targets": {"type": "array", "items": {"type": "string"}, "description": "Its translations."},
              "met": {"type": "boolean", "description": "Whether one of these is in the translation."}
            }}
          },
          "quality": {"type": "number", "description": "With quality: the mean estimate of the sentences. Absent if there are none, or if the text came back unchanged."},
          "sentences": {
            "type": "array",
            "description": "With quality: the sentences, their translations and the estimates.",
            "items": {"type": "object", "properties": {"source": {"type": "string"}, "text": {"type": "string"}, "quality": {"type": "number"}}}
          },
          "n_best": {"type": "array", "items": {"$ref": "#/components/schemas/Translation"}},
          "truncated": {"type": "boolean", "description": "Whether the end of the text was left out. Absent if all of it was translated."},
          "notices": {"type": "array", "items": {"type": "string"}, "description": "Defaults, such as those of the model, that the request overrode. Absent if there are none."},
          "detected_language": {
            "type": "object",
            "description": "With source auto: the language of the text.",
            "properties": {"confidence": {"type": "integer", "description": "In percent."}, "language": {"type": "string"}}
          },
          "model": {"type": "string", "description": "With source auto: what has translated the text; an unchanged text has none."},
          "error": {"type": "string", "description": "Why this text could not be translated. All other fields are then absent."}
        }
      }
    },
    "requestBodies": {
      "Glossary": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Glossary"}}}}
    },
    "responses": {
      "Document": {"description": "The document.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Document"}}}},
      "StoredGlossary": {"description": "The glossary.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/StoredGlossary"}}}},
      "Error": {"description": "What is wrong.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    }
  },
  "security": [{}, {"key": []}],
  "paths": {
    "/v1/translate": {
      "post": {
        "summary": "Translate one text, or several.",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Request"}}}},
        "responses": {
          "200": {
            "description": "A translation for each text, in their order.",
            "content": {"application/json": {"schema": {
              "type": "object",
              "properties": {
                "model": {"type": "string", "description": "What has translated the texts, unless each translation says it, or all came back unchanged."},
                "translations": {"type": "array", "items": {"$ref": "#/components/schemas/Translation"}}
              }
            }}, "text/event-stream": {"schema": {"type": "string"}}}
          },
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/v1/models": {
      "get": {
        "summary": "The models, and whether they are open.",
        "responses": {
          "200": {
            "description": "Name, languages and readiness of each.",
            "content": {"application/json": {"schema": {
              "type": "object",
              "properties": {"models": {"type": "array", "items": {
                "type": "object",
                "properties": {
                  "name": {"type": "string"},
                  "ready": {"type": "boolean"},
                  "source": {"type": "string"},
                  "target": {"type": "string"}
                }
              }}, "quality": {"type": "boolean", "description": "Whether the server estimates the quality of translations."}}
            }}}
          },
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/v1/glossaries": {
      "get": {
        "summary": "The glossaries that the client has stored, without their terms.",
        "responses": {
          "200": {"description": "A list of glossaries.", "content": {"application/json": {"schema": {
            "type": "object",
            "properties": {"glossaries": {"type": "array", "items": {"$ref": "#/components/schemas/StoredGlossary"}}}
          }}}},
          "default": {"$ref": "#/components/responses/Error"}
        }
      },
      "post": {
        "summary": "Store a glossary.",
        "requestBody": {"$ref": "#/components/requestBodies/Glossary"},
        "responses": {
          "201": {"$ref": "#/components/responses/StoredGlossary"},
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/v1/glossaries/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "get": {
        "summary": "A glossary with its terms.",
        "responses": {
          "200": {"$ref": "#/components/responses/StoredGlossary"},
          "default": {"$ref": "#/components/responses/Error"}
        }
      },
      "put": {
        "summary": "Replace the name and the dictionaries of a glossary.",
        "requestBody": {"$ref": "#/components/requestBodies/Glossary"},
        "responses": {
          "200": {"$ref": "#/components/responses/StoredGlossary"},
          "default": {"$ref": "#/components/responses/Error"}
        }
      },
      "delete": {
        "summary": "Delete a glossary.",
        "responses": {
          "204": {"description": "It is deleted."},
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/v1/documents": {
      "get": {
        "summary": "The documents that the client has sent.",
        "responses": {
          "200": {"description": "A list of documents.", "content": {"application/json": {"schema": {
            "type": "object",
            "properties": {"documents": {"type": "array", "items": {"$ref": "#/components/schemas/Document"}}}
          }}}},
          "default": {"$ref": "#/components/responses/Error"}
        }
      },
      "post": {
        "summary": "Send a document, which is then translated.",
        "requestBody": {"required": true, "content": {"multipart/form-data": {"schema": {
          "type": "object",
          "required": ["file"],
          "additionalProperties": false,
          "properties": {
            "file": {"type": "string", "contentMediaType": "application/octet-stream", "description": "The document, with its name."},
            "model": {"type": "string"},
            "source": {"type": "string", "description": "As in requests for texts; auto detects the language of the document."},
            "target": {"type": "string"},
            "glossary": {"type": "string", "description": "The id of a stored glossary, or terms as JSON."},
            "format": {"type": "string", "description": "Format of the document. Without it, the extension of its name tells it."},
            "keys": {"type": "string", "description": "Keys whose texts are translated in JSON, separated by commas. Without it, all are."},
            "encoding": {"type": "string", "description": "Encoding of a text that does not declare one."},
            "output": {"type": "string", "enum": ["tmx"], "description": "Get a translation memory instead of the document."}
          }
        }}}},
        "responses": {
          "202": {"$ref": "#/components/responses/Document"},
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/v1/documents/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "get": {
        "summary": "The state of a document.",
        "responses": {
          "200": {"$ref": "#/components/responses/Document"},
          "default": {"$ref": "#/components/responses/Error"}
        }
      },
      "delete": {
        "summary": "Delete a document and its translation, or cancel its translation.",
        "responses": {
          "204": {"description": "It is deleted."},
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/v1/documents/{id}/result": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "get": {
        "summary": "The translated document.",
        "responses": {
          "200": {"description": "The file.", "content": {"*/*": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}}},
          "409": {"description": "It is not translated, or not yet."},
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/translate": {
      "post": {
        "summary": "Translate as LibreTranslate does.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {"schema": {"$ref": "#/paths/~1translate/post/requestBody/content/application~1x-www-form-urlencoded/schema"}},
            "application/x-www-form-urlencoded": {"schema": {
              "type": "object",
              "required": ["q", "source", "target"],
              "properties": {
                "q": {"$ref": "#/components/schemas/Texts"},
                "source": {"type": "string", "description": "Code of a language, or auto."},
                "target": {"type": "string"},
                "format": {"type": "string", "enum": ["text", "html"]},
                "alternatives": {"type": "integer", "minimum": 0, "maximum": 10},
                "api_key": {"type": "string"}
              }
            }}
          }
        },
        "responses": {
          "200": {
            "description": "The translations.",
            "content": {"application/json": {"schema": {
              "type": "object",
              "properties": {
                "translatedText": {"$ref": "#/components/schemas/Texts"},
                "alternatives": {"type": "array"},
                "detectedLanguage": {"description": "With source auto: an object with language and confidence, or for an array of texts an array of them.", "type": ["object", "array"]}
              }
            }}}
          },
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/languages": {"get": {"summary": "Languages, and those that each is translated into, as in LibreTranslate.", "responses": {"200": {"description": "A list of languages."}}}},
    "/v2/translate": {"post": {"summary": "Translate as DeepL does.", "responses": {"200": {"description": "An object with a list of translations."}}}},
    "/translate_file": {
      "post": {
        "summary": "Translate a document as LibreTranslate does, and answer when it is translated.",
        "requestBody": {"required": true, "content": {"multipart/form-data": {"schema": {
          "type": "object",
          "required": ["file", "source", "target"],
          "properties": {
            "file": {"type": "string", "contentMediaType": "application/octet-stream", "description": "The document, with its name."},
            "source": {"type": "string", "description": "Code of a language, or auto."},
            "target": {"type": "string"},
            "api_key": {"type": "string"}
          }
        }}}},
        "responses": {
          "200": {
            "description": "The address of the translated document.",
            "content": {"application/json": {"schema": {"type": "object", "properties": {"translatedFileUrl": {"type": "string", "format": "uri"}}}}}
          },
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/download_file/{name}": {
      "parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}, "description": "As in translatedFileUrl, which needs no key."}],
      "get": {
        "summary": "A document that /translate_file has translated.",
        "security": [{}],
        "responses": {
          "200": {"description": "The file.", "content": {"*/*": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}}},
          "default": {"$ref": "#/components/responses/Error"}
        }
      }
    },
    "/v2/document": {"post": {"summary": "Send a document as to DeepL.", "responses": {"200": {"description": "An object with document_id and document_key."}}}},
    "/v2/document/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "post": {"summary": "The state of a document, as in DeepL.", "responses": {"200": {"description": "An object with status, which is queued, translating, done or error."}}}
    },
    "/v2/document/{id}/result": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "post": {"summary": "The translated document, which is then deleted, as in DeepL.", "responses": {"200": {"description": "The file."}, "503": {"description": "Not yet."}}}
    },
    "/v2/languages": {"get": {"summary": "Source or target languages, as in DeepL.", "responses": {"200": {"description": "A list of languages."}}}},
    "/v2/glossaries": {"get": {"summary": "Stored glossaries of one pair of languages, as in DeepL.", "responses": {"200": {"description": "A list of glossaries."}}}},
    "/v3/glossaries": {"get": {"summary": "Stored glossaries, as in DeepL.", "responses": {"200": {"description": "A list of glossaries."}}}},
    "/v2/usage": {"get": {"summary": "Characters that the key has used, as in DeepL.", "responses": {"200": {"description": "A count and a limit."}}}},
    "/v1/chat/completions": {"post": {"summary": "Translate the last message of a chat of OpenAI's.", "responses": {"200": {"description": "The completion, which is the translation.", "content": {"application/json": {}, "text/event-stream": {}}}}}},
    "/translator/translate": {"post": {"summary": "Translate as the REST server of OpenNMT-py does.", "responses": {"200": {"description": "A list of lists of translations."}}}},
    "/translator/models": {"get": {"summary": "Models, as in the REST server of OpenNMT-py.", "responses": {"200": {"description": "A list of models."}}}},
    "/health/live": {"get": {"summary": "Whether the server answers.", "security": [{}], "responses": {"200": {"description": "It does."}}}},
    "/health/ready": {"get": {"summary": "Whether all models are open.", "security": [{}], "responses": {"200": {"description": "They are."}, "503": {"description": "Not yet."}}}},
    "/metrics": {"get": {"summary": "Figures for Prometheus, for the keys of operators.", "responses": {"200": {"description": "Text of format 0.0.4."}}}},
    "/reload": {"post": {"summary": "Reload the models and reopen the access log, for the keys of operators.", "responses": {"202": {"description": "It is under way."}}}}
  }
}
)json";

/// Returns the document, with the settings of requests from their table.
std::string document() {
  ordered_json document = ordered_json::parse(kDocument);
  ordered_json& properties = document["components"]["schemas"]["Request"]["properties"];
  const ordered_json settings = request_schema();
  for (const auto& [name, schema] : settings.items()) {
    if (name != "text") properties[name] = schema;
  }
  properties["glossary"]["oneOf"].push_back(
      {{"type", "string"}, {"description", "The id of a stored glossary."}});
  return document.dump(2) + "\n";
}

}  // namespace

void answer_openapi(Call& call) {
  static const std::string text = document();
  call.answer({.type = "application/json", .body = text});
}

}  // namespace nmt
