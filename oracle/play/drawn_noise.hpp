// Noise of one run on the ranks of a job: by what the work of ranks that go in step is multiplied, and when.
//
// A draw depends on the seed, the source, who has it (rank, node, job) and when it is drawn anew, so that answers do not
// depend on the order of playing. Ranks that go in step take as long as the slowest of them.
#pragma once

#include <cstdint>
#include <vector>

#include "play/rank_layout.hpp"
#include "simulate/noise_source.hpp"

namespace dodona::play {

/// What noise distinguishes of the work of a task.
enum class WorkOn : std::uint8_t { compute, inside_node, network, storage, host, start };
inline constexpr std::size_t kWorkOn = 6;

/// Whether the source acts on that work.
bool acts_on(const simulate::NoiseSource& source, WorkOn work);

/// In a step, a task; -1: not of one task.
struct Moment {
    std::int64_t step = 0;
    std::int64_t task = -1;
    Seconds time;  ///< since the begin of the run
};

class DrawnNoise {
public:
    DrawnNoise(std::vector<simulate::NoiseSource> sources, std::uint64_t seed, const RankLayout& layout);

    /// Whether ranks differ in what their passes take.
    [[nodiscard]] bool parts_replicas() const;
    /// Whether some noise acts on that work.
    [[nodiscard]] bool acts_on(WorkOn work) const;
    /// Time that `work` takes on ranks that go in step.
    [[nodiscard]] Seconds time_of(Seconds work, WorkOn on, const std::vector<std::int64_t>& ranks,
                                  const Moment& moment) const;
    /// By how much the last of the ranks starts late.
    [[nodiscard]] Seconds late(const std::vector<std::int64_t>& ranks, std::int64_t step) const;

private:
    struct Source {
        simulate::NoiseSource what;
        std::uint64_t key = 0;
    };
    [[nodiscard]] std::int64_t owner(const Source& source, std::int64_t rank) const;
    [[nodiscard]] double share(const Source& source, std::int64_t owner, const Moment& moment) const;
    [[nodiscard]] Seconds phase(const Source& source, std::int64_t owner, Seconds time) const;
    [[nodiscard]] double factor(WorkOn on, std::int64_t rank, const Moment& moment) const;
    [[nodiscard]] Seconds until_change(WorkOn on, const std::vector<std::int64_t>& ranks, Seconds time) const;

    std::vector<Source> sources_;
    const RankLayout& layout_;
};

}  // namespace dodona::play
