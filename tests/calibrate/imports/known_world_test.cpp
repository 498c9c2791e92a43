// Logs of a world whose times are known are imported exactly: as many records as there were times, each with its size,
// its ranks and its time as it was printed.
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <random>

#include <rapidcheck.h>

#include "importing.hpp"

namespace dodona::calibrate::test {
namespace imports_known_world_test {

namespace fs = std::filesystem;

/// A file that is gone when the test is over.
class Written {
public:
    Written(const std::string& name, const std::string& text, bool compressed = false)
        : folder_(fs::path(::testing::TempDir()) / fmt::format("dodona-imports-{}", std::random_device{}())) {
        fs::create_directories(folder_);
        path_ = (folder_ / name).string();
        if (compressed) {
            gzFile file = gzopen(path_.c_str(), "wb");
            EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
            EXPECT_EQ(gzclose(file), Z_OK);
        } else {
            std::ofstream(path_, std::ios::binary) << text;
        }
    }
    ~Written() { fs::remove_all(folder_); }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    fs::path folder_;
    std::string path_;
};

struct Generation {
    bool named, root, redop, iterations;
    std::string_view wrong;
};
constexpr Generation kFirst{.named = false, .root = false, .redop = true, .iterations = false, .wrong = "error"};
constexpr Generation kSecond{.named = false, .root = true, .redop = true, .iterations = false, .wrong = "#wrong"};
constexpr Generation kThird{.named = true, .root = true, .redop = true, .iterations = true, .wrong = "#wrong"};

struct World {
    std::int64_t hosts = 1, per_host = 2;
    std::vector<std::pair<std::int64_t, double>> times;  ///< bytes, us with two digits; in place twice as long
};

std::string log_of(const World& world, const Generation& generation, const std::string& mark) {
    std::vector<std::string> lines;
    if (generation.named) {
        lines.emplace_back("# nccl-tests version 2.18.3 nccl-headers=22809 nccl-library=22809");
        lines.emplace_back("# Collective test starting: all_reduce_perf");
    }
    lines.emplace_back("# Using devices");
    const std::int64_t ranks = world.hosts * world.per_host;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        lines.push_back(fmt::format("#  Rank {:2} Pid {:6} on host{:03} device {:2} [0x{:02x}] A Device 40GB", rank,
                                    100 + rank, rank / world.per_host, rank % world.per_host, rank));
    }
    const std::string more = generation.iterations ? " i_min i_max i_p99 i_cv%" : "";
    lines.push_back(fmt::format("# size count type redop{0} time algbw busbw {1}{2} time algbw busbw {1}{2}",
                                generation.root ? " root" : "", generation.wrong, more));
    const double ratio = 2.0 * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    for (const auto& [bytes, us] : world.times) {
        std::string line = fmt::format("{} {} float sum{}", bytes, bytes / 4, generation.root ? " -1" : "");
        for (const double time : {us, 2 * us}) {
            const double algorithm = static_cast<double>(bytes) / time * 1e-3;
            line += fmt::format(" {:.2f} {:.2f} {:.2f} 0", time, algorithm, algorithm * ratio);
            line += generation.iterations ? fmt::format(" {:.2f} {:.2f} {:.2f} 3.10", time, time, time) : "";
        }
        lines.push_back(std::move(line));
    }
    lines.emplace_back("# Out of bounds values : 0 OK");
    std::string text;
    for (const std::string& line : lines) {
        text += mark + line + "\n";
    }
    return text;
}

TEST(KnownWorld, OfNcclTestsInEveryGenerationIsImportedExactly) {
    rc::check("records are what was printed", [] {
        World world{.hosts = *rc::gen::inRange<std::int64_t>(1, 5), .per_host = *rc::gen::inRange<std::int64_t>(2, 9)};
        std::int64_t bytes = 1024;
        for (int i = *rc::gen::inRange(3, 10); i > 0; --i) {
            bytes *= *rc::gen::inRange(2, 9);
            const double bandwidth = *rc::gen::inRange(1, 400);  // GB/s
            const double us = 5 + static_cast<double>(bytes) / bandwidth * 1e-3;
            world.times.emplace_back(bytes, std::round(us * 100) / 100);
        }
        const std::string mark = *rc::gen::element<std::string>("", "[1,0]<stdout>:", "0: ", "> ");
        for (const Generation& generation : {kFirst, kSecond, kThird}) {
            const Written file("all_reduce.log", log_of(world, generation, mark));
            const Imported imported = import_file(file.path(), dated());
            RC_ASSERT(imported.notes.empty());
            RC_ASSERT(imported.records.size() == 1 + 2 * world.times.size());
            for (std::size_t i = 0; i < world.times.size(); ++i) {
                const auto& [due_bytes, due_us] = world.times[i];
                for (const std::size_t place : {0U, 1U}) {
                    const auto& read = std::get<Measurement>(imported.records[1 + 2 * i + place].what);
                    RC_ASSERT(read.of.word("collective") == "all-reduce");
                    RC_ASSERT(read.of.number("bytes") == static_cast<double>(due_bytes));
                    RC_ASSERT(read.of.number("ranks") == static_cast<double>(world.hosts * world.per_host));
                    RC_ASSERT(read.of.number("ranks_per_node") == static_cast<double>(world.per_host));
                    RC_ASSERT(read.of.number("in_place") == static_cast<double>(place));
                    RC_ASSERT(read.of.word("level") == (world.hosts == 1 ? "node" : "network"));
                    const double printed = std::round(due_us * 100 * static_cast<double>(1 + place)) / 100;
                    RC_ASSERT(std::abs(read.time.value().in(1_us) - printed) < 1e-9 * printed);
                }
            }
        }
    });
}

TEST(KnownWorld, OfATraceIsImportedExactlyWhetherCompressedOrNot) {
    rc::check("products with their shapes and the sums of their kernels", [] {
        std::string events;
        std::map<std::string, std::vector<double>> due;
        const int calls = *rc::gen::inRange(1, 12);
        for (int call = 1; call <= calls; ++call) {
            const int m = *rc::gen::inRange(2, 4);
            const int n = *rc::gen::inRange(2, 4);
            const int k = *rc::gen::inRange(2, 4);
            const int kernels = *rc::gen::inRange(1, 4);
            events +=
                fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":1,"dur":9,"args":{{"External id":{},)"
                            R"("Input Dims":[[{},{}],[{},{}]],"Input Strides":[[{},1],[1,{}]],)"
                            R"("Input type":["float","float"]}}}},)",
                            call, m, k, k, n, k, k);
            double sum = 0;
            for (int kernel = 0; kernel < kernels; ++kernel) {
                const int us = *rc::gen::inRange(1, 1000);
                sum += us;
                events += fmt::format(
                    R"({{"ph":"X","cat":"kernel","name":"k{}","ts":2,"dur":{},"args":{{"External id":{}}}}},)", kernel,
                    us, call);
            }
            due[fmt::format("matmul batch=1 direction=forward k={} m={} n={} precision=fp32", k, m, n)].push_back(sum);
        }
        events.pop_back();
        const std::string text = fmt::format(R"({{"schemaVersion":1,"traceEvents":[{}]}})", events);
        for (const bool compressed : {false, true}) {
            const Written file(compressed ? "trace.json.gz" : "trace.json", text, compressed);
            const Imported imported = import_file(file.path(), dated());
            RC_ASSERT(imported.notes.empty());
            RC_ASSERT(imported.records.size() == due.size());
            for (const Record& record : imported.records) {
                const auto& read = std::get<Measurement>(record.what);
                RC_ASSERT(due.contains(read.of.key()));
                std::vector<double>& times = due.at(read.of.key());
                std::sort(times.begin(), times.end());
                RC_ASSERT(read.time.samples == static_cast<std::int64_t>(times.size()));
                RC_ASSERT(std::abs(read.time.least.in(1_us) - times.front()) < 1e-6);
            }
        }
    });
}

