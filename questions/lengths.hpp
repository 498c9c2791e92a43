// Samples of different lengths, and how micro-batches are made of them. Equations: lengths/varied_step.hpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "files/description_keys.hpp"
#include "lengths/varied_step.hpp"
#include "questions/question.hpp"
#include "reports/collect/lengths_report.hpp"

namespace dodona::questions {

struct LengthOptions {
    std::string file;                         ///< of lengths and shares; empty: all samples are of one length
    std::optional<lengths::Packing> packing;  ///< none: each
    std::vector<std::int64_t> buckets;        ///< their longest samples; empty: powers of two
};

/// Faults of the options alone.
Faults contradictions(const LengthOptions& options);

/// Their keys in the table of a question's options; `To`: from the question's options to them.
template <auto... To>
std::vector<files::Key> length_keys() {
    const std::string_view group = "Lengths";
    return {files::optional<To..., &LengthOptions::file>(
                "lengths", "lengths of samples, as measured: a table of length,share (docs/files.md)",
                {.value_text = "FILE", .group = group}),
            files::optional<To..., &LengthOptions::packing>(
                "packing", "how micro-batches are made of them; default: all, side by side", {.group = group}),
            files::optional<To..., &LengthOptions::buckets>("buckets",
                                                            "the longest samples of buckets; powers of two without it",
                                                            {.value_text = "A,B,...", .group = group})};
}

/// Steps of plans with samples of these lengths. Networks are read once for each length.
class LengthAnswers {
public:
    /// Throws InputError where the file has faults, or the network reads no tokens. Both outlive it.
    LengthAnswers(const LengthOptions& options, const Workload& workload);

    /// The plan with each packing, the most tokens a second first. Domain: the plan runs.
    reports::LengthsAnswer of(const plan::Plan& plan);
    /// What a micro-batch of the plan takes over one of full length, drawn anew for each; `answer` is the plan's, whose
    /// first packing is played, and outlives it.
    [[nodiscard]] static std::function<double(std::int64_t, std::int64_t, std::int32_t)> work(
        const reports::LengthsAnswer& answer, std::uint64_t seed);

private:
    const graph::Graph& network(std::int64_t sequence);
    reports::TimedPlan timed(const plan::Plan& plan, std::int64_t sequence, std::int64_t samples);
    reports::PackedStep packed_step(const plan::Plan& plan, lengths::Packing packing, const lengths::Job& job);

    const LengthOptions& options_;
    const Workload& workload_;
    std::int64_t row_;
    lengths::Distribution lengths_;
    std::map<std::int64_t, graph::Graph> networks_;
};

}  // namespace dodona::questions
