#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/tables/tables.hpp"
#include "reports/collect/tables_report.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::tables {

namespace {

using namespace reports;

constexpr std::size_t kMaxTablesShown = 16;

/// The parts of one table in one tier.
struct TableParts {
    std::size_t parts = 0;
    double row_ways = 1;  ///< the most
    double column_ways = 1;
    Bytes bytes;
    Seconds time;
    std::set<std::int64_t> devices;
};

using PartsOf = std::map<std::pair<std::size_t, std::size_t>, TableParts>;  ///< by table and tier

PartsOf parts_of(const dodona::tables::Placement& placement) {
    PartsOf all;
    for (const dodona::tables::Placed& placed : placement.shards) {
        TableParts& parts = all[{placed.shard.table, placed.tier}];
        ++parts.parts;
        parts.row_ways = std::max(parts.row_ways, placed.shard.row_ways);
        parts.column_ways = std::max(parts.column_ways, placed.shard.column_ways);
        parts.bytes += placed.bytes;
        parts.time += placed.time;
        parts.devices.insert(placed.device);
    }
    return all;
}

std::string split_text(const TableParts& parts) {
    if (parts.row_ways == 1 && parts.column_ways == 1) {
        return "whole";
    }
    const std::string rows = parts.row_ways > 1 ? fmt::format("rows by {}", whole(parts.row_ways)) : "";
    const std::string columns = parts.column_ways > 1 ? fmt::format("columns by {}", whole(parts.column_ways)) : "";
    return columns + (rows.empty() || columns.empty() ? "" : ", ") + rows;
}

std::string devices_text(const std::set<std::int64_t>& devices) {
    return devices.size() == 1 ? fmt::format("{}", *devices.begin() + 1) : fmt::format("{} devices", devices.size());
}

Table placement_table(const dodona::tables::StepPrediction& answer) {
    Table table({{"table"},
                 {"rows", Align::right},
                 {"features", Align::right},
                 {"look-ups", Align::right},
                 {"tier"},
                 {"split"},
                 {"on"},
                 {"memory", Align::right},
                 {"time", Align::right}});
    const PartsOf all = parts_of(answer.placement);
    auto shown = mapped<PartsOf::const_pointer>(all, [](const auto& one) { return &one; });
    stable_sort(shown, [](const auto* a, const auto* b) { return a->second.bytes > b->second.bytes; });
    shown.resize(std::min(shown.size(), kMaxTablesShown));
    for (const auto* one : shown) {
        const auto& [key, parts] = *one;
        const dodona::tables::Table& of = answer.question.tables[key.first];
        table.row({of.name, whole(of.rows), whole(of.features), Number{of.lookups},
                   answer.question.tiers[key.second].name, split_text(parts), devices_text(parts.devices), parts.bytes,
                   parts.time});
    }
    return table;
}

Table part_table(const dodona::tables::StepPrediction& answer) {
    Table table({{"of a step"}, {"time", Align::right}, {"share", Align::right}, {"bound by"}});
    for (const dodona::tables::Part part : dodona::tables::kParts) {
        table.row({std::string(name(part)), answer.time(part), Percent{answer.time(part) / answer.step()},
                   std::string(enumerator_of(part).meaning)});
    }
    return table;
}

std::string balance_note(const dodona::tables::Placement& placement) {
    const std::string bound = fmt::format("(at least {}, however tables are split and placed)", text(placement.bound));
    return placement.best_of_shards ? bound + "; no placement of these parts is shorter" : bound;
}

std::vector<KeyFigure> figures_of_tables(const Answer& asked) {
    const dodona::tables::StepPrediction& answer = asked.prediction;
    const auto batch = static_cast<double>(asked.batch);
    return {{.label = "tables",
             .value = answer.weights,
             .note = fmt::format("in {} ({} bytes, {} parameters); {} with optimizer states",
                                 counted(answer.question.tables.size(), "table"), whole(answer.weights.in(unit::byte)),
                                 large(answer.parameters), text(answer.held))},
            {.label = "look-ups",
             .value = answer.lookups,
             .note = fmt::format("of rows a step, forward ({} bytes), batch {}", whole(answer.lookups.in(unit::byte)),
                                 whole(asked.batch))},
            {.label = "step",
             .value = answer.step(),
             .note = fmt::format("({}), added up; {} at least where software overlaps devices and network",
                                 text(Value(Rate{batch / answer.step().in(unit::second), "samples"})),
                                 text(answer.overlapped()))},
            {.label = "busiest GPU",
             .value = answer.placement.longest,
             .note = fmt::format("of look-ups, {} over the mean {}", signed_percent(answer.placement.imbalance() - 1),
                                 balance_note(answer.placement))}};
}

Table fabric_table(const dodona::tables::StepPrediction& answer,
                   const std::vector<dodona::tables::OtherFabric>& fabrics) {
    Table table({{"GPUs of a node joined by"},
                 {"exchange", Align::right},
                 {"all-reduce", Align::right},
                 {"step", Align::right}});
    const Seconds devices = answer.time(dodona::tables::Part::lookups) + answer.time(dodona::tables::Part::dense);
    for (const dodona::tables::OtherFabric& one : fabrics) {
        table.row({std::string(name(one.kind)), one.exchange, one.all_reduce, devices + one.exchange + one.all_reduce});
    }
    return table;
}

/// The memories that are too small for the tables.
Document nowhere(const Answer& asked) {
    const dodona::tables::StepPrediction& answer = asked.prediction;
    Document document = answer_document(asked);
    document.rows.reset();
    add(document, Headline{fmt::format("{} does not fit on {} of {}", asked.subject.model,
                                       counted(asked.devices, "GPU"), asked.subject.machine)});
    add(document, Paragraph{fmt::format("The tables take {} with optimizer states.", text(answer.held)), Tone::bad});
    Table table({{"tier"}, {"of each GPU", Align::right}, {"of all", Align::right}});
    for (const dodona::tables::Tier& tier : answer.question.tiers) {
        table.row({tier.name, tier.room, static_cast<double>(asked.devices) * tier.room});
    }
    add(document, table);
    std::vector<std::string> names;
    for (const std::size_t unplaced : answer.placement.unplaced) {
        const std::string& one = answer.question.tables[unplaced].name;
        if (names.empty() || names.back() != one) {
            names.push_back(one);
        }
    }
    add(document, List{{fmt::format("no room is left for {}", join_some(names)),
                        "more GPUs, --table-precision fp16, an optimizer with fewer states, a smaller --reserve, or a "
                        "machine with another tier would help"}});
    return document;
}

}  // namespace

