#include <array>

#include <fmt/format.h>

#include "questions/described.hpp"
#include "questions/simulate/simulate.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::simulate {

namespace {

using namespace reports;

using play::SimulatedStep;
using play::StepPart;
using play::Work;

struct NamedPart {
    const char* label;
    StepPart play::StepParts::*part;
};
constexpr std::array kParts{NamedPart{"passes and bubble", &play::StepParts::passes},
                            NamedPart{"pipeline send/recv", &play::StepParts::transfers},
                            NamedPart{"exchange and update of weights", &play::StepParts::tail}};

Table part_table(const SimulatedStep& step) {
    Table table(
        {{"part"}, {"closed form", Align::right}, {"played", Align::right}, {"difference of step", Align::right}});
    const auto row = [&](const char* label, const StepPart& part) {
        if (part.closed_form != Seconds{} || part.played != Seconds{}) {
            table.row({label, part.closed_form, part.played,
                       Percent{.ratio = difference(part, step.prediction.step.value), .sign = true}});
        }
    };
    for (const NamedPart& named : kParts) {
        row(named.label, step.parts.*named.part);
    }
    row("input and fixed time", {step.costs.outside, step.costs.outside});
    return table;
}

/// Stages with equal layers that work equally long, but for rounding errors.
bool work_equally(const SimulatedStep& step, std::size_t a, std::size_t b) {
    const Seconds difference = step.stages[a].busy() - step.stages[b].busy();
    return step.prediction.stages[a].layers == step.prediction.stages[b].layers &&
           max(difference, -1.0 * difference) < 1e-9 * step.time();
}

/// The largest peak of the stages.
Bytes most_memory(const SimulatedStep& step, std::size_t first, std::size_t last) {
    Bytes most;
    for (std::size_t s = first; s <= last; ++s) {
        most = max(most, step.memory[s].process);
    }
    return most;
}

Table stage_use_table(const SimulatedStep& step) {
    Table table({{"stage", Align::right},
                 {"layers"},
                 {"passes", Align::right},
                 {step.costs.transfers_overlap ? "send/recv beside" : "send/recv", Align::right},
                 {"update", Align::right},
                 {"idle", Align::right},
                 {"busy", Align::right},
                 {"memory", Align::right}});
    for (std::size_t first = 0; first < step.stages.size();) {
        const play::StageUse& stage = step.stages[first];
        std::size_t last = first;
        while (last + 1 < step.stages.size() && work_equally(step, first, last + 1)) {
            ++last;
        }
        const auto time = [&](Work work) { return stage.time_of[static_cast<std::size_t>(work)]; };
        const Seconds passes = time(Work::forward) + time(Work::recompute) + time(Work::backward) + time(Work::weights);
        const Seconds transfers = time(Work::pipeline);
        table.row({first == last ? std::to_string(first + 1) : fmt::format("{}-{}", first + 1, last + 1),
                   step.prediction.stages[first].layers, passes, transfers + stage.hidden_transfers,
                   stage.busy() - passes - transfers, stage.idle, Percent{utilisation(step, stage)},
                   most_memory(step, first, last)});
        first = last + 1;
    }
    return table;
}

/// Memory that PyTorch's allocator would reserve for what the fullest stage allocates.
Table allocator_table(const play::PlayedAllocator& allocator, std::size_t stages) {
    const std::string of_stage = stages == 1 ? "" : fmt::format(", stage {}", allocator.stage + 1);
    Table table({{"segments" + of_stage},
                 {"in tensors", Align::right},
                 {"reserved", Align::right},
                 {"unused", Align::right},
                 {"fits", Align::right}});
    const auto row = [&](const char* segments, const play::AllocatorUse& use) {
        table.row({segments, use.allocated, use.reserved, use.reserved - use.allocated, use.fits ? "yes" : "no"});
    };
    row("of fixed size", allocator.fixed);
    row("expandable_segments:True", allocator.expandable);
    return table;
}

Table link_table(const play::NetworkFlows& network) {
    Table table({{"busiest links"}, {"moved", Align::right}, {"of bandwidth", Align::right}});
    for (const play::LinkUse& link : network.busiest) {
        table.row({fmt::format("{} to {}", link.from, link.to), link.moved, Percent{link.utilisation}});
    }
    return table;
}

/// Costs of the jobs on a network to each other.
Table job_table(const play::NetworkFlows& network, const std::string& model) {
    Table table({{"job"},
                 {"GPUs", Align::right},
                 {"step alone", Align::right},
                 {"beside the others", Align::right},
                 {"longer", Align::right}});
    for (const play::JobTime& job : network.jobs) {
        table.row({job.name.empty() ? model : job.name, whole(job.ranks), job.alone, job.together,
                   Percent{.ratio = job.together / job.alone - 1, .sign = true}});
    }
    return table;
}

Table path_table(const SimulatedStep& step) {
    Table table({{"critical path"}, {"time", Align::right}, {"of step", Align::right}});
    for (const Work work : play::kWork) {
        if (const Seconds time = on_critical_path(step, work); time > Seconds{}) {
            table.row({std::string(play::kWorkTable[static_cast<std::size_t>(work)].meaning), time,
                       Percent{time / step.first_time()}});
        }
    }
    return table;
}

/// Transfers that share links, and those that do not.
std::string network_text(const SimulatedStep& step) {
    if (!step.network) {
        return "";
    }
    if (step.network->ranks == 1) {
        return "no flows: there is one rank";
    }
    const std::size_t jobs = step.network->jobs.size();
    std::string text = fmt::format(
        "{} flows between {} ranks{}: sends between stages and what shows of the exchanges of gradients and weights; "
        "passes take the time of their tables",
        whole(static_cast<std::int64_t>(step.network->flows)), whole(step.network->ranks),
        jobs > 1 ? fmt::format(" of {} jobs, whose nodes take turns", jobs) : "");
    for (const std::string& exchange : step.network->tabulated) {
        text += fmt::format("; so does {}, whose algorithm is not played", exchange);
    }
    for (const auto& [part, factor] : step.network->degraded) {
        text += factor > 0 ? fmt::format("; {} has {:.4g} of its bandwidth", part, factor)
                           : fmt::format("; {} is dead", part);
    }
    return text;
}

std::string folded_text(const SimulatedStep& step) {
    const auto ranks = step.ranks_per_stage();
    return fmt::format(
        "{} tasks, {}", whole(static_cast<std::int64_t>(step.steps.tasks.size())),
        ranks == 1 ? "those of every rank"
        : step.network
            ? "those of the replica that finishes last, in which ranks of a stage run in step"
            : fmt::format("those of one rank of each stage, which stands for {} that do the same at the same time",
                          whole(ranks)));
}

std::string other_order_text(const SimulatedStep& step) {
    if (!step.other_order) {
        return "";
    }
    const std::string planned(plan::name(step.prediction.plan.schedule));
    return fmt::format("played in the order of {}, in which a stage holds activations of up to {} passes ({} with {})",
                       *step.other_order, step.in_flight, step.in_flight_of_plan, planned);
}

std::string steady_text(const SimulatedStep& step) {
    if (!step.steady) {
        return "";
    }
    return fmt::format(
        "{} does not flush: shown is a first step, from an empty pipeline, which takes {}; those after it add {} each",
        plan::name(step.prediction.plan.schedule), text(step.first_time()), text(step.time()));
}

KeyFigure memory_figure(const SimulatedStep& step) {
    const std::size_t fullest = step.fullest_stage();
    const play::MemoryUse& use = step.memory[fullest];
    const Bytes limit = step.costs.memory[fullest].limit;
    return {.label = "memory",
            .value = use.process,
            .note = fmt::format("of {} at the peak of {}, {} into the passes", text(limit),
                                step.memory.size() == 1 ? "the device" : fmt::format("stage {}", fullest + 1),
                                text(use.at)),
            .tone = use.process > limit ? Tone::bad : Tone::plain};
}

std::vector<KeyFigure> simulation_figures(const SimulatedStep& step) {
    std::vector<KeyFigure> figures{
        {.label = "step, played", .value = step.time()},
        {.label = "closed form", .value = step.prediction.step.value},
        {.label = "difference", .value = Percent{.ratio = difference(step), .sign = true}},
        {.label = "idle", .value = Percent{step.idle_share()}, .note = "of the time of all stages: bubble and waiting"},
        memory_figure(step)};
    if (step.prediction.why_not) {
        figures.push_back({.label = "fits", .value = "no: " + text(*step.prediction.why_not), .tone = Tone::bad});
    }
    return figures;
}

}  // namespace

