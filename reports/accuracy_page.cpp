#include "reports/accuracy_page.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/collect/comparison_tables.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/json.hpp"
#include "reports/render/markdown.hpp"
#include "validate/statistics.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kWorst = 10;

constexpr std::string_view kTop =
    "# How far predictions are off\n\n"
    "Published runs against what is predicted of them, by group: runs that share source and conditions. error = "
    "predicted / measured - 1;\nmean, median and p90 are of its size, bias keeps its sign. `fitted`: the mean with "
    "machines\n"
    "and frameworks as they are: kernels and links fitted to kernel and link measurements, frameworks to the groups\n"
    "that their files name (`dodona frameworks NAME`); `held out`: the mean with the framework fitted to its other\n"
    "groups, or an only group to four fifths of it in turn; nothing where no fit saw the group at all. inside: "
    "measured times in the "
    "90 % interval; pairs: plans for one job (same network, machine, GPUs and batch) that\nare ordered as measured; "
    "regret: how much longer the plan predicted best took than the best; memory: mean size of the error of peak\n"
    "memory; others: mean errors that other programs publish, `*` where over other runs.\n";

constexpr std::string_view kHow =
    "\n`dodona validate RUNS... --gate FILE` fails where a group gets worse than the page FILE records, `--record "
    "FILE` "
    "writes such a page. In\ndodona's repository the tests `accuracy` and `accuracy-typed` hold reports/accuracy.md, "
    "and "
    "`DODONA_ACCEPT=1 meson test -C BUILD\n--no-rebuild accuracy` writes it anew.\n";

/// "Calculon 3.6 %, vTrain 14.7 % *".
std::string others(const std::string& group, const std::vector<files::PeerError>& peers) {
    std::string text;
    for (const files::PeerError& peer : peers) {
        if (peer.group == group) {
            text += fmt::format("{}{}{} {}{}", text.empty() ? "" : ", ", peer.peer, peer.of_memory ? " (memory)" : "",
                                percent(peer.error), peer.over.empty() ? "" : " *");
        }
    }
    return text;
}

Table groups(const AccuracyView& view, const validate::Comparison& comparison) {
    Table table({{"group"},
                 {"runs", Align::right},
                 {"refused", Align::right},
                 {"fitted", Align::right},
                 {"held out", Align::right},
                 {"median", Align::right},
                 {"bias", Align::right},
                 {"p90", Align::right},
                 {"inside", Align::right},
                 {"pairs", Align::right},
                 {"regret", Align::right},
                 {"memory", Align::right},
                 {"others"}});
    const auto add = [&](const validate::Statistics& line) {
        const auto held_out = view.held_out.find(line.group);
        table.row({line.group, Count{line.rows}, Count{line.skipped}, ratio(line.mape),
                   held_out == view.held_out.end() ? Cell() : Cell(Percent{held_out->second}), ratio(line.median_ape),
                   signed_ratio(line.bias), ratio(line.p90), ratio(line.coverage), ratio(line.pair_accuracy),
                   ratio(line.top1_regret), ratio(line.memory_mape), others(line.group, view.peers)});
    };
    for (const validate::Statistics& group : comparison.groups) {
        add(group);
    }
    add(comparison.overall);
    return table;
}

/// Runs whose source has computation and communication apart, in the order of their groups.
std::vector<const validate::RunResult*> runs_in_parts(const validate::Comparison& comparison) {
    std::vector<const validate::RunResult*> runs;
    for (const validate::Statistics& group : comparison.groups) {
        for (const validate::RunResult& run : comparison.rows) {
            if (run.group == group.group && run.error && (run.measured_compute || run.measured_communication)) {
                runs.push_back(&run);
            }
        }
    }
    return runs;
}

std::string sum(const std::optional<Seconds>& compute, const std::optional<Seconds>& communication) {
    return fmt::format("{} + {}", compute ? text(*compute) : "?", communication ? text(*communication) : "?");
}

