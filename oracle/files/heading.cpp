#include "files/heading.hpp"

#include "files/text_forms.hpp"

namespace dodona::files {

namespace {

/// A file is of the first kind that it has the key of: plans also name a strategy, clusters a device,
/// devices a profile.
constexpr std::string_view kFileKinds[] = {"model",   "cluster",   "plan", "strategy", "device",
                                           "profile", "framework", "link", "memory"};

std::string kind_of_file(const Node& root) {
    for (const std::string_view kind : kFileKinds) {
        for (const Node::Member& member : root.members) {
            if (member.key == kind) {
                return std::string(kind);
            }
        }
    }
    return {};
}

}  // namespace

void expect_kind(Fields& fields, const std::string& kind) {
    const Value& root = fields.mapping();
    const std::string found = kind_of_file(root.node());
    if (!found.empty() && found != kind && !fields.find(kind)) {
        fail(root.where(), fmt::format("expected a {} file, but this is a {} file", kind, found),
             fmt::format("a {} file starts with `{}: NAME`", kind, kind));
    }
}

Heading read_heading(Fields& fields, const std::string& kind, SourceIs source) {
    if (!fields.mapping()) {
        return {};
    }
    expect_kind(fields, kind);
    Heading heading;
    heading.name = fields.require(kind, fmt::format("name what the file describes: `{}: NAME`", kind)).text();
    heading.source = (source == SourceIs::required
                          ? fields.require("source", "say where the numbers come from: paper, data sheet, program")
                          : fields.find("source"))
                         .text();
    return heading;
}

std::string read_name(const Value& value) {
    std::string name = value.text();
    if (value.is_scalar()) {
        kName.check(value);
    }
    return name;
}

}  // namespace dodona::files
