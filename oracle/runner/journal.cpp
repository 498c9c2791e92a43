#include "runner/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>

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

constexpr Seconds kLongest = 1e9 * unit::second;  ///< 31 years

/// The events of a journal, checked line by line.
class Events {
public:
    Events(const std::string& path, const Limits& limits)
        : source_(std::make_shared<Source>(Source{.name = path, .lines = {}})), limits_(limits) {}

    void read(const std::string& line) {
        source_->lines.push_back(line);
        std::istringstream words(line);
        std::string event;
        words >> event;
        if (source_->lines.size() == 1) {
            return;  // the heading
        }
        if (event == "start") {
            read_start(words);
        } else if (event == "end") {
            read_end(words);
        } else {
            damaged("not an event");
        }
    }

    std::vector<Attempt> ended;
    std::set<std::size_t> unfinished;  ///< trials
    Seconds last;

private:
    [[noreturn]] void refuse(const std::string& message, const std::string& help) const {
        const int line = static_cast<int>(source_->lines.size());
        const int length = static_cast<int>(source_->lines.back().size());
        fail({.source = source_, .line = line, .column = 1, .length = std::max(length, 1)}, message, help);
    }
    [[noreturn]] void damaged(const std::string& message) const {
        refuse(message, "the journal is damaged: give another --into, or remove this line and all after it");
    }

    Seconds time_of(std::istringstream& words) {
        double seconds = 0;
        std::string rest;
        if (!(words >> seconds) || words >> rest) {
            damaged("not an event");
        }
        const Seconds time = seconds * unit::second;
        if (!(time >= last && time <= kLongest)) {
            damaged("its time is before that of the line above, or beyond 31 years");
        }
        return time;
    }

    void read_start(std::istringstream& words) {
        Attempt attempt;
        if (!(words >> attempt.trial >> attempt.number >> attempt.place.node >> attempt.place.lane)) {
            damaged("not an event");
        }
        attempt.start = last = time_of(words);
        if (attempt.trial >= limits_.trials) {
            damaged(fmt::format("trial {} starts, and the study has {}", attempt.trial + 1, limits_.trials));
        }
        if (attempt.place.node < 0 || attempt.place.lane < 0) {
            damaged("not an event");
        }
        if (attempt.place.node >= limits_.nodes) {
            refuse(fmt::format("a trial ran on node {}, and there are {} now", attempt.place.node + 1, limits_.nodes),
                   "go on with as many nodes as before (--nodes, --hosts), or give another --into");
        }
        if (attempt.place.lane >= limits_.slots) {
            refuse(fmt::format("a trial ran in slot {} of its node, and a node has {} now", attempt.place.lane + 1,
                               limits_.slots),
                   "go on with as much room as before (--slots, --cores, --gpus-per-trial), or give another --into");
        }
        if (attempt.number != numbers_[attempt.trial] + 1 || finished_.contains(attempt.trial)) {
            damaged(fmt::format("trial {} does not start its attempt {} here", attempt.trial + 1, attempt.number));
        }
        // A run that was killed leaves attempts without an end. The next begins others, in the same places too.
        std::erase_if(running_, [&](const auto& other) {
            return other.second.place.node == attempt.place.node && other.second.place.lane == attempt.place.lane;
        });
        running_[attempt.trial] = attempt;
        unfinished.insert(attempt.trial);
    }

    void read_end(std::istringstream& words) {
        Attempt attempt;
        std::string state;
        if (!(words >> attempt.trial >> attempt.number >> state >> attempt.status)) {
            damaged("not an event");
        }
        attempt.end = last = time_of(words);
        const auto known = value_of<State>(state);
        if (!known || attempt.status < 0 || attempt.status > 255 ||
            (known != State::stopped && (known == State::finished) != (attempt.status == 0))) {
            damaged("not an event");
        }
        attempt.state = *known;
        const auto started = running_.find(attempt.trial);
        if (started == running_.end() || started->second.number != attempt.number) {
            damaged(fmt::format("attempt {} of trial {} ends, which does not run", attempt.number, attempt.trial + 1));
        }
        attempt.place = started->second.place;
        attempt.start = started->second.start;
        running_.erase(started);
        unfinished.erase(attempt.trial);
        numbers_[attempt.trial] = attempt.number;
        if (attempt.state == State::finished || attempt.state == State::stopped) {
            finished_.insert(attempt.trial);
        }
        ended.push_back(attempt);
    }

    std::shared_ptr<Source> source_;
    Limits limits_;
    std::map<std::size_t, Attempt> running_;  ///< by trial
    std::map<std::size_t, int> numbers_;      ///< of a trial's last attempt that has ended
    std::set<std::size_t> finished_;
};

}  // namespace

LockedFile::~LockedFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

Journal::Journal(const std::string& folder, std::uint64_t fingerprint, const Limits& limits)
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
    const std::string heading = fmt::format("{} {:016x}\n", kHeading, fingerprint);
    if (whole_lines == 0 && !heading.starts_with(text)) {
        fail({}, path_ + " is no journal of dodona", "another --into");
    }
    if (whole_lines < text.size() && ::ftruncate(file_.descriptor(), static_cast<off_t>(whole_lines)) != 0) {
        cannot(path_, "written", errno);
    }
    if (whole_lines == 0) {
        append(heading);
    } else {
        read(text.substr(0, whole_lines), fingerprint, limits);
    }
}

void Journal::read(const std::string& text, std::uint64_t fingerprint, const Limits& limits) {
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
    Events events(path_, limits);
    for (events.read(line); std::getline(lines, line);) {
        events.read(line);
    }
    attempts_ = events.ended;
    end_ = events.last;
    unfinished_ = events.unfinished;
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
