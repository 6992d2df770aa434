// Elements of markup whose text is not translated because a request names them.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace nmt {

/// Returns a text with markup in which the elements of these names have attributes that exempt them from
/// translation. `names`: in lower case. A tag that does not end, and what comes after it, stays as it is.
std::string with_exempt_elements(std::string_view text, const std::set<std::string>& names);
/// Removes the attributes of with_exempt_elements() from a text.
std::string without_exemptions(std::string text);

}  // namespace nmt
