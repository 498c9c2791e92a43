#include "lab/evidence/leave_one_out.hpp"

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "files/fields.hpp"
#include "files/heading.hpp"

namespace dodona::calibrate {

std::map<std::string, double> load_left_out(const std::string& path, const Location& where) {
    files::Document document = files::load_document(path, path, where);
    std::map<std::string, double> errors;
    files::Fields fields(files::Value(*document.root, "", document.faults));
    static_cast<void>(read_heading(fields, "leave_one_out"));
    for (const files::Fields::Member& member :
         files::Fields(fields.require("groups", "GROUP: mean error, a fraction")).rest()) {
        errors[member.key] = member.value.number({.least = 0});
    }
    fields.finish();
    throw_faults(document);
    return errors;
}

void write_left_out(const std::string& path, const std::map<std::string, double>& errors) {
    std::string text =
        "leave_one_out: frameworks\n"
        "source: \"dodona-evidence fit frameworks RUNS.csv --held-out FILE: each group predicted by a fit to the "
        "framework's other groups; the only group of a framework by fits to four fifths of it in turn\"\ngroups:\n";
    for (const auto& [group, error] : errors) {
        text += fmt::format("  {}: {:.4f}\n", group, error);
    }
    write_whole(path, text);
}

}  // namespace dodona::calibrate
