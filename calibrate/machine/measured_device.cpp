#include "calibrate/machine/measured_device.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "calibrate/fit/fit.hpp"
#include "calibrate/machine/measured_compression.hpp"
#include "calibrate/machine/measured_convolutions.hpp"
#include "calibrate/machine/measured_kernel.hpp"
#include "calibrate/machine/measured_threads.hpp"
#include "calibrate/measure/journal.hpp"
#include "calibrate/record/quantile.hpp"
#include "calibrate/record/steadiness.hpp"
#include "cost/device_time.hpp"
#include "cost/kernel_curve.hpp"

namespace dodona::calibrate {

namespace {

using cluster::Device;
using cluster::KernelCurve;
using graph::KernelKind;

constexpr double kMaxProcessors = 1e6;

using CurveKey = std::tuple<KernelKind, Precision, graph::Direction, bool>;

bool is_pass(KernelKind kind) { return kind == KernelKind::stream || kind == KernelKind::gather; }

/// Of passes one curve for all precisions: only their bytes count.
CurveKey key_of(const MeasuredKernel& measured) {
    const bool pass = is_pass(measured.kernel.kind);
    return {measured.kernel.kind, pass ? Precision::fp32 : measured.precision, measured.kernel.direction,
            measured.exact};
}

/// What a check compares: a benchmark in a precision and direction, by an algorithm if it names one.
std::string checked(const Case& of) {
    return fmt::format("{} {} {} {} {}", of.benchmark, of.word("operator"), of.word("precision"), of.word("direction"),
                       of.word("algorithm"));
}

/// Benchmarks whose results were not those of the host the last time they were compared (`check: 1`): a wrong kernel's
/// time is a wrong number.
std::set<std::string> wrong(const DeviceRecords& of) {
    std::set<std::string> found;
    for (const Record& record : of.records) {
        const auto* measured = std::get_if<Measurement>(&record.what);
        const auto* failure = std::get_if<Failure>(&record.what);
        if (record.backend == of.backend && measured != nullptr && measured->of.number("check") == 1) {
            found.erase(checked(measured->of));
        } else if (record.backend == of.backend && failure != nullptr && failure->of.number("check") == 1) {
            found.insert(checked(failure->of));
        }
    }
    return found;
}

std::vector<Record> of_backend(const DeviceRecords& of) {
    std::vector<Record> own;
    const std::set<std::string> faulty = wrong(of);
    for (const Record& record : of.records) {
        const auto* measured = std::get_if<Measurement>(&record.what);
        const bool other_threads = measured != nullptr && of.threads > 0 && measured->of.has("threads") &&
                                   measured->of.number("threads") != of.threads;
        const bool faulty_kernel = measured != nullptr && faulty.contains(checked(measured->of));
        if (record.backend == of.backend && !other_threads && !faulty_kernel) {
            own.push_back(record);
        }
    }
    return own;
}

std::vector<Record> of_any_threads(const DeviceRecords& of) {
    DeviceRecords all = of;
    all.threads = 0;
    return of_backend(all);
}

std::vector<Record> of_one_thread(const DeviceRecords& of) {
    DeviceRecords one = of;
    one.threads = 1;
    return of_backend(one);
}

std::vector<MeasuredKernel> kernels_of(std::span<const Record> records) {
    std::vector<MeasuredKernel> all;
    for (const Measurement& measurement : latest({records.begin(), records.end()})) {
        append(all, measured_kernels(measurement));
    }
    return all;
}

/// "NVIDIA H200" -> "nvidia-h200".
std::string slug(const std::string& text) {
    std::string made;
    for (const char c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (plain) {
            made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!made.empty() && made.back() != '-') {
            made += '-';
        }
    }
    while (!made.empty() && made.back() == '-') {
        made.pop_back();
    }
    return made.empty() ? "device" : made;
}

using Groups = std::map<CurveKey, std::vector<const MeasuredKernel*>>;

/// In which order cases were measured is left to chance, and to interruptions: nothing of the machine may depend on it.
Groups grouped(const std::vector<MeasuredKernel>& kernels) {
    Groups groups;
    for (const MeasuredKernel& one : kernels) {
        groups[key_of(one)].push_back(&one);
    }
    const auto shape = [](const MeasuredKernel* one) {
        const graph::Kernel& k = one->kernel;
        return std::tuple(k.batch, k.m, k.n, k.k, k.elements, k.flops, k.fixed_bytes, k.times, one->time);
    };
    for (auto& [key, group] : groups) {
        std::sort(group.begin(), group.end(), [&](const auto* a, const auto* b) { return shape(a) < shape(b); });
    }
    return groups;
}

/// What was measured cannot be of a device that does not compute in its precision.
void check_precisions(const Device& device, const Groups& groups) {
    for (const auto& [key, group] : groups) {
        const Precision precision = std::get<1>(key);
        if (!is_pass(std::get<0>(key)) && !device.supports(precision)) {
            fail({},
                 fmt::format("kernels in {} are measured, and {} does not compute in it", name(precision), device.name),
                 "name the device that is measured");
        }
    }
}

/// Rates of the fastest kernels: what stands in for a data sheet.
void take_fastest(Device& device, const std::vector<MeasuredKernel>& kernels) {
    Bytes largest;
    for (const MeasuredKernel& one : kernels) {
        // Not of convolutions: where a window saves arithmetic (Winograd) their rate is no peak.
        if (one.kernel.kind == KernelKind::matmul) {
            FlopPerSecond& peak = device.matrix[one.precision];
            peak = max(peak, one.kernel.flops / one.time);
        }
        if (one.kernel.kind == KernelKind::stream && !one.exact) {
            largest = max(largest, one.kernel.fixed_bytes);
        }
    }
    for (const MeasuredKernel& one : kernels) {
        // The largest two octaves lie in memory, not in a cache.
        if (one.kernel.kind == KernelKind::stream && !one.exact && one.kernel.fixed_bytes >= largest / 4) {
            device.memory_bandwidth = max(device.memory_bandwidth, one.kernel.fixed_bytes / one.time);
        }
    }
}

Device described(const DeviceRecords& of, const std::vector<MeasuredKernel>& kernels,
                 const std::map<std::string, std::string>& facts) {
    if (of.before != nullptr) {
        Device device = *of.before;
        device.curves.clear();
        // A bare context was measured; a data sheet's may count the libraries of training software too.
        device.context = max(device.context, Bytes::of_base(fact_of(facts, "context", 0)));
        return device;
    }
    Device device;
    const auto named = facts.find("device");
    device.name = slug(named == facts.end() ? of.backend : named->second);
    device.source = "measured by dodona calibrate; peaks and bandwidth are the fastest kernels measured";
    device.memory = Bytes::of_base(fact_of(facts, "memory", 0));
    take_fastest(device, kernels);
    device.memory_bandwidth =
        max(device.memory_bandwidth, BytesPerSecond::of_base(fact_of(facts, "memory_bandwidth", 0)));
    const bool cpu = of.backend == "cpu" || facts.contains("cores");
    device.multiprocessors =
        cpu ? std::max(1, of.threads)
            : static_cast<int>(std::max(1.0, fact_of(facts, "multiprocessors", 1, kMaxProcessors)));
    // Of a CPU the smallest register block: a vector of 16 numbers by 4 columns (larger blocks have remainder kernels:
    // oneDNN, src/cpu/x64/gemm/f32/jit_avx512_common_gemm_f32.cpp). Of a GPU the output tiles of cuBLAS's kernels.
    device.tiles = cpu ? std::vector<cluster::Tile>{{16, 4}}
                       : std::vector<cluster::Tile>{{256, 128}, {128, 128}, {128, 64}, {64, 64}};
    device.context = Bytes::of_base(fact_of(facts, "context", 0));
    const auto single = device.matrix.find(Precision::fp32);
    const auto first = single == device.matrix.end() ? device.matrix.begin() : single;
    if (first == device.matrix.end() || device.memory_bandwidth <= BytesPerSecond{} || device.memory <= Bytes{}) {
        const char* lacks = first == device.matrix.end() ? "no matrix product was measured"
                            : device.memory <= Bytes{}   ? "nothing says how much memory it has"
                                                         : "no stream through memory was measured";
        fail(
            {}, fmt::format("these records do not make a device: {}", lacks),
            "measure its compute too (--backend cpu or cuda), or name the machine with its data sheet: --machine NAME");
    }
    device.vector = first->second;
    return device;
}

void take_launch(Device& device, std::span<const Record> records) {
    for (const Measurement& measurement : latest({records.begin(), records.end()})) {
        if (measurement.of.benchmark == "launch" && measurement.of.word("kind", "plain") == "plain" &&
            measurement.time.samples > 0) {
            device.launch = measurement.time.value();
        }
    }
}

cluster::Provenance provenance(const std::string& backend, const std::map<std::string, std::string>& facts,
                               std::span<const Record> records) {
    std::string conditions;
    for (const auto& [key, value] : facts) {
        if (key != "memory" && key != "context" && key != "algorithms") {  // what it can, not how it was
            conditions += fmt::format("{}{} {}", conditions.empty() ? "" : ", ", key, value);
        }
    }
    const std::string date = records.empty() ? "" : records.back().date.substr(0, 10);
    return {.source = fmt::format("measured by dodona calibrate, {}", backend), .date = date, .conditions = conditions};
}

Series series_of(const CurveKey& key, const std::vector<const MeasuredKernel*>& kernels, const Device& device) {
    Series series{.device = device.name, .kind = std::get<0>(key), .precision = std::get<1>(key)};
    series.has_direction = !is_pass(series.kind);
    int count = 0;
    for (const MeasuredKernel* one : kernels) {
        const graph::Kernel& k = one->kernel;
        add(series, fmt::format("{} {} {} {} {} {}", k.m, k.n, k.k, k.batch, k.fixed_bytes.in(unit::byte), count++), k,
            one->time);
    }
    return series;
}

KernelCurve curve_of(const CurveKey& key, const std::vector<const MeasuredKernel*>& kernels) {
    const auto& [kind, precision, direction, exact] = key;
    KernelCurve curve{.kind = kind, .precision = precision, .direction = std::nullopt, .exact = exact, .points = {}};
    if (kind != KernelKind::stream || exact) {
        curve.direction = direction;
    }
    for (const MeasuredKernel* one : kernels) {
        const graph::Kernel& k = one->kernel;
        cluster::KernelPoint point{.time = one->time};
        if (is_pass(kind)) {
            point.bytes = cost::moved_bytes(k, precision);
            point.flops = exact ? k.flops : Flop{};
        } else {
            point.m = k.m;
            point.n = k.n;
            point.k = k.k;
            point.batch = k.batch;
            const bool plain = kind == KernelKind::matmul || kind == KernelKind::recurrent;
            point.bytes = plain ? Bytes{} : cost::moved_bytes(k, precision);
            point.flops = plain ? Flop{} : k.flops;
        }
        // Of the same shape the quickest: what else ran at the time is no property of the device.
        const auto same = std::find_if(curve.points.begin(), curve.points.end(), [&](cluster::KernelPoint known) {
            known.time = point.time;
            return known == point;
        });
        if (same == curve.points.end()) {
            curve.points.push_back(point);
        } else {
            same->time = min(same->time, point.time);
        }
    }
    return curve;
}

/// Predicts every fold's kernels without their own points.
double held_out_error(const Device& device, const KernelCurve& curve, const Series& series) {
    std::vector<double> misses;
    for (int fold = 0; fold < kFolds; ++fold) {
        Device without = device;
        KernelCurve rest = curve;
        std::erase_if(rest.points, [&](const cluster::KernelPoint& point) {
            return std::any_of(series.samples.begin(), series.samples.end(), [&](const Sample& sample) {
                const graph::Kernel& k = sample.kernel;
                return sample.fold == fold && point.m == k.m && point.n == k.n && point.k == k.k &&
                       point.batch == k.batch &&
                       (point.bytes <= Bytes{} || point.bytes == cost::moved_bytes(k, curve.precision));
            });
        });
        without.curves = {rest};
        for (const Sample& sample : series.samples) {
            if (sample.fold == fold && !rest.points.empty()) {
                const Seconds predicted = cost::kernel_time(without, sample.kernel, curve.precision).time.value;
                misses.push_back(std::abs(predicted / sample.time - 1));
            }
        }
    }
    if (misses.empty()) {
        return 0;
    }
    std::sort(misses.begin(), misses.end());
    return quantile_of_sorted(misses, 0.9);
}

/// Why a curve may be wrong; empty: nothing says that it is.
std::string doubts_of(const KernelCurve& curve, const std::vector<const MeasuredKernel*>& kernels) {
    constexpr double kDoubtfulHeldOut = 0.5;  // half as long again, or half of it: another kernel altogether
    Steadiness steadiness;
    for (const MeasuredKernel* one : kernels) {
        steadiness.add(one->statistics);
    }
    std::vector<std::string> all = steadiness.doubts();
    if (curve.held_out_error > kDoubtfulHeldOut) {
        all.push_back(
            fmt::format("times between its points are off by up to {:.0f} %", std::ceil(100 * curve.held_out_error)));
    }
    return join(all, "; ");
}

/// Forward kernels of which a whole network or list was measured on one thread as well.
std::vector<KernelCurve> one_thread_curves(const DeviceRecords& of, const cluster::Provenance& from) {
    std::vector<MeasuredKernel> kernels;
    for (MeasuredKernel& one : kernels_of(of_one_thread(of))) {
        const bool forward = one.kernel.direction == graph::Direction::forward;
        if (forward && (!is_pass(one.kernel.kind) || one.exact)) {
            kernels.push_back(std::move(one));
        }
    }
    std::vector<KernelCurve> curves;
    for (const auto& [key, group] : grouped(kernels)) {
        curves.push_back(curve_of(key, group));
        curves.back().provenance = {.source = from.source, .date = from.date, .conditions = ""};
    }
    return curves;
}

}  // namespace

std::map<std::string, std::string> facts_of(std::span<const Record> records, const std::string& backend) {
    std::map<std::string, std::string> facts;
    for (const Record& record : records) {
        const auto* environment = std::get_if<Environment>(&record.what);
        if (environment != nullptr && record.backend == backend) {
            for (const auto& [key, value] : environment->facts) {
                facts[key] = value;
            }
        }
    }
    return facts;
}

double fact_of(const std::map<std::string, std::string>& facts, const std::string& key, double otherwise, double most) {
    const auto found = facts.find(key);
    double value = 0;
    if (found == facts.end() ||
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), value).ec != std::errc{}) {
        return otherwise;
    }
    if (!(value >= 0 && value <= most)) {
        fail({}, fmt::format("the back end says that \"{}\" of its device is {}", key, found->second),
             "no device has that: measure again, into another file");
    }
    return value;
}

