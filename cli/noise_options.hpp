// --noise, --steps, --seed, --study, --host-cores of `simulate`.
#pragma once

#include <optional>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "play/noise_study.hpp"
#include "play/noisy_steps.hpp"

namespace dodona::cli {

std::vector<Option> noise_options();

/// None without --noise.
std::optional<play::NoiseSettings> read_noise(Arguments& arguments);

/// Loads of patterns such as M2S2 on memory and cores are on what devices compute, too, where processors are the devices.
void add_processor_loads(Arguments& arguments, const cluster::Device& device, play::NoiseSettings& settings);

/// Loads beside the job, as --study asks for them.
struct StudySettings {
    play::NoiseSettings noise;
    std::optional<std::int64_t> cores;
};
/// None without --study.
std::optional<StudySettings> read_study(Arguments& arguments);
play::NoiseStudy play_study(const play::SimulatedStep& step, const Workload& workload, StudySettings settings);

/// Plays the steps, with a progress line; Ctrl-C keeps those that are finished.
play::NoisySteps play_noise(const play::SimulatedStep& step, const cluster::Cluster& cluster,
                            play::NoiseSettings settings);

}  // namespace dodona::cli
