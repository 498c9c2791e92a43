#include "calibrate/measure/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/file_lock.hpp"
#include "base/read_file.hpp"

namespace dodona::calibrate {

namespace {

/// Some million measurements.
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

std::string contents(const std::string& path) {
    std::string text = read_file(path, path, {}, kMaxBytes);
    if (text.size() > kMaxBytes) {
        fail({}, fmt::format("{} is larger than {} MiB", path, kMaxBytes >> 20),
             "give a file that `dodona calibrate` wrote");
    }
    return text;
}

std::vector<Record> parsed(const std::string& path, const std::string& text) {
    auto source = std::make_shared<Source>(Source{.name = path, .lines = {}});
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        source->lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    std::vector<Record> records;
    for (std::size_t i = 0; i < source->lines.size(); ++i) {
        if (!source->lines[i].empty()) {
            records.push_back(
                record_from(source->lines[i], {.source = source, .line = static_cast<int>(i) + 1, .column = 1}));
        }
    }
    return records;
}

}  // namespace

Journal::Journal(std::string path) : path_(std::move(path)) {
    std::error_code ignored;
    is_new_ = !std::filesystem::exists(path_, ignored);
    if (!is_new_ && !std::filesystem::is_directory(path_, ignored) &&
        !std::filesystem::is_regular_file(path_, ignored)) {
        fail({}, fmt::format("{} is no regular file", path_), "give another name with -o");
    }
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    if (file_ < 0) {
        fail({}, fmt::format("{} cannot be written: {}", path_, std::strerror(errno)),
             "give a folder that exists and may be written to");
    }
    try {
        if (!lock(file_)) {
            fail({}, fmt::format("another calibration is writing {}", path_),
                 "wait for it, or write another file with -o");
        }
        for (const Record& record : parsed(path_, whole_lines(contents(path_)))) {
            note(record);
        }
    } catch (...) {
        ::close(file_);
        throw;
    }
}

Journal::~Journal() {
    if (is_new_ && records_.empty()) {
        ::unlink(path_.c_str());  // nothing was measured: as if it had never been opened
    }
    ::close(file_);
}

/// The text without a last line that a calibration did not finish. The file is changed by append() alone.
std::string Journal::whole_lines(std::string text) {
    const std::size_t whole = text.rfind('\n') + 1;  // 0 where there is none
    if (whole == text.size()) {
        return text;
    }
    try {
        static_cast<void>(record_from(std::string_view(text).substr(whole), {}));
        lacks_end_ = true;
        return text;
    } catch (const InputError&) {
        cut_at_ = static_cast<std::int64_t>(whole);
        text.resize(whole);
        return text;
    }
}

bool Journal::has(const std::string& backend, Pass pass, const Case& of) const {
    return measured_.contains({backend, pass, of.key()});
}

void Journal::note(const Record& record) {
    if (const auto* measurement = std::get_if<Measurement>(&record.what)) {
        measured_[{record.backend, record.pass, measurement->of.key()}] = true;
    }
    records_.push_back(record);
}

void Journal::append(const Record& record) {
    const std::string line = (lacks_end_ ? "\n" : "") + to_line(record) + "\n";
    const bool is_cut = !cut_at_ || ::ftruncate(file_, static_cast<off_t>(*cut_at_)) == 0;
    const off_t before = ::lseek(file_, 0, SEEK_END);
    errno = 0;
    if (!is_cut || ::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
        ::fdatasync(file_) != 0) {
        const int reason = errno;
        static_cast<void>(::ftruncate(file_, before) == 0);
        fail({}, fmt::format("{} cannot be appended to: {}", path_, std::strerror(reason)),
             "is the disk full? Measurements so far are kept; the same command continues from there");
    }
    cut_at_.reset();
    lacks_end_ = false;
    note(record);
}

void Journal::check_device(const std::string& backend, const Environment& environment) const {
    const auto device = environment.facts.find("device");
    if (device == environment.facts.end()) {
        return;
    }
    for (const Record& record : records_) {
        const auto* before = std::get_if<Environment>(&record.what);
        const auto known = before != nullptr ? before->facts.find("device") : environment.facts.end();
        if (before == nullptr || record.backend != backend || known == before->facts.end() ||
            known->second == device->second) {
            continue;
        }
        fail({}, fmt::format("{} holds what was measured on {}, and this is {}", path_, known->second, device->second),
             "one file is of one device: write another with -o");
    }
}

std::vector<Record> read_records(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        fail({}, fmt::format("there is no file {}", path), "give a file that `dodona calibrate` wrote");
    }
    return parsed(path, contents(path));
}

std::vector<Measurement> latest(const std::vector<Record>& records, Pass pass) {
    std::vector<Measurement> all;
    std::map<std::pair<std::string, std::string>, std::size_t> place;
    for (const Record& record : records) {
        const auto* measurement = std::get_if<Measurement>(&record.what);
        if (measurement == nullptr || record.pass != pass) {
            continue;
        }
        const auto [found, fresh] = place.try_emplace({record.backend, measurement->of.key()}, all.size());
        if (fresh) {
            all.push_back(*measurement);
        } else {
            all[found->second] = *measurement;
        }
    }
    return all;
}

}  // namespace dodona::calibrate
