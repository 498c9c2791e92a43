#include "cli/software.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/note.hpp"
#include "plan/usual_framework.hpp"

namespace dodona::cli {

namespace {

/// The date that an option says; a fault, and none, where it is no date.
std::string checked_date(Arguments& arguments, const std::string& date, const char* option) {
    constexpr std::string_view kDay = "0000-00-00";
    constexpr std::string_view kMonth = "0000-00";
    constexpr std::string_view kYear = "0000";
    const auto has_form = [](char c, char form) {
        return form == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == form;
    };
    const bool has_month = date.size() == kDay.size() || date.size() == kMonth.size();
    const bool is_date = (has_month || date.size() == kYear.size()) &&
                         std::equal(date.begin(), date.end(), kDay.begin(), has_form) &&
                         (!has_month || (date.substr(5, 2) >= "01" && date.substr(5, 2) <= "12"));
    if (date.empty() || is_date) {
        return date;
    }
    arguments.fault(option, fmt::format("\"{}\" is not a date", date), "for example 2025-06");
    return {};
}

std::string read_date(Arguments& arguments) {
    return checked_date(arguments, arguments.text("--date").value_or(""), "--date");
}

/// Name of the framework for "NAME@DATE+MECHANISM"; of a software of several versions the newest of DATE, or of --date,
/// that the device runs.
std::string resolved_framework(Arguments& arguments, const std::string& typed, const Workload& workload) {
    const std::string whole = plan::framework_reference(typed).framework;
    const std::string mechanisms = typed.substr(whole.size());
    const std::size_t at = files::is_path(whole) ? std::string::npos : whole.find('@');
    const std::string word = whole.substr(0, at);
    const char* option = at == std::string::npos ? "--date" : "--software";
    const std::string date =
        at == std::string::npos ? read_date(arguments) : checked_date(arguments, whole.substr(at + 1), option);
    const auto resolved = library().resolve_alias(files::NameOf::framework, word);
    const std::string version_of = resolved ? library().framework(resolved->name).version_of : "";
    if (version_of.empty() && (at != std::string::npos || arguments.has("--date"))) {
        arguments.fault(option, fmt::format("{} has one version", word),
                        "name software that has several, such as megatron, or none");
    }
    if (version_of.empty()) {
        return taken_as(arguments, files::NameOf::framework, word) + mechanisms;
    }
    const std::vector<plan::Framework> released = plan::released_by(library().all_frameworks(), date);
    const plan::Framework* const version = plan::newest_version(released, version_of, workload.cluster.device);
    if (version == nullptr) {
        arguments.fault(option, fmt::format("no version of {} was released by then", version_of));
        return resolved->name + mechanisms;
    }
    if (!arguments.has("--quiet")) {
        note("{} is taken as {}{}", whole, version->name,
             version->version.empty() ? "" : fmt::format(" ({} and later)", version->version));
    }
    return version->name + mechanisms;
}

}  // namespace

questions::SoftwareOptions read_software(Arguments& arguments, const Workload& workload) {
    questions::SoftwareOptions options{.names = {}, .date = {}, .where = arguments.place("--software")};
    const auto typed = arguments.text("--software");
    if (!typed || questions::is_addition(*typed)) {
        options.names = typed ? std::vector{*typed} : std::vector<std::string>{};
        options.date = read_date(arguments);
        return options;
    }
    for (const std::string& one : between_commas(*typed)) {
        options.names.push_back(resolved_framework(arguments, one, workload));
    }
    return options;
}

plan::Framework framework_of(Arguments& arguments, const Workload& workload, const plan::Plan& plan) {
    const auto typed = arguments.text("--software");
    if (typed && between_commas(*typed).size() > 1) {
        arguments.fault("--software", "one plan runs in one piece of software", "give one of them");
        return {};
    }
    questions::PlanSoftware found = questions::software_of(read_software(arguments, workload), workload, plan);
    print_notes(found.notes);
    return std::move(found.framework);
}

}  // namespace dodona::cli
