#include "lab/evidence/accuracy_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "files/fields.hpp"
#include "files/heading.hpp"
#include "plan/rules.hpp"
#include "reports/accuracy_page.hpp"
#include "reports/collect/comparison_tables.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/markdown.hpp"
#include "validate/statistics.hpp"

namespace dodona::calibrate {

namespace {

using reports::Align;
using reports::Table;

constexpr const char* kAbout =
    "`mean`: with machines and frameworks as they are, kernels and links fitted to kernel and link measurements, "
    "frameworks to the groups that\ntheir files name (`dodona software NAME`); `held out`: with the framework fitted "
    "to its other groups, or an only group to four fifths of\nit in turn, nothing where no fit saw the group at all; "
    "`others`: mean errors that other programs publish, `*` where over other runs.\n";

constexpr const char* kHow =
    "The tests `accuracy` and `accuracy-typed` hold this page's record; `DODONA_ACCEPT=1 meson test -C BUILD "
    "--no-rebuild accuracy` writes it anew.\n";

/// "Calculon 3.6 %, vTrain 14.7 % *".
std::string others(const std::string& group, const std::vector<PeerError>& peers) {
    std::string text;
    for (const PeerError& peer : peers) {
        if (peer.group == group) {
            text += fmt::format("{}{}{} {}{}", text.empty() ? "" : ", ", peer.peer, peer.of_memory ? " (memory)" : "",
                                reports::percent(peer.error), peer.over.empty() ? "" : " *");
        }
    }
    return text;
}

std::vector<reports::AccuracyPage::GroupColumn> columns(const EvidencePage& page,
                                                        const validate::Comparison& comparison) {
    reports::AccuracyPage::GroupColumn left_out{.column = {"held out", Align::right}, .cells = {}};
    reports::AccuracyPage::GroupColumn by_others{.column = {"others"}, .cells = {}};
    for (const auto& [group, error] : page.left_out) {
        left_out.cells[group] = reports::percent(error);
    }
    for (const validate::Statistics& group : comparison.groups) {
        by_others.cells[group.group] = others(group.group, page.peers);
    }
    return {left_out, by_others};
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

bool fits(const validate::RunResult& run) { return run.fits.value_or(true); }

Table totals(const std::vector<PartTotal>& asked, const std::vector<const validate::RunResult*>& runs) {
    Table table({{"totals"},
                 {"runs", Align::right},
                 {"whole", Align::right},
                 {"bias", Align::right},
                 {"computation", Align::right},
                 {"communication", Align::right}});
    for (const PartTotal& total : asked) {
        std::vector<const validate::RunResult*> some;
        for (const validate::RunResult* run : runs) {
            if (plan::matches_pattern(run->group, total.groups) && !plan::matches_pattern(run->group, total.without) &&
                (fits(*run) || !total.fitting)) {
                some.push_back(run);
            }
        }
        if (!some.empty()) {
            const validate::Statistics all = validate::statistics(total.title, some);
            table.row({total.title, reports::Count{all.rows}, reports::ratio(all.mape), reports::signed_ratio(all.bias),
                       reports::ratio(all.compute_mape), reports::ratio(all.communication_mape)});
        }
    }
    return table;
}

std::string sum(const std::optional<Seconds>& compute, const std::optional<Seconds>& communication) {
    return fmt::format("{} + {}", compute ? reports::text(*compute) : "?",
                       communication ? reports::text(*communication) : "?");
}

std::string parts(const EvidencePage& page, const validate::Comparison& comparison) {
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
    for (const validate::RunResult* run : runs) {
        each.row({run->group, run->id, *run->measured, sum(run->measured_compute, run->measured_communication),
                  run->predicted->value, sum(run->compute(), run->communication()), reports::signed_ratio(run->error),
                  fits(*run) ? "yes" : "no"});
    }
    return "\n## Computation and communication apart\n\nRuns whose source has them apart: seconds a step. Mean sizes "
           "of errors, those of the parts each over the measured part.\nThe order of strategies by time per epoch is "
           "in [foundation.md](foundation.md).\n\n" +
           reports::markdown(totals(page.totals, runs)) + "\n" + reports::markdown(reports::part_table(comparison)) +
           "\n" + reports::markdown(each);
}

std::string sources(const std::vector<PeerError>& peers, const validate::Comparison& comparison) {
    std::string text;
    for (const PeerError& peer : peers) {
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

std::vector<PartTotal> load_part_totals(const std::string& path, const Location& where) {
    files::Document document = files::load_document(path, path, where);
    std::vector<PartTotal> totals;
    files::Fields fields(files::Value(*document.root, "", document.faults));
    static_cast<void>(read_heading(fields, "part_totals"));
    for (const files::Value& value : fields.require("totals").list()) {
        PartTotal& total = totals.emplace_back();
        files::Fields entry(value);
        total.title = entry.require("title", "of the line").text();
        if (const files::Value groups = entry.find("groups")) {
            total.groups = groups.text();
        }
        if (const files::Value without = entry.find("without")) {
            total.without = without.text();
        }
        total.fitting = entry.find("fitting").flag();
        entry.finish();
    }
    fields.finish();
    throw_faults(document);
    return totals;
}

std::string accuracy_page(const EvidencePage& page, const validate::Comparison& comparison) {
    return reports::accuracy_page({.tables = page.tables,
                                   .columns = columns(page, comparison),
                                   .about = kAbout,
                                   .how = kHow,
                                   .after_groups = parts(page, comparison),
                                   .before_record = sources(page.peers, comparison)},
                                  comparison);
}

}  // namespace dodona::calibrate
