// Collectives of fp32 buffers: the MPI library's own, or rings of sends.
//
// `bytes` is the full buffer: p chunks of bytes/p. Out of place a ring copies its input first, as part of its time.
// In place repeated sums grow until they are infinite, which takes no longer to add.
#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "calibrate/mpi/group_benchmark.hpp"
#include "calibrate/mpi/ring.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

enum class Kind { all_reduce, reduce_scatter, all_gather, all_to_all, broadcast };

struct Word {
    std::string_view word;
    Kind kind;
};
constexpr std::array kWords{Word{"all-reduce", Kind::all_reduce}, Word{"reduce-scatter", Kind::reduce_scatter},
                            Word{"all-gather", Kind::all_gather}, Word{"all-to-all", Kind::all_to_all},
                            Word{"broadcast", Kind::broadcast}};

Kind kind_of(const Case& asked) {
    const std::string wanted = asked.word("collective");
    const auto found = std::find_if(kWords.begin(), kWords.end(), [&](const Word& one) { return one.word == wanted; });
    if (found == kWords.end()) {
        throw CannotMeasure(fmt::format(
            "unknown collective \"{}\"; known: all-reduce, reduce-scatter, all-gather, all-to-all, broadcast", wanted));
    }
    return found->kind;
}

std::size_t chunk_of(const Case& asked, int ranks) {
    const double elements = asked.number("bytes") / 4 / ranks;
    if (!(elements >= 1) || elements * ranks > std::numeric_limits<int>::max() ||
        elements != static_cast<double>(static_cast<std::size_t>(elements))) {
        throw CannotMeasure(
            fmt::format("{} bytes are no whole number of 4-byte elements for each of {} ranks, or more than MPI counts",
                        asked.number("bytes"), ranks));
    }
    return static_cast<std::size_t>(elements);
}

class Collective : public GroupBenchmark {
public:
    Collective(const Case& asked, MPI_Comm group) : group_(group), kind_(kind_of(asked)) {
        MPI_Comm_size(group, &ranks_);
        MPI_Comm_rank(group, &rank_);
        chunk_ = chunk_of(asked, ranks_);
        in_place_ = asked.number("in_place") != 0;
        const std::string algorithm = asked.word("algorithm", "free");
        ring_ = algorithm == "ring";
        if ((!ring_ && algorithm != "free") || (ring_ && (kind_ == Kind::all_to_all || kind_ == Kind::broadcast))) {
            throw CannotMeasure(
                fmt::format("algorithm \"{}\" of {} is none of MPI's: it has free, and ring for "
                            "all-reduce, reduce-scatter and all-gather",
                            algorithm, asked.word("collective")));
        }
        const std::size_t whole = chunk_ * static_cast<std::size_t>(ranks_);
        input_.resize(kind_ == Kind::all_gather && !in_place_ ? chunk_ : whole);
        output_.resize(in_place_ || kind_ == Kind::broadcast     ? 0
                       : kind_ == Kind::reduce_scatter && !ring_ ? chunk_
                                                                 : whole);
        scratch_.resize(ring_ ? chunk_ : 0);
        std::mt19937 random(static_cast<unsigned>(rank_) + 1);
        std::normal_distribution<float> normal;
        std::generate(input_.begin(), input_.end(), [&] { return normal(random); });
    }

    Seconds run(const SampleRequest&) override {
        const Stopwatch watch;
        if (ring_) {
            run_ring();
        } else {
            run_library();
        }
        return watch.elapsed();
    }

    /// Sums of small whole numbers are exact, in whatever order.
    bool right() override {
        if (!ring_) {
            return true;
        }
        const std::vector<float> kept = input_;
        for (std::size_t i = 0; i < input_.size(); ++i) {
            input_[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(rank_) * 13) % 101);
        }
        const std::vector<float> numbers = input_;
        run_ring();
        const std::vector<float> ours = results(true);
        input_ = numbers;
        const std::vector<float> of_ring = output_;
        if (kind_ == Kind::reduce_scatter && !in_place_) {
            output_.resize(chunk_);
        }
        run_library();
        const bool same = ours == results(false);
        output_ = of_ring;
        input_ = kept;
        return same;
    }

private:
    [[nodiscard]] int whole() const { return static_cast<int>(chunk_) * ranks_; }
    [[nodiscard]] int part() const { return static_cast<int>(chunk_); }

    /// This rank's result, wherever it stands.
    [[nodiscard]] std::vector<float> results(bool of_ring) const {
        const std::vector<float>& all = in_place_ ? input_ : output_;
        if (kind_ != Kind::reduce_scatter) {
            return all;
        }
        const auto from = all.begin() + (of_ring ? static_cast<std::ptrdiff_t>(chunk_) * rank_ : 0);
        return {from, from + static_cast<std::ptrdiff_t>(chunk_)};
    }

    void run_ring() {
        if (!in_place_) {
            const bool own = kind_ == Kind::all_gather;
            std::copy(input_.begin(), input_.end(),
                      output_.begin() + (own ? static_cast<std::ptrdiff_t>(chunk_) * rank_ : 0));
        }
        std::vector<float>& buffer = in_place_ ? input_ : output_;
        if (kind_ == Kind::all_reduce) {
            ring_all_reduce(buffer, scratch_, group_);
        } else if (kind_ == Kind::reduce_scatter) {
            ring_reduce_scatter(buffer, scratch_, group_);
        } else {
            ring_all_gather(buffer, chunk_, group_);
        }
    }

    void run_library() {
        const void* from = in_place_ ? MPI_IN_PLACE : static_cast<const void*>(input_.data());
        float* to = in_place_ ? input_.data() : output_.data();
        switch (kind_) {
            case Kind::all_reduce: MPI_Allreduce(from, to, whole(), MPI_FLOAT, MPI_SUM, group_); break;
            case Kind::reduce_scatter: MPI_Reduce_scatter_block(from, to, part(), MPI_FLOAT, MPI_SUM, group_); break;
            case Kind::all_gather: MPI_Allgather(from, part(), MPI_FLOAT, to, part(), MPI_FLOAT, group_); break;
            case Kind::all_to_all: MPI_Alltoall(from, part(), MPI_FLOAT, to, part(), MPI_FLOAT, group_); break;
            case Kind::broadcast: MPI_Bcast(input_.data(), whole(), MPI_FLOAT, 0, group_); break;
        }
    }

    MPI_Comm group_;
    Kind kind_;
    int ranks_ = 1;
    int rank_ = 0;
    std::size_t chunk_ = 1;
    bool in_place_ = false;
    bool ring_ = false;
    std::vector<float> input_;
    std::vector<float> output_;
    std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<GroupBenchmark> make_collective(const Case& asked, MPI_Comm group) {
    return std::make_unique<Collective>(asked, group);
}

}  // namespace dodona::calibrate
