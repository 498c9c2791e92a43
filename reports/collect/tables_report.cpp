#include "reports/collect/tables_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kMaxTablesShown = 40;

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

PartsOf parts_of(const tables::Placement& placement) {
    PartsOf all;
    for (const tables::Placed& placed : placement.shards) {
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

Table placement_table(const tables::StepForecast& answer) {
    Table table({{"table"},
                 {"rows", Align::right},
                 {"features", Align::right},
                 {"look-ups", Align::right},
                 {"tier"},
                 {"split"},
                 {"on"},
                 {"memory", Align::right},
                 {"time", Align::right}});
    for (const auto& [key, parts] : parts_of(answer.placement)) {
        if (table.rows.size() == kMaxTablesShown) {
            break;
        }
        const tables::Table& one = answer.question.tables[key.first];
        table.row({one.name, whole(one.rows), whole(one.features), Number{one.lookups},
                   answer.question.tiers[key.second].name, split_text(parts), devices_text(parts.devices), parts.bytes,
                   parts.time});
    }
    return table;
}

Table tier_table(const tables::StepForecast& answer) {
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

Table part_table(const tables::StepForecast& answer) {
    Table table({{"of a step"}, {"time", Align::right}, {"share", Align::right}, {"bound by"}});
    for (const tables::Part part : tables::kParts) {
        table.row({std::string(name(part)), answer.time(part), Percent{answer.time(part) / answer.step()},
                   std::string(enumerator_of(part).meaning)});
    }
    return table;
}

std::string balance_note(const tables::Placement& placement) {
    const std::string bound = fmt::format("(at least {}, however tables are split and placed)", text(placement.bound));
    return placement.best_of_shards ? bound + "; no placement of these parts is shorter" : bound;
}

std::vector<KeyFigure> figures_of_tables(const tables::StepQuestion& question, const tables::StepForecast& answer) {
    const auto batch = static_cast<double>(question.batch);
    return {{.label = "tables",
             .value = answer.weights,
             .note = fmt::format("in {} ({} bytes, {} parameters); {} with optimizer states",
                                 counted(answer.question.tables.size(), "table"), whole(answer.weights.in(unit::byte)),
                                 large(answer.parameters), text(answer.held))},
            {.label = "look-ups",
             .value = answer.lookups,
             .note = fmt::format("of rows a step, forward ({} bytes), batch {}", whole(answer.lookups.in(unit::byte)),
                                 whole(question.batch))},
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

Table fabric_table(const tables::StepForecast& answer, const std::vector<tables::OtherFabric>& fabrics) {
    Table table({{"GPUs of a node joined by"},
                 {"exchange", Align::right},
                 {"all-reduce", Align::right},
                 {"step", Align::right}});
    const Seconds devices = answer.time(tables::Part::lookups) + answer.time(tables::Part::dense);
    for (const tables::OtherFabric& one : fabrics) {
        table.row({std::string(name(one.kind)), one.exchange, one.all_reduce, devices + one.exchange + one.all_reduce});
    }
    return table;
}

Record tables_record(const tables::StepQuestion& question, const tables::StepForecast& answer) {
    Record parts = no_fields();
    for (const tables::Part part : tables::kParts) {
        parts[name(part)] = answer.time(part);
    }
    return {{"schema", "dodona/tables/1"},
            {"gpus", question.devices},
            {"batch", question.batch},
            {"fits", answer.placement.unplaced.empty()},
            {"tables", answer.question.tables.size()},
            {"parameters", answer.parameters},
            {"table_bytes", answer.weights},
            {"held_bytes", answer.held},
            {"lookup_bytes", answer.lookups},
            {"dense_parameters", answer.dense_parameters},
            {"step_s", answer.step()},
            {"overlapped_s", answer.overlapped()},
            {"parts_s", parts},
            {"longest_part", name(answer.longest())},
            {"busiest_s", answer.placement.longest},
            {"bound_s", answer.placement.bound},
            {"best_of_parts", answer.placement.best_of_shards},
            {"placement", list_of(answer.placement.shards, [&](const tables::Placed& placed) {
                 return Record{{"table", answer.question.tables[placed.shard.table].name},
                               {"row_ways", placed.shard.row_ways},
                               {"column_ways", placed.shard.column_ways},
                               {"tier", answer.question.tiers[placed.tier].name},
                               {"gpu", placed.device},
                               {"bytes", placed.bytes},
                               {"time_s", placed.time},
                               {"hit_rate", placed.hits}};
             })}};
}

/// What stands in the way where tables fit nowhere.
Document nowhere(const Subject& subject, const tables::StepQuestion& question, const tables::StepForecast& answer) {
    Document document;
    document.record = tables_record(question, answer);
    add(document, Headline{fmt::format("{} does not fit on {} of {}", subject.model, counted(question.devices, "GPU"),
                                       subject.machine)});
    add(document, Paragraph{fmt::format("The tables take {} with optimizer states.", text(answer.held)), Tone::bad});
    Table table({{"tier"}, {"of each GPU", Align::right}, {"of all", Align::right}});
    for (const tables::Tier& tier : answer.question.tiers) {
        table.row({tier.name, tier.room, static_cast<double>(question.devices) * tier.room});
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

Document tables_document(const Subject& subject, const tables::StepQuestion& question,
                         const tables::StepForecast& answer) {
    if (!answer.placement.unplaced.empty()) {
        return nowhere(subject, question, answer);
    }
    Document document;
    document.record = tables_record(question, answer);
    document.rows = std::get<Record::List>(document.record.at("placement").of());
    set_asked(document, subject.model, subject.machine, question.devices);
    add(document, Headline{fmt::format("{} on {} of {}: {} of kernels and transfers a step, most of it {}",
                                       subject.model, counted(question.devices, "GPU"), subject.machine,
                                       text(answer.step()), name(answer.longest()))});
    add(document, KeyFigures{figures_of_tables(question, answer)});
    add_section(document, {"Where the time goes"}, {part_table(answer)});
    if (question.fabrics) {
        const std::vector<tables::OtherFabric> fabrics =
            tables::other_fabrics(question, answer.placement, answer.dense_parameters);
        document.record["fabrics"] = list_of(fabrics, [](const tables::OtherFabric& one) {
            return Record{{"kind", name(one.kind)}, {"exchange_s", one.exchange}, {"all_reduce_s", one.all_reduce}};
        });
        add_section(document, {"Fabrics of a node"},
                    {fabric_table(answer, fabrics), Note{"the same bandwidth out of each GPU, in all of them"}});
    }
    add_section(document, {"Memories"}, {tier_table(answer)});
    add_section(document, {"Placement"}, {placement_table(answer)});
    const std::size_t all = parts_of(answer.placement).size();
    if (all > kMaxTablesShown) {
        add(document, Note{fmt::format("and {} more; --format csv lists all parts", all - kMaxTablesShown)});
    }
    add(document,
        Note{question.row_rate ? "rows in device memory at the rate that was given"
                               : "rows in device memory as fast as passes over it were measured on this device "
                                 "or its data sheet says (--row-bandwidth)"});
    add(document,
        Note{fmt::format("not in it: what software, host, input and the optimizer of dense layers take; `dodona "
                         "plan {} --machine {} --gpus {} --batch {}` adds that to the same parts",
                         subject.model, subject.machine, question.devices, question.batch)});
    return document;
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

std::string placed_text(const tables::StepForecast& placed, const step::Prediction* best) {
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
    const tables::StepForecast& placed = tables.placed;
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