Document document(const Answer& answer) {
    const auto& [subject, step, noisy, study, lengths] = answer;
    Document document = answer_document(answer);
    set_asked(document, subject.model, subject.machine, step.prediction.plan.devices());
    const plan::Plan& plan = step.prediction.plan;
    add(document, Headline{fmt::format("{} on {} GPUs of {}{}", subject.model, whole(plan.devices()), subject.machine,
                                       with_framework(plan))});
    add(document, Paragraph{plan_text(step.prediction)});
    add(document, Paragraph{other_order_text(step)});
    add(document, Paragraph{steady_text(step)});
    add(document, Paragraph{network_text(step)});
    add(document, KeyFigures{simulation_figures(step)});
    add_section(document, {"Where they differ"}, {part_table(step)});
    add_section(document, {"Stages"}, {stage_use_table(step)});
    if (step.allocator) {
        add_section(document, {"PyTorch's allocator, played"}, {allocator_table(*step.allocator, step.stages.size())});
    }
    if (step.network && !step.network->busiest.empty()) {
        add_section(document, {"Network"}, {link_table(*step.network)});
    }
    if (step.network && !step.network->jobs.empty()) {
        add_section(document, {"Jobs"}, {job_table(*step.network, subject.model)});
    }
    add_section(document, {"Critical path"}, {path_table(step)});
    add(document, Note{folded_text(step)});
    if (noisy) {
        add_noise(document, *noisy, step.prediction.plan.framework[plan::FrameworkParameter::stragglers]);
    }
    if (study) {
        add_study(document, *study);
    }
    if (lengths) {
        add_played_lengths(document, lengths->lengths, lengths->steps);
    }
    return document;
}

}  // namespace dodona::questions::simulate
