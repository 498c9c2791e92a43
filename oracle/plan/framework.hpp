// Frameworks: the overheads of training software, as a few physical parameters.
//
// Kernels take longer in training than in a benchmark (shared power, cold caches, passes that are not fused). The host
// needs time to start each kernel. Optimizers read and write more than necessary. Overlapped work slows down. These
// effects belong neither to the device nor to the network. A framework is a file software/*/NAME.yaml; the neutral
// one adds nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/attention_library.hpp"
#include "cluster/maker.hpp"
#include "graph/kernel.hpp"
#include "graph/task.hpp"
#include "plan/memory_profile.hpp"
#include "plan/offload.hpp"
#include "plan/strategy.hpp"
#include "schedule/schedule.hpp"

namespace dodona::plan {

/// Deals of the blocks of a network to the parts of a pipeline, as software makes them by itself.
enum class Dealing { equal, with_embedding, with_loss, with_both, longer_first };
inline constexpr std::array kDealingTable{
    Enumerator(Dealing::equal, "equal", "as many on each part"),
    Enumerator(Dealing::with_embedding, "with-embedding", "as many on each part, the embedding counted as one"),
    Enumerator(Dealing::with_loss, "with-loss", "as many on each part, head and loss counted as one"),
    Enumerator(Dealing::with_both, "with-both", "as many on each part, the embedding and the loss counted as one each"),
    Enumerator(Dealing::longer_first, "longer-first",
               "both counted as one each; of what does not divide the first parts hold one more")};
constexpr const auto& enumerators(Dealing /*type*/) { return kDealingTable; }

enum class FrameworkParameter {
    launch,
    matmul,
    convolution,
    attention,
    recurrent,
    recurrent_overhead,
    stream,
    gather,
    cast,
    channels_last,
    window_reuse,
    im2col_samples,
    optimizer,
    collective,
    overlap_states,
    overlap_layers,
    interference,
    stragglers,
    step,
    input,
    collate,
    rank_launches,
    message,
    dispatch_width,
    node_dispatch,
    reduction_width,
    whole_reduction,
    host_update,
    unpadded_rows,
    unaligned_gemm_fallback,
    element_instructions,
    autocast,
    unfused_norms,
    unfused_passes,
    unfused_softmax,
};

/// A parameter: its name, unit, neutral value and range.
struct FrameworkParameterKind {
    FrameworkParameter parameter;
    std::string_view word;
    bool is_time;    ///< seconds; else a ratio
    double neutral;  ///< adds nothing
    double least, most;
    std::string_view meaning;
    std::string_view former_word = {};  ///< still read in files
};

inline constexpr std::array kFrameworkParameters{
    FrameworkParameterKind{FrameworkParameter::launch, "launch", true, 0, 0, 1e-3,
                           "time of the host to start one kernel or collective"},
    FrameworkParameterKind{FrameworkParameter::matmul, "matmul", false, 1, 0.5, 4,
                           "how much longer matrix products take in training than alone"},
    FrameworkParameterKind{FrameworkParameter::convolution, "convolution", false, 1, 0.2, 40,
                           "how much longer convolutions take in training than alone"},
    FrameworkParameterKind{FrameworkParameter::attention, "attention", false, 1, 0.5, 4,
                           "how much longer fused attention takes in training than alone"},
    FrameworkParameterKind{FrameworkParameter::recurrent, "recurrent", false, 1, 0.5, 4,
                           "how much longer recurrent cells take in training than alone"},
    FrameworkParameterKind{FrameworkParameter::recurrent_overhead, "recurrent_overhead", true, 0, 0, 1e-2,
                           "time of software that runs a recurrent cell operator by operator, at each step and pass",
                           "cell"},
    FrameworkParameterKind{FrameworkParameter::stream, "stream", false, 1, 0.2, 20,
                           "bytes that element-wise passes move, over those of fused ones"},
    FrameworkParameterKind{FrameworkParameter::gather, "gather", false, 1, 0.5, 6,
                           "how much longer table look-ups take in training than alone"},
    FrameworkParameterKind{FrameworkParameter::cast, "cast", false, 0, 0, 12,
                           "bytes moved to cast one element of an operand to a format of 8 bits or fewer"},
    FrameworkParameterKind{FrameworkParameter::channels_last, "channels_last", false, 0, 0, 4,
                           "times that a convolution's operands are moved to bring channels last, for matrix units",
                           "relayout"},
    FrameworkParameterKind{FrameworkParameter::window_reuse, "window_reuse", false, 1, 0, 1,
                           "share of what overlapping windows save that convolutions have the workspace for",
                           "windows"},
    FrameworkParameterKind{FrameworkParameter::im2col_samples, "im2col_samples", false, 0, 0, 1e6,
                           "samples whose windows are written out as one matrix, which a product reads; 0: "
                           "convolutions read the windows where they lie"},
    FrameworkParameterKind{FrameworkParameter::optimizer, "optimizer", false, 1, 0.5, 8,
                           "bytes that the update moves, over those of a fused one"},
    FrameworkParameterKind{FrameworkParameter::collective, "collective", false, 1, 0.5, 4,
                           "how much longer collectives take in training than alone"},
    FrameworkParameterKind{FrameworkParameter::overlap_states, "overlap_states", false, 1, 0, 1,
                           "share of compute that gradients and parameters in flight can hide behind", "hidden_states"},
    FrameworkParameterKind{FrameworkParameter::overlap_layers, "overlap_layers", false, 1, 0, 1,
                           "share of a layer's compute that its own collectives can hide behind", "hidden_layers"},
    FrameworkParameterKind{FrameworkParameter::interference, "interference", false, 0, 0, 1,
                           "compute lost while something hides behind it, over the time hidden"},
    FrameworkParameterKind{FrameworkParameter::stragglers, "stragglers", false, 0, 0, 0.1,
                           "share by which each doubling of the devices lengthens the passes"},
    FrameworkParameterKind{FrameworkParameter::step, "step", true, 0, 0, 1e6,
                           "time of a step that depends on nothing: logging, checks, synchronisation"},
    FrameworkParameterKind{FrameworkParameter::input, "input", true, 0, 0, 100,
                           "time to read, decode and augment one sample, of the host's share that feeds a data rank"},
    FrameworkParameterKind{FrameworkParameter::collate, "collate", true, 0, 0, 1,
                           "time of the training process to collate a sample and hand it to its devices, never hidden",
                           "feed"},
    FrameworkParameterKind{FrameworkParameter::rank_launches, "rank_launches", false, 0, 0, 100,
                           "further launches of the host that a collective within layers takes for each rank of its "
                           "group"},
    FrameworkParameterKind{FrameworkParameter::message, "message", true, 0, 0, 10,
                           "time for which a message from a stage on another node holds its receiver, beside the "
                           "transfer"},
    FrameworkParameterKind{FrameworkParameter::dispatch_width, "dispatch_width", false, 1, 0.25, 1,
                           "bytes of an element that is sent to experts, over those of an activation"},
    FrameworkParameterKind{
        FrameworkParameter::node_dispatch, "node_dispatch", false, 0, 0, 1,
        "1: a token crosses the network once for each node that it goes to, as with DeepEP, whatever "
        "the machine's library does; 0: as that does"},
    FrameworkParameterKind{FrameworkParameter::reduction_width, "reduction_width", false, 1, 0.25, 4,
                           "bytes of an element of a gradient that is reduced, over those of its buffer"},
    FrameworkParameterKind{FrameworkParameter::whole_reduction, "whole_reduction", false, 0, 0, 1,
                           "1: ranks that share optimizer states (ZeRO-1) each receive the whole reduced gradient; 0: "
                           "its share of it"},
    FrameworkParameterKind{FrameworkParameter::host_update, "host_update", false, 0, 0, 20,
                           "how much longer the host's processors take to update states that are kept there than its "
                           "memory takes to move them once; 0: they are copied to the device, which updates them"},
    FrameworkParameterKind{FrameworkParameter::unpadded_rows, "unpadded_rows", false, 0, 0, 1,
                           "share of the weights whose rows are no multiple of 16 bytes that are used so; 0: software "
                           "pads vocabularies"},
    FrameworkParameterKind{FrameworkParameter::unaligned_gemm_fallback, "unaligned_gemm_fallback", false, 0, 0, 1,
                           "share of the products of such rows that leave the matrix units, as with cuBLAS before 11"},
    FrameworkParameterKind{
        FrameworkParameter::element_instructions, "element_instructions", false, 0, 0, 100,
        "instructions that an element-wise pass issues for each element it reads or writes, which take "
        "time beside its memory's (root of the sum of squares); 0: memory alone bounds it"},
    FrameworkParameterKind{FrameworkParameter::autocast, "autocast", false, 0, 0, 12,
                           "bytes moved to cast one element of an operand to 16 bits, of products whose weights are "
                           "trained in fp32, and norms in fp32; 0: activations have 16 bits throughout"},
    FrameworkParameterKind{FrameworkParameter::unfused_norms, "unfused_norms", false, 0, 0, 2,
                           "share of norms that run as several kernels, operator by operator"},
    FrameworkParameterKind{FrameworkParameter::unfused_passes, "unfused_passes", false, 0, 0, 2,
                           "share of rotary embeddings and gated activations that run as several kernels, operator by "
                           "operator"},
    FrameworkParameterKind{FrameworkParameter::unfused_softmax, "unfused_softmax", false, 0, 0, 2,
                           "share of the scores of materialised attention that several kernels scale, mask and turn "
                           "into probabilities"},
};

/// The value of a parameter and its 90 % interval, in base units.
struct FrameworkNumber {
    double value = 0, lo = 0, hi = 0;
    struct Bounds {
        double least = 0, most = 0;
        bool operator==(const Bounds&) const = default;
    };
    std::optional<Bounds> bounds;  ///< physical range, for parameters that may be fitted
    std::string source;            ///< empty: nothing is known of the parameter, and it is neutral
    bool operator==(const FrameworkNumber&) const = default;
};

/// Of each parameter, in the order of kFrameworkParameters.
using FrameworkNumbers = std::array<FrameworkNumber, kFrameworkParameters.size()>;

/// All parameters neutral.
FrameworkNumbers neutral_numbers();

/// What software does, whatever it is called: CUDA graphs, passes that nothing fuses. It sets parameters in any
/// framework; a file software/*/NAME.mechanism.yaml.
struct Mechanism {
    std::string name;
    std::string source;
    std::string summary;  ///< one line
    /// Standard deviation of log time that it adds, as an independent error that all runs of one source share.
    double spread = 0;
    std::string memory;             ///< memory profile in place of the framework's; empty: its own
    std::vector<MemoryRule> rules;  ///< that come before those of the memory profile
    std::optional<cluster::AttentionLibrary> attention_library;  ///< in place of the framework's
    FrameworkNumbers numbers = neutral_numbers();                ///< those with a source replace the framework's
    bool operator==(const Mechanism&) const = default;
};

struct Framework {
    using Number = FrameworkNumber;

