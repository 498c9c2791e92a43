#include "calibrate/measure/recorded_case.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text_hash.hpp"

namespace dodona::calibrate {

namespace {

constexpr const char* kDirectory = "directory";

std::string mark_of(const std::string& directory) {
    std::array<char, 256> host{};
    static_cast<void>(::gethostname(host.data(), host.size() - 1));
    std::error_code fault;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(directory, fault);
    return fmt::format("directory-{:016x}",
                       text_hash(fmt::format("{}:{}", host.data(), fault ? directory : whole.string())));
}

std::string without(std::string text, const std::string& directory) {
    for (std::size_t at = 0; !directory.empty() && (at = text.find(directory, at)) != std::string::npos;) {
        constexpr std::string_view kShown = "the directory";
        text.replace(at, directory.size(), kShown);
        at += kShown.size();
    }
    return text;
}

}  // namespace

Case recorded(Case of) {
    if (of.has(kDirectory)) {
        of.parameters[kDirectory] = mark_of(of.word(kDirectory));
    }
    return of;
}

Record recorded(Record record, const Case& asked) {
    if (auto* measurement = std::get_if<Measurement>(&record.what)) {
        measurement->of = recorded(std::move(measurement->of));
    } else if (auto* failure = std::get_if<Failure>(&record.what)) {
        const std::string directory = asked.word(kDirectory);
        failure->why = directory.size() > 1 ? without(std::move(failure->why), directory) : failure->why;
        failure->of = recorded(std::move(failure->of));
    }
    return record;
}

}  // namespace dodona::calibrate
