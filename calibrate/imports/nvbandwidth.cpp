#include "calibrate/imports/nvbandwidth.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/json.hpp"
#include "calibrate/imports/log_text.hpp"

namespace dodona::calibrate {

namespace {

constexpr double kBytesPerGigabyte = 1e9;

struct CopyTest {
    std::string_view name;  ///< without the engine, "_ce" or "_sm"
    std::string_view from, to;
    bool both_ways;  ///< the other way is copied at the same time; the bandwidth is of this way alone
};

// Source: NVIDIA/nvbandwidth testcase.h, v0.4 to v0.8.
constexpr std::array kCopyTests{
    CopyTest{"host_to_device_memcpy", "pinned", "device", false},
    CopyTest{"device_to_host_memcpy", "device", "pinned", false},
    CopyTest{"host_to_device_bidirectional_memcpy", "pinned", "device", true},
    CopyTest{"device_to_host_bidirectional_memcpy", "device", "pinned", true},
    CopyTest{"device_to_device_memcpy_read", "peer", "device", false},
    CopyTest{"device_to_device_memcpy_write", "device", "peer", false},
    CopyTest{"device_local", "device", "device", false},
};

/// "_ce" copies by a copy engine, "_sm" by kernels; local copies say nothing and are by the engine.
std::pair<std::string_view, std::string_view> name_and_engine(std::string_view name) {
    if (name == "device_local_copy") {
        return {"device_local", "copy"};
    }
    const bool engine = name.ends_with("_ce");
    return engine || name.ends_with("_sm") ? std::pair{name.substr(0, name.size() - 3), engine ? "copy" : "kernels"}
                                           : std::pair<std::string_view, std::string_view>{name, "copy"};
}

/// "0: NVIDIA H100 80GB HBM3 (00000000:07:00): (host)" without what is not the model; older ones end after the model.
std::string model_of(const std::string& entry) {
    const std::size_t colon = entry.find(": ");
    const std::string name = colon == std::string::npos ? entry : entry.substr(colon + 2);
    const std::size_t end = name.find_first_of(":(");
    const std::string model = name.substr(0, end);
    return model.substr(0, model.find_last_not_of(' ') + 1);
}

class NvbandwidthReader {
public:
    NvbandwidthReader(const Json& root, Location whole, ImportBuilder& into)
        : root_(root), whole_(std::move(whole)), into_(into) {}

    void read() {
        environment();
        bytes_ = buffer();
        for (const Json& test : elements(member(root_, "testcases"))) {
            take(test);
        }
        for (const auto& [why, names] : left_out_) {
            into_.note(whole_, fmt::format("tests {} are left out: {}", why, join(names)));
        }
    }

private:
    void environment() {
        std::map<std::string, std::string> facts{{"driver", word(member(root_, "Driver Version"))},
                                                 {"nvbandwidth", word(member(root_, "version"))}};
        const Json::array_t& devices = elements(member(root_, "GPU Device list"));
        if (!devices.empty()) {
            facts["device"] = model_of(word(&devices.front()));
        }
        if (const auto runtime = number(member(root_, "CUDA Runtime Version"))) {
            const auto code = static_cast<std::int64_t>(std::clamp(*runtime, 0.0, 1e9));
            facts["runtime"] = fmt::format("{}.{}", code / 1000, code % 1000 / 10);
        }
        into_.environment(std::move(facts));
    }

    double buffer() {
        constexpr double kMebi = 0x1p20;
        constexpr double kDefault = 512 * kMebi;
        if (into_.options().buffer) {
            return into_.options().buffer->in(1_B);
        }
        if (const auto mebibytes = number(member(root_, "bufferSize")); mebibytes && *mebibytes > 0) {
            return *mebibytes * kMebi;
        }
        into_.assume(whole_,
                     "the file does not say how much was copied: 512 MiB are assumed, the default of nvbandwidth",
                     "say it with --buffer");
        return kDefault;
    }

    void take(const Json& test) {
        const std::string full = word(member(test, "name"));
        if (word(member(test, "status")) != "Passed") {
            left_out_["that did not pass or were waived"].push_back(full);
            return;
        }
        const auto [name, engine] = name_and_engine(full);
        const auto known =
            std::find_if(kCopyTests.begin(), kCopyTests.end(), [n = name](const CopyTest& t) { return t.name == n; });
        const bool is_bandwidth = word(member(test, "bandwidth_description")).find("GB/s") != std::string::npos;
        if (known == kCopyTests.end() || !is_bandwidth) {
            left_out_["that are no single copies"].push_back(full);
            return;
        }
        std::size_t row = 0;
        for (const Json& cells : elements(member(test, "bandwidth_matrix"))) {
            std::size_t column = 0;
            for (const Json& cell : elements(&cells)) {
                const auto bandwidth = number(&cell);
                if (bandwidth && *bandwidth > 0) {  // "N/A" and 0 stand for no such pair
                    emit(*known, engine, *bandwidth * kBytesPerGigabyte, fmt::format("{}, {}", row, column));
                }
                ++column;
            }
            ++row;
        }
    }

    void emit(const CopyTest& test, std::string_view engine, double bandwidth, std::string cell) {
        Measurement measured{
            .of = {.benchmark = "copy",
                   .parameters = {{"bytes", bytes_}, {"from", std::string(test.from)}, {"to", std::string(test.to)}}},
            .time = once(bytes_ / bandwidth * 1_s),
            .values = {{"bandwidth", bandwidth}},
            .words = {{"cell", std::move(cell)}}};
        if (engine != "copy") {
            measured.of.parameters["engine"] = std::string(engine);
        }
        if (test.both_ways) {
            measured.of.parameters["both_ways"] = 1.0;
        }
        into_.measurement(std::move(measured));
    }

    const Json& root_;
    Location whole_;
    ImportBuilder& into_;
    double bytes_ = 0;
    std::map<std::string, std::vector<std::string>> left_out_;
};

}  // namespace

bool is_nvbandwidth(std::string_view start) { return start.find("\"nvbandwidth\"") != std::string_view::npos; }

void read_nvbandwidth(const std::string& text, ImportBuilder& into) {
    const Location whole{std::make_shared<Source>(Source{into.file(), {}}), 0, 0, 1};
    const Json file = read_json(text, whole);
    const Json* root = member(file, "nvbandwidth");
    if (root == nullptr || !root->is_object()) {
        fail(whole, "\"nvbandwidth\" is missing", "nvbandwidth -j writes such a file");
    }
    if (const std::string error = word(member(*root, "error")); !error.empty()) {
        into.note(whole, fmt::format("nvbandwidth reports an error: {}", error));
    }
    NvbandwidthReader(*root, whole, into).read();
}

}  // namespace dodona::calibrate
