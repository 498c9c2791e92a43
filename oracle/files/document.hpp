// A YAML or JSON file as a tree in which every node knows its place.
//
// What yaml-cpp would let pass is a fault here: repeated keys, tags, a second document, nesting without end, aliases
// that multiply. A reader asks for what it knows (see fields.hpp) and everything else is reported.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "files/text.hpp"

namespace dodona::files {

inline constexpr std::size_t kMaxNodes = 200'000;  ///< aliases counted at each use
inline constexpr std::size_t kDeepest = 64;

struct Node {
    enum class Kind { null, scalar, list, mapping };
    struct Member {
        std::string key;
        Location where;
        std::shared_ptr<const Node> value;
    };

    Kind kind = Kind::null;
    std::string text;     ///< of a scalar
    bool quoted = false;  ///< a scalar in quotes
    Location where;
    std::vector<std::shared_ptr<const Node>> items;
    std::vector<Member> members;  ///< in the order of the file, each key once
    std::size_t size = 1;         ///< nodes, itself included
    std::size_t depth = 1;

    /// Where the text of a scalar starts: after its opening quote.
    [[nodiscard]] Location inside() const;
    /// Of a mapping; null where it has no such key.
    [[nodiscard]] const Member* member(std::string_view key) const;
};

struct Document {
    std::shared_ptr<const Source> source;
    std::shared_ptr<const Node> root;
    std::filesystem::path folder;  ///< paths inside the document are relative to it
    Diagnostics faults;            ///< found so far; reading goes on and throws all of them together
};

/// Reads a text; `name` is how messages call it.
Document parse_document(std::string text, const std::string& name);

/// Reads a file; `where` is the place that names it.
Document load_document(const std::filesystem::path& path, const std::string& name, const Location& where);

/// Opens the file that a document names (`extends: gpt`, `device: ../mine.yaml`); paths are relative to `folder`.
using Opener =
    std::function<Document(const std::string& name, const std::filesystem::path& folder, const Location& where)>;

/// Adds the diagnostics of a reader that gave up, each after `path: ` if one is given.
void absorb(Diagnostics& faults, const InputError& error, const std::string& path = {});

/// Throws the faults of a document, if there are any: in the order of the text, each told once though a block that is
/// used often has it often.
void throw_faults(const Document& document);

/// The place of a fault in an argument of the command line.
Location command_line();

}  // namespace dodona::files
