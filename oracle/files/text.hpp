// The text of a file, as its readers and messages need it: UTF-8, with its lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace dodona::files {

inline constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

/// What a reader of a kind of file says when a file is none.
struct TextKind {
    std::string_view is;         ///< "YAML or JSON text"
    std::string_view too_large;  ///< what to do about a file that is too large
};

struct Text {
    std::string text;  ///< without a byte order mark
    std::shared_ptr<const Source> source;
};

/// `name` is how messages call the file. Throws InputError for what is no text and for what is too large.
Text read_text(std::string text, const std::string& name, const TextKind& kind);

/// Without the blanks at both ends.
std::string_view trimmed(std::string_view text);

/// The bytes of a file, no more than one piece beyond kMaxBytes; `where` is the place that names it.
std::string load_bytes(const std::filesystem::path& path, const std::string& name, const Location& where);

}  // namespace dodona::files
