#include "files/document.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/yaml_tree.hpp"

namespace dodona::files {

const Node::Member* Node::member(std::string_view key) const { return found_in(members, &Member::key, key); }

Location Node::inside() const {
    Location place = where;
    if (quoted && place.length > 2) {
        place.column += 1;
        place.length -= 2;
    }
    return place;
}

Document parse_document(std::string text, const std::string& name) {
    Text read =
        read_text(std::move(text), name,
                  {.is = "YAML or JSON text", .too_large = "write layers that repeat as a block with `repeat:`"});
    Document document;
    document.source = read.source;
    document.root = parse_yaml(read.text, document.source, document.faults);
    if (!document.root || document.root->kind == Node::Kind::null) {
        fail({document.source, 0, 0, 1}, "empty: nothing to read");
    }
    return document;
}

Document load_document(const std::filesystem::path& path, const std::string& name, const Location& where) {
    Document document = parse_document(load_bytes(path, name, where), name);
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
    stable_sort(faults, [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
    const auto is_same = [&](const Diagnostic& a, const Diagnostic& b) {
        return place(a) == place(b) && a.message == b.message;
    };
    faults.erase(std::unique(faults.begin(), faults.end(), is_same), faults.end());
    if (document.faults.has_errors()) {
        throw InputError(faults);
    }
}

Location command_line() { return {std::make_shared<Source>(Source{"command line", {}}), 0, 0, 1}; }

}  // namespace dodona::files
