#include "calibrate/mpi/case_run.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/check.hpp"
#include "calibrate/mpi/placement.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

constexpr double kFinish = -1;

long involuntary_switches() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

/// How a rank's preparation went; the worst of all ranks counts, so that all throw or none does.
enum Prepared { kReady, kSenseless, kTooLarge, kWrong };

void agree(int own, const std::string& why) {
    int worst = own;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    switch (worst) {
        case kSenseless: throw CannotMeasure(why.empty() ? "another rank can't do it" : why);
        case kTooLarge: throw CannotMeasure("out of memory on a rank; a smaller buffer may fit");
        case kWrong: throw InternalError("the ring's result is not the library's");
        default: return;
    }
}

}  // namespace

CaseRun::Position CaseRun::position_of(const World& world, const Case& asked) {
    const auto groups = placed(asked, world.hosts());
    for (std::size_t group = 0; group < groups.size(); ++group) {
        const auto found = std::find(groups[group].begin(), groups[group].end(), world.rank());
        if (found != groups[group].end()) {
            return {static_cast<int>(group), static_cast<int>(found - groups[group].begin())};
        }
    }
    return {};
}

CaseRun::CaseRun(const World& world, const Case& asked) : CaseRun(world, asked, position_of(world, asked)) {}

CaseRun::CaseRun(const World& world, const Case& asked, const Position& position)
    : active_(world.split(position.group == MPI_UNDEFINED ? MPI_UNDEFINED : 0, world.rank())),
      group_(world.split(position.group, position.place)) {
    const bool in = active_.member();
    int prepared = kReady;
    std::string why;
    if (in) {
        try {
            benchmark_ = make_group_benchmark(asked, group_.get());
        } catch (const CannotMeasure& error) {
            prepared = kSenseless;
            why = error.what();
        } catch (const std::bad_alloc&) {
            prepared = kTooLarge;
        }
    }
    agree(prepared, why);
    agree(in && !benchmark_->right() ? kWrong : kReady, {});
}

CaseRun::Sample CaseRun::take(const SampleRequest& request) {
    MPI_Barrier(active_.get());
    const long before = involuntary_switches();
    const Seconds own = benchmark_->run(request);
    const auto switched = static_cast<double>(involuntary_switches() - before);
    std::array<double, 2> worst{own.in(1_s), switched};
    std::array<double, 2> all{};
    MPI_Reduce(worst.data(), all.data(), 2, MPI_DOUBLE, MPI_MAX, 0, active_.get());
    return {all[0] * 1_s, all[1] > 0};
}

CaseRun::Sample CaseRun::sample(const SampleRequest& request) {
    std::array<double, 2> what{static_cast<double>(request.kind), request.delay};
    MPI_Bcast(what.data(), 2, MPI_DOUBLE, 0, active_.get());
    return take(request);
}

std::map<std::string, double> CaseRun::mean_values() const {
    std::map<std::string, double> figures = benchmark_->values();
    for (auto& [name, value] : figures) {
        double sum = 0;
        MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, active_.get());
        value = sum / active_.size();
    }
    return figures;
}

std::map<std::string, double> CaseRun::finish() {
    std::array<double, 2> what{kFinish, 0};
    MPI_Bcast(what.data(), 2, MPI_DOUBLE, 0, active_.get());
    return mean_values();
}

void CaseRun::follow() {
    while (active_.member()) {
        std::array<double, 2> what{};
        MPI_Bcast(what.data(), 2, MPI_DOUBLE, 0, active_.get());
        if (what[0] == kFinish) {
            mean_values();
            return;
        }
        take({.kind = static_cast<int>(what[0]), .delay = what[1]});
    }
}

}  // namespace dodona::calibrate
