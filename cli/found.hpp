// What `dodona models 70b moe` finds: things that have all words of a search.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "files/aliases.hpp"

namespace dodona::cli {

/// What a size with a unit is of: "70b" parameters, "80gb" of memory.
enum class SizeOf { parameters, memory };

/// Whether one word is the name of a built-in, another spelling of one, or a path.
bool names_one(files::NameOf kind, const std::string& typed, std::span<const std::string> names);

/// Whether each word stands in the facts, capitals and punctuation aside, or is a size that is within 10 % of the
/// thing's own.
bool has_words(const std::vector<std::string>& words, const std::string& facts,
               const std::function<double(SizeOf)>& size);

/// Whether each word that is no size stands in the facts: has_words for names that are not read yet.
bool may_have_words(const std::vector<std::string>& words, const std::string& facts);

/// Whether a name begins with the typed word, which it continues: an L40S is no L40.
bool is_cut_short(const std::string& typed, const std::string& name);

[[noreturn]] void nothing_found(const std::string& plural, const std::vector<std::string>& words);

}  // namespace dodona::cli
