#include "runner/guard.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diagnostic.hpp"

namespace dodona::runner {

namespace {

bool lives(pid_t group) { return ::kill(-group, 0) == 0 || errno == EPERM; }

void end_groups(const std::vector<pid_t>& groups) {
    constexpr auto kPoll = std::chrono::milliseconds(20);
    for (const pid_t group : groups) {
        ::kill(-group, SIGTERM);
        ::kill(-group, SIGCONT);  // one that is stopped cannot end
    }
    const auto last = std::chrono::steady_clock::now() + kGrace;
    while (std::any_of(groups.begin(), groups.end(), lives) && std::chrono::steady_clock::now() < last) {
        std::this_thread::sleep_for(kPoll);
    }
    for (const pid_t group : groups) {
        ::kill(-group, SIGKILL);
    }
}

/// The process. `groups` has room for all of them: after a fork no memory can be had safely.
[[noreturn]] void watch(int pipe, std::vector<pid_t>& groups) {
    ::setsid();  // signals of the terminal are for the run
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
        std::signal(signal, SIG_IGN);  // schedulers send them to every process of a job
    }
    ::prctl(PR_SET_NAME, "trials-guard");
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::dup2(nothing, standard);
    }
    pid_t number = 0;
    for (;;) {
        const ssize_t count = ::read(pipe, &number, sizeof number);
        if (count == sizeof number && number > 0 && groups.size() < groups.capacity()) {
            groups.push_back(number);
        } else if (count == sizeof number) {
            groups.erase(std::remove(groups.begin(), groups.end(), -number), groups.end());
        } else if (count == 0 || errno != EINTR) {
            break;
        }
    }
    end_groups(groups);
    ::_exit(0);
}

[[noreturn]] void cannot_start() { fail({}, fmt::format("no process can be made: {}", std::strerror(errno))); }

}  // namespace

Guard::Guard(std::size_t groups) {
    std::vector<pid_t> room;
    room.reserve(groups);
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        cannot_start();
    }
    id_ = ::fork();
    if (id_ == 0) {
        ::close(ends[1]);
        watch(ends[0], room);
    }
    ::close(ends[0]);
    pipe_ = ends[1];
    if (id_ < 0) {
        ::close(pipe_);
        cannot_start();
    }
}

Guard::~Guard() {
    ::close(pipe_);
    ::waitpid(id_, nullptr, 0);
}

void Guard::tell(pid_t number) const {
    while (::write(pipe_, &number, sizeof number) < 0 && errno == EINTR) {
    }
}

void Guard::add(pid_t group) const { tell(group); }

void Guard::remove(pid_t group) const { tell(-group); }

}  // namespace dodona::runner
