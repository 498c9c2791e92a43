// One rank a GPU, all of them driven by this process.
#pragma once

#include <nccl.h>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "calibrate/cuda/benchmark_context.hpp"

namespace dodona::calibrate::cuda {

void check(ncclResult_t answer, std::string_view doing);

/// What a rank has: made while its GPU is the current one.
struct Rank {
    int device = 0;
    ncclComm_t communicator = nullptr;
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> begin, end;
};

class Ranks {
public:
    /// Throws CannotMeasure where this host has fewer GPUs, or they are not all of one kind: a collective of unequal
    /// ranks says nothing of either kind.
    explicit Ranks(int count);
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    ~Ranks();

    /// The ranks of this context; created again where their number changes.
    static Ranks& of(BenchmarkContext& context, int count);

    [[nodiscard]] int count() const { return static_cast<int>(ranks_.size()); }
    [[nodiscard]] const Rank& operator[](int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    /// Calls f with every rank while its GPU is the current one; the first GPU is current after.
    void each(const std::function<void(int rank)>& f) const;
    /// Puts `work` into the ranks' streams, and makes `after` wait for the first rank's.
    void enqueue(const std::function<void()>& work, cudaStream_t after) const;
    /// One execution, all queues held until it stands in all: the longest of the ranks from its start to its end.
    [[nodiscard]] Seconds time(const std::function<void()>& work) const;

private:
    std::vector<Rank> ranks_;
    PinnedBuffer flags_;  ///< released, late
};

}  // namespace dodona::calibrate::cuda
