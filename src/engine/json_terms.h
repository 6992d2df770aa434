// Terms of glossaries as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "data/text/glossary.h"

namespace nmt {

/// Reads terms, which messages call `name` ("'glossary'"): an object with the translation of each term, or a
/// list of lists of a term, its translation and, optionally, flags as in term_in_line(). A translation is a
/// text, or a list of alternatives; null, an empty text or an empty list keeps the term. Invalid UTF-8
/// becomes U+FFFD. Throws UsageError for anything else.
std::vector<Term> terms_in(const nlohmann::json& value, const std::string& name);

/// Returns terms as a list, which terms_in() reads.
nlohmann::ordered_json json_of(const std::vector<Term>& terms);

}  // namespace nmt
