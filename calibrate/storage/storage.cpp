#include "calibrate/storage/storage.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"
#include "calibrate/record/sampling.hpp"
#include "calibrate/storage/checkpoint_case.hpp"
#include "calibrate/storage/scratch.hpp"

namespace dodona::calibrate {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSmallFiles = 64;  ///< a writer and sample
constexpr double kMaxWriters = 256;
constexpr double kDefaultBlock = 0x1p20;
constexpr double kUsable = 0.8;  ///< of the free space

struct FileCase {
    std::string operation, directory;
    std::int64_t bytes, block;
    int writers;
};

std::int64_t whole(const Case& asked, std::string_view name, double otherwise, double most) {
    const double value = asked.number(name, otherwise);
    if (!(value >= 1) || value > most || std::floor(value) != value) {
        throw CannotMeasure(
            fmt::format("file needs {}, a whole number from 1 to {:.0f}; give the case one", name, most));
    }
    return static_cast<std::int64_t>(value);
}

FileCase file_case(const Case& asked) {
    FileCase file{.operation = asked.word("operation"),
                  .directory = asked.word("directory", "."),
                  .bytes = 0,
                  .block = 0,
                  .writers = static_cast<int>(whole(asked, "writers", 1, kMaxWriters))};
    if (file.operation == "write" || file.operation == "read") {
        file.bytes = whole(asked, "bytes", 0, 0x1p53);
        file.block = std::min(whole(asked, "block", kDefaultBlock, 0x1p31), file.bytes);
        struct statvfs space {};
        const double wanted = static_cast<double>(file.bytes) * file.writers;
        if (statvfs(file.directory.c_str(), &space) == 0 &&
            wanted > kUsable * static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize)) {
            throw CannotMeasure(
                fmt::format("{} has no room for {:.1f} GB of files; give another directory or fewer bytes",
                            file.directory, wanted / 1e9));
        }
    }
    return file;
}

/// What one writer did.
struct Turn {
    Clock::time_point begin, end;
    std::exception_ptr fault;
};

/// What the writers do at once, from the first's begin to the last's end by their own clocks: whoever waits for them
/// may wake up late. Throws what one of them threw.
Seconds together(int writers, const std::function<void(int)>& work) {
    std::vector<Turn> turns(static_cast<std::size_t>(writers));
    std::barrier start(writers);
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer) {
        threads.emplace_back([&, writer] {
            Turn& turn = turns[static_cast<std::size_t>(writer)];
            start.arrive_and_wait();
            turn.begin = Clock::now();
            try {
                work(writer);
            } catch (...) {
                turn.fault = std::current_exception();
            }
            turn.end = Clock::now();
        });
    }
    threads.clear();  // joins
    for (const Turn& turn : turns) {
        if (turn.fault != nullptr) {
            std::rethrow_exception(turn.fault);
        }
    }
    const auto first = std::ranges::min_element(turns, [](const Turn& a, const Turn& b) { return a.begin < b.begin; });
    const auto last = std::ranges::max_element(turns, [](const Turn& a, const Turn& b) { return a.end < b.end; });
    return std::chrono::duration<double>(last->end - first->begin).count() * 1_s;
}

[[noreturn]] void failed(const FileCase& file, const char* what) {
    throw CannotMeasure(
        fmt::format("{} in {} failed: {}; is its disk full or gone?", what, file.directory, std::strerror(errno)));
}

using Move = ssize_t (*)(int, char*, std::size_t, off_t);

ssize_t write_at(int file, char* from, std::size_t bytes, off_t at) { return pwrite(file, from, bytes, at); }
ssize_t read_at(int file, char* to, std::size_t bytes, off_t at) { return pread(file, to, bytes, at); }

void move_all(const FileCase& file, int descriptor, std::vector<char>& block, Move move) {
    for (std::int64_t at = 0; at < file.bytes;) {
        const auto more = static_cast<std::size_t>(std::min(file.block, file.bytes - at));
        const ssize_t moved = move(descriptor, block.data(), more, at);
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved <= 0) {
            failed(file, move == write_at ? "writing" : "reading");
        }
        at += moved;
    }
}

/// A nameless file for every writer, and a block of numbers that no disk compresses.
struct LargeFiles {
    std::vector<OpenFile> files;
    std::vector<std::vector<char>> blocks;

    explicit LargeFiles(const FileCase& file) {
        for (int writer = 0; writer < file.writers; ++writer) {
            files.push_back(nameless_file(file.directory));
            blocks.emplace_back(static_cast<std::size_t>(file.block));
            std::uint64_t state = 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(writer);
            for (char& byte : blocks.back()) {
                state = state * 6364136223846793005U + 1442695040888963407U;
                byte = static_cast<char>(state >> 56U);
            }
        }
    }
    [[nodiscard]] int descriptor(int writer) const { return files[static_cast<std::size_t>(writer)].get(); }
    [[nodiscard]] std::vector<char>& block(int writer) { return blocks[static_cast<std::size_t>(writer)]; }
};

void write_whole(const FileCase& file, LargeFiles& large, int writer) {
    move_all(file, large.descriptor(writer), large.block(writer), write_at);
    if (fsync(large.descriptor(writer)) != 0) {
        failed(file, "fsync");
    }
}