    /// One number for each parameter.
    using ByParameter = std::array<double, kFrameworkParameters.size()>;

    /// Calibration to measured steps (step/anchor.hpp): earlier values, and the reduction of variance.
    struct Observed {
        std::int64_t runs = 0;
        double missed_before = 0;  ///< mean of log(measured / predicted)
        double missed_after = 0;   ///< ... with the calibrated values
        double own_part = 0.5;     ///< of the variance of unexplained errors: no observed run knows of it
        double scale = 1;          ///< of all errors: how far off the observed runs were, beside what was thought
        ByParameter from{};        ///< values before the calibration
        /// A plan whose own step was measured (step::hold_to); 0 and 1 for others.
        double repeat = 0;                ///< standard deviation of the log of its step
        double whole = 1;                 ///< measured step, as a multiple of that from parameters
        Seconds unexplained;              ///< of its step, by parameters that stay within what they may be
        std::vector<ByParameter> learnt;  ///< covariance of log parameters before, minus that after; rows; empty: the
                                          ///< runs were further off than errors explain, so nothing is known better
        /// d' E d of a combination d of log parameters, E = `learnt`.
        [[nodiscard]] double explained(const ByParameter& d) const;
        bool operator==(const Observed&) const = default;
    };

    std::string name;       ///< empty: neutral
    std::string reference;  ///< as the user gave it: a name, or the path of a file
    std::string source;
    std::string summary;                     ///< one line
    std::vector<std::string> other_names;    ///< under which people know it
    std::string version_of;                  ///< software of which it is one of several versions; empty: of none
    std::string version;                     ///< the first release that it stands for; empty: not stated
    std::string since;                       ///< date of that release, "2024-08-12"; empty: not stated
    std::string memory;                      ///< its memory profile; empty: the neutral one
    std::vector<MemoryRule> rules;           ///< that come before those of the memory profile
    std::vector<std::string> fitted_to;      ///< groups of published runs in the fit
    std::vector<cluster::Maker> fitted_on;   ///< of the devices of these runs; empty: not stated
    std::optional<ShardLevel> fitted_level;  ///< the highest ZeRO level of these runs; none: not stated
    std::optional<std::int64_t>
        fitted_expert_nodes;  ///< nodes that their experts were spread over at most; none: not stated
    /// Networks with one of these operators, or with all that a text names, have it by default; "*": all.
    std::vector<std::string> usual_for;
    std::vector<std::string> runs;  ///< strategies that it can run, by name; empty: not stated, all
    std::string
        otherwise;  ///< the framework that has the times of strategies which the program runs in addition to `runs`; empty: none
    std::vector<ShardLevel> levels;  ///< ZeRO levels that it can run; empty: all
    std::vector<schedule::ScheduleKind>
        schedules;                          ///< of pipelines, that it is run with; empty: those of Searched::always
    std::vector<graph::Task> tasks;         ///< tasks of post-training that it can run; empty: not stated, all
    std::vector<std::string> frees_memory;  ///< mechanisms of its own that are off by default and keep less
    Offload cannot_offload;                 ///< what it cannot keep in host memory
    /// Under a pipeline ZeRO-2 and ZeRO-3 reduce gradients and gather weights once a step, and keep both whole until then.
    bool exchanges_once = false;
    std::vector<Dealing> deals;  ///< how it cuts pipelines by itself: the first that divides; empty: equal
    bool takes_cut = true;       ///< it takes any other cut
    std::string runs_source;     ///< of these eight
    /// For these networks only under strategies that prescribe one of these ZeRO levels; empty: under all others.
    std::vector<ShardLevel> usual_levels;
    std::vector<cluster::Maker> usual_on;  ///< ... and only on devices of these makers; empty: of all
    std::optional<Precision> usual_with;   ///< ... and only on devices that multiply in this precision
    /// Not empty: for networks with one of these tasks only, and before others; of `usual_for` only, where it says any.
    std::vector<graph::Task> usual_tasks;
    /// ... and only for plans that keep something in host memory, under strategies all of whose axes may shard states
    /// or split whole samples.
    bool usual_offload = false;
    std::string like;   ///< the framework that has what its file leaves out; empty: none
    double spread = 0;  ///< unexplained error: standard deviation of log(measured / predicted) of steps
    /// ... that all runs of one source share, beside `spread`: their software differs from that of the fit.
    double between_sources = 0;
    double beyond_fit = 0;  ///< ... and what that grows by, as an independent error, for plans beyond what was fitted
    /// Whose kernels of fused attention it runs on devices whose profile has them of several.
    cluster::AttentionLibrary attention_library = cluster::AttentionLibrary::flash_attention_2;
    FrameworkNumbers numbers = neutral_numbers();
    std::vector<std::string> mechanisms;  ///< names of those that `numbers` contain
    std::optional<Observed> observed;

