#include "calibrate/mpi/ring.hpp"

namespace dodona::calibrate {

namespace {

struct Neighbours {
    int ranks = 1;
    int rank = 0;

    explicit Neighbours(MPI_Comm ring) {
        MPI_Comm_size(ring, &ranks);
        MPI_Comm_rank(ring, &rank);
    }
    [[nodiscard]] int next() const { return (rank + 1) % ranks; }
    [[nodiscard]] int previous() const { return (rank + ranks - 1) % ranks; }
    /// The chunk that is `back` before this rank's; 0 <= back <= 2 p.
    [[nodiscard]] std::size_t chunk(int back) const {
        return static_cast<std::size_t>((rank + 2 * ranks - back) % ranks);
    }
};

void pass(std::span<const float> out, std::span<float> in, const Neighbours& at, MPI_Comm ring) {
    MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_FLOAT, at.next(), 0, in.data(),
                 static_cast<int>(in.size()), MPI_FLOAT, at.previous(), 0, ring, MPI_STATUS_IGNORE);
}

}  // namespace

void ring_reduce_scatter(std::span<float> buffer, std::span<float> scratch, MPI_Comm ring) {
    const Neighbours at(ring);
    const std::size_t chunk = scratch.size();
    for (int step = 0; step + 1 < at.ranks; ++step) {
        pass(buffer.subspan(at.chunk(step + 1) * chunk, chunk), scratch, at, ring);
        const std::span<float> sum = buffer.subspan(at.chunk(step + 2) * chunk, chunk);
        for (std::size_t i = 0; i < chunk; ++i) {
            sum[i] += scratch[i];
        }
    }
}

void ring_all_gather(std::span<float> buffer, std::size_t chunk, MPI_Comm ring) {
    const Neighbours at(ring);
    for (int step = 0; step + 1 < at.ranks; ++step) {
        pass(buffer.subspan(at.chunk(step) * chunk, chunk), buffer.subspan(at.chunk(step + 1) * chunk, chunk), at,
             ring);
    }
}

void ring_all_reduce(std::span<float> buffer, std::span<float> scratch, MPI_Comm ring) {
    ring_reduce_scatter(buffer, scratch, ring);
    ring_all_gather(buffer, scratch.size(), ring);
}

}  // namespace dodona::calibrate
