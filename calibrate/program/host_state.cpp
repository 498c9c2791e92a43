#include "calibrate/program/host_state.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "calibrate/machine/measured_device.hpp"

namespace dodona::calibrate {

namespace {

/// The first word of a file of the system; empty where there is none.
std::string word_in(const char* path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

}  // namespace

std::map<std::string, std::string> host_state() {
    std::map<std::string, std::string> facts;
    double load = 0;
    if (::getloadavg(&load, 1) == 1) {
        facts["load"] = fmt::format("{:.1f} of {} CPUs", load, std::thread::hardware_concurrency());
    }
    if (std::string governor = word_in("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"); !governor.empty()) {
        facts["governor"] = std::move(governor);
    }
    const std::string no_turbo = word_in("/sys/devices/system/cpu/intel_pstate/no_turbo");
    const std::string boost = word_in("/sys/devices/system/cpu/cpufreq/boost");
    if (!no_turbo.empty() || !boost.empty()) {
        facts["turbo"] = no_turbo == "0" || boost == "1" ? "on" : "off";
    }
    utsname system{};
    if (::uname(&system) == 0) {
        facts["kernel"] = fmt::format("{} {}", system.sysname, system.release);
    }
    return facts;
}

std::string host_state_text(std::span<const Record> records) {
    const Environment* latest = nullptr;
    for (const Record& record : records) {
        const auto* environment = std::get_if<Environment>(&record.what);
        latest = environment != nullptr && record.backend == kHostRecords ? environment : latest;
    }
    std::string text;
    for (const char* key : {"load", "governor", "turbo", "kernel"}) {
        const auto found =
            latest == nullptr ? std::map<std::string, std::string>::const_iterator{} : latest->facts.find(key);
        if (latest != nullptr && found != latest->facts.end()) {
            const std::string name = found->first == "kernel" ? "" : found->first + " ";
            text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name, found->second);
        }
    }
    return text;
}

}  // namespace dodona::calibrate