Document document(const Answer& asked) {
    if (!asked.fits()) {
        return nowhere(asked);
    }
    const auto& [subject, devices, batch, rate_given, answer, fabrics] = asked;
    Document document = answer_document(asked);
    set_asked(document, subject.model, subject.machine, devices);
    add(document,
        Headline{fmt::format("{} on {} of {}: {} of kernels and transfers a step, most of it {}", subject.model,
                             counted(devices, "GPU"), subject.machine, text(answer.step()), name(answer.longest()))});
    add(document, KeyFigures{figures_of_tables(asked)});
    add_section(document, {"Where the time goes"}, {part_table(answer)});
    if (fabrics) {
        add_section(document, {"Fabrics of a node"},
                    {fabric_table(answer, *fabrics), Note{"the same bandwidth out of each GPU, in all of them"}});
    }
    if (answer.replicated > 0) {
        add(document, Note{fmt::format("{} rows that are looked up often stand on every GPU: their gradients are in "
                                       "the all-reduce, their sums are not exchanged",
                                       whole(answer.replicated))});
    }
    add_section(document, {"Memories"}, {tier_table(answer)});
    add_section(document, {"Placement"}, {placement_table(answer)});
    const std::size_t all = parts_of(answer.placement).size();
    if (all > kMaxTablesShown) {
        add(document, Note{fmt::format("and {} smaller ones; --format csv lists all parts", all - kMaxTablesShown)});
    }
    add(document, Note{rate_given ? "rows in device memory at the rate that was given"
                                  : "rows in device memory as fast as passes over it were measured on this device or "
                                    "its data sheet says (--row-bandwidth)"});
    add(document, Note{fmt::format("not in it: what software, host, input and the optimizer of dense layers take; "
                                   "`dodona plan {} --machine {} --gpus {} --batch {}` adds that to the same parts",
                                   subject.model, subject.machine, devices, batch)});
    return document;
}

}  // namespace dodona::questions::tables
