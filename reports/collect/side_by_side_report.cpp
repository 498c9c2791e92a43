#include "reports/collect/side_by_side_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "reports/collect/difference.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/collect/prediction_record.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

/// What is compared: seconds for a token, or for a sample where there are none; models do different work in a step.
double pace(const step::Prediction& prediction) {
    return prediction.tokens_per_second.value_or(prediction.samples_per_second);
}

/// Of what fits, the one that trains fastest; null where nothing does.
const Compared* fastest(const SideBySide& all) {
    const Compared* best = nullptr;
    for (const Compared& thing : all.things) {
        const bool fits = !thing.plans.empty() && thing.plans.front().fits;
        if (fits && (best == nullptr || pace(thing.plans.front()) > pace(best->plans.front()))) {
            best = &thing;
        }
    }
    return best;
}

std::string headline(const SideBySide& all) {
    const Compared* const best = fastest(all);
    return best == nullptr
               ? fmt::format("{}: none of these {} fits", all.on, all.of)
               : fmt::format("{}: {} is the fastest of {} {}", all.on, best->name, all.things.size(), all.of);
}

Table answer_table(const SideBySide& all) {
    Table table({{all.of},
                 {"strategy, mesh"},
                 {"micro-batch x steps, schedule"},
                 {"step", Align::right},
                 {"throughput", Align::right},
                 {"MFU", Align::right},
                 {"memory", Align::right},
                 {"fits"}});
    const Compared* const best = fastest(all);
    for (const Compared& thing : all.things) {
        const Cell name = marked(thing.name, &thing == best ? Mark::answer : Mark::none);
        if (thing.plans.empty()) {
            table.row({name, "", "", Cell(), Cell(), Cell(), Cell(), "no plan fits"});
            continue;
        }
        const step::Prediction& plan = thing.plans.front();
        const bool tokens = plan.tokens_per_second.has_value();
        table.row({name, strategy_and_mesh(plan.plan), microbatch_text(plan), plan.step,
                   Rate{pace(plan), tokens ? "tokens" : "samples"}, Percent{plan.mfu}, plan.memory.total(),
                   plan.fits ? "yes" : "no"});
    }
    return table;
}

/// Rows are parts, columns the things that have a plan.
template <class Amount>
Table part_table(const SideBySide& all, const std::string& title, std::size_t parts, Amount amount) {
    std::vector<Column> columns{{title}};
    std::vector<const step::Prediction*> plans;
    for (const Compared& thing : all.things) {
        if (!thing.plans.empty()) {
            columns.push_back({thing.name, Align::right});
            plans.push_back(&thing.plans.front());
        }
    }
    Table table(columns);
    for (std::size_t part = 0; part < parts && !plans.empty(); ++part) {
        std::vector<Cell> cells{Cell(amount.label(part, *plans.front()))};
        bool any = false;
        for (const step::Prediction* plan : plans) {
            cells.push_back(amount.cell(part, *plan));
            any = any || amount.matters(part, *plan);
        }
        if (any) {
            table.row(std::move(cells));
        }
    }
    return table;
}

constexpr double kMatters = 0.001;  ///< share of the whole below which a part of all plans is left out

struct TimeOfPart {
    static std::string label(std::size_t part, const step::Prediction& plan) {
        return reports::label(static_cast<step::TimePart>(part), plan.plan);
    }
    static Cell cell(std::size_t part, const step::Prediction& plan) { return plan.time.values[part]; }
    static bool matters(std::size_t part, const step::Prediction& plan) {
        return plan.time.values[part] > kMatters * plan.step.value;
    }
};

struct MemoryOfPart {
    static std::string label(std::size_t part, const step::Prediction& /*plan*/) {
        return std::string(reports::label(static_cast<step::MemoryPart>(part)));
    }
    static Cell cell(std::size_t part, const step::Prediction& plan) { return plan.memory.values[part]; }
    static bool matters(std::size_t part, const step::Prediction& plan) {
        return plan.memory.values[part] > kMatters * plan.memory.total();
    }
};

/// What stops a search, most frequent first; three at most.
std::string stops(const search::Answer& answer) {
    constexpr std::size_t kMax = 3;
    std::vector<std::string> reasons;
    for (const search::Infeasible& group : answer.infeasible) {
        if (reasons.size() < kMax) {
            reasons.push_back(fmt::format("{}: {}", group.strategy, text(group.cause)));
        }
    }
    return join(reasons, "; ");
}

List difference_items(const SideBySide& all) {
    List list;
    const Compared* const best = fastest(all);
    for (const Compared& thing : all.things) {
        if (thing.plans.empty()) {
            list.items.push_back(fmt::format("{}: no plan fits: {}", thing.name, stops(thing.answer)));
            continue;
        }
        const step::Prediction& plan = thing.plans.front();
        if (best == nullptr || &thing == best) {
            continue;
        }
        const step::Prediction& first = best->plans.front();
        std::string line =
            fmt::format("{}, against {}: a step takes {}", thing.name, best->name, how_much_longer(first, plan));
        if (thing.model != best->model) {
            line = fmt::format("{}, against {}: {} times the time for the same number of tokens or samples", thing.name,
                               best->name, three_digits(pace(first) / pace(plan)));
        }
        if (intervals_overlap(first, plan) && thing.model == best->model) {
            line += "; predictions may be off by more, so measure both";
        }
        list.items.push_back(line);
    }
    return list;
}

/// Where some machines were measured and others not.
std::string evidence_note(const SideBySide& all) {
    std::vector<std::string> unmeasured;
    for (const Compared& thing : all.things) {
        if (thing.from_data_sheet) {
            unmeasured.push_back(thing.name);
        }
    }
    return unmeasured.empty() || unmeasured.size() == all.things.size()
               ? ""
               : fmt::format(
                     "Different evidence: kernels of {} were not measured, so that its figures are those of a "
                     "data sheet; compare intervals",
                     join(unmeasured, " and "));
}

Record thing_record(const Compared& thing) {
    return {{"name", thing.name},
            {"model", thing.model},
            {"machine", thing.machine},
            {"plan", thing.plans.empty() ? Record() : plan_record(thing.plans.front(), std::nullopt)},
            {"from_data_sheet", thing.from_data_sheet},
            {"stops", thing.plans.empty() ? Record(stops(thing.answer)) : Record()}};
}

}  // namespace

Document side_by_side_document(const SideBySide& all) {
    Document document;
    std::vector<Record>& rows = document.rows.emplace();
    for (const Compared& thing : all.things) {
        rows.push_back(thing_record(thing));
    }
    const Compared* const best = fastest(all);
    document.record = {{"schema", "dodona/compare/1"},
                       {"of", all.of},
                       {"on", all.on},
                       {"fastest", best == nullptr ? Record() : Record(best->name)},
                       {"things", rows}};
    add(document, Headline{headline(all)});
    add(document, answer_table(all));
    add_section(document, {"What makes the difference"}, {difference_items(all), Note{evidence_note(all)}});
    add_section(document, {"Time of a step"}, {part_table(all, "part", step::kTimeParts, TimeOfPart{})});
    add_section(document, {"Memory of a GPU"}, {part_table(all, "part", step::kMemoryParts, MemoryOfPart{})});
    return document;
}

}  // namespace dodona::reports
