#include "runner/journal.hpp"

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostic.hpp"
#include "base/file_lock.hpp"

namespace dodona::runner {

namespace {

constexpr std::string_view kHeading = "dodona-trials 1";

[[noreturn]] void cannot(const std::string& path, const char* what, int reason) {
    fail({}, fmt::format("{} cannot be {}: {}", path, what, std::strerror(reason)));
}

std::string content_of(int file, const std::string& path) {
    std::string text;
    char piece[65536];
    for (;;) {
        const ssize_t count = ::read(file, piece, sizeof piece);
        if (count < 0) {
            cannot(path, "read", errno);
        }
        if (count == 0) {
            return text;
        }
        text.append(piece, static_cast<std::size_t>(count));
    }
}

/// A line of an event; none: it is not one.
std::optional<Attempt> start_of(std::istringstream& words) {
    Attempt attempt;
    double start = 0;
    if (!(words >> attempt.trial >> attempt.number >> attempt.place.node >> attempt.place.lane >> start)) {
        return std::nullopt;
    }
    attempt.start = start * unit::second;
    return attempt;
}

bool read_end(std::istringstream& words, Attempt& attempt) {
    std::string state;
    double end = 0;
    if (!(words >> attempt.trial >> attempt.number >> state >> attempt.status >> end)) {
        return false;
    }
    const auto known = value_of<State>(state);
    attempt.state = known.value_or(State::failed);
    attempt.end = end * unit::second;
    return known.has_value();
}

}  // namespace

LockedFile::~LockedFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

Journal::Journal(const std::string& folder, std::uint64_t fingerprint)
    : path_(folder + "/journal"), file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
    struct stat about {};
    if (file_.descriptor() < 0 || ::fstat(file_.descriptor(), &about) != 0) {
        cannot(path_, "written", errno);
    }
    if (!S_ISREG(about.st_mode)) {
        fail({}, path_ + " is no file", "another --into");
    }
    if (!lock(file_.descriptor())) {
        fail({}, path_ + " is being written by another run", "wait for it, or another --into");
    }
    const std::string text = content_of(file_.descriptor(), path_);
    const std::size_t whole_lines = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
    if (whole_lines < text.size() && ::ftruncate(file_.descriptor(), static_cast<off_t>(whole_lines)) != 0) {
        cannot(path_, "written", errno);
    }
    if (whole_lines == 0) {
        append(fmt::format("{} {:016x}\n", kHeading, fingerprint));
    } else {
        read(text.substr(0, whole_lines), fingerprint);
    }
}

void Journal::read(const std::string& text, std::uint64_t fingerprint) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    if (!line.starts_with(kHeading)) {
        fail({}, path_ + " is no journal of dodona", "another --into");
    }
    if (line != fmt::format("{} {:016x}", kHeading, fingerprint)) {
        fail({}, path_ + " is of another study: other trials, or another command",
             "another --into, or the study as it was");
    }
    std::map<std::pair<std::size_t, int>, Attempt> running;
    for (int number = 2; std::getline(lines, line); ++number) {
        std::istringstream words(line);
        std::string event;
        words >> event;
        Attempt ended;
        if (const auto started = event == "start" ? start_of(words) : std::nullopt) {
            running[{started->trial, started->number}] = *started;
            end_ = max(end_, started->start);
        } else if (event == "end" && read_end(words, ended) && running.count({ended.trial, ended.number}) != 0) {
            const Attempt& started = running[{ended.trial, ended.number}];
            ended.place = started.place;
            ended.start = started.start;
            end_ = max(end_, ended.end);
            attempts_.push_back(ended);
        } else {
            fail({}, fmt::format("{}, line {}: not an event", path_, number), "another --into");
        }
    }
}

void Journal::append(const std::string& line) {
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t count = ::write(file_.descriptor(), line.data() + written, line.size() - written);
        if (count < 0 && errno != EINTR) {
            cannot(path_, "written", errno);
        }
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    if (::fdatasync(file_.descriptor()) != 0 && errno != EINVAL) {
        cannot(path_, "written", errno);
    }
}

void Journal::note_start(const Attempt& attempt) {
    append(fmt::format("start {} {} {} {} {:.3f}\n", attempt.trial, attempt.number, attempt.place.node,
                       attempt.place.lane, attempt.start.in(unit::second)));
}

void Journal::note_end(const Attempt& attempt) {
    append(fmt::format("end {} {} {} {} {:.3f}\n", attempt.trial, attempt.number, name(attempt.state), attempt.status,
                       attempt.end.in(unit::second)));
    attempts_.push_back(attempt);
}

}  // namespace dodona::runner