bool will_make_device(const DeviceRecords& of, const Planned& planned) {
    const auto add = [](const std::vector<Case>& cases, std::vector<MeasuredKernel>& kernels) {
        const Statistics any{.least = 1_s, .first_quartile = 1_s, .median = 1_s, .third_quartile = 1_s, .samples = 1};
        for (const Case& one : cases) {
            const std::vector<MeasuredKernel> more =
                measured_kernels({.of = one, .time = any, .values = {}, .words = {}});
            kernels.insert(kernels.end(), more.begin(), more.end());
        }
    };
    std::vector<MeasuredKernel> certain = kernels_of(of_backend(of));
    add(planned.networks, certain);
    std::vector<MeasuredKernel> all = certain;
    add(planned.cases, all);
    if (all.empty()) {
        return false;
    }
    check_precisions(described(of, all, facts_of(of.records, of.backend)), grouped(certain));
    return true;
}

std::optional<Device> measured_device(const DeviceRecords& of) {
    const std::vector<Record> own = of_backend(of);
    const std::vector<MeasuredKernel> kernels = kernels_of(own);
    if (kernels.empty()) {
        return std::nullopt;
    }
    const auto facts = facts_of(own, of.backend);
    Device device = described(of, kernels, facts);
    take_launch(device, own);
    const cluster::Provenance from = provenance(of.backend, facts, own);

    if (auto compressions = measured_compressions(own, from); !compressions.empty()) {
        device.compressions = std::move(compressions);
    }
    device.convolutions = measured_convolutions(own, from);

    if (of.threads != 1) {
        auto threads = measured_threads(of_any_threads(of), from);
        if (threads && of.threads > 1) {
            threads->curves = one_thread_curves(of, from);
        }
        device.threads = threads ? std::move(threads) : device.threads;
    }

    const Groups groups = grouped(kernels);
    check_precisions(device, groups);
    cluster::Profile profile{.name = device.name, .source = from.source, .fits = {}};
    for (const auto& [key, group] : groups) {
        if (group.size() >= kFewestRows && !std::get<3>(key) && device.supports(std::get<1>(key))) {
            Series series = series_of(key, group, device);
            series.source = from.source;
            series.conditions = from.conditions;
            profile.fits.push_back(fit(series, device).fit);
        }
    }
    if (!profile.fits.empty()) {
        device.profile = profile;
    }
    for (const auto& [key, group] : groups) {
        KernelCurve curve = curve_of(key, group);
        curve.provenance = from;
        if (!curve.exact && curve.points.size() > 1) {
            curve.held_out_error = held_out_error(device, curve, series_of(key, group, device));
        }
        curve.doubt = doubts_of(curve, group);
        device.curves.push_back(curve);
    }
    // Exact curves first: an operator's own pass before any that moves as much.
    std::stable_partition(device.curves.begin(), device.curves.end(), [](const KernelCurve& c) { return c.exact; });
    return device;
}

}  // namespace dodona::calibrate
