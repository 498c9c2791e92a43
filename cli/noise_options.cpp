#include "cli/noise_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "files/noise_file.hpp"
#include "threads/operator_time.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMaxSteps = 1'000'000;

/// Seconds of each letter of a pattern, and of all; none: it is no pattern.
struct Pattern {
    std::map<char, double> seconds;
    double cycle = 0;
};

std::optional<Pattern> pattern_of(std::string_view text) {
    Pattern pattern;
    while (!text.empty()) {
        double seconds = 0;
        const auto [end, fault] = std::from_chars(text.data() + 1, text.data() + text.size(), seconds);
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
std::optional<simulate::NoiseSource> load_of(const Pattern& pattern, char letter, simulate::NoiseOn on) {
    const auto found = pattern.seconds.find(letter);
    if (found == pattern.seconds.end()) {
        return std::nullopt;
    }
    return simulate::NoiseSource{
        .on = on, .mean = 1, .burst = found->second * 1_s, .silence = (pattern.cycle - found->second) * 1_s};
}

std::vector<simulate::NoiseSource> sources_of(const std::string& given) {
    using simulate::NoiseOn;
    if (const auto pattern = pattern_of(given)) {
        std::vector<simulate::NoiseSource> sources;
        for (const auto& [letter, on] : {std::pair{'M', NoiseOn::host}, std::pair{'N', NoiseOn::network},
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
    return files::read_noise(files::load_document(given, given, files::command_line())).sources;
}

/// Samples are pictures of photographs' sizes, in three colours.
bool reads_images(const graph::Graph& graph) {
    constexpr double kSmallest = 128;
    const graph::Tensor& sample = graph.layers.front().nest.result;
    const auto is = [&](const char* dimension, auto holds) {
        const auto found = sample.find(dimension);
        return found && holds(static_cast<double>(sample.dimensions[*found].extent));
    };
    const auto large = [](double extent) { return extent >= kSmallest; };
    return is("channel", [](double extent) { return extent == 3; }) && is("height", large) && is("width", large);
}

}  // namespace

std::vector<Option> noise_options() {
    return {{"--noise", "FILE|{...}|PATTERN",
             "play many steps with noise, from a file (docs/files.md), as one source:\n"
             "'{on: compute, deviation: 0.1}', or a pattern of loads with seconds:\n"
             "M2S2 (M memory, N network, I files, C cores of the host, S silence)",
             "Noise", kRepeats},
            {"--steps", "K", "steps with noise; 100 without it", "Noise"},
            {"--seed", "N", "of the draws; 1 without it", "Noise"},
            {"--study", "", "bursts of load on one resource at a time: which hurts, and how many cores can be lent",
             "Noise"},
            {"--host-cores", "N", "of a node, for --study", "Noise"}};
}

std::optional<play::NoiseSettings> read_noise(Arguments& arguments) {
    const std::optional<std::int64_t> steps = arguments.count("--steps", kMaxSteps);
    const std::optional<std::int64_t> seed = arguments.count("--seed");
    if (!arguments.has("--noise")) {
        for (const char* option : {"--steps", "--seed"}) {
            const bool of_study = std::string(option) == "--seed" && arguments.has("--study");
            if (arguments.has(option) && !of_study) {
                arguments.fault(option, "it is of steps with noise", "add --noise '{on: compute, deviation: 0.1}'");
            }
        }
        return std::nullopt;
    }
    play::NoiseSettings settings{
        .steps = steps.value_or(100), .seed = static_cast<std::uint64_t>(seed.value_or(1)), .workers = 0};
    for (const std::string& given : arguments.all("--noise")) {
        for (simulate::NoiseSource& source : sources_of(given)) {
            settings.sources.push_back(std::move(source));
        }
    }
    return settings;
}

void add_processor_loads(Arguments& arguments, const cluster::Device& device, play::NoiseSettings& settings) {
    for (const std::string& given : arguments.all("--noise")) {
        const auto pattern = pattern_of(given);
        for (const char letter : {'M', 'C'}) {
            if (auto load = pattern && threads::is_cpu(device) ? load_of(*pattern, letter, simulate::NoiseOn::compute)
                                                               : std::nullopt) {
                settings.sources.push_back(std::move(*load));
            }
        }
    }
}

std::optional<StudySettings> read_study(Arguments& arguments) {
    const std::optional<std::int64_t> cores = arguments.count("--host-cores");
    const std::optional<std::int64_t> seed = arguments.count("--seed");
    if (!arguments.has("--study")) {
        if (cores) {
            arguments.fault("--host-cores", "it is of --study", "add --study");
        }
        return std::nullopt;
    }
    return StudySettings{.noise = {.seed = static_cast<std::uint64_t>(seed.value_or(1)), .workers = 0}, .cores = cores};
}

play::NoiseStudy play_study(const play::SimulatedStep& step, const Workload& workload, StudySettings settings) {
    listen_for_interrupt();
    settings.noise.go_on = [] { return !interrupted(); };
    const play::NoiseStudy study =
        play::noise_study(step, workload.cluster, settings.noise, {settings.cores, reads_images(workload.graph)});
    if (interrupted()) {
        note("stopped; the loads that were played in full are reported");
    }
    return study;
}

play::NoisySteps play_noise(const play::SimulatedStep& step, const cluster::Cluster& cluster,
                            play::NoiseSettings settings) {
    listen_for_interrupt();
    ProgressLine line("steps with noise");
    std::int64_t begun = 0;
    settings.go_on = [&] {
        line.show(begun, std::max(settings.steps, begun));
        ++begun;
        return !interrupted();
    };
    play::NoisySteps noisy = play::noisy_steps(step, cluster, settings);
    noisy.settings.go_on = nullptr;
    line.clear();
    if (interrupted()) {
        note("stopped; the steps that were finished are reported");
    }
    return noisy;
}

}  // namespace dodona::cli
