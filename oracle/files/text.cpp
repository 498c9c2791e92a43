#include "files/text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "files/utf8.hpp"

namespace dodona::files {

namespace {

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool is_text(char c) { return static_cast<unsigned char>(c) >= 0x20 ? c != 0x7F : c == '\t' || c == '\n' || c == '\r'; }

/// Binary files, and text in other encodings, end here.
void require_text(std::string_view text, const std::string& name, const TextKind& kind) {
    int line = 1;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text.substr(i));
        if (length == 0 || !is_text(text[i])) {
            const Location nowhere{std::make_shared<Source>(Source{name, {}}), 0, 0, 1};
            fail(nowhere, fmt::format("byte {} (line {}) is not text", i + 1, line),
                 fmt::format("a file is {} in UTF-8", kind.is));
        }
        line += text[i] == '\n' ? 1 : 0;
        i += length;
    }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

Text read_text(std::string text, const std::string& name, const TextKind& kind) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) {
        text.erase(0, kByteOrderMark.size());
    }
    Text read{{}, std::make_shared<Source>(Source{name, split_lines(text)})};
    if (text.size() > kMaxBytes) {
        fail({read.source, 0, 0, 1}, fmt::format("larger than {} MiB", kMaxBytes >> 20), std::string(kind.too_large));
    }
    require_text(text, name, kind);
    read.text = std::move(text);
    return read;
}

std::string load_bytes(const std::filesystem::path& path, const std::string& name, const Location& where) {
    return read_file(path, name, where, kMaxBytes);
}

}  // namespace dodona::files
