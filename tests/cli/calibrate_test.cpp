// `dodona calibrate` with a back end whose device is known (made_up_backend.py).
#include <algorithm>
#include <chrono>
#include <regex>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cluster/convolution_curve.hpp"
#include "running.hpp"

namespace dodona::cli::testing {
namespace calibrate_test {

constexpr const char* kModel = R"(model: tiny
source: "here"
input: {image: {channel: 3, height: 32, width: 32}}
layers:
  - {name: conv1, op: conv, filters: 16, kernel: 3, pad: 1}
  - {name: relu1, op: relu}
  - {name: pool1, op: global_pool}
  - {name: fc, op: linear, out: 10}
  - {name: probabilities, op: softmax}
)";

std::string calibrate(const std::string& more) {
    const std::string backend = std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/made_up_backend.py";
    return "calibrate --program 'python3 " + backend + "' " + more;
}

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class CalibrateTest : public ::testing::Test {
protected:
    CalibrateTest() { std::ofstream(place_.path() / "tiny.yaml") << kModel; }
    void SetUp() override {
        if (!can_calibrate()) {
            GTEST_SKIP() << "dodona-calibrate is not built";
        }
    }
    /// The back end with other words in places.
    void write_backend(const std::string& name, const std::vector<std::pair<std::string, std::string>>& changes) {
        std::string backend = content(std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/made_up_backend.py");
        for (const auto& [what, by] : changes) {
            const std::size_t at = backend.find(what);
            EXPECT_NE(at, std::string::npos) << what;
            backend.replace(at == std::string::npos ? 0 : at, at == std::string::npos ? 0 : what.size(), by);
        }
        std::ofstream(place_.path() / name) << backend;
    }
    Folder place_;
};

TEST_F(CalibrateTest, AMachineIsMeasuredAndThenPredictedWith) {
    const Outcome made = place_.run(calibrate("--model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml"));
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_NE(made.out.find("made-up: "), std::string::npos) << made.out;
    EXPECT_NE(made.out.find("softmax is not made up"), std::string::npos) << made.out;
    EXPECT_NE(made.err.find("note: program: 88 cases, 2.93 min at most: stream 76, "), std::string::npos)
        << "what it is about to measure: " << made.err;
    EXPECT_TRUE(std::regex_search(made.out, std::regex("program +matmul +[0-9]+ +1.0 % +1.0 % +steady"))) << made.out;

    const Outcome checked = place_.run("check mine.yaml");
    EXPECT_EQ(checked.code, 0) << checked.err;
    const Outcome shown = place_.run("machines mine.yaml");
    EXPECT_NE(shown.out.find("measured on    2026-11-20"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("The last measurement is "), std::string::npos) << shown.out;

    const Outcome predicted = place_.run(
        "predict ./tiny.yaml --machine mine.yaml --gpus 1 --batch 4 --micro-batch 4 --strategy data --precision fp32 "
        "--format json");
    ASSERT_EQ(predicted.code, 0) << predicted.err;
    EXPECT_NE(predicted.out.find("kernel times: measured, in part "), std::string::npos) << predicted.out;
    EXPECT_NE(predicted.out.find("compute: made-up (measured by dodona calibrate"), std::string::npos) << predicted.out;
}

TEST_F(CalibrateTest, ASecondRunAddsOnlyWhatIsMissing) {
    const std::string words = calibrate("--model tiny.yaml --threads 1 -o mine.yaml --micro-batch ");
    ASSERT_EQ(place_.run(words + "4").code, 0);
    const std::string first = content(place_.path() / "mine.records.jsonl");
    const std::string machine = content(place_.path() / "mine.yaml");
    const Outcome again = place_.run(words + "4");
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.out.find("0 cases measured, "), std::string::npos) << again.out;
    EXPECT_EQ(content(place_.path() / "mine.yaml"), machine);
    ASSERT_EQ(place_.run(words + "4,8").code, 0);
    const std::string more = content(place_.path() / "mine.records.jsonl");
    EXPECT_TRUE(more.starts_with(first));
    EXPECT_GT(lines(more), lines(first));
}

TEST_F(CalibrateTest, AnImportedTopologyStays) {
    cases::unpack(source() / "tests/calibrate/imports/logs.txt", "topo_direct_pasted.txt", place_.path());
    const std::string words = calibrate("--model tiny.yaml --threads 1 -o mine.yaml --micro-batch ");
    const Outcome made = place_.run(words + "4 --machine dgx-a100 --import topo_direct_pasted.txt");
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_NE(made.out.find("levels of links from a topology file"), std::string::npos) << made.out;
    const std::string machine = content(place_.path() / "mine.yaml");
    const Outcome again = place_.run(words + "4 --machine dgx-a100");
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.out.find("levels of links from a topology file"), std::string::npos) << again.out;
    EXPECT_EQ(content(place_.path() / "mine.yaml"), machine);
}

TEST_F(CalibrateTest, MachinesMakesTheClusterFileOfASite) {
    cases::unpack(source() / "tests/calibrate/imports/logs.txt", "site_h100.txt", place_.path());
    const std::string all = content(place_.path() / "site_h100.txt");
    const std::size_t adapters = all.find("$ ibstat");
    std::ofstream(place_.path() / "topo.txt") << all.substr(0, adapters);
    std::ofstream(place_.path() / "others.txt") << all.substr(adapters);
    const Outcome missing = place_.run("machines --from-site topo.txt -o other.yaml");
    EXPECT_EQ(missing.code, 2);
    EXPECT_NE(missing.err.find("import the node's lspci, too, or name the model with --device"), std::string::npos)
        << missing.err;
    const Outcome made = place_.run("machines --from-site topo.txt others.txt -o site.yaml");
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_NE(made.err.find("H100 SXM5 80GB is taken as h100-sxm5-80gb"), std::string::npos) << made.err;
    EXPECT_NE(content(place_.path() / "site.yaml").find("size: 64"), std::string::npos);
    EXPECT_EQ(place_.run("plan gpt2 --machine site.yaml --gpus 16 --batch 64 --brief").code, 0);
}

// What hides costs compute where the machine's interference was measured; a framework's own value comes first.
TEST_F(CalibrateTest, MeasuredInterferenceIsInPredictions) {
    std::ofstream(place_.path() / "bare.yaml") << "framework: bare\nsource: \"here\"\nparameters: {}\n";
    std::ofstream(place_.path() / "own.yaml")
        << "framework: own\nsource: \"here\"\nparameters: {interference: {value: 0, source: \"here\"}}\n";
    const auto step = [&](const std::string& interference, const std::string& framework) {
        std::ofstream(place_.path() / "four.yaml")
            << "cluster: four\nsource: \"here\"\ndevice: v100-sxm2-16gb\nlevels:\n"
               "  - {name: node, size: 4, kind: switch, bandwidth: 10 GB/s, latency: 5 us, node: true}\n"
            << interference;
        const Outcome told = place_.run(
            "predict bert-large --machine four.yaml --gpus 4 --batch 32 --strategy data --format json "
            "--software " +
            framework);
        EXPECT_EQ(told.code, 0) << told.err;
        return nlohmann::json::parse(told.out).at("plan").at("step_time_s").at("value").get<double>();
    };
    const std::string measured = "interference: {value: 0.5, source: \"here\"}\n";
    const double without = step("", "bare.yaml");
    EXPECT_GT(step(measured, "bare.yaml"), 1.05 * without);
    EXPECT_DOUBLE_EQ(step(measured, "own.yaml"), without);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

/// The back end, which also runs Winograd's transforms, in so many times what it takes unasked; in none: it does not.
void write_transforming(const std::filesystem::path& place, double times) {
    std::string backend = content(std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/made_up_backend.py");
    if (times > 0) {
        backend = replaced(backend, R"("cores": "1")", R"("cores": "1", "algorithms": "winograd")");
        backend = replaced(backend, "t = seconds(case)",
                           "t = seconds(case) * (" + std::to_string(times) + " if 'algorithm' in case else 1)");
    }
    std::ofstream(place / "transforming.py") << backend;
}

std::string in_one_line(const std::string& text) {
    std::string line;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        line += (line.empty() ? "" : " ") + word;
    }
    return line;
}

/// Of each batch that `largest` tries, by which algorithm the one convolution runs.
nlohmann::json layers_of_batches(const Folder& place, const std::string& machine) {
    const Outcome told =
        place.run("largest ./wide.yaml batch --machine " + machine +
                  " --gpus 1 --precision fp32 --strategy data --fixed recompute=none --upto 1024 --convolutions "
                  "each --format json");
    EXPECT_EQ(told.code, 0) << told.err;
    const nlohmann::json answer = nlohmann::json::parse(told.out);
    nlohmann::json layers;
    for (const auto& batch : answer.at("convolutions").at("batches")) {
        layers.push_back(batch.at("layers").at(0));
    }
    EXPECT_GT(layers.size(), 3U);
    return layers;
}

// The formula of the transforms is quicker than the implicit product on this device; measured at twice its time they are
// not taken, at half its time they are, with what was measured.
TEST_F(CalibrateTest, WhatAlgorithmsOfConvolutionsReallyTakeDecidesWhichIsTaken) {
    const std::string wide = replaced(replaced(kModel, "channel: 3", "channel: 128"), "filters: 16", "filters: 256");
    std::ofstream(place_.path() / "wide.yaml") << replaced(wide, "tiny", "wide");
    const auto with = [&](double times, const std::string& machine) {
        write_transforming(place_.path(), times);
        const Outcome made =
            place_.run("calibrate --program 'python3 transforming.py' --model wide.yaml --micro-batch " +
                       std::string("64,128 --threads 1 -o ") + machine);
        EXPECT_EQ(made.code, 0) << made.err;
        return layers_of_batches(place_, machine);
    };
    for (const auto& layer : with(0, "unknown.yaml")) {
        EXPECT_EQ(layer.at("algorithm"), "winograd") << layer;
        EXPECT_EQ(layer.at("evidence"), "formula") << layer;
        EXPECT_EQ(layer.at("possible").size(), cluster::kConvolutionAlgorithms.size()) << layer;
        EXPECT_LT(layer.at("time_s"), layer.at("implicit_s")) << layer;
    }
    for (const auto& layer : with(2, "slow.yaml")) {
        EXPECT_EQ(layer.at("algorithm"), "implicit-gemm") << layer;
        EXPECT_EQ(layer.at("possible").size(), 3U) << layer;  // no fft
    }
    std::size_t measured = 0;
    for (const auto& layer : with(0.5, "quick.yaml")) {
        EXPECT_EQ(layer.at("algorithm"), "winograd") << layer;
        measured += layer.at("evidence") == "measured" ? 1 : 0;
        if (layer.at("evidence") == "measured") {
            EXPECT_NEAR(layer.at("time_s").get<double>() / layer.at("implicit_s").get<double>(), 0.5, 1e-4);
        }
    }
    EXPECT_GE(measured, 1U);
    const std::string text =
        in_one_line(place_
                        .run("largest ./wide.yaml batch --machine quick.yaml --gpus 1 --precision fp32 --strategy data "
                             "--fixed recompute=none --upto 1024 --convolutions each")
                        .out);
    EXPECT_NE(text.find("of 1 convolution, 0 measured with so many samples and 1 with others;"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("times of algorithms are those of the device for their products"), std::string::npos) << text;
}

TEST_F(CalibrateTest, AnAlgorithmThatNoConvolutionHasIsNamed) {
    write_transforming(place_.path(), 1);
    std::string backend = content(place_.path() / "transforming.py");
    std::ofstream(place_.path() / "transforming.py") << replaced(backend, "winograd", "strassen");
    const Outcome made = place_.run(
        "calibrate --program 'python3 transforming.py' --model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml");
    EXPECT_EQ(made.code, 2) << made.out;
    EXPECT_NE(made.err.find("the back end names the algorithm strassen, which no convolution has"), std::string::npos)
        << made.err;
}

TEST_F(CalibrateTest, AnInterruptKeepsWhatIsDoneAndTheSameCommandGoesOn) {
    const std::string backend = std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/made_up_backend.py";
    const std::string rest = "' --model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml";
    const Outcome stopped = place_.run("calibrate --program 'python3 " + backend + " 4" + rest);
    EXPECT_EQ(stopped.code, 130) << stopped.out << stopped.err;
    EXPECT_NE(stopped.err.find("mine.records.jsonl keeps what is measured"), std::string::npos) << stopped.err;
    const std::string kept = content(place_.path() / "mine.records.jsonl");
    EXPECT_GE(lines(kept), 4u);
    const Outcome whole = place_.run("calibrate --program 'python3 " + backend + rest);
    EXPECT_EQ(whole.code, 0) << whole.err;
    EXPECT_NE(whole.out.find("known from before"), std::string::npos) << whole.out;
    EXPECT_TRUE(content(place_.path() / "mine.records.jsonl").starts_with(kept));
}

// By Ctrl-C and by the signals of schedulers and terminals the records are kept; nothing that a back end started is left.
TEST_F(CalibrateTest, WithItEndsWhatItsBackEndStarted) {
    for (const auto& [name, code] :
         {std::pair("INT", 130), std::pair("TERM", 130), std::pair("HUP", 130), std::pair("KILL", 137)}) {
        const std::string after =
            "answered += 1\n    if answered == 4:\n        os.kill(os.getppid(), signal.SIG" + std::string(name) + ")";
        write_backend("starts.py", {{"import sys", "import signal\nimport subprocess\nimport sys"},
                                    {"answered = 0",
                                     "other = subprocess.Popen(['sleep', '300'])\n"
                                     "open('started', 'w').write(str(other.pid))\nanswered = 0"},
                                    {"answered += 1", after}});
        std::filesystem::remove(place_.path() / "mine.records.jsonl");
        const Outcome ended = place_.run(
            "calibrate --program 'python3 starts.py' --model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml");
        EXPECT_EQ(ended.code, code) << name << ended.err;
        EXPECT_GE(lines(content(place_.path() / "mine.records.jsonl")), 5U) << name;
        const std::string process = "/proc/" + content(place_.path() / "started");
        const auto is_left = [&] { return content(process + "/cmdline").find("sleep") != std::string::npos; };
        for (int waited = 0; waited < 100 && is_left(); ++waited) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        EXPECT_FALSE(is_left()) << name;
    }
}

TEST_F(CalibrateTest, AMachineFileOfAnInterruptedRunSaysSo) {
    const std::string backend = std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/made_up_backend.py";
    const std::string words = " --model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml";
    ASSERT_EQ(place_.run("calibrate --program 'python3 " + backend + "'" + words).code, 0);
    EXPECT_EQ(content(place_.path() / "mine.yaml").find("Partial"), std::string::npos);
    const Outcome stopped = place_.run("calibrate --again --program 'python3 " + backend + " 4'" + words);
    EXPECT_EQ(stopped.code, 130) << stopped.err;
    EXPECT_NE(content(place_.path() / "mine.yaml").find("# Partial: stopped before everything was measured."),
              std::string::npos);
    EXPECT_NE(stopped.out.find("all that was still to be measured: stopped"), std::string::npos) << stopped.out;
}

TEST_F(CalibrateTest, AFileIsOfOneDevice) {
    const std::string words = calibrate("--model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml");
    ASSERT_EQ(place_.run(words).code, 0);
    const std::string records = content(place_.path() / "mine.records.jsonl");
    std::string other = records;
    for (std::size_t at = 0; (at = other.find("Made up", at)) != std::string::npos;) {
        other.replace(at, 7, "Another");
    }
    std::ofstream(place_.path() / "mine.records.jsonl") << other;
    const Outcome mixed = place_.run(words);
    EXPECT_EQ(mixed.code, 2) << mixed.out;
    EXPECT_NE(mixed.err.find("holds what was measured on Another, and this is Made up"), std::string::npos)
        << mixed.err;
    EXPECT_EQ(content(place_.path() / "mine.records.jsonl"), other);
}

TEST_F(CalibrateTest, WhateverAFileIsCalledItCanBeReadBack) {
    for (const std::string name : {"[x].yaml", "a: b.yaml", "x # y.yaml", "null.yaml", "c\001d.yaml", "n\nl.yaml"}) {
        const Outcome made = place_.run(calibrate("--model tiny.yaml --micro-batch 4 --threads 1 -o \"" + name + "\""));
        ASSERT_EQ(made.code, 0) << name << made.err;
        EXPECT_EQ(place_.run("check \"" + name + "\"").code, 0) << content(place_.path() / name);
    }
}

// Of a device without end the machine file would say "inf B".
TEST_F(CalibrateTest, WhatMakesNoMachineIsNotWritten) {
    std::string backend = content(std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/made_up_backend.py");
    const std::size_t at = backend.find("\"16e9\"");
    ASSERT_NE(at, std::string::npos);
    std::ofstream(place_.path() / "endless.py") << backend.replace(at, 6, "\"inf\"");
    const Outcome made = place_.run(
        "calibrate --program 'python3 endless.py' --model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml");
    EXPECT_EQ(made.code, 2) << made.out;
    EXPECT_NE(made.err.find("\"memory\" of its device is inf"), std::string::npos) << made.err;
    EXPECT_FALSE(std::filesystem::exists(place_.path() / "mine.yaml"));
}

/// Words after "calibrate" of a command that is refused.
struct Refused {
    const char* words;
    const char* why;
};

TEST_F(CalibrateTest, WhatIsRefusedIsRefusedBeforeAnythingIsMeasured) {
    std::string endless = content(std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/made_up_backend.py");
    std::ofstream(place_.path() / "endless.py") << replaced(endless, "\"16e9\"", "\"inf\"");
    std::ofstream(place_.path() / "nothing.py") << replaced(endless, "\"memory\": \"16e9\", ", "");
    const std::string backend = std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/made_up_backend.py";
    std::ofstream(place_.path() / "made_up.py") << content(backend);
    const std::string network = " --model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml";
    for (const Refused& refused :
         {Refused{"--backend storage", "no file says which device the machine has"},
          Refused{"--program 'python3 made_up.py' --machine dgx-nothing", "dgx-nothing"},
          Refused{"--program 'python3 made_up.py' --device no-such-device", "no-such-device"},
          Refused{"--program 'python3 endless.py'", "\"memory\" of its device is inf"},
          Refused{"--program 'python3 nothing.py'", "nothing says how much memory it has"},
          Refused{"--program 'python3 made_up.py' --device v100-sxm2-16gb --precision bf16",
                  "kernels in bf16 are measured, and v100-sxm2-16gb does not compute in it"}}) {
        const Outcome told = place_.run("calibrate " + std::string(refused.words) + network);
        EXPECT_EQ(told.code, 2) << refused.words << told.out << told.err;
        EXPECT_NE(told.err.find(refused.why), std::string::npos) << refused.words << told.err;
        EXPECT_FALSE(std::filesystem::exists(place_.path() / "mine.records.jsonl")) << refused.words;
        EXPECT_FALSE(std::filesystem::exists(place_.path() / "mine.yaml")) << refused.words;
        std::filesystem::remove(place_.path() / "mine.records.jsonl");
    }
}

// Which word is the value of an option decides which back ends ./dodona builds.
TEST_F(CalibrateTest, OptionsWithoutAValueAreKnownToTheWrapper) {
    const std::string wrapper = content(std::string(std::getenv("DODONA_SOURCE")) + "/dodona");
    const std::string help = place_.run("calibrate --help all").out;
    const std::regex flag("\n +(?:-\\w, )?(--[a-z-]+)  ");
    int flags = 0;
    for (std::sregex_iterator at(help.begin(), help.end(), flag); at != std::sregex_iterator(); ++at, ++flags) {
        const std::string name = (*at)[1].str();
        EXPECT_TRUE(std::regex_search(wrapper, std::regex("[ |]" + name + "( \\||\\))"))) << name;
    }
    EXPECT_GE(flags, 3);
}

// A rough answer takes less of a test's time.
TEST_F(CalibrateTest, TheGuidesCommandForStorageMeasuresIt) {
    const std::string guide = content(std::string(std::getenv("DODONA_SOURCE")) + "/questions/goodput/page.md");
    const std::string begin = "`./dodona calibrate --backend storage ";
    const std::size_t at = guide.find(begin);
    ASSERT_NE(at, std::string::npos);
    const std::string words = guide.substr(at + 10, guide.find('`', at + 1) - at - 10);
    const Outcome made = place_.run(replaced(words, "DIR", ".") + " --quick");
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_NE(content(place_.path() / "mine.yaml").find("storage:"), std::string::npos);
}

TEST_F(CalibrateTest, KernelsThatADeviceDoesNotHaveAreOfAnother) {
    cases::unpack(source() / "tests/calibrate/imports/logs.txt", "kineto_attention.json", place_.path());
    const Outcome made = place_.run("calibrate --import kineto_attention.json --device v100-sxm2-16gb -o mine.yaml");
    EXPECT_EQ(made.code, 2) << made.err;
    EXPECT_NE(made.err.find("kernels in bf16 are measured, and v100-sxm2-16gb does not compute in it"),
              std::string::npos)
        << made.err;
}

TEST_F(CalibrateTest, RecordsStayWhereAnImportFails) {
    std::ofstream(place_.path() / "mine.records.jsonl") << "";
    std::ofstream(place_.path() / "no.log") << "nothing that is known\n";
    EXPECT_EQ(place_.run("calibrate --machine abci --import no.log -o mine.yaml").code, 2);
    EXPECT_TRUE(std::filesystem::exists(place_.path() / "mine.records.jsonl"));
}

TEST_F(CalibrateTest, TwoCalibrationsAreCompared) {
    ASSERT_EQ(place_.run(calibrate("--model tiny.yaml --micro-batch 4 --threads 1 -o a.yaml")).code, 0);
    ASSERT_EQ(place_.run(calibrate("--model tiny.yaml --micro-batch 4,8 --threads 1 -o b.yaml")).code, 0);
    const Outcome compared = place_.run("calibrate --compare a.yaml b.yaml");
    ASSERT_EQ(compared.code, 0) << compared.err;
    EXPECT_NE(compared.out.find("Both ran on the same devices and software."), std::string::npos) << compared.out;
    EXPECT_NE(compared.out.find("only A: 0, only B: "), std::string::npos) << compared.out;
    EXPECT_NE(compared.out.find("No case differs by more than its own spread."), std::string::npos) << compared.out;
}

TEST_F(CalibrateTest, AnOldOneIsComparedWithWhatIsMeasuredNow) {
    const std::string words = calibrate("--model tiny.yaml --micro-batch 4 --threads 1 ");
    ASSERT_EQ(place_.run(words + "-o old.yaml").code, 0);
    write_backend("slower.py", {{"t = seconds(case)", "t = 2 * seconds(case)"}});
    const Outcome compared = place_.run(
        "calibrate --program 'python3 slower.py' --model tiny.yaml --micro-batch 4 --threads 1 --compare old.yaml -o "
        "new.yaml");
    ASSERT_EQ(compared.code, 0) << compared.err;
    EXPECT_NE(compared.out.find("new.yaml: "), std::string::npos) << compared.out;
    EXPECT_TRUE(std::regex_search(compared.out, std::regex("program +matmul +[0-9]+ +[0-9]+ +2.000 +2.000 +2.000")))
        << compared.out;
    EXPECT_EQ(place_.run("calibrate --compare old.yaml").code, 2);
    EXPECT_EQ(place_.run("calibrate --compare old.yaml new.yaml -o third.yaml").code, 2);
}

TEST_F(CalibrateTest, AMachineFileSaysInWhatStateItsHostWas) {
    ASSERT_EQ(place_.run(calibrate("--model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml")).code, 0);
    const std::regex state(
        "\n# State of the host when measuring began: load [0-9.]+ of [0-9]+ CPUs, .*Linux [^\n]+\\.\n");
    EXPECT_TRUE(std::regex_search(content(place_.path() / "mine.yaml"), state)) << content(place_.path() / "mine.yaml");
}

// A curve whose samples vary by more than predictions are off is not planned on in silence.
TEST_F(CalibrateTest, DoubtfulCurvesAreNamedByEachAnswerThatUsesThem) {
    write_backend("shaky.py", {{"\"third_quartile\": 1.01 * t", "\"third_quartile\": 1.4 * t"}});
    const Outcome made = place_.run(
        "calibrate --program 'python3 shaky.py' --model tiny.yaml --micro-batch 4 --threads 1 -o shaky.yaml");
    ASSERT_EQ(made.code, 0) << made.err;
    const std::string job = " ./tiny.yaml --machine shaky.yaml --gpus 1 --batch 4 --precision fp32";
    for (const std::string& question : {"plan" + job, "predict" + job + " --strategy data", "plan" + job + " --json"}) {
        const std::string answer = in_one_line(place_.run(question).out);
        EXPECT_NE(answer.find("doubtful kernel times of made-up, measure them again: "), std::string::npos) << answer;
        EXPECT_NE(answer.find("matmul forward: samples vary by 40 %"), std::string::npos) << answer;
        EXPECT_EQ(answer.find("recurrent forward: samples"), std::string::npos) << "it has none";
    }
    EXPECT_NE(place_.run("machines shaky.yaml").out.find("matmul, doubtful"), std::string::npos);
    ASSERT_EQ(place_.run(calibrate("--model tiny.yaml --micro-batch 4 --threads 1 -o steady.yaml")).code, 0);
    const std::string steady =
        place_.run("plan ./tiny.yaml --machine steady.yaml --gpus 1 --batch 4 --precision fp32").out;
    EXPECT_EQ(steady.find("doubtful"), std::string::npos) << steady;
}

// On a terminal, which the program is given here, a table follows what is measured; nothing of it stays.
TEST_F(CalibrateTest, OnATerminalATableFollowsWhatIsMeasured) {
    write_backend("slow.py", {{"import sys", "import sys\nimport time"},
                              {"t = seconds(case)", "t = seconds(case)\n    time.sleep(0.01)"}});
    std::ofstream(place_.path() / "terminal.py")
        << "import os, pty, sys\nsys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))\n";
    const std::string words =
        "python3 terminal.py '" + std::string(std::getenv("DODONA_PROGRAM")) +
        "' calibrate --program 'python3 slow.py' --model tiny.yaml --micro-batch 4 --threads 1 -o mine.yaml";
    const std::string command = "cd '" + place_.path().string() + "' && DODONA_DATA='" + source().string() + "' " +
                                words + " >seen 2>&1 </dev/null";
    ASSERT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << content(place_.path() / "seen");
    const std::string seen = content(place_.path() / "seen");
    EXPECT_TRUE(std::regex_search(seen, std::regex("[0-9]+ of 88 cases"))) << seen;
    EXPECT_TRUE(std::regex_search(seen, std::regex("program  stream +[0-9]+ of 76 +[0-9.]+ us +1.0 %  steady")))
        << seen;
    const std::size_t end = seen.rfind("\x1b[J");
    ASSERT_NE(end, std::string::npos) << seen;
    EXPECT_EQ(seen.find("of 88 cases", end), std::string::npos) << seen;
    EXPECT_NE(seen.find("mine.yaml: ", end), std::string::npos) << seen;
}

TEST_F(CalibrateTest, ABackEndThatIsNotThereIsExitThree) {
    const Outcome none =
        place_.run("calibrate --program ./no-such-program --model tiny.yaml --micro-batch 1 -o mine.yaml");
    EXPECT_EQ(none.code, 3) << none.out;
    EXPECT_NE(none.err.find("no-such-program: No such file or directory"), std::string::npos) << none.err;
    EXPECT_FALSE(std::filesystem::exists(place_.path() / "mine.yaml"));
}

}  // namespace calibrate_test
}  // namespace dodona::cli::testing
