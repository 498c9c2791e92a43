// Traces that are cut off, of another kind, or larger than any trace.
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace_file.hpp"
#include "traces/byte_stream.hpp"
#include "traces/chakra_timeline.hpp"
#include "traces/step_profile.hpp"

namespace dodona::traces::testing {
namespace hostile_trace_test {

std::string complaint_of(const std::string& path) {
    return complaint([&] { load_step_profile(path, std::nullopt); });
}
std::string complaint_about(const std::string& trace) { return complaint_of(TraceFile(trace).path()); }

/// The metadata of a Chakra trace, version 0.0.4, before messages.
std::string chakra(const std::string& messages) {
    return std::string(
               "\x07\x0a\x05"
               "0.0.4",
               8) +
           messages;
}

TEST(HostileTrace, SaysWhereATraceIsCutOff) {
    const std::string whole = kineto(step_mark(0, 0, 100) + kernel("gemm", 0, 10, 60));
    EXPECT_EQ(complaint_about(whole), "");
    EXPECT_NE(complaint_about(whole.substr(0, whole.size() - 40)).find("no JSON from byte"), std::string::npos);
}

TEST(HostileTrace, SaysThatATraceHasNoKernels) {
    EXPECT_NE(complaint_about(kineto(step_mark(0, 0, 100))).find("the trace has no kernels"), std::string::npos);
    EXPECT_NE(complaint_about(chakra("")).find("no node of the trace has a duration"), std::string::npos);
}

TEST(HostileTrace, DoesNotWaitForAPipe) {
    const std::string path = TraceFile("").path() + ".pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_NE(complaint_of(path).find("is a pipe; expected a file"), std::string::npos);
    ::unlink(path.c_str());
}

TEST(HostileTrace, RefusesKernelsOfSeveralDevices) {
    const std::string other = R"(,{"ph":"X","cat":"kernel","name":"gemm","ts":1,"dur":1,"args":{"device":1}})";
    EXPECT_NE(
        complaint_about(kineto(step_mark(0, 0, 9) + kernel("gemm", 0, 1, 2) + other)).find("kernels of 2 devices"),
        std::string::npos);
}

TEST(HostileTrace, RefusesStepsWithoutKernels) {
    EXPECT_NE(complaint_about(kineto(step_mark(0, 0, 100) + kernel("gemm", 0, 200, 260)))
                  .find("no kernel was launched in a step"),
              std::string::npos);
}

TEST(HostileTrace, PassesOverNumbersThatAreNoTimes) {
    const std::string odd =
        R"(,{"ph":"X","cat":"kernel","name":"gemm","ts":"soon","dur":1},{"ph":"X","cat":"kernel","name":"gemm","ts":1,)"
        R"("dur":-5},{"ph":"X","cat":"kernel","name":7,"ts":50,"dur":1,"args":[]})";
    const std::string trace = kineto(step_mark(0, 0, 100) + odd);
    const StepProfile profile = load_step_profile(TraceFile(trace).path(), std::nullopt);
    EXPECT_NEAR(profile[DeviceWork::passes].busy.in(1_us), 1, 1e-6);
}

TEST(HostileTrace, SaysWhereAChakraTraceBreaks) {
    EXPECT_NE(complaint_about(chakra("\x50\x08\x01")).find("no Chakra trace from byte"), std::string::npos);
    EXPECT_NE(complaint_about(chakra("\xff\xff\xff\xff\xff\xff\xff\xff\x7f")).find("no Chakra trace from byte"),
              std::string::npos);
    EXPECT_NE(complaint_about(chakra("\x02\x0b\x01")).find("no Chakra trace from byte"), std::string::npos);
}

TEST(HostileTrace, TellsTracesFromOtherFiles) {
    EXPECT_TRUE(is_trace(kineto("")));
    EXPECT_TRUE(is_trace(chakra("")));
    for (const char* other :
         {"", "{}", "\x05hello", "model: tiny\n", "{\"schema\": \"dodona/report/1\"}", "\x02\x0a\x00"}) {
        EXPECT_FALSE(is_trace(other)) << other;
    }
}

std::string gzipped(const std::string& text) {
    const TraceFile file("");
    const gzFile packed = gzopen(file.path().c_str(), "wb9");
    gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
    gzclose(packed);
    std::ifstream stream(file.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Four GiB of objects behind the start of a trace, in 4 MiB: the members of a gzip file follow each other.
TEST(HostileTrace, RefusesWhatUnpacksToMoreThanATraceHas) {
    const std::string member = gzipped(std::string(std::size_t{16} << 20, ' '));
    std::string packed;
    for (int i = 0; i < 65; ++i) {
        packed += member;
    }
    EXPECT_LT(packed.size(), 9'000'000U);
    const TraceFile trace(packed);
    std::size_t unpacked = 0;
    const std::string said = complaint([&] {
        ByteStream stream(trace.path(), "packed.json.gz");
        std::vector<char> piece(std::size_t{1} << 20);
        for (std::streamsize read = 1; read > 0; unpacked += static_cast<std::size_t>(read)) {
            read = stream.stream().rdbuf()->sgetn(piece.data(), static_cast<std::streamsize>(piece.size()));
        }
    });
    EXPECT_NE(said.find("larger than 1024 MiB"), std::string::npos) << said;
    EXPECT_LE(unpacked, ByteStream::kMaxUnpacked);
}

TEST(HostileTrace, RefusesTokensWithoutEnd) {
    const std::string start = R"({"traceEvents":[{"ph":"X","cat":"kernel","name":)";
    for (const std::string& token :
         {"\"" + std::string(std::size_t{2} << 20, 'a') + "\"", "\"" + std::string(std::size_t{1} << 20, '\\') + "\"",
          std::string(std::size_t{2} << 20, '1'), std::string(std::size_t{2} << 20, ' ') + "1"}) {
        const std::string said = complaint_about(start + token + "}]}");
        EXPECT_NE(said.find("a text, a number or blanks of more than 1 MiB end after byte 10"), std::string::npos)
            << said.substr(0, 300);
    }
    // As long as one may be; the quote in it is none.
    const std::string name = "\\\"" + std::string((std::size_t{1} << 20) - 100, 'a');
    EXPECT_EQ(complaint_about(kineto(step_mark(0, 0, 100) + kernel(name, 0, 10, 60))), "");
}

TEST(HostileTrace, RefusesElementsWithMoreValuesThanAnyHas) {
    std::string event = R"({"ph":"X","cat":"kernel","name":"gemm","ts":1,"dur":1,"args":{"device":[0)";
    for (int i = 0; i < 1'000'000; ++i) {
        event += ",0";
    }
    const std::string said = complaint_about(R"({"traceEvents":[)" + event + "]}}]}");
    EXPECT_NE(said.find("an element of \"traceEvents\" has more than 1000000 values"), std::string::npos)
        << said.substr(0, 300);
}

}  // namespace hostile_trace_test
}  // namespace dodona::traces::testing
