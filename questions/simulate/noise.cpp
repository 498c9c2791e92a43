#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "base/ranges.hpp"
#include "files/noise_file.hpp"
#include "questions/simulate/simulate.hpp"
#include "threads/operator_time.hpp"

namespace dodona::questions::simulate {

namespace {

using dodona::simulate::NoiseOn;
using dodona::simulate::NoiseSource;

/// Seconds of each letter of a pattern, and of all; none: it is no pattern.
struct Pattern {
    std::map<char, double> seconds;
    double cycle = 0;
};

std::optional<Pattern> load_pattern(std::string_view text) {
    Pattern pattern;
    while (!text.empty()) {
        double seconds = 0;
        const auto [end, fault] = decimal_at(text.data() + 1, text.data() + text.size(), seconds);
        if (std::string_view("MNICS").find(text.front()) == std::string_view::npos || fault != std::errc{} ||
            !(seconds > 0 && seconds <= 86'400)) {
            return std::nullopt;
        }
        pattern.seconds[text.front()] += seconds;
        pattern.cycle += seconds;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return pattern.cycle > 0 ? std::optional(pattern) : std::nullopt;
}

/// While it is on, a load takes half of its resource: work on it takes twice as long (play/noise_study.hpp).
std::optional<NoiseSource> load_of(const Pattern& pattern, char letter, NoiseOn on) {
    const auto found = pattern.seconds.find(letter);
    if (found == pattern.seconds.end()) {
        return std::nullopt;
    }
    return NoiseSource{
        .on = on, .mean = 1, .burst = found->second * 1_s, .silence = (pattern.cycle - found->second) * 1_s};
}

std::vector<NoiseSource> sources_named(const std::string& given) {
    if (const auto pattern = load_pattern(given)) {
        std::vector<NoiseSource> sources;
        for (const auto& [letter, on] : {std::pair{'M', NoiseOn::memory}, std::pair{'N', NoiseOn::network},
                                         std::pair{'I', NoiseOn::storage}, std::pair{'C', NoiseOn::host}}) {
            if (auto load = load_of(*pattern, letter, on)) {
                sources.push_back(std::move(*load));
            }
        }
        return sources;
    }
    if (given.starts_with("{")) {
        return {files::read_noise_source(given, "--noise")};
    }
    if (given.find_first_of("./") == std::string::npos && !std::filesystem::exists(given)) {
        fail(files::command_line(), fmt::format("--noise: \"{}\" is neither a pattern nor a file", given),
             "a pattern has seconds after each letter: M2S2, of M memory, N network, I files, C cores, S silence");
    }
    return files::read_noise(files::load_document(given, given, files::command_line())).sources;
}

}  // namespace

std::vector<NoiseSource> noise_sources(const std::vector<std::string>& given, const cluster::Device& device) {
    std::vector<NoiseSource> sources;
    for (const std::string& one : given) {
        append(sources, sources_named(one));
    }
    // Loads of patterns on memory and cores are on what devices compute, too, where processors are the devices.
    for (const std::string& one : given) {
        const auto pattern = load_pattern(one);
        for (const char letter : {'M', 'C'}) {
            if (auto load = pattern && dodona::threads::is_cpu(device) ? load_of(*pattern, letter, NoiseOn::compute)
                                                                       : std::nullopt) {
                sources.push_back(std::move(*load));
            }
        }
    }
    return sources;
}

std::optional<play::NoiseSettings> noise_settings(const Options& options, const cluster::Device& device) {
    if (options.noise.empty()) {
        return std::nullopt;
    }
    play::NoiseSettings settings{.steps = options.steps.value_or(100),
                                 .seed = static_cast<std::uint64_t>(options.seed.value_or(1)),
                                 .workers = 0};
    settings.sources = noise_sources(options.noise, device);
    return settings;
}

}  // namespace dodona::questions::simulate
