#include "files/accuracy_file.hpp"

#include <fmt/format.h>

#include "files/fields.hpp"
#include "files/heading.hpp"

namespace dodona::files {

namespace {

constexpr std::string_view kOpening = "```yaml\n";
constexpr std::string_view kClosing = "\n```";
constexpr const char* kHelp = "`dodona validate RUNS --record FILE` writes such a page";

/// The block with as many empty lines in front as the page has, so that places are those in the page.
std::string block_of(const std::string& page, const std::string& path, const Location& where) {
    const std::size_t opening = page.rfind(kOpening);
    const std::size_t start = opening == std::string::npos ? opening : opening + kOpening.size();
    const std::size_t end = start == std::string::npos ? start : page.find(kClosing, start);
    if (end == std::string::npos) {
        fail(where, fmt::format("{} has no record of errors", path), kHelp);
    }
    std::string text;
    for (std::size_t i = 0; i < start; ++i) {
        text += page[i] == '\n' ? "\n" : "";
    }
    return text + page.substr(start, end - start) + "\n";
}

RecordedError read_error(const Fields::Member& member) {
    const Range positive{.least = 0};
    RecordedError error{.group = member.key, .where = member.where};
    Fields fields(member.value);
    error.rows = fields.require("rows").whole(0);
    if (const Value mape = fields.find("mape")) {
        error.mape = mape.number(positive);
    }
    if (const Value memory = fields.find("memory_mape")) {
        error.memory_mape = memory.number(positive);
    }
    fields.finish();
    return error;
}

}  // namespace

std::vector<RecordedError> load_accuracy_record(const std::string& path, const Location& where) {
    Document document = parse_document(block_of(load_bytes(path, path, where), path, where), path);
    std::vector<RecordedError> errors;
    Fields fields(Value(*document.root, "", document.faults));
    static_cast<void>(read_heading(fields, "recorded", SourceIs::optional));
    for (const Fields::Member& member : Fields(fields.require("groups", "GROUP: {rows, mape, memory_mape}")).rest()) {
        errors.push_back(read_error(member));
    }
    fields.finish();
    throw_faults(document);
    return errors;
}

}  // namespace dodona::files