std::string parts(const validate::Comparison& comparison) {
    const std::vector<const validate::RunResult*> runs = runs_in_parts(comparison);
    if (runs.empty()) {
        return "";
    }
    Table each({{"group"},
                {"run"},
                {"measured", Align::right},
                {"= computation + communication"},
                {"predicted", Align::right},
                {"= computation + communication"},
                {"error", Align::right},
                {"fits"}});
    std::vector<const validate::RunResult*> fitting;
    std::vector<const validate::RunResult*> paged;
    std::vector<const validate::RunResult*> not_paged;
    for (const validate::RunResult* run : runs) {
        each.row({run->group, run->id, *run->measured, sum(run->measured_compute, run->measured_communication),
                  run->predicted->value, sum(run->compute(), run->communication()), signed_ratio(run->error),
                  run->fits.value_or(true) ? "yes" : "no"});
        const bool pages = run->group.ends_with("-paged");
        (pages ? paged : not_paged).push_back(run);
        if (run->fits.value_or(true) && !pages) {
            fitting.push_back(run);
        }
    }
    Table totals({{"totals"},
                  {"runs", Align::right},
                  {"whole", Align::right},
                  {"bias", Align::right},
                  {"computation", Align::right},
                  {"communication", Align::right}});
    const auto add = [&](const char* what, const std::vector<const validate::RunResult*>& some) {
        const validate::Statistics all = validate::statistics(what, some);
        if (!some.empty()) {
            totals.row({what, Count{all.rows}, ratio(all.mape), signed_ratio(all.bias), ratio(all.compute_mape),
                        ratio(all.communication_mape)});
        }
    };
    add("all", runs);
    add("that fit device memory", fitting);
    add("that do not page", not_paged);
    add("that page through unified memory", paged);
    return "\n## Computation and communication apart\n\nRuns whose source tells them apart: seconds a step. Mean sizes "
           "of errors, those of the parts each over the measured part.\nThe order of strategies by time per epoch is "
           "in [foundation.md](foundation.md).\n\n" +
           markdown(totals) + "\n" + markdown(part_table(comparison)) + "\n" + markdown(each);
}

std::string section(std::string_view title, const Table& table) {
    return table.empty() ? "" : fmt::format("\n## {}\n\n{}", title, markdown(table));
}

/// Rounded up, so that the figure itself passes.
std::string recorded(const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", std::ceil(*value * 1e4) / 1e4) : "";
}

std::string record(const validate::Comparison& comparison) {
    std::string text =
        "\n## Record\n\nWhat `--gate` compares with: runs predicted and mean errors, as fractions. A group may be a "
        "tenth of a point worse.\n\n```yaml\nrecorded: mean errors by group\ngroups:\n";
    for (const validate::Statistics& group : comparison.groups) {
        text += fmt::format("  {}: {{rows: {}", json_line(group.group), group.rows);
        text += group.mape ? ", mape: " + recorded(group.mape) : "";
        text += group.memory_mape ? ", memory_mape: " + recorded(group.memory_mape) : "";
        text += "}\n";
    }
    return text + "```\n";
}

std::string sources(const AccuracyView& view, const validate::Comparison& comparison) {
    std::string text;
    for (const files::PeerError& peer : view.peers) {
        const bool is_here = std::any_of(comparison.groups.begin(), comparison.groups.end(),
                                         [&](const validate::Statistics& group) { return group.group == peer.group; });
        if (is_here) {
            text += fmt::format("- {}, {}: {}{}{}\n", peer.group, peer.peer, peer.source,
                                peer.over.empty() ? "" : "; over ", peer.over);
        }
    }
    return text.empty() ? "" : "\n## Where the others' figures are from\n\n" + text;
}

}  // namespace

std::string accuracy_page(const AccuracyView& view, const validate::Comparison& comparison) {
    std::string page = std::string(kTop) + "\nTables: ";
    for (std::size_t i = 0; i < view.tables.size(); ++i) {
        page += fmt::format("{}`{}`", i == 0 ? "" : ", ", view.tables[i]);
    }
    page += ".\n" + std::string(kHow) + "\n## Groups\n\n" + markdown(groups(view, comparison));
    page += parts(comparison);
    page += section("Does it fit?", fit_table(comparison.overall.fit));
    page += section("Runs by what is known of them", assumption_table(comparison.overall));
    page += section("Worst runs", worst_runs(comparison, kWorst));
    page += section("Refused", refusal_table(comparison, comparison.rows.size()));
    return page + sources(view, comparison) + record(comparison);
}

}  // namespace dodona::reports
