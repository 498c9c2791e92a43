#include "calibrate/noise/noise.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/noise/loads.hpp"

namespace dodona::calibrate {

struct Noise::Shared {
    enum State : int { starting, running, failed };
    LoadCounters counters;
    std::atomic<int> state{starting};
    std::chrono::steady_clock::time_point begin;
    char why[256] = {};
};

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{10};

void keep_to(const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) {
        CPU_SET(static_cast<std::size_t>(cpu), &set);
    }
    if (!cpus.empty()) {
        sched_setaffinity(0, sizeof set, &set);
    }
}

/// How long loads were on in the first `elapsed` of a pattern.
Seconds active_time(const NoisePattern& pattern, Seconds elapsed) {
    const auto of_a_cycle = sum_of<Seconds>(
        pattern.phases, [](const Phase& phase) { return phase.load == Load::silence ? Seconds{} : phase.duration; });
    const double cycles = std::floor(elapsed / pattern.cycle());
    Seconds active = cycles * of_a_cycle;
    Seconds left = elapsed - cycles * pattern.cycle();
    for (const Phase& phase : pattern.phases) {
        const Seconds part = min(left, phase.duration);
        active += phase.load == Load::silence ? Seconds{} : part;
        left = left - part;
    }
    return active;
}

/// The life of the noise process, which ends from outside: at the latest when its parent does.
template <typename Shared>
[[noreturn]] void live(const NoiseSettings& settings, pid_t parent, Shared& shared) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(0);
    }
    keep_to(settings.cpus);
    try {
        PatternClock clock(settings.pattern);
        shared.begin = clock.begin(start_loads(settings, clock, shared.counters));
        shared.state = Shared::running;
        for (;;) {
            pause();
        }
    } catch (const std::exception& error) {
        std::strncpy(shared.why, error.what(), sizeof shared.why - 1);
        shared.state = Shared::failed;
        _exit(1);
    }
}

Seconds cpu_time(pid_t process) {
    clockid_t clock{};
    timespec spent{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &spent) != 0) {
        return {};
    }
    return (static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec)) * 1_s;
}

}  // namespace

Noise::Noise(const NoiseSettings& settings) : pattern_(settings.pattern) {
    if (settings.pattern.has(Load::files) && settings.directory.empty()) {
        throw std::runtime_error("a load of files needs a directory; give one on the file system in question");
    }
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(), "memory for noise");
    }
    shared_ = new (memory) Shared;
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) {
        live(settings, parent, *shared_);
    }
    const SteadyClock::time_point begin = SteadyClock::now();
    while (process_ > 0 && shared_->state == Shared::starting && SteadyClock::now() - begin < kPatience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (process_ < 0 || shared_->state != Shared::running) {
        const std::string why = process_ < 0                         ? std::strerror(errno)
                                : shared_->state == Shared::starting ? "no answer in time"
                                                                     : shared_->why;
        end();
        throw std::runtime_error(fmt::format("the load could not begin: {}", why));
    }
}

Noise::~Noise() { end(); }

void Noise::end() {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    munmap(shared_, sizeof(Shared));
}

NoiseDone Noise::done() const {
    const Seconds elapsed = std::chrono::duration<double>(SteadyClock::now() - shared_->begin).count() * 1_s;
    return {.bytes = Bytes::of_base(static_cast<double>(shared_->counters.bytes.load())),
            .spins = static_cast<double>(shared_->counters.spins.load()),
            .active = active_time(pattern_, elapsed),
            .cpu = cpu_time(process_)};
}

}  // namespace dodona::calibrate
