#include <set>

#include "files/curves.hpp"
#include "files/machine_file.hpp"
#include "files/profile_file.hpp"
#include "files/read_description.hpp"

namespace dodona::files {

namespace {

using cluster::Crowding;
using cluster::Device;
using cluster::Profile;
using cluster::ThreadTimes;
using cluster::Tile;

constexpr Range kTileSide{.least = 1, .most = 65'536};
constexpr Range kMultiprocessors{.least = 1, .most = 1'000'000};

/// Clocks beyond the data sheet's: of the devices here 16-bit products of an RTX 5090 go furthest beyond their peak, 1.21
/// times (xzwgit/gpu-flops-bench). The limit is ours: a figure beyond it is of other products or another peak.
constexpr double kMaxBoost = 1.5;

bool has_no_profile(const Device& device) { return device.profile.fits.empty(); }

/// NAME, {name: NAME, borrowed: true} or the profile itself.
ValueType profile_type() {
    ReferenceType profile = reference_type(description<Profile>, &Openers::profile);
    profile.name_key = "name";
    profile.name_help = "a built-in profile or a file";
    profile.changes = {"borrowed"};
    return {std::move(profile)};
}

/// At most one curve of a kind. A word that was not understood is no second curve.
void check_compressions(Fields& fields, const Device& device) {
    const Value list = fields.find("compressions");
    std::set<cluster::CompressionKernel> seen;
    for (std::size_t i = 0; list && list.is_list() && i < device.compressions.size(); ++i) {
        const Value curve = list.list()[i];
        const Value word = curve.is_mapping() ? Fields(curve).find("kernel") : Value();
        const auto kernel = word.is_scalar() ? value_of<cluster::CompressionKernel>(word.node().text) : std::nullopt;
        if (kernel && !seen.insert(*kernel).second) {
            word.error(fmt::format("a second curve of {}", name(*kernel)), "leave one of them");
        }
    }
}

void fill_in(Fields& fields, Device& device, const Reading& /*reading*/) {
    const cluster::DeviceDefaults defaults;
    device.typical = true;
    for (const auto& [precision, rate] : device.achieved) {
        const auto peak = device.matrix.find(precision);
        if (peak == device.matrix.end() || rate > kMaxBoost * peak->second) {
            fields.find("achieved")
                .error(fmt::format("{} is {}", name(precision),
                                   peak == device.matrix.end()
                                       ? "no precision of `matrix`"
                                       : "more than half as much again as the peak of `matrix`"));
        }
    }
    check_compressions(fields, device);
    if (device.tiles.empty()) {
        device.tiles = defaults.tiles;
    }
    if (!fields.find("launch")) {
        device.launch = defaults.launch;
    }
    if (!fields.find("context")) {
        device.context = defaults.context;
    }
}

}  // namespace

template <>
const Description& description<Tile>() {
    static const Description described{
        .noun = "tile",
        .summary = "An output tile of a matrix kernel.",
        .keys = {required<&Tile::m>("rows", "Rows of the result.", {.range = kTileSide}),
                 required<&Tile::n>("columns", "Columns of the result.", {.range = kTileSide})},
        .by_position = true,
        .example = "[rows, columns]: [256, 128]",
        .defaults = default_of<Tile>};
    return described;
}

template <>
const Description& description<Crowding>() {
    static const Description described{
        .noun = "crowding",
        .summary =
            "What a kind of kernel loses where more threads than cores work: those of one operator, which wait for "
            "each other at barriers, or those of several, which may wait for a lock.",
        .keys = {required<&Crowding::kernel>("kernel", "Which kernels. Others are as matmul or as stream."),
                 required<&Crowding::threads>("threads",
                                              "Share by which an operator on twice as many threads as cores takes "
                                              "longer than on as many.",
                                              {.range = kNotNegative}),
                 required<&Crowding::operators>("operators",
                                                "Share by which two operators on all cores each take longer than one "
                                                "after the other.",
                                                {.range = kNotNegative})},
        .one_line = true,
        .defaults = default_of<Crowding>};
    return described;
}

template <>
const Description& description<ThreadTimes>() {
    static const Description described{
        .noun = "threads",
        .summary = "What a kernel on a CPU pays for running on several threads.",
        .keys = joined(
            {required<&ThreadTimes::core_bandwidth>("core_bandwidth", "Memory bandwidth that one thread reaches.",
                                                    {.range = kPositive, .help = "of one thread: 12 GB/s"}),
             required<&ThreadTimes::serial>("serial", "Of a kernel, whatever its threads.",
                                            {.range = kNotNegative, .help = "of a kernel: 2 us"}),
             required<&ThreadTimes::fork>("fork", "Of a kernel on more than one thread.",
                                          {.range = kNotNegative, .help = "of a kernel: 3 us"}),
             required<&ThreadTimes::barrier>("barrier", "Of a kernel, each time its threads double.",
                                             {.range = kNotNegative, .help = "of a kernel: 1 us"}),
             optional<&ThreadTimes::oversubscription>(
                 "oversubscription",
                 "Share by which work takes longer for each further thread on a core, of kernels that `crowding` does "
                 "not have.",
                 {.range = kNotNegative}),
             optional<&ThreadTimes::crowding>("crowding", "The same, measured by kind of kernel."),
             optional<&ThreadTimes::curves>("curves", "Forward kernels on one thread.")},
            provenance_keys<&ThreadTimes::provenance>()),
        .defaults = default_of<ThreadTimes>};
    return described;
}

template <>
const Description& description<Device>() {
    static const Description described{
        .noun = "device",
        .summary =
            "A device as its data sheet describes it, and what was measured on it. A kernel's time comes from the "
            "first of these that knows it: `curves`, `profile`, the data sheet. Five numbers of the data sheet and a "
            "source are enough.",
        .keys =
            {file_name<&Device::name>("device"), file_source<&Device::source>(),
             optional<&Device::family>("family", "Vendor and generation, such as NVIDIA Ada: lists group by it.",
                                       {.default_text = "none"}),
             required<&Device::memory>("memory", "Device memory that a process can address, as the driver reports it.",
                                       {.range = kPositive, .help = "its size: 16 GiB"}),
             required<&Device::memory_bandwidth>("memory_bandwidth", "Memory bandwidth of the data sheet.",
                                                 {.range = kPositive, .help = "of the data sheet: 900 GB/s"}),
             required<&Device::multiprocessors>("multiprocessors", "How many output tiles run at once.",
                                                {.range = kMultiprocessors, .help = "how many tiles run at once: 80"}),
             required<&Device::matrix>("matrix",
                                       "Peaks of dense matrix products by precision; a multiply-accumulate is two "
                                       "operations. A precision that is not listed is not supported.",
                                       {.range = kPositive,
                                        .help = "dense peaks by precision: {fp16: 125 TFLOP/s}",
                                        .none = "no peaks",
                                        .none_help = "write the dense peak of each precision: {fp16: 125 TFLOP/s}"}),
             optional<&Device::achieved>("achieved",
                                         "What the best of measured matrix products reach, by precision: less than "
                                         "`matrix` where power or software hold them back, more where clocks go beyond "
                                         "the data sheet's, at most half as much again. The rate of products that "
                                         "nothing measured knows; what a borrowed profile says of its device's best "
                                         "products is corrected by it.",
                                         {.range = kPositive, .help = "measured rates: {bf16: 668 TFLOP/s}"}),
             required<&Device::vector>("vector", "fp32 peak outside the matrix units.",
                                       {.range = kPositive, .help = "the fp32 peak outside matrix units"}),
             optional<&Device::tiles>(
                 "tiles", "Output tiles of the matrix kernels.",
                 {.default_text = "those of cuBLAS, 256 x 128 to 64 x 64",
                  .none = "no tiles",
                  .none_help = "write the output tiles of the matrix kernels: [[256, 128], [128, 128]]"}),
             optional<&Device::launch>("launch", "Shortest time between two kernels on one stream.",
                                       {.range = kNotNegative, .default_text = "3 us", .always_written = true}),
             optional<&Device::context>("context", "Memory that the runtime takes before the first tensor.",
                                        {.range = kNotNegative, .default_text = "0.5 GiB", .always_written = true}),
             optional<&Device::curves>("curves", "Measured kernels."),
             optional<&Device::compressions>("compressions", "Measured kernels that compress what exchanges send."),
             optional<&Device::convolutions>(
                 "convolutions", "Measured convolutions by algorithm: for `dodona largest --convolutions`."),
             optional<&Device::threads>("threads", "What threads of a CPU cost, measured: for `dodona threads`.",
                                        {.default_text = "assumed from `launch`"}),
             optional_as<&Device::profile>(
                 profile_type(), "profile",
                 "Models fitted to measured kernels: the name of a profile, a file, or the profile itself. {name: "
                 "NAME, borrowed: true}: that of another device, so that intervals widen.",
                 {.is_absent = test<Device, has_no_profile>})},
        .file_kind = "device",
        .check = checked<Device, fill_in>,
        .defaults = default_of<Device>};
    return described;
}

Device read_device(Document document, const Opener& profile) {
    return read_file<Device>(std::move(document), {.profile = profile});
}

}  // namespace dodona::files
