// The places where the tokenizer of a model may be that is not in the folder of the model.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Returns the path of the first of these `files` that is in a folder; empty: there is none.
std::string tokenizer_in(const std::string& folder, const std::vector<std::string>& files);

/// Searches for the tokenizer of one of `models`, such as "google/mt5-xl". Looks in `folder`, in a folder
/// "tokenizer" or "encoder" in it, in one with the name of a model in or next to it, at the path that equals
/// the name, and in the cache of the Hugging Face Hub that `folder` is in. Returns the path of the first of
/// these `files`; empty: there is none.
std::string find_tokenizer(const std::string& folder, const std::vector<std::string>& models,
                           const std::vector<std::string>& files);

}  // namespace nmt