std::function<Timed()> write_sample(const FileCase& file) {
    const auto large = std::make_shared<LargeFiles>(file);
    return [=] {
        for (int writer = 0; writer < file.writers; ++writer) {
            if (ftruncate(large->descriptor(writer), 0) != 0) {
                failed(file, "truncating");
            }
        }
        return Timed{.time = together(file.writers, [&](int writer) { write_whole(file, *large, writer); })};
    };
}

std::function<Timed()> read_sample(const FileCase& file) {
    const auto large = std::make_shared<LargeFiles>(file);
    together(file.writers, [&](int writer) { write_whole(file, *large, writer); });
    return [=] {
        for (int writer = 0; writer < file.writers; ++writer) {
            posix_fadvise(large->descriptor(writer), 0, 0, POSIX_FADV_DONTNEED);
        }
        return Timed{.time = together(file.writers, [&](int writer) {
                         move_all(file, large->descriptor(writer), large->block(writer), read_at);
                     })};
    };
}

/// Creates, looks up and removes kSmallFiles a writer; one of the three is timed.
std::function<Timed()> metadata_sample(const FileCase& file) {
    const auto folder = std::make_shared<ScratchFolder>(file.directory);
    return [=] {
        const auto path = [&](int writer, int number) {
            return fmt::format("{}/{}-{}", folder->path(), writer, number);
        };
        const auto each = [&](const std::function<bool(const std::string&)>& operation, const char* what) {
            const Seconds all = together(file.writers, [&](int writer) {
                for (int number = 0; number < kSmallFiles; ++number) {
                    if (!operation(path(writer, number))) {
                        failed(file, what);
                    }
                }
            });
            return all / kSmallFiles;
        };
        const Seconds create = each(
            [](const std::string& at) {
                const OpenFile made(open(at.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
                return made.get() >= 0;
            },
            "creating files");
        const Seconds look = each(
            [](const std::string& at) {
                struct stat found {};
                return stat(at.c_str(), &found) == 0;
            },
            "looking up files");
        const Seconds remove = each([](const std::string& at) { return unlink(at.c_str()) == 0; }, "removing files");
        return Timed{.time = file.operation == "create" ? create : file.operation == "stat" ? look : remove};
    };
}

std::function<Timed()> sampler(const FileCase& file) {
    if (file.operation == "write") {
        return write_sample(file);
    }
    if (file.operation == "read") {
        return read_sample(file);
    }
    if (file.operation == "create" || file.operation == "stat" || file.operation == "remove") {
        return metadata_sample(file);
    }
    throw CannotMeasure(
        fmt::format("\"{}\" is no operation on files; there are write, read, create, stat and remove", file.operation));
}

/// Linux's number of a file system as it is known; "0x..." where it is none of these. Source: statfs(2).
std::string file_system(const std::string& directory) {
    struct statfs found {};
    if (statfs(directory.c_str(), &found) != 0) {
        return "unknown";
    }
    struct Known {
        std::uint64_t magic;
        const char* name;
    };
    constexpr Known kKnown[] = {{0xef53, "ext4"},       {0x58465342, "xfs"},       {0x9123683e, "btrfs"},
                                {0x01021994, "tmpfs"},  {0x794c7630, "overlayfs"}, {0x6969, "nfs"},
                                {0x0bd00bd0, "lustre"}, {0x47504653, "gpfs"},      {0x2fc12fc1, "zfs"},
                                {0x65735546, "fuse"},   {0x01021997, "9p"},        {0x19830326, "beegfs"}};
    const auto magic = static_cast<std::uint64_t>(found.f_type) & 0xffffffffU;
    for (const Known& known : kKnown) {
        if (known.magic == magic) {
            return known.name;
        }
    }
    return fmt::format("{:#x}", magic);
}

class StorageInstrument : public Instrument {
public:
    explicit StorageInstrument(const Settings& settings) : settings_(settings) {
        if (settings.pass != Pass::time) {
            throw InstrumentMissing({.why = "the storage back end only times", .help = "run it with the pass `time`"});
        }
    }
    Environment environment() override { return {.facts = {{"device", "storage"}}}; }

    Measurement measure(const Case& asked) override {
        if (asked.benchmark == "checkpoint") {
            Measurement measured = measure_checkpoint(asked, settings_);
            measured.words["file_system"] = file_system(asked.word("directory", "."));
            return measured;
        }
        if (asked.benchmark != "file") {
            throw CannotMeasure(
                fmt::format("the storage back end has no benchmark {}; it has file and checkpoint", asked.benchmark));
        }
        const FileCase file = file_case(asked);
        const SamplingRule rule{
            .estimator = Estimator::median,
            .fewest = settings_.quick ? 3 : 5,
            .limit = settings_.quick ? min(0.3_s, settings_.most_seconds * 1_s) : settings_.most_seconds * 1_s};
        Measurement measured{.of = asked, .time = sample(rule, sampler(file)), .values = {}, .words = {}};
        const double seconds = measured.time.value().in(1_s);
        if (file.bytes > 0 && seconds > 0) {
            measured.values["bandwidth"] = static_cast<double>(file.bytes) * file.writers / seconds;
        } else if (seconds > 0) {
            measured.values["rate"] = file.writers / seconds;
        }
        measured.words["file_system"] = file_system(file.directory);
        return measured;
    }

private:
    Settings settings_;
};

std::unique_ptr<Instrument> make(const Settings& settings) { return std::make_unique<StorageInstrument>(settings); }

}  // namespace

int measure_storage(int in, int out) { return serve("storage", make, in, out); }

}  // namespace dodona::calibrate
