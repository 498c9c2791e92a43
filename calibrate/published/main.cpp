// dodona-fit: measured kernels to the profiles that devices name.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "calibrate/file/whole_file.hpp"
#include "calibrate/fit/fit.hpp"
#include "calibrate/fit/rounding.hpp"
#include "calibrate/published/fit_report.hpp"
#include "calibrate/published/profiles.hpp"
#include "files/machine_file.hpp"
#include "files/profile_file.hpp"
#include "files/yaml_writer.hpp"

namespace dodona::calibrate {
namespace {

constexpr int kUsersFault = 2;
constexpr int kOurFault = 70;

/// How much wider the interval of a derived fit is on either side. Our assumption; nothing measures it.
constexpr double kDerived = 1.25;

constexpr const char* kHelp = R"(Usage: dodona-fit kernels FOLDER [-o FOLDER] [--data FOLDER]

Fits kernel models to the measured kernels in FOLDER (gzip-compressed CSV), writes one profile a device, and prints the
error on rows that the fit did not see, before and after.

  -o FOLDER        where the profiles go; without it nothing is written
  --data FOLDER    holds hardware/devices, which describe what was measured, and calibrate/measured, figures typed from
                   published tables (.)
  --help           this text
)";

struct Options {
    std::string rows;
    std::string out;
    std::string data = ".";
};

[[noreturn]] void misused(const std::string& message) { fail({}, message, "dodona-fit --help"); }

Options read(const std::vector<std::string>& words) {
    Options options;
    if (words.empty() || words.front() != "kernels") {
        misused("the first word says what is fitted: kernels");
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        std::string* value = word == "-o" ? &options.out : word == "--data" ? &options.data : nullptr;
        if (value == nullptr && (word.starts_with("-") || !options.rows.empty())) {
            misused(fmt::format("{} is no option", word));
        }
        if (value == nullptr) {
            options.rows = word;
        } else if (++i < words.size()) {
            *value = words[i];
        } else {
            misused(fmt::format("{} needs a value", word));
        }
    }
    if (options.rows.empty()) {
        misused("no folder of measured kernels is given");
    }
    return options;
}

void write(const std::string& folder, const cluster::Profile& profile, const std::string& note) {
    const std::filesystem::path path = std::filesystem::path(folder) / (profile.name + ".yaml");
    write_whole(path.string(),
                files::to_yaml(rounded(profile),
                               {.comments = {"Written by dodona-fit (calibrate/); what the keys mean: docs/files.md."},
                                .note = note}));
}

/// By its data sheet: a profile that it may name is what is being written.
cluster::Device device(const Options& options, const std::string& name) {
    const std::string file = fmt::format("hardware/devices/{}.yaml", name);
    return files::read_device(files::load_document(std::filesystem::path(options.data) / file, file, {}), {});
}

const cluster::KernelFit* attention(const cluster::Profile& profile, graph::Direction direction) {
    const auto found = std::find_if(profile.fits.begin(), profile.fits.end(), [&](const cluster::KernelFit& fit) {
        return fit.kind == graph::KernelKind::attention && fit.direction == direction;
    });
    return found == profile.fits.end() ? nullptr : &*found;
}

/// Attention of a device on which it was not measured, or not in this direction: that of another device, at the share
/// of the peak that forward attention has here over there (the same share where neither was measured here).
void lend_attention(cluster::Profile& profile, const cluster::Profile& other) {
    using graph::Direction;
    const cluster::KernelFit* theirs = attention(other, Direction::forward);
    check(theirs != nullptr, "a profile that lends its attention has it");
    const cluster::KernelFit* ours = attention(profile, Direction::forward);
    const double share = ours == nullptr ? 1 : ours->compute / theirs->compute;
    for (const Direction direction : {Direction::forward, Direction::backward_input}) {
        if (attention(profile, direction) != nullptr) {
            continue;
        }
        cluster::KernelFit fit = *attention(other, direction);
        fit.compute *= share;
        fit.provenance.source =
            fmt::format("derived, not measured here: {}, {} with {:.3g} times the share of the peak", other.name,
                        fit.provenance.source, share);
        fit.error.low /= kDerived;
        fit.error.high *= kDerived;
        profile.fits.push_back(fit);
    }
}

void run(const Options& options) {
    std::vector<cluster::Profile> done;
    const std::filesystem::path typed = std::filesystem::path(options.data) / "calibrate" / "published" / "measured";
    fmt::print("{}", report_heading());
    for (const ProfileRows& rows : profile_rows(options.rows, typed.string())) {
        cluster::Profile profile{.name = rows.name,
                                 .source = "dodona-fit kernels: fitted to the measured kernels that each fit names"};
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
            write(options.out, profile, rows.note);
        }
    }
}

}  // namespace
}  // namespace dodona::calibrate

int main(int count, char** words) {
    using namespace dodona;
    const std::vector<std::string> arguments(words + 1, words + count);
    try {
        if (!arguments.empty() && arguments.front() == "--help") {
            fmt::print("{}", calibrate::kHelp);
            return 0;
        }
        calibrate::run(calibrate::read(arguments));
        return 0;
    } catch (const InputError& error) {
        std::fputs(error.what(), stderr);
        return calibrate::kUsersFault;
    } catch (const std::exception& error) {
        fmt::print(stderr, "dodona-fit: internal error: {}\n", error.what());
        return calibrate::kOurFault;
    }
}
