#include "input/document.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "input/yaml_tree.hpp"

namespace dodona::input {

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

/// Bytes of the UTF-8 sequence at the start of `text`; 0 where there is none.
std::size_t sequence_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

bool is_text(char c) { return static_cast<unsigned char>(c) >= 0x20 ? c != 0x7F : c == '\t' || c == '\n' || c == '\r'; }

/// Binary files, and text in other encodings, end here.
void require_text(std::string_view text, const std::shared_ptr<const Source>& source) {
    int line = 1;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text.substr(i));
        if (length == 0 || !is_text(text[i])) {
            const Location nowhere{std::make_shared<Source>(Source{source->name, {}}), 0, 0, 1};
            fail(nowhere, fmt::format("byte {} (line {}) is not text", i + 1, line),
                 "a file is YAML or JSON text in UTF-8");
        }
        line += text[i] == '\n' ? 1 : 0;
        i += length;
    }
}

}  // namespace

Location Node::inside() const {
    Location place = where;
    if (quoted && place.length > 2) {
        place.column += 1;
        place.length -= 2;
    }
    return place;
}

Document parse_document(std::string text, const std::string& name) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) {
        text.erase(0, kByteOrderMark.size());
    }
    Document document;
    document.source = std::make_shared<Source>(Source{name, split_lines(text)});
    if (text.size() > kMostBytes) {
        fail({document.source, 0, 0, 1}, fmt::format("larger than {} MiB", kMostBytes >> 20),
             "write layers that repeat as a block with `repeat:`");
    }
    require_text(text, document.source);
    document.root = parse_yaml(text, document.source, document.faults);
    if (!document.root || document.root->kind == Node::Kind::null) {
        fail({document.source, 0, 0, 1}, "empty: nothing to read");
    }
    return document;
}

Document load_document(const std::filesystem::path& path, const std::string& name, const Location& where) {
    std::error_code fault;
    const auto status = std::filesystem::status(path, fault);
    if (!std::filesystem::exists(status)) {
        fail(where, fmt::format("there is no file {}", name));
    }
    if (std::filesystem::is_directory(status)) {
        fail(where, fmt::format("{} is a directory; a file is due", name));
    }
    std::ifstream stream(path, std::ios::binary);
    std::string text;
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    std::string piece(kPiece, '\0');
    while (stream && text.size() <= kMostBytes) {
        stream.read(piece.data(), static_cast<std::streamsize>(kPiece));
        text.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
    }
    if (!stream.eof() && text.size() <= kMostBytes) {
        fail(where, fmt::format("{} cannot be read", name), "check its permissions");
    }
    Document document = parse_document(std::move(text), name);
    document.folder = path.parent_path();
    return document;
}

void absorb(Diagnostics& faults, const InputError& error, const std::string& path) {
    for (const Diagnostic& diagnostic : error.diagnostics()) {
        const std::string& message = diagnostic.message;
        faults.error(diagnostic.where, path.empty() ? message : fmt::format("{}: {}", path, message), diagnostic.help);
    }
}

void throw_faults(const Document& document) {
    std::vector<Diagnostic> faults = document.faults.all();
    std::vector<const Source*> sources{document.source.get()};
    const auto place = [&](const Diagnostic& fault) {
        const auto source = std::find(sources.begin(), sources.end(), fault.where.source.get());
        return std::tuple(source - sources.begin(), fault.where.line, fault.where.column);
    };
    for (const Diagnostic& fault : faults) {
        if (std::find(sources.begin(), sources.end(), fault.where.source.get()) == sources.end()) {
            sources.push_back(fault.where.source.get());
        }
    }
    std::stable_sort(faults.begin(), faults.end(),
                     [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
    const auto is_same = [&](const Diagnostic& a, const Diagnostic& b) {
        return place(a) == place(b) && a.message == b.message;
    };
    faults.erase(std::unique(faults.begin(), faults.end(), is_same), faults.end());
    if (document.faults.has_errors()) {
        throw InputError(faults);
    }
}

Location command_line() { return {std::make_shared<Source>(Source{"command line", {}}), 0, 0, 1}; }

}  // namespace dodona::input
