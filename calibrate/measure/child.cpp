#include "calibrate/measure/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::calibrate {

namespace {

constexpr int kPollMs = 100;
constexpr int kGraceMs = 2000;
constexpr int kNotFound = 127;
constexpr std::size_t kMaxLine = std::size_t{1} << 20;  ///< a record has some hundred bytes

struct Pipe {
    int out = -1;
    int in = -1;
};

Pipe make_pipe() {
    int ends[2];
    check(::pipe2(ends, O_CLOEXEC) == 0, "a pipe can be made");
    return {ends[0], ends[1]};
}

/// In the child: a group of its own, so that Ctrl-C reaches dodona alone, which then ends it; and no orphan.
void stand_apart(int errors, const runner::Guard* guard) {
    ::setpgid(0, 0);
    if (guard != nullptr) {
        guard->add(::getpid());
    }
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (const int signal : {SIGINT, SIGTERM, SIGQUIT}) {
        std::signal(signal, SIG_DFL);
    }
    ::dup2(errors, STDERR_FILENO);
}

std::string last_line(int file) {
    char text[2048];
    const off_t end = ::lseek(file, 0, SEEK_END);
    const off_t from = std::max<off_t>(0, end - static_cast<off_t>(sizeof text));
    const ssize_t size = ::pread(file, text, sizeof text, from);
    std::string tail(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    tail.erase(tail.find_last_not_of(" \n\r\t-") + 1);
    const auto line = tail.rfind('\n');
    return line == std::string::npos ? tail : tail.substr(line + 1);
}

std::string became(int status) {
    if (WIFSIGNALED(status)) {
        return fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    }
    return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

Child::Child(Child&& other) noexcept
    : guard_(other.guard_),
      process_(std::exchange(other.process_, -1)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      status_(other.status_),
      read_(std::move(other.read_)),
      became_(std::move(other.became_)) {}

Child Child::forked(const std::function<int(int, int)>& body, const runner::Guard* guard) {
    const Pipe there = make_pipe();
    const Pipe back = make_pipe();
    const int errors = ::memfd_create("errors", MFD_CLOEXEC);
    const pid_t process = ::fork();
    check(process >= 0, "a process can be made");
    if (process == 0) {
        stand_apart(errors, guard);
        ::close(there.in);
        ::close(back.out);
        int status = 70;
        try {
            status = body(there.out, back.in);
        } catch (const std::exception& fault) {
            fmt::print(stderr, "{}\n", fault.what());
        }
        ::_exit(status);
    }
    ::close(there.out);
    ::close(back.in);
    return {guard, process, there.in, back.out, errors};
}

Child Child::program(const std::vector<std::string>& words, const runner::Guard* guard) {
    return forked(
        [&](int in, int out) {
            ::dup2(in, STDIN_FILENO);
            ::dup2(out, STDOUT_FILENO);
            std::vector<char*> arguments;
            std::vector<std::string> copies = words;
            for (std::string& word : copies) {
                arguments.push_back(word.data());
            }
            arguments.push_back(nullptr);
            ::execvp(arguments[0], arguments.data());
            fmt::print(stderr, "{}: {}\n", words[0], std::strerror(errno));
            return kNotFound;
        },
        guard);
}

Child::Reply Child::read(Seconds limit, const std::function<bool()>& stop) {
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        const auto end = read_.find('\n');
        if (end != std::string::npos) {
            Reply reply{Reply::Kind::line, read_.substr(0, end)};
            read_.erase(0, end + 1);
            return reply;
        }
        if (read_.size() > kMaxLine) {
            Reply reply{Reply::Kind::line, read_.substr(0, kMaxLine)};  // which is no record
            read_.clear();
            return reply;
        }
        pollfd waiting{.fd = from_, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&waiting, 1, kPollMs);
        if (stop && stop()) {
            return {Reply::Kind::stopped};
        }
        if (ready <= 0) {
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
            if (passed.count() * 1_s > limit) {
                return {Reply::Kind::late};
            }
            continue;
        }
        char more[8192];
        const ssize_t count = ::read(from_, more, sizeof more);
        if (count <= 0) {
            return {Reply::Kind::ended};
        }
        read_.append(more, static_cast<std::size_t>(count));
    }
}

bool Child::write(const std::string& line) {
    const std::string text = line + "\n";
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;  // a reader that is gone is an answer here, not the end
    ::sigaction(SIGPIPE, &ignore, &before);
    const bool written = ::write(to_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::sigaction(SIGPIPE, &before, nullptr);
    return written;
}

std::string Child::end() {
    if (process_ < 0) {
        return became_;
    }
    ::close(to_);
    ::close(from_);
    int status = 0;
    pid_t ended = 0;
    for (int waited = 0; (ended = ::waitpid(process_, &status, WNOHANG)) == 0; waited += 10) {
        if (waited == kGraceMs) {
            ::kill(-process_, SIGTERM);
        } else if (waited == 2 * kGraceMs) {
            ::kill(-process_, SIGKILL);
        }
        ::usleep(10'000);
    }
    ::kill(-process_, SIGKILL);  // whatever it left running
    if (guard_ != nullptr) {
        guard_->remove(process_);
    }
    process_ = -1;
    status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    const std::string words = last_line(errors_);
    ::close(errors_);
    became_ = became(status) + (words.empty() ? "" : ": " + words);
    return became_;
}

}  // namespace dodona::calibrate
