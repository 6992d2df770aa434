// The files about text beside a checkpoint of fairseq: dictionaries, codes of BPE, a SentencePiece model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreign/containers/json_file.h"
#include "foreign/token_lists.h"

namespace nmt {

/// Reads a dictionary, dict.en.txt: lines of a word and its count, whose ids begin at 4, after <s>, <pad>,
/// </s> and <unk>. Throws Error, which calls the file `name`, if a line has no count or a word occurs twice,
/// and as word_list_from_json() does.
WordList fairseq_dictionary(std::string_view bytes, const std::string& name);

/// Returns the dictionaries of a folder.
std::vector<std::string> dictionaries_in(const std::string& folder);

/// Returns the lists of both sides and what divides text into their words, by the files of a folder and the
/// settings of the checkpoint. Throws Error if a file is missing or damaged, or if text is divided by
/// something that nmt does not support, which it names.
TokenLists fairseq_lists(const std::string& folder, const JsonFile& settings);

/// The special words of dictionaries.
TokenNames fairseq_names();

}  // namespace nmt
