#include "reports/collect/system_report.hpp"

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::reports {

namespace {

using exchange::System;

Record system_record(const System& system) {
    return {{"name", system.name},
            {"parallelism", system.parallelism},
            {"optimisation", system.optimisation},
            {"scheduling", system.scheduling},
            {"exchange", system.pattern},
            {"topology", system.topology},
            {"runs", text_or_null(std::string(system.runs))},
            {"in_taxonomy", system.in_taxonomy},
            {"source", system.source}};
}

std::string runs_text(const System& system) {
    return system.runs.empty() ? "none: it has no replicas" : std::string(system.runs);
}

}  // namespace

Document system_document(const System& system) {
    Document document;
    document.record = system_record(system);
    document.record["schema"] = "dodona/system/1";
    document.rows = {document.record};
    add(document, Headline{std::string(system.name)});
    const auto figure = [](const char* label, std::string_view value) {
        return KeyFigure{.label = label, .value = std::string(value), .note = {}};
    };
    add(document, KeyFigures{{figure("parallelism", system.parallelism), figure("optimisation", system.optimisation),
                              figure("scheduling", system.scheduling), figure("exchange", system.pattern),
                              figure("topology", system.topology), figure("runs as", runs_text(system)),
                              figure("source", system.source)}});
    if (!system.runs.empty()) {
        add_section(document, {"Next"},
                    {Code{{fmt::format("dodona exchanges {}", system.runs),
                           fmt::format("dodona predict vgg16 --machine abci --gpus 16 --strategy data --exchange {}",
                                       system.runs)}}});
    }
    return document;
}

std::string system_facts(const System& system) {
    return fmt::format("{} {} {} {} {} {} {}", system.name, system.parallelism, system.optimisation, system.scheduling,
                       system.pattern, system.topology, system.runs);
}

Document systems_document(const std::vector<System>& systems) {
    Document document;
    Table table(
        {{"system"}, {"parallelism"}, {"optimisation"}, {"scheduling"}, {"exchange"}, {"topology"}, {"runs as"}});
    std::vector<Record>& rows = document.rows.emplace();
    for (const System& system : systems) {
        table.row({system.name, system.parallelism, system.optimisation, system.scheduling, system.pattern,
                   system.topology, runs_text(system)});
        rows.push_back(system_record(system));
    }
    document.record = {{"schema", "dodona/systems/1"}, {"systems", rows}};
    add(document, std::move(table));
    return document;
}

std::string technique_facts(const exchange::Technique& technique) {
    return fmt::format("{} {} {} learning rate {}, {} to reproduce{}{}", technique.name, technique.parallelism,
                       technique.pipelined ? "pipelined" : "", technique.learning_rate, technique.reproducible,
                       technique.large_balanced_data ? ", large balanced data" : "",
                       technique.balanced_model ? ", balanced model" : "");
}

Document criteria_document(const std::vector<exchange::Technique>& techniques) {
    Document document;
    Table table({{"technique"},
                 {"needs"},
                 {"learning rate"},
                 {"overlap", Align::right},
                 {"parameters", Align::right},
                 {"resilience", Align::right},
                 {"reproduction"},
                 {"systems"}});
    std::vector<Record>& rows = document.rows.emplace();
    for (const exchange::Technique& technique : techniques) {
        auto names = mapped_where<std::string>(
            exchange::systems(), [&](const System& system) { return exchange::is_of(system, technique); },
            &System::name);
        const std::string needs = technique.large_balanced_data ? "large, balanced data set"
                                  : technique.balanced_model    ? "balanced model"
                                                                : "";
        const auto plus = [](int grade) { return std::string(static_cast<std::size_t>(grade), '+'); };
        table.row({technique.name, needs, technique.learning_rate, plus(technique.overlap), plus(technique.parameters),
                   plus(technique.resilience), technique.reproducible, fmt::format("{}", fmt::join(names, ", "))});
        rows.push_back({{"technique", technique.name},
                        {"parallelism", technique.parallelism},
                        {"needs_large_balanced_data", technique.large_balanced_data},
                        {"needs_balanced_model", technique.balanced_model},
                        {"learning_rate", technique.learning_rate},
                        {"overlap_complexity", technique.overlap},
                        {"hyper_parameters", technique.parameters},
                        {"resilience", technique.resilience},
                        {"reproduction", technique.reproducible},
                        {"systems", names}});
    }
    document.record = {{"schema", "dodona/system-criteria/1"}, {"techniques", rows}};
    add(document, std::move(table));
    add(document,
        Note{"learning rate: the best one as the cluster grows; overlap: how complex hiding communication is; "
             "parameters: further ones to tune; resilience: to outside influence. Langer et al., "
             "arXiv:2007.03970, Table 2 and section 4.3"});
    return document;
}

}  // namespace dodona::reports
