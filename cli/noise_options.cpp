#include "cli/noise_options.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "files/noise_file.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMostSteps = 1'000'000;

std::vector<simulate::NoiseSource> sources_of(const std::string& given) {
    if (given.starts_with("{")) {
        return {files::read_noise_source(given, "--noise")};
    }
    return files::read_noise(files::load_document(given, given, files::command_line())).sources;
}

}  // namespace

std::vector<Option> noise_options() {
    return {{"--noise", "FILE|{...}",
             "play many steps with noise, from a file (docs/files.md) or as one source:\n"
             "'{on: compute, deviation: 0.1}'",
             "Noise", kRepeats},
            {"--steps", "K", "steps with noise; 100 without it", "Noise"},
            {"--seed", "N", "of the draws; 1 without it", "Noise"},
            {"--study", "", "bursts of load on one resource at a time: which hurts, and how many cores can be lent",
             "Noise"},
            {"--host-cores", "N", "of a node, for --study", "Noise"}};
}

std::optional<play::NoiseSettings> read_noise(Arguments& arguments) {
    const std::optional<std::int64_t> steps = arguments.count("--steps", kMostSteps);
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

play::NoiseStudy play_study(const play::SimulatedStep& step, const cluster::Cluster& cluster, StudySettings settings) {
    listen_for_interrupt();
    settings.noise.go_on = [] { return !interrupted(); };
    const play::NoiseStudy study = play::noise_study(step, cluster, settings.noise, settings.cores);
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