    /// Sets the parameters of a mechanism; the last of several that set the same one counts.
    void add(const Mechanism& mechanism);
    /// For runs of another source than those of the fit: `distance`, and for plans beyond the fit `unfamiliar` instead.
    void add_distance(const Mechanism& distance, const Mechanism& unfamiliar);
    [[nodiscard]] std::string label() const;  ///< "megatron-2024+graphs"
    [[nodiscard]] bool can_run(const Strategy& strategy) const;
    [[nodiscard]] bool is_timed_otherwise(const Strategy& strategy) const {
        return !otherwise.empty() && !can_run(strategy);
    }
    [[nodiscard]] bool can_offload(const Offload& offload) const;
    /// Blocks of each part of a pipeline as it deals them by itself; empty: it cannot.
    [[nodiscard]] std::vector<std::int64_t> dealt(std::int64_t blocks, std::int64_t parts) const;
    [[nodiscard]] bool can_run(const std::vector<graph::Task>& all) const;
    /// Whether it was fitted to no run on devices of this maker (cluster::Device::maker).
    [[nodiscard]] bool is_foreign_to(std::optional<cluster::Maker> maker) const;
    /// Whether it was fitted to no run with as high a ZeRO level, or with experts spread over as many nodes.
    [[nodiscard]] bool is_beyond_fit(ShardLevel level, std::int64_t expert_nodes) const;
    [[nodiscard]] double operator[](FrameworkParameter p) const { return numbers[static_cast<std::size_t>(p)].value; }
    [[nodiscard]] const Number& number(FrameworkParameter p) const { return numbers[static_cast<std::size_t>(p)]; }
    Number& number(FrameworkParameter p) { return numbers[static_cast<std::size_t>(p)]; }
    [[nodiscard]] Seconds seconds(FrameworkParameter p) const { return Seconds::of_base((*this)[p]); }
    /// Factor by which kernels of this kind take longer than alone.
    [[nodiscard]] double slow_down(graph::KernelKind kind) const;
    bool operator==(const Framework&) const = default;
};

/// Mechanisms that stand for how far a run is from those of the fit: it is of another source, or there is none of its kind.
inline constexpr const char* kOtherSource = "other-source";
inline constexpr const char* kUnfamiliar = "unfamiliar";

/// That of a run of another source: kUnfamiliar on devices of another maker.
std::string distance(const Framework& framework, std::optional<cluster::Maker> maker);

/// A framework by name or path, and mechanisms by name: "megatron-2024+graphs".
struct FrameworkReference {
    std::string framework;
    std::vector<std::string> mechanisms;
};
FrameworkReference framework_reference(const std::string& text);

}  // namespace dodona::plan
