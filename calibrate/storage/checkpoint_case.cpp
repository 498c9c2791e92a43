#include "calibrate/storage/checkpoint_case.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "calibrate/record/quantile.hpp"
#include "calibrate/record/sampling.hpp"
#include "calibrate/storage/checkpoint_file.hpp"
#include "calibrate/storage/scratch.hpp"

namespace dodona::calibrate {

namespace {

using Clock = std::chrono::steady_clock;
using cluster::CheckpointFormat;

constexpr double kMaxBytes = 0x1p34;
constexpr double kUsableByCheckpoint = 0.4;  ///< of the free space

struct CheckpointCase {
    std::string operation, directory;
    CheckpointFormat format = CheckpointFormat::raw;
    std::size_t tensors = 1;
    std::size_t numbers = 1;  ///< of each tensor

    [[nodiscard]] double bytes() const { return static_cast<double>(tensors * numbers * sizeof(float)); }
};

CheckpointCase checkpoint_case(const Case& asked) {
    CheckpointCase read{.operation = asked.word("operation"), .directory = asked.word("directory", ".")};
    const auto format = cluster::checkpoint_format_from(asked.word("format"));
    if (!format || !can_encode(*format)) {
        throw CannotMeasure(
            fmt::format("checkpoints in \"{}\" are not written here; raw, safetensors, npz and npz-compressed are",
                        asked.word("format")));
    }
    const double tensors = asked.number("tensors", 1);
    const double bytes = asked.number("bytes");
    if (!(tensors >= 1) || tensors != std::floor(tensors) || !(bytes >= 4 * tensors) || bytes > kMaxBytes) {
        throw CannotMeasure(
            "checkpoint needs tensors, a whole number, and bytes, 4 or more for each; give the case both");
    }
    read.format = *format;
    read.tensors = static_cast<std::size_t>(tensors);
    read.numbers = static_cast<std::size_t>(bytes / tensors / sizeof(float));
    struct statvfs space {};
    if (statvfs(read.directory.c_str(), &space) == 0 && read.bytes() > kUsableByCheckpoint *
                                                                           static_cast<double>(space.f_bavail) *
                                                                           static_cast<double>(space.f_frsize)) {
        throw CannotMeasure(
            fmt::format("{} has no room for a checkpoint of {:.1f} GB; give another directory or fewer bytes",
                        read.directory, read.bytes() / 1e9));
    }
    return read;
}

/// Numbers as weights are: normally distributed, so that they compress as little.
std::vector<Array> made_up_arrays(const CheckpointCase& of) {
    std::mt19937_64 bits(1);
    std::normal_distribution<float> weight(0, 0.02F);
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < of.tensors; ++i) {
        Array array{.name = fmt::format("layers.{}.weight", i),
                    .extents = {static_cast<std::int64_t>(of.numbers)},
                    .numbers = std::vector<float>(of.numbers)};
        std::generate(array.numbers.begin(), array.numbers.end(), [&] { return weight(bits); });
        arrays.push_back(std::move(array));
    }
    return arrays;
}

[[noreturn]] void failed(const CheckpointCase& of, const char* what) {
    throw CannotMeasure(
        fmt::format("{} in {} failed: {}; is its disk full or gone?", what, of.directory, std::strerror(errno)));
}

/// Moves all bytes, by pwrite or pread.
template <class Byte, class Move>
void move_all(const CheckpointCase& of, Byte* bytes, std::size_t count, const char* what, Move move) {
    for (std::size_t at = 0; at < count;) {
        const ssize_t moved = move(bytes + at, count - at, static_cast<off_t>(at));
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved <= 0) {
            failed(of, what);
        }
        at += static_cast<std::size_t>(moved);
    }
}

void write_file(const CheckpointCase& of, int file, const std::string& bytes) {
    move_all(of, bytes.data(), bytes.size(), "writing",
             [&](const char* from, std::size_t count, off_t at) { return pwrite(file, from, count, at); });
    if (fsync(file) != 0) {
        failed(of, "fsync");
    }
}

std::string read_file(const CheckpointCase& of, int file, std::size_t size) {
    std::string bytes(size, '\0');
    move_all(of, bytes.data(), size, "reading",
             [&](char* to, std::size_t count, off_t at) { return pread(file, to, count, at); });
    return bytes;
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Times of the part in memory, sample by sample.
struct Samples {
    std::vector<double> in_memory;
    [[nodiscard]] double median() {
        std::sort(in_memory.begin(), in_memory.end());
        return quantile_of_sorted(in_memory, 0.5);
    }
};

Timed write_once(const CheckpointCase& of, const std::vector<Array>& arrays, int file, Samples& samples) {
    if (ftruncate(file, 0) != 0) {
        failed(of, "truncating");
    }
    const Clock::time_point begin = Clock::now();
    const std::string bytes = encoded(of.format, arrays);
    samples.in_memory.push_back(seconds_since(begin));
    write_file(of, file, bytes);
    return {.time = seconds_since(begin) * unit::second};
}

Timed read_once(const CheckpointCase& of, const std::vector<Array>& arrays, int file, std::size_t size,
                Samples& samples) {
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    const Clock::time_point begin = Clock::now();
    const std::string bytes = read_file(of, file, size);
    const Clock::time_point in_memory = Clock::now();
    std::vector<Array> restored;
    try {
        restored = decoded(of.format, bytes, arrays);
    } catch (const DamagedCheckpoint& damage) {
        throw CannotMeasure(fmt::format("what was written cannot be read back: {}", damage.what()));
    }
    samples.in_memory.push_back(seconds_since(in_memory));
    const Timed timed{.time = seconds_since(begin) * unit::second};
    if (restored != arrays) {
        throw CannotMeasure(fmt::format("what was read back from {} is not what was written", of.directory));
    }
    return timed;
}

}  // namespace

Measurement measure_checkpoint(const Case& asked, const Settings& settings) {
    const CheckpointCase of = checkpoint_case(asked);
    const bool writes = of.operation == "write";
    if (!writes && of.operation != "read") {
        throw CannotMeasure(
            fmt::format("\"{}\" is no operation on checkpoints; there are write and read", of.operation));
    }
    const std::vector<Array> arrays = made_up_arrays(of);
    const std::string bytes = encoded(of.format, arrays);
    const OpenFile file = nameless_file(of.directory);
    if (!writes) {
        write_file(of, file.get(), bytes);
    }
    Samples samples;
    const SamplingRule rule{
        .estimator = Estimator::median,
        .fewest = settings.quick ? 3 : 5,
        .limit = settings.quick ? min(0.3_s, settings.most_seconds * 1_s) : settings.most_seconds * 1_s};
    Measurement measured{.of = asked,
                         .time = sample(rule,
                                        [&] {
                                            return writes ? write_once(of, arrays, file.get(), samples)
                                                          : read_once(of, arrays, file.get(), bytes.size(), samples);
                                        }),
                         .values = {},
                         .words = {}};
    measured.values["bandwidth"] = of.bytes() / measured.time.value().in(1_s);
    measured.values[writes ? "encode_bandwidth" : "decode_bandwidth"] = of.bytes() / samples.median();
    measured.values["ratio"] = static_cast<double>(bytes.size()) / of.bytes();
    return measured;
}

}  // namespace dodona::calibrate
