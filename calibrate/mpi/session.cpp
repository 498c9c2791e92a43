#include "calibrate/mpi/session.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <vector>

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

Session::Seat Session::seat_of(const World& world, const Case& asked) {
    const auto groups = placed(asked, world.hosts());
    for (std::size_t group = 0; group < groups.size(); ++group) {
        const auto found = std::find(groups[group].begin(), groups[group].end(), world.rank());
        if (found != groups[group].end()) {
            return {static_cast<int>(group), static_cast<int>(found - groups[group].begin())};
        }
    }
    return {};
}

Session::Session(const World& world, const Case& asked) : Session(world, asked, seat_of(world, asked)) {}

Session::Session(const World& world, const Case& asked, const Seat& seat)
    : active_(world.split(seat.group == MPI_UNDEFINED ? MPI_UNDEFINED : 0, world.rank())),
      group_(world.split(seat.group, seat.place)) {
    const bool in = active_.member();
    int prepared = kReady;
    std::string why;
    if (in) {
        try {
            exercise_ = make_exercise(asked, group_.get());
        } catch (const CannotMeasure& error) {
            prepared = kSenseless;
            why = error.what();
        } catch (const std::bad_alloc&) {
            prepared = kTooLarge;
        }
    }
    agree(prepared, why);
    agree(in && !exercise_->right() ? kWrong : kReady, {});
}

Session::Sample Session::take(const Turn& turn) {
    MPI_Barrier(active_.get());
    const long before = involuntary_switches();
    const Seconds own = exercise_->run(turn);
    const auto switched = static_cast<double>(involuntary_switches() - before);
    std::array<double, 2> worst{own.in(1_s), switched};
    std::array<double, 2> all{};
    MPI_Reduce(worst.data(), all.data(), 2, MPI_DOUBLE, MPI_MAX, 0, active_.get());
    return {all[0] * 1_s, all[1] > 0};
}

Session::Sample Session::sample(const Turn& turn) {
    std::array<double, 2> what{static_cast<double>(turn.kind), turn.delay};
    MPI_Bcast(what.data(), 2, MPI_DOUBLE, 0, active_.get());
    return take(turn);
}

std::map<std::string, double> Session::mean_figures() const {
    std::map<std::string, double> figures = exercise_->figures();
    for (auto& [name, value] : figures) {
        double sum = 0;
        MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, active_.get());
        value = sum / active_.size();
    }
    return figures;
}

std::map<std::string, double> Session::finish() {
    std::array<double, 2> what{kFinish, 0};
    MPI_Bcast(what.data(), 2, MPI_DOUBLE, 0, active_.get());
    return mean_figures();
}

void Session::follow() {
    while (active_.member()) {
        std::array<double, 2> what{};
        MPI_Bcast(what.data(), 2, MPI_DOUBLE, 0, active_.get());
        if (what[0] == kFinish) {
            mean_figures();
            return;
        }
        take({.kind = static_cast<int>(what[0]), .delay = what[1]});
    }
}

}  // namespace dodona::calibrate
