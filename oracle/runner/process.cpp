#include "runner/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diagnostic.hpp"
#include "base/file_lock.hpp"

namespace dodona::runner {

namespace {

constexpr int kLockDescriptor = 10;  ///< or one behind it

/// The child's way into the command. Only what is safe between fork and exec.
[[noreturn]] void become(const char* command, int log, pid_t parent, char* const* environment, const Guard& guard) {
    ::setpgid(0, 0);
    guard.add(::getpid());
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // dodona may be killed: its trials end with it
    if (::getppid() != parent) {
        ::_exit(128 + SIGTERM);
    }
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::fcntl(log, F_DUPFD, kLockDescriptor);  // the lock stays where a command sends what it prints elsewhere
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    ::signal(SIGXFSZ, SIG_DFL);
    char shell[] = "sh";
    char option[] = "-c";
    char* const words[] = {shell, option, const_cast<char*>(command), nullptr};
    ::execve("/bin/sh", words, environment);
    ::_exit(kNotFoundStatus);
}

/// The environment of this process with some variables replaced: "NAME=value".
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> all;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        bool is_replaced = false;
        for (const auto& replaced : more) {
            is_replaced = is_replaced || text.starts_with(replaced.first + "=");
        }
        if (!is_replaced) {
            all.push_back(text);
        }
    }
    for (const auto& [name, value] : more) {
        all.push_back(name + "=" + value);
    }
    return all;
}

}  // namespace

Process::Process(const std::string& command, const std::string& log,
                 const std::vector<std::pair<std::string, std::string>>& environment, const Guard& guard)
    : guard_(&guard) {
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        fail({}, fmt::format("{} cannot be written: {}", log, std::strerror(errno)));
    }
    ::flock(file, LOCK_EX | LOCK_NB);  // some file systems have no locks
    std::vector<std::string> variables = environment_with(environment);
    std::vector<char*> pointers;
    for (std::string& variable : variables) {
        pointers.push_back(variable.data());
    }
    pointers.push_back(nullptr);
    const pid_t parent = ::getpid();
    group_ = ::fork();
    if (group_ == 0) {
        become(command.c_str(), file, parent, pointers.data(), guard);
    }
    const int reason = errno;
    ::close(file);
    if (group_ < 0) {
        fail({}, fmt::format("no process can be made: {}", std::strerror(reason)));
    }
    ::setpgid(group_, group_);  // here too, so that the group is there whichever of the two is first
}

Process::~Process() {
    if (group_ > 0) {
        terminate(true);
        while (::waitpid(-group_, nullptr, 0) > 0 || errno == EINTR) {
        }
        guard_->remove(group_);
    }
}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(guard_, other.guard_);
    std::swap(group_, other.group_);
    std::swap(has_ended_, other.has_ended_);
    return *this;
}

std::optional<int> Process::status() {
    int status = 0;
    if (group_ <= 0 || has_ended_ || ::waitpid(group_, &status, WNOHANG) != group_) {
        return std::nullopt;
    }
    has_ended_ = true;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool Process::is_gone() {
    while (group_ > 0 && ::waitpid(-group_, nullptr, WNOHANG) > 0) {
        has_ended_ = true;
    }
    return group_ <= 0 || ::kill(-group_, 0) != 0;
}

void Process::terminate(bool at_once) {
    if (group_ > 0) {
        ::kill(-group_, at_once ? SIGKILL : SIGTERM);
    }
}

bool is_free(const std::string& log, std::chrono::milliseconds patience) {
    const int file = ::open(log.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return true;
    }
    const bool is_locked = !lock(file, patience) && errno == EWOULDBLOCK;
    ::close(file);
    return !is_locked;
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace dodona::runner
