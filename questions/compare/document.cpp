#include <set>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "questions/compare/compare.hpp"
#include "questions/described.hpp"
#include "reports/collect/difference.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::compare {

namespace {

using namespace reports;

/// Tokens a second, or samples where there are none: models do different work in a step.
double throughput(const step::Prediction& prediction) {
    return prediction.tokens_per_second.value_or(prediction.samples_per_second);
}

std::string unit(const step::Prediction& prediction) { return prediction.tokens_per_second ? "tokens" : "samples"; }

}  // namespace

const Compared* fastest(const Answer& answer) {
    const Compared* best = nullptr;
    for (const Compared& one : answer.all) {
        const bool fits = one.plan && one.plan->fits;
        if (fits && (best == nullptr || throughput(*one.plan) > throughput(*best->plan))) {
            best = &one;
        }
    }
    return best;
}

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

namespace {

std::string headline(const Answer& answer) {
    const Compared* const best = fastest(answer);
    return best == nullptr ? fmt::format("{}: none of these {} fits", answer.on, name_of(answer.of))
                           : fmt::format("{}: {} is the fastest of {} {}", answer.on, best->name, answer.all.size(),
                                         name_of(answer.of));
}

Table answer_table(const Answer& answer) {
    const bool all_fit = all_of(answer.all, [](const auto& one) { return one.plan && one.plan->fits; });
    std::set<std::string> units;
    for (const Compared& one : answer.all) {
        if (one.plan) {
            units.insert(unit(*one.plan));
        }
    }
    const bool same_unit = units.size() == 1;
    std::vector<Column> columns{{std::string(name_of(answer.of))},
                                {"strategy, mesh"},
                                {"micro-batch x steps, schedule"},
                                {"step", Align::right},
                                {same_unit ? *units.begin() + "/s" : "throughput", Align::right},
                                {"MFU", Align::right},
                                {"memory", Align::right}};
    if (!all_fit) {
        columns.push_back({"fits"});
    }
    Table table(std::move(columns));
    const Compared* const best = fastest(answer);
    for (const Compared& one : answer.all) {
        std::vector<Cell> cells{marked(one.name, &one == best ? Mark::answer : Mark::none)};
        if (one.plan) {
            const step::Prediction& plan = *one.plan;
            const double rate = throughput(plan);
            cells.insert(cells.end(), {strategy_and_mesh(plan.plan), microbatch_text(plan), plan.step,
                                       same_unit ? Cell(Number{rate}) : Cell(Rate{rate, unit(plan)}), Percent{plan.mfu},
                                       plan.memory.total()});
        } else {
            cells.insert(cells.end(), {"", "", Cell(), Cell(), Cell(), Cell()});
        }
        if (!all_fit) {
            cells.emplace_back(!one.plan ? "no plan fits" : one.plan->fits ? "yes" : "no");
        }
        table.row(std::move(cells));
    }
    return table;
}

/// Rows are parts, columns those that have a plan.
template <class Amount>
Table part_table(const Answer& answer, const std::string& title, std::size_t parts, Amount amount) {
    std::vector<Column> columns{{title}};
    std::vector<const step::Prediction*> plans;
    for (const Compared& one : answer.all) {
        if (one.plan) {
            columns.push_back({one.name, Align::right});
            plans.push_back(&*one.plan);
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

constexpr double kMatters = 0.01;  ///< share of the whole below which a part of all plans is left out

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

List difference_items(const Answer& answer) {
    List list;
    const Compared* const best = fastest(answer);
    for (const Compared& one : answer.all) {
        if (!one.plan) {
            list.items.push_back(fmt::format("{}: no plan fits: {}", one.name, stops(one.answer)));
            continue;
        }
        const step::Prediction& plan = *one.plan;
        if (best == nullptr || &one == best) {
            continue;
        }
        const step::Prediction& first = *best->plan;
        std::string line =
            fmt::format("{}, against {}: a step takes {}", one.name, best->name, how_much_longer(first, plan));
        if (one.model != best->model) {
            line = fmt::format("{}, against {}: {} times the time for the same number of tokens or samples", one.name,
                               best->name, three_digits(throughput(first) / throughput(plan)));
        }
        if (intervals_overlap(first, plan) && one.model == best->model) {
            line += "; predictions may be off by more, so measure both";
        }
        list.items.push_back(line);
    }
    return list;
}

/// A note that some machines were measured and others not.
std::string evidence_note(const Answer& answer) {
    auto unmeasured = mapped_where<std::string>(answer.all, &Compared::from_data_sheet, &Compared::name);
    return unmeasured.empty() || unmeasured.size() == answer.all.size()
               ? ""
               : fmt::format(
                     "Different evidence: kernels of {} were not measured, so that its figures are those of a "
                     "data sheet; compare intervals",
                     join(unmeasured, " and "));
}

}  // namespace

Document document(const Answer& answer) {
    Document document = answer_document(answer);
    add(document, Headline{headline(answer)});
    add(document, answer_table(answer));
    add_section(document, {"What makes the difference"}, {difference_items(answer), Note{evidence_note(answer)}});
    add_section(document, {"Time of a step"}, {part_table(answer, "part", step::kTimeParts, TimeOfPart{})});
    add_section(document, {"Memory of a GPU"}, {part_table(answer, "part", step::kMemoryParts, MemoryOfPart{})});
    return document;
}

}  // namespace dodona::questions::compare
