#include "reports/collect/tables_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

Table tier_table(const tables::StepPrediction& answer) {
    Table table({{"tier"},
                 {"of each GPU", Align::right},
                 {"rows at", Align::right},
                 {"held", Align::right},
                 {"parts", Align::right},
                 {"look-up time", Align::right}});
    for (std::size_t tier = 0; tier < answer.question.tiers.size(); ++tier) {
        const tables::Tier& one = answer.question.tiers[tier];
        std::size_t parts = 0;
        Bytes held;
        Seconds time;
        for (const tables::Placed& placed : answer.placement.shards) {
            parts += placed.tier == tier ? 1 : 0;
            held += placed.tier == tier ? placed.bytes : Bytes{};
            time += placed.tier == tier ? placed.time : Seconds{};
        }
        table.row({one.name, one.room, one.rate, held, Count{parts}, time});
    }
    return table;
}

namespace {

/// What a step of either waits for beside its tables, layers and reductions.
Seconds software_time(const step::Prediction* best) {
    using step::TimePart;
    Seconds sum;
    for (const TimePart part : {TimePart::optimizer, TimePart::input, TimePart::host, TimePart::overhead}) {
        sum += best != nullptr ? best->time[part] : Seconds{};
    }
    return sum;
}

std::string placed_text(const tables::StepPrediction& placed, const step::Prediction* best) {
    std::string parts;
    for (const tables::Part part : tables::kParts) {
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name(part), text(placed.time(part)));
    }
    if (best == nullptr) {
        return fmt::format(
            "{} of kernels and transfers a step ({}), without software and optimizer; no plan that splits all tables "
            "alike fits, so take this "
            "placement",
            text(placed.step()), parts);
    }
    const Seconds step = placed.step() + software_time(best);
    const double ratio = step / best->step.value - 1;
    return fmt::format(
        "{} a step: {} of kernels and transfers ({}), and {} of optimizer, input, host and software as in the best "
        "plan; {}: take the {}",
        text(step), text(placed.step()), parts, text(software_time(best)),
        fmt::format("{} {} than that plan", percent(std::abs(ratio)), ratio < 0 ? "less" : "more"),
        ratio < 0 ? "placement" : "plan");
}

}  // namespace

Seconds PlacedTables::step(const step::Prediction* best) const { return placed.step() + software_time(best); }

void add_placed_tables(Document& document, const Subject& subject, const PlacedTables& tables,
                       const step::Prediction* best) {
    const tables::StepPrediction& placed = tables.placed;
    if (!tables.fit()) {
        add_section(document, {"Tables placed one by one"},
                    {List{{fmt::format("they take {} with optimizer states, and the memories of {} do not hold that",
                                       text(placed.held), counted(tables.devices, "GPU"))}}});
        return;
    }
    if (best == nullptr) {
        document.blocks.front() = Headline{
            fmt::format("{} on {} of {}: {} of kernels and transfers a step with tables placed one by one; no other "
                        "plan fits",
                        subject.model, counted(tables.devices, "GPU"), subject.machine, text(placed.step()))};
    }
    add_section(
        document, {"Tables placed one by one"},
        {List{{placed_text(placed, best)}}, tier_table(placed),
         Note{fmt::format("whole or split, over all memories: `dodona tables {} --machine {} --gpus {} --batch {}` "
                          "lists where each is",
                          subject.model, subject.machine, tables.devices, tables.batch)}});
}

}  // namespace dodona::reports
