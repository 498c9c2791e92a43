// A step of embedding tables that lie whole on the ranks: pooled look-ups, the all-to-all of their sums to the ranks that
// have the samples, the all-to-all of gradients back, and their addition to the rows.
#include <algorithm>
#include <ctime>
#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "calibrate/lookup/pooled_rows.hpp"
#include "calibrate/mpi/group_benchmark.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

std::int64_t whole(const Case& asked, const char* name) {
    const double value = asked.number(name);
    if (!(value >= 1) || value > 1e9 || value != static_cast<double>(static_cast<std::int64_t>(value))) {
        throw CannotMeasure(fmt::format("tables need {}, a whole number from 1; give the case one", name));
    }
    return static_cast<std::int64_t>(value);
}

/// The least seconds of each part of all samples: of look-ups and additions the processor's, which do not count other
/// programs on the same core; of the exchange those on the wall.
struct PartTimes {
    double lookups = std::numeric_limits<double>::infinity();
    double exchange = std::numeric_limits<double>::infinity();  ///< both ways
    double updates = std::numeric_limits<double>::infinity();
};

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Tables : public GroupBenchmark {
public:
    Tables(const Case& asked, MPI_Comm group)
        : group_(group),
          rows_(whole(asked, "rows")),
          width_(whole(asked, "width")),
          lookups_(whole(asked, "lookups")),
          samples_(whole(asked, "samples")) {
        int rank = 0;
        MPI_Comm_size(group, &ranks_);
        MPI_Comm_rank(group, &rank);
        const std::int64_t tables = whole(asked, "tables");
        if (tables % ranks_ != 0 || samples_ % ranks_ != 0) {
            throw CannotMeasure(
                fmt::format("{} tables and {} samples are not shared evenly by {} ranks", tables, samples_, ranks_));
        }
        std::mt19937_64 random(static_cast<unsigned>(rank) + 1);
        std::uniform_int_distribution<std::int64_t> row(0, rows_ - 1);
        for (std::int64_t table = 0; table < tables / ranks_; ++table) {
            tables_.emplace_back(static_cast<std::size_t>(rows_ * width_), 0.01F);
            std::vector<std::int64_t>& own = indices_.emplace_back(static_cast<std::size_t>(samples_ * lookups_));
            std::generate(own.begin(), own.end(), [&] { return row(random); });
        }
        const std::size_t all = tables_.size() * static_cast<std::size_t>(samples_ * width_);
        if (all > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
            throw CannotMeasure("the sums are more than MPI counts; ask for fewer samples");
        }
        sums_.resize(all);
        received_.resize(all);
    }

    Seconds run(const SampleRequest& /*request*/) override {
        constexpr float kRate = 1e-4F;
        const Stopwatch watch;
        const double begin = processor_seconds();
        look_up(kRate, true);
        times_.lookups = std::min(times_.lookups, processor_seconds() - begin);
        MPI_Barrier(group_);  // who is late is not the exchange's fault
        const Stopwatch of_exchange;
        exchange(sums_, received_);
        exchange(received_, sums_);
        times_.exchange = std::min(times_.exchange, of_exchange.elapsed().in(1_s));
        const double again = processor_seconds();
        look_up(kRate, false);
        times_.updates = std::min(times_.updates, processor_seconds() - again);
        return watch.elapsed();
    }

    [[nodiscard]] std::map<std::string, double> values() const override {
        return {{"lookups", times_.lookups}, {"exchange", times_.exchange}, {"updates", times_.updates}};
    }

private:
    /// Sums, or gradients, stand by the rank that has the samples, then by table: a chunk for each rank.
    void look_up(float rate, bool forward) {
        const std::int64_t of_rank = samples_ / ranks_;
        const auto own = static_cast<std::int64_t>(tables_.size());
        for (std::int64_t table = 0; table < own; ++table) {
            const auto at = static_cast<std::size_t>(table);
            const PooledRows rows{
                .table = tables_[at].data(), .width = width_, .lookups = lookups_, .indices = indices_[at]};
            for (std::int64_t rank = 0; rank < ranks_; ++rank) {
                // Of all samples of the table those of this rank stand in its chunk: row s of this place is sample s.
                const std::int64_t chunk = (rank * own + table) * of_rank;
                float* const place = sums_.data() + (chunk - rank * of_rank) * width_;
                if (forward) {
                    sum_rows(rows, rank * of_rank, (rank + 1) * of_rank, place);
                } else {
                    add_to_rows(rows, rank * of_rank, (rank + 1) * of_rank, place, rate);
                }
            }
        }
    }

    void exchange(const std::vector<float>& from, std::vector<float>& to) {
        const int chunk = static_cast<int>(from.size()) / ranks_;
        MPI_Alltoall(from.data(), chunk, MPI_FLOAT, to.data(), chunk, MPI_FLOAT, group_);
    }

    MPI_Comm group_;
    int ranks_ = 1;
    std::int64_t rows_, width_, lookups_, samples_;
    std::vector<std::vector<float>> tables_;
    std::vector<std::vector<std::int64_t>> indices_;
    std::vector<float> sums_;
    std::vector<float> received_;
    PartTimes times_;
};

}  // namespace

std::unique_ptr<GroupBenchmark> make_tables(const Case& asked, MPI_Comm group) {
    return std::make_unique<Tables>(asked, group);
}

}  // namespace dodona::calibrate
