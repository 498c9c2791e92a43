#include "runner/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diagnostic.hpp"

namespace dodona::runner {

namespace {

/// The child's way into the command. Only what is safe between fork and exec.
[[noreturn]] void become(const char* command, int log, pid_t parent, char* const* environment) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // dodona may be killed: its trials end with it
    if (::getppid() != parent) {
        ::_exit(128 + SIGTERM);
    }
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
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
                 const std::vector<std::pair<std::string, std::string>>& environment) {
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        fail({}, fmt::format("{} cannot be written: {}", log, std::strerror(errno)));
    }
    std::vector<std::string> variables = environment_with(environment);
    std::vector<char*> pointers;
    for (std::string& variable : variables) {
        pointers.push_back(variable.data());
    }
    pointers.push_back(nullptr);
    const pid_t parent = ::getpid();
    id_ = ::fork();
    if (id_ == 0) {
        become(command.c_str(), file, parent, pointers.data());
    }
    const int reason = errno;
    ::close(file);
    if (id_ < 0) {
        fail({}, fmt::format("no process can be made: {}", std::strerror(reason)));
    }
    ::setpgid(id_, id_);  // here too, so that the group is there whichever of the two is first
}

Process::~Process() {
    if (id_ > 0) {
        terminate(true);
        ::waitpid(id_, nullptr, 0);
    }
}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
}

std::optional<int> Process::status() {
    int status = 0;
    if (id_ <= 0 || ::waitpid(id_, &status, WNOHANG) != id_) {
        return std::nullopt;
    }
    id_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Process::terminate(bool at_once) {
    if (id_ > 0) {
        ::kill(-id_, at_once ? SIGKILL : SIGTERM);
    }
}

}  // namespace dodona::runner