TEST(KnownWorld, ACompressedFileThatIsIncompleteIsRefused) {
    const std::string text = R"({"schemaVersion":1,"traceEvents":[]})" + std::string(100'000, ' ');
    const Written whole("trace.json.gz", text, true);
    std::ifstream stream(whole.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const Written cut("cut.json.gz", bytes.substr(0, bytes.size() - 10));
    EXPECT_NE(fault_of([&] { static_cast<void>(import_file(cut.path())); }).find("incomplete"), std::string::npos);
}

TEST(KnownWorld, FilesThatCannotBeReadAndOddOptionsAreRefused) {
    EXPECT_NE(fault_of([] { static_cast<void>(import_file("no/such/file")); }).find("there is no file"),
              std::string::npos);
    EXPECT_NE(fault_of([] { static_cast<void>(import_file(logs().string())); }).find("is a directory"),
              std::string::npos);
    const Written empty("empty.txt", "");
    EXPECT_NE(fault_of([&] { static_cast<void>(import_file(empty.path())); }).find("not a format"), std::string::npos);
    for (const ImportOptions& options : {ImportOptions{.collective = "all-gatherr"}, ImportOptions{.ranks = 0},
                                         ImportOptions{.ranks_per_node = -1}, ImportOptions{.buffer = Bytes{}}}) {
        EXPECT_NE(fault_of([&] { static_cast<void>(import_file(empty.path(), options)); }).find("--"),
                  std::string::npos);
    }
}

TEST(KnownWorld, FilesOfSeveralDevicesAreNotMixed) {
    const std::vector<std::string> paths{(logs() / "nccl_broadcast.txt").string(),
                                         (logs() / "nccl_gen1_all_gather.txt").string()};
    EXPECT_NE(fault_of([&] { static_cast<void>(import_files(paths, dated())); }).find("several devices"),
              std::string::npos);
}

TEST(KnownWorld, TheSameLogTwiceIsEveryCaseOnceWithTwoSamples) {
    const std::string log = (logs() / "nccl_broadcast.txt").string();
    const Imported once = import_file(log, dated());
    const Imported twice = import_files(std::vector{log, log}, dated());
    const auto measurements = [](const Imported& imported) {
        return std::count_if(imported.records.begin(), imported.records.end(),
                             [](const Record& record) { return std::holds_alternative<Measurement>(record.what); });
    };
    EXPECT_EQ(measurements(once), measurements(twice));
    EXPECT_EQ(std::get<Measurement>(twice.records[1].what).time.samples, 2);
}

TEST(KnownWorld, EveryFaultOfEveryFileIsReported) {
    const std::vector<std::string> paths{(logs() / "bad_unknown.txt").string(), (logs() / "bad_unknown.json").string()};
    const std::string fault = fault_of([&] { static_cast<void>(import_files(paths, dated())); });
    EXPECT_NE(fault.find("bad_unknown.txt"), std::string::npos);
    EXPECT_NE(fault.find("bad_unknown.json"), std::string::npos);
}

TEST(KnownWorld, WithoutADateTheRecordsAreOfNow) {
    const Imported imported = import_file((logs() / "nccl_broadcast.txt").string());
    EXPECT_EQ(imported.records.front().date.size(), kDate.size());
    EXPECT_NE(imported.records.front().date, kDate);
}

TEST(KnownWorld, AnAllReduceTakesAsLongAsItsLastRank) {
    // Rank 0 waits in the second, rank 1 in the first and third: 80, 79 and 81.5 us are the collective's own.
    const std::vector<std::string> paths{(logs() / "kineto_rank0.json").string(),
                                         (logs() / "kineto_rank1.json").string()};
    const Imported imported = import_files(paths, dated());
    for (const Record& record : imported.records) {
        const auto* read = std::get_if<Measurement>(&record.what);
        if (read != nullptr && read->of.number("bytes") == 2.0 * 1024 * 1024) {
            EXPECT_EQ(read->time.estimator, Estimator::median);
            EXPECT_NEAR(read->time.value().in(1_us), 80, 1e-9);
            return;
        }
    }
    ADD_FAILURE() << "no all-reduce of 2 MiB";
}

}  // namespace imports_known_world_test
}  // namespace dodona::calibrate::test
