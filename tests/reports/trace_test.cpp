// Timelines: what viewers need holds for every event, and they say what was played.
#include <algorithm>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "reports/collect/simulation_trace.hpp"
#include "reports/render/chrome_trace.hpp"
#include "reports/render/gzip.hpp"
#include "simulated_scene.hpp"

namespace dodona::reports::testing {
namespace trace_test {

using Json = nlohmann::json;

const Subject kSubject{"net", "box"};

Json timeline() { return Json::parse(chrome_trace(simulation_trace(kSubject, simulated()))); }

std::vector<Json> events(const Json& timeline, const std::string& phase) {
    std::vector<Json> found;
    for (const Json& event : timeline["traceEvents"]) {
        if (event["ph"] == phase) {
            found.push_back(event);
        }
    }
    return found;
}

TEST(Trace, SlicesOfOneThreadDoNotOverlap) {
    std::map<std::pair<int, int>, double> ends;
    for (const Json& slice : events(timeline(), "X")) {
        double& end = ends[{slice["pid"].get<int>(), slice["tid"].get<int>()}];
        EXPECT_GE(slice["ts"].get<double>(), end - 1e-6) << slice;
        EXPECT_GT(slice["dur"].get<double>(), 0) << slice;
        end = slice["ts"].get<double>() + slice["dur"].get<double>();
    }
    EXPECT_EQ(ends.size(), 4U) << "two stages compute and receive from each other";
}

TEST(Trace, EveryArrowStartsAndEndsInSlices) {
    const Json all = timeline();
    const std::vector<Json> slices = events(all, "X");
    const auto is_inside = [&](const Json& point) {
        return std::any_of(slices.begin(), slices.end(), [&](const Json& slice) {
            const double from = slice["ts"].get<double>();
            const double at = point["ts"].get<double>();
            return slice["pid"] == point["pid"] && slice["tid"] == point["tid"] && slice["name"] != "idle" &&
                   from <= at && at < from + slice["dur"].get<double>();
        });
    };
    const std::vector<Json> starts = events(all, "s");
    const std::vector<Json> ends = events(all, "f");
    ASSERT_EQ(starts.size(), 4U) << "two micro-batches, there and back";
    ASSERT_EQ(ends.size(), starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        EXPECT_EQ(starts[i]["id"], ends[i]["id"]);
        EXPECT_EQ(starts[i]["name"], ends[i]["name"]);
        EXPECT_LE(starts[i]["ts"].get<double>(), ends[i]["ts"].get<double>());
        EXPECT_NE(starts[i]["pid"], ends[i]["pid"]);
        EXPECT_TRUE(is_inside(starts[i])) << starts[i];
        EXPECT_TRUE(is_inside(ends[i])) << ends[i];
    }
}

TEST(Trace, ThreadsHaveNames) {
    const Json all = timeline();
    std::map<std::pair<int, int>, std::string> names;
    for (const Json& event : events(all, "M")) {
        if (event["name"] == "thread_name") {
            names[{event["pid"].get<int>(), event["tid"].get<int>()}] = event["args"]["name"];
        }
        if (event["name"] == "process_name" && event["pid"] == 1) {
            EXPECT_EQ(event["args"]["name"], "stage 2: 6 x layers, \"head\"");
        }
    }
    for (const Json& slice : events(all, "X")) {
        EXPECT_TRUE(names.contains({slice["pid"].get<int>(), slice["tid"].get<int>()})) << slice;
    }
}

TEST(Trace, CountersEndAtNothing) {
    std::map<int, double> last;
    for (const Json& counter : events(timeline(), "C")) {
        if (counter["name"] != "micro-batches in flight") {
            continue;
        }
        last[counter["pid"].get<int>()] = counter["args"]["value"].get<double>();
        EXPECT_GE(counter["args"]["value"].get<double>(), 0);
        EXPECT_LE(counter["args"]["value"].get<double>(), 2);
    }
    EXPECT_EQ(last, (std::map<int, double>{{0, 0}, {1, 0}}));
}

TEST(Trace, MemoryBeginsAndEndsWithWhatIsAlwaysThere) {
    std::map<int, std::vector<double>> allocated;
    for (const Json& counter : events(timeline(), "C")) {
        if (counter["name"] == "allocated bytes") {
            allocated[counter["pid"].get<int>()].push_back(counter["args"]["value"].get<double>() / (1 << 30));
        }
    }
    // 1F1B of two stages: F F B B, and F B F B with a working set of 1 GiB in B.
    EXPECT_EQ(allocated[0], (std::vector<double>{10, 12, 14, 12, 10}));
    EXPECT_EQ(allocated[1], (std::vector<double>{10, 13, 14, 10, 13, 14, 10}));
}

TEST(Trace, GzipUnpacksToTheSameText) {
    const std::string text = chrome_trace(simulation_trace(kSubject, simulated()));
    const std::string packed = gzipped(text);
    EXPECT_LT(packed.size(), text.size());
    const std::string path = ::testing::TempDir() + "/trace.json.gz";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(std::fwrite(packed.data(), 1, packed.size(), file), packed.size());
    std::fclose(file);
    std::string unpacked(text.size() + 1, '\0');
    gzFile read = gzopen(path.c_str(), "rb");
    unpacked.resize(static_cast<std::size_t>(gzread(read, unpacked.data(), static_cast<unsigned>(unpacked.size()))));
    gzclose(read);
    EXPECT_EQ(unpacked, text);
}

}  // namespace trace_test
}  // namespace dodona::reports::testing
