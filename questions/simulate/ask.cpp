#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "files/document.hpp"
#include "files/text.hpp"
#include "play/played_allocator.hpp"
#include "questions/simulate/simulate.hpp"
#include "questions/software.hpp"
#include "schedule/order_csv.hpp"
#include "schedule/schedule.hpp"

namespace dodona::questions::simulate {

namespace {

std::string playable() {
    auto names = mapped_where<std::string>(
        schedule::schedules(), [](const schedule::Schedule& schedule) { return !play::why_not_played(schedule); },
        &schedule::Schedule::name);
    return join(names);
}

/// A name and its value, on both sides of an equals sign.
struct NamedValue {
    std::string name;
    std::string value;
};

/// None where one of both is empty.
std::optional<NamedValue> named_value(const std::string& typed, std::size_t equals) {
    if (equals == std::string::npos || equals == 0 || equals + 1 == typed.size()) {
        return std::nullopt;
    }
    return NamedValue{typed.substr(0, equals), typed.substr(equals + 1)};
}

/// "node0/link1=0.5"; none: it is no such thing.
std::optional<play::DegradedPart> degraded_part(const std::string& typed) {
    const auto named = named_value(typed, typed.rfind('='));
    if (!named) {
        return std::nullopt;
    }
    double factor = 0;
    const char* const end = named->value.data() + named->value.size();
    const auto read = decimal_at(named->value.data(), end, factor);
    const bool is_share = read.ec == std::errc() && read.ptr == end && factor > 0 && factor <= 1;
    return is_share ? std::optional(play::DegradedPart{named->name, factor}) : std::nullopt;
}

/// "gpt2=gpt2.yaml".
std::optional<NamedValue> other_job(const std::string& typed) { return named_value(typed, typed.find('=')); }

play::NetworkConditions conditions_of(const Options& options, const OnePlan& one) {
    play::NetworkConditions conditions;
    append(conditions.degraded, options.degrade, [](const std::string& typed) { return *degraded_part(typed); });
    for (const std::string& part : options.kill) {
        conditions.degraded.emplace_back(part, 0);
    }
    const auto& [workload, ignored] = one;
    for (const std::string& typed : options.beside) {
        const NamedValue job = *other_job(typed);
        const graph::Graph graph = graph::build(workload.files.model(job.name));
        plan::Plan plan = workload.files.plan(job.value, {});
        plan.memory = memory_of(plan.framework, workload.files);
        conditions.beside.push_back({.name = job.name,
                                     .step = play::simulate_step(graph, workload.cluster, plan),
                                     .communication = play::step_communication(graph, workload.cluster, plan)});
    }
    return conditions;
}

/// Its transfers as flows, beside the other jobs.
void play_as_flows(const Question& question, play::SimulatedStep& step) {
    const auto& [workload, plan] = question.one;
    const std::int64_t jobs = question.options.jobs.value_or(1);
    const play::StepCommunication communication = play::step_communication(workload.graph, workload.cluster, plan);
    const std::int64_t most = workload.cluster.devices() / communication.ranks;
    if (jobs > most) {
        fail({},
             fmt::format("{} jobs of {} ranks are more than the {} devices of {}", jobs, communication.ranks,
                         workload.cluster.devices(), workload.cluster.name),
             fmt::format("at most {} jobs", most));
    }
    play::NetworkConditions conditions = question.network;
    conditions.beside.insert(conditions.beside.begin(), static_cast<std::size_t>(jobs - 1),
                             {.name = workload.subject.model, .step = step, .communication = communication});
    play::play_flows(step, communication, workload.cluster, conditions);
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

play::NoisySteps noisy_steps(const play::SimulatedStep& step, const cluster::Cluster& cluster,
                             play::NoiseSettings settings, const Progress& progress) {
    std::int64_t begun = 0;
    settings.go_on = [&] {
        const bool goes_on = progress(begun, std::max(settings.steps, begun));
        ++begun;
        return goes_on;
    };
    play::NoisySteps noisy = play::noisy_steps(step, cluster, settings);
    noisy.settings.go_on = nullptr;
    return noisy;
}

play::NoiseStudy study_of(const Question& question, const play::SimulatedStep& step,
                          const std::function<bool()>& go_on) {
    const auto& [workload, plan] = question.one;
    const Options& options = question.options;
    return play::noise_study(
        step, workload.cluster,
        {.seed = static_cast<std::uint64_t>(options.seed.value_or(1)), .workers = 0, .go_on = go_on},
        {options.host_cores, reads_images(workload.graph)});
}

/// Steps whose micro-batches are drawn.
DrawnLengths drawn_lengths(const Question& question, const play::SimulatedStep& step, const Progress& progress) {
    const Workload& workload = question.one.workload;
    reports::LengthsAnswer answer = LengthAnswers(question.options.lengths, workload).of(step.prediction.plan);
    play::NoiseSettings drawn{.workers = 0};
    drawn.work = LengthAnswers::work(answer, drawn.seed);
    play::NoisySteps steps = noisy_steps(step, workload.cluster, std::move(drawn), progress);
    return {std::move(answer), std::move(steps)};
}

void add_if(Faults& faults, bool given, const char* option, const std::string& message, const std::string& help) {
    if (given) {
        faults.push_back({option, message, help});
    }
}

}  // namespace

Faults contradictions(const Options& options) {
    Faults faults;
    for (const std::string& typed : options.degrade) {
        add_if(faults, !degraded_part(typed), "degrade",
               fmt::format("\"{}\" is not PART=FACTOR with a factor from above 0 to 1", typed),
               "for example node0/link1=0.5; --kill for links that are dead");
    }
    for (const std::string& typed : options.beside) {
        add_if(faults, !other_job(typed), "beside", fmt::format("\"{}\" is not MODEL=PLAN", typed),
               "for example gpt2=plan.yaml, where `dodona plan gpt2 ... --save plan.yaml` wrote the plan");
    }
    if (options.network == NetworkKind::tabulated) {
        for (const auto& [option, given] :
             {std::pair{"degrade", !options.degrade.empty()}, std::pair{"kill", !options.kill.empty()},
              std::pair{"jobs", options.jobs.has_value()}, std::pair{"beside", !options.beside.empty()}}) {
            add_if(faults, given, option, "tabulated transfers have no links", "--network flows");
        }
    }
    if (options.noise.empty()) {
        const std::string why = "it is of steps with noise";
        const std::string help = "add --noise '{on: compute, deviation: 0.1}'";
        add_if(faults, options.steps.has_value(), "steps", why, help);
        add_if(faults, options.seed && !options.study, "seed", why, help);
    }
    add_if(faults, options.host_cores && !options.study, "host_cores", "it is of --study", "add --study");
    const bool has_lengths = !options.lengths.file.empty();
    for (const auto& [option, given] : {std::pair{"noise", !options.noise.empty()}, std::pair{"study", options.study},
                                        std::pair{"network", options.network == NetworkKind::flows}}) {
        add_if(faults, has_lengths && given, option, "steps with samples of different lengths are played without it",
               "one of both");
    }
    const Faults of_lengths = questions::contradictions(options.lengths);
    faults.insert(faults.end(), of_lengths.begin(), of_lengths.end());
    return faults;
}

Asked<Question> question(OnePlan one, const Options& options) {
    std::optional<play::OtherOrder> order;
    const std::string& given = options.order;
    if (files::is_path(given) || given.ends_with(".csv")) {
        const std::string text = files::load_bytes(given, given, files::command_line());
        order = play::OtherOrder{given,
                                 [text, given](const schedule::Shape&) { return schedule::read_order(text, given); }};
    } else if (!given.empty()) {
        const schedule::Schedule* const found = schedule::find_schedule(given);
        if (found == nullptr) {
            return Faults{
                {"order", fmt::format("there is no schedule \"{}\"", given), "a file, or one of " + playable()}};
        }
        order = play::other_order(*found);
    }
    play::NetworkConditions network = conditions_of(options, one);
    return Question{std::move(one), options, std::move(order), std::move(network)};
}

Answer ask(const Question& question, const Progress& progress) {
    const auto& [workload, plan] = question.one;
    const Options& options = question.options;
    Answer answer{.subject = workload.subject,
                  .step = play::simulate_step(workload.graph, workload.cluster, plan, question.order),
                  .noisy = {},
                  .study = {}};
    if (options.network == NetworkKind::flows) {
        play_as_flows(question, answer.step);
    }
    if (!question.order) {
        answer.step.allocator =
            play::play_allocator(workload.graph, workload.cluster, plan, answer.step.fullest_stage());
    }
    const auto goes_on = [&] { return progress(0, 1); };
    if (auto noise = noise_settings(options, workload.cluster.device)) {
        answer.noisy = noisy_steps(answer.step, workload.cluster, std::move(*noise), progress);
    }
    if (options.study && goes_on()) {
        answer.study = study_of(question, answer.step, goes_on);
    }
    if (!options.lengths.file.empty() && goes_on()) {
        answer.lengths = drawn_lengths(question, answer.step, progress);
    }
    return answer;
}

}  // namespace dodona::questions::simulate
