// The step of one plan as it was simulated and in closed form. Equations: play/simulated_step.hpp, play/noisy_steps.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/enumeration.hpp"
#include "play/flow_step.hpp"
#include "play/noise_study.hpp"
#include "play/noisy_steps.hpp"
#include "play/simulated_step.hpp"
#include "questions/lengths.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions::simulate {

enum class NetworkKind { tabulated, flows };
inline constexpr std::array kNetworkKindTable{
    Enumerator(NetworkKind::tabulated, "tabulated", "each transfer takes the time of its table"),
    Enumerator(NetworkKind::flows, "flows", "transfers share the links of the machine")};
constexpr const auto& enumerators(NetworkKind /*type*/) { return kNetworkKindTable; }

/// As typed, in addition to the plan.
struct Options {
    LengthOptions lengths;
    std::string order;  ///< a schedule or a file of tasks; empty: the plan's
    NetworkKind network = NetworkKind::tabulated;
    std::vector<std::string> degrade;  ///< "node0/link1=0.5"
    std::vector<std::string> kill;     ///< parts of the network
    std::optional<std::int64_t> jobs;  ///< like this one, itself included
    std::vector<std::string> beside;   ///< other jobs, MODEL=PLAN
    std::vector<std::string> noise;    ///< files, sources or patterns of loads
    std::optional<std::int64_t> steps;
    std::optional<std::int64_t> seed;
    bool study = false;
    std::optional<std::int64_t> host_cores;
};

/// Faults of the options alone, before the plan is known.
Faults contradictions(const Options& options);

struct Question {
    OnePlan one;
    Options options;
    std::optional<play::OtherOrder> order = {};  ///< none: the plan's own
    play::NetworkConditions network = {};        ///< with flows
};

/// Faults: an order that is neither a schedule nor a file.
Asked<Question> question(OnePlan one, const Options& options);

/// Sources of noise as --noise names them, on this device.
std::vector<dodona::simulate::NoiseSource> noise_sources(const std::vector<std::string>& given,
                                                         const cluster::Device& device);
/// None without --noise.
std::optional<play::NoiseSettings> noise_settings(const Options& options, const cluster::Device& device);

/// Steps whose micro-batches were drawn.
struct DrawnLengths {
    reports::LengthsAnswer lengths;
    play::NoisySteps steps;
};

struct Answer {
    reports::Subject subject;
    play::SimulatedStep step;
    std::optional<play::NoisySteps> noisy;     ///< its steps with noise; none: without
    std::optional<play::NoiseStudy> study;     ///< loads on its nodes; none: not asked for
    std::optional<DrawnLengths> lengths = {};  ///< none: all samples of one length
};

/// Steps begun of those that are drawn; false stops, and the answer has what is finished.
using Progress = std::function<bool(std::int64_t begun, std::int64_t all)>;
Answer ask(const Question& question, const Progress& progress);

/// A difference of the step, or of a part of it, as a share of the closed form; rounding errors are none.
double difference(const play::StepPart& part, Seconds step);
double difference(const play::SimulatedStep& step);

/// The share of the step in which a stage works.
double utilisation(const play::SimulatedStep& step, const play::StageUse& stage);

Seconds on_critical_path(const play::SimulatedStep& step, play::Work work);

/// The share by which a step is longer; rounding errors are none.
double longer(Seconds step, Seconds without);

reports::Document document(const Answer& answer);

/// Sections of steps with noise; `stragglers`: what the framework adds to a step for them, which the noise comes on top of.
void add_noise(reports::Document& document, const play::NoisySteps& noisy, double stragglers);
void add_study(reports::Document& document, const play::NoiseStudy& study);

}  // namespace dodona::questions::simulate
