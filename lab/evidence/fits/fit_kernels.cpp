#include "lab/evidence/fits/fit_kernels.hpp"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "base/whole_file.hpp"
#include "calibrate/file/measured_table.hpp"
#include "calibrate/fit/fit.hpp"
#include "calibrate/fit/rounding.hpp"
#include "files/machine_file.hpp"
#include "files/profile_file.hpp"
#include "files/yaml_writer.hpp"
#include "lab/evidence/fits/fit_report.hpp"
#include "lab/evidence/fits/profiles.hpp"

namespace dodona::calibrate {

namespace {

/// How much wider the interval of a derived fit is on either side. Our assumption; nothing measures it.
constexpr double kDerived = 1.25;

/// By its data sheet: a profile that it may name is what is being written.
cluster::Device device(const KernelFitOptions& options, const std::string& name) {
    const std::string file = fmt::format("hardware/devices/{}.yaml", name);
    return files::read_device(files::load_document(std::filesystem::path(options.data) / file, file, {}), {});
}

bool is_attention(const cluster::KernelFit& fit) { return fit.kind == graph::KernelKind::attention; }

const cluster::KernelFit* attention(const cluster::Profile& profile, graph::Direction direction,
                                    std::optional<cluster::AttentionLibrary> library) {
    return found_in(profile.fits, [&](const cluster::KernelFit& fit) {
        return is_attention(fit) && fit.direction == direction && fit.attention_library == library;
    });
}

/// Attention of a device on which it was not measured, or not in this direction: that of another device, at the share
/// of the peak that forward attention has here over there (the same share where neither was measured here).
void lend_attention(cluster::Profile& profile, const cluster::Profile& other) {
    using graph::Direction;
    const cluster::KernelFit* theirs = found_in(other.fits, is_attention);
    check(theirs != nullptr, "a profile that lends its attention has it");
    const cluster::KernelFit* ours = attention(profile, Direction::forward, theirs->attention_library);
    const double share = ours == nullptr ? 1 : ours->compute / theirs->compute;
    for (const Direction direction : {Direction::forward, Direction::backward_input}) {
        if (attention(profile, direction, theirs->attention_library) != nullptr) {
            continue;
        }
        cluster::KernelFit fit = *attention(other, direction, theirs->attention_library);
        fit.compute *= share;
        fit.provenance.source =
            fmt::format("derived, not measured here: {}, {} with {:.3g} times the share of the peak", other.name,
                        fit.provenance.source, share);
        fit.error.low /= kDerived;
        fit.error.high *= kDerived;
        profile.fits.push_back(fit);
    }
}

/// Share of the peak that the best of large products reached on this device; none where the table has no row of it.
std::optional<double> best_product(const MeasuredTable& table, const cluster::Device& device) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, "device") == device.name) {
            const auto precision = value_of<Precision>(table.text(row, "precision"));
            check(precision.has_value(), "the table of best products names precisions");
            return table.number(row, "tflops") * 1_TFLOP_per_s / device.peak(*precision);
        }
    }
    return std::nullopt;
}

}  // namespace

void fit_kernels(const KernelFitOptions& options) {
    std::vector<cluster::Profile> done;
    const std::filesystem::path typed = std::filesystem::path(options.data) / "lab/evidence/tables/kernels";
    const MeasuredTable best((typed / "best_products.csv").string());
    fmt::print("{}", report_heading());
    for (const ProfileRows& rows : profile_rows(options.rows, typed.string())) {
        cluster::Profile profile{
            .name = rows.name,
            .source = "dodona-evidence fit kernels: fitted to the measured kernels that each fit names",
            .best = best_product(best, device(options, rows.series.front().device))};
        for (const Series& series : rows.series) {
            const Seconds wide_start = profile.fits.empty() ? Seconds{} : profile.fits.front().start;
            const Fitted fitted = fit(series, device(options, series.device), wide_start);
            fmt::print("{}", report_line(rows.name, fitted));
            std::fflush(stdout);
            profile.fits.push_back(fitted.fit);
        }
        for (const cluster::Profile& other : done) {
            if (other.name == rows.attention_from) {
                lend_attention(profile, other);
            }
        }
        done.push_back(profile);
        if (!options.out.empty()) {
            const std::filesystem::path path = std::filesystem::path(options.out) / (profile.name + ".yaml");
            write_whole(
                path.string(),
                files::to_yaml(rounded(profile),
                               {.comments = {"yaml-language-server: $schema=../../docs/schemas/profile.schema.json",
                                             "Written by `dodona-evidence fit kernels`; what "
                                             "the keys mean: docs/files.md."},
                                .note = rows.note}));
        }
    }
}

}  // namespace dodona::calibrate
