// `dodona trials` and `dodona trials run`: the grid of the PyCOMPSs study, what is asked for wrongly, real runs.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "running.hpp"

namespace dodona::cli::testing {
namespace trials_test {

namespace fs = std::filesystem;

constexpr const char* kMnist =
    "trials: mnist\n"
    "space:\n"
    "  epochs: [10, 20, 50]\n"
    "  optimizer: [adam, sgd, rmsprop]\n"
    "  batch: [32, 64, 128]\n";

/// With a file `study.yaml` of the grid and these lines more.
class StudyFolder : public Folder {
public:
    explicit StudyFolder(const std::string& more) { std::ofstream(path() / "study.yaml") << kMnist << more; }

    [[nodiscard]] nlohmann::json asked(const std::string& words) const {
        const Outcome outcome = run("trials study.yaml --format json " + words);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out);
    }
    [[nodiscard]] std::string told(const std::string& words) const {
        const Outcome outcome = run("trials study.yaml " + words);
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        return outcome.err;
    }
};

double makespan(const nlohmann::json& answer, const std::string& policy) {
    for (const nlohmann::json& row : answer["policies"]) {
        if (row["policy"] == policy) {
            return row["makespan_s"];
        }
    }
    return -1;
}

/// The vectors of tests/trials/schedule_test.cpp, by the command.
TEST(Trials, TwentySevenTrialsOnFourSlotsTake210Or180Epochs) {
    const StudyFolder place("time: epochs\n");
    const nlohmann::json answer = place.asked("--slots 4");
    EXPECT_EQ(answer["trials"], 27);
    EXPECT_EQ(makespan(answer, "fifo"), 210);
    EXPECT_EQ(makespan(answer, "lpt"), 180);
    EXPECT_EQ(answer["lower_bound_s"], 180);
    EXPECT_EQ(answer["policy"], "lpt");
    EXPECT_EQ(answer["schedule"].size(), 27U);
    EXPECT_EQ(place.asked("--slots 4 --policy fifo")["makespan_s"]["value"], 210);
}

TEST(Trials, CoresOfANodeMakeTheSlots) {
    const StudyFolder place("time: epochs\n");
    constexpr std::array kSlots{std::pair{1, 48}, std::pair{2, 24}, std::pair{4, 12}, std::pair{8, 6},
                                std::pair{16, 3}};
    for (const auto& [cores, slots] : kSlots) {
        EXPECT_EQ(place.asked("--cores 48 --cores-per-trial " + std::to_string(cores))["slots"], slots);
    }
    const nlohmann::json gpus = place.asked("--machine abci --cores 40 --cores-per-trial 2");
    EXPECT_EQ(gpus["slots"], 4) << "a GPU each, four in a node";
    EXPECT_EQ(place.asked("--machine abci --nodes 3")["slots"], 12);
}

TEST(Trials, OfSeveralSizesTheQuickestIsTaken) {
    const StudyFolder place("time: epochs * (0.2 + 0.8 / cores)\n");
    const nlohmann::json answer = place.asked("--cores 48 --cores-per-trial 1,2,4,8,16");
    ASSERT_EQ(answer["widths"].size(), 5U);
    for (const nlohmann::json& width : answer["widths"]) {
        EXPECT_LE(answer["makespan_s"]["value"], width["makespan_s"]);
    }
    EXPECT_GE(answer["makespan_s"]["value"], answer["lower_bound_s"]);
}

TEST(Trials, OfAModelTakeItsPredictedSteps) {
    const StudyFolder place("model: resnet50\nsamples: 51200\nepochs: epochs\nbatch: batch\noverhead: 5 s\n");
    const nlohmann::json answer = place.asked("--machine abci --gpus-per-trial 1 --set epochs=10 --policy fifo");
    const Outcome step =
        place.run("predict resnet50 --machine abci --gpus 1 --strategy data --batch 64 --micro-batch 64 --format json");
    const double seconds = nlohmann::json::parse(step.out)["plan"]["step_time_s"]["value"];
    bool found = false;
    for (const nlohmann::json& trial : answer["schedule"]) {
        if (trial["settings"]["batch"] == "64") {
            found = true;
            const double time = trial["end_s"].get<double>() - trial["start_s"].get<double>();
            EXPECT_NEAR(time, 10 * 800 * seconds + 5, 1e-6 * time);
            EXPECT_EQ(trial["time_from"], "model");
        }
    }
    EXPECT_TRUE(found);
    EXPECT_LT(answer["makespan_s"]["lo"], answer["makespan_s"]["value"]);
    EXPECT_NE(place.told("--slots 4").find("--machine is missing"), std::string::npos);
    EXPECT_EQ(place.asked("--slots 4 --machine abci --set epochs=10")["slots"], 4) << "a GPU each";
    EXPECT_NE(place.told("--machine abci --gpus-per-trial 3 --nodes 1").find("cannot be shared by 3 GPUs"),
              std::string::npos);
}

TEST(Trials, ObservedTimesComeFirstAndScaleTheOthers) {
    const StudyFolder place("time: epochs\n");
    std::ofstream(place.path() / "seen.csv") << "epochs,batch,time_s\n10,32,25\n20,64,40\n50,128,100\n";
    const nlohmann::json answer = place.asked("--slots 1 --observed seen.csv");
    for (const nlohmann::json& trial : answer["schedule"]) {
        const double epochs = std::stod(trial["settings"]["epochs"].get<std::string>());
        const double time = trial["end_s"].get<double>() - trial["start_s"].get<double>();
        const bool is_first = epochs == 10 && trial["settings"]["batch"] == "32";
        EXPECT_DOUBLE_EQ(time, is_first ? 25 : 2 * epochs) << "2 is the median of 2.5, 2 and 2";
        EXPECT_EQ(trial["time_from"] == "scaled", time != 25 && !(epochs == 20 && trial["settings"]["batch"] == "64") &&
                                                      !(epochs == 50 && trial["settings"]["batch"] == "128"));
    }
    std::ofstream(place.path() / "bad.csv") << "epoch,time_s\n10,25\nx,-1\n";
    const std::string told = place.told("--slots 1 --observed bad.csv");
    EXPECT_NE(told.find("epoch: unknown column; did you mean \"epochs\"?"), std::string::npos) << told;
    EXPECT_NE(told.find("bad.csv:3:3"), std::string::npos) << told;
    const StudyFolder without("");
    std::ofstream(without.path() / "seen.csv") << "epochs,time_s\n10,25\n";
    EXPECT_NE(without.told("--slots 1 --observed seen.csv").find("18 of 27 times are missing"), std::string::npos);
}

TEST(Trials, WhatIsMissingOrWrongIsTold) {
    const StudyFolder place("time: epochs\n");
    const auto tells = [&](const std::string& words, const std::string& text) {
        const std::string told = place.told(words);
        EXPECT_NE(told.find(text), std::string::npos) << words << "\n" << told;
    };
    tells("", "what trials run on is missing");
    tells("--cores 8 --cores-per-trial 16", "a trial on 16 cores does not fit on a node with 8 cores");
    tells("--machine abci --gpus-per-trial 6 --nodes 2", "a trial on 6 GPUs does not fit");
    tells("--slots 4 --cores 8", "--slots says already");
    tells("--slots 4 --eta 2", "it is of early stopping");
    tells("--slots 4 --early-stop asha --eta 1", "1 would stop no trial");
    tells("--slots 4 --set epoch=3", "did you mean \"epochs\"?");
    tells("--slots 4 --count 5", "a grid has all trials");
    tells("--slots 4 --policy lfp", "\"lfp\" is not one of fifo, lpt, backfill");
    const StudyFolder without("");
    EXPECT_NE(without.told("--slots 4").find("how long a trial takes is missing"), std::string::npos);
    EXPECT_EQ(place.run("check study.yaml").out, "study.yaml: study mnist: 27 trials of 3 parameters\n");
}

TEST(Trials, ATraceHasEveryTrial) {
    const StudyFolder place("time: epochs\n");
    ASSERT_EQ(place.run("trials study.yaml --slots 4 --trace out.json").code, 0);
    std::size_t slices = 0;
    const nlohmann::json trace = nlohmann::json::parse(content(place.path() / "out.json"));
    for (const nlohmann::json& event : trace["traceEvents"]) {
        slices += event["ph"] == "X" ? 1 : 0;
    }
    EXPECT_EQ(slices, 27U);
}

TEST(TrialsRun, RunsTheGridAndReadsItsOwnTable) {
    const StudyFolder place("time: 0.001 * epochs\ncommand: test {epochs} -ne 20 -o {optimizer} != sgd\n");
    const Outcome first = place.run("trials run study.yaml --slots 4 --into out --format json");
    EXPECT_EQ(first.code, 1) << first.err;
    const nlohmann::json done = nlohmann::json::parse(first.out);
    EXPECT_EQ(done["finished"], 24);
    EXPECT_EQ(done["failed"], nlohmann::json::parse("[13, 14, 15]"));
    EXPECT_EQ(done["attempts"].size(), 30U) << "two tries of each that fails";
    EXPECT_EQ(done["policy"], "lpt");
    const Outcome text = place.run("trials run study.yaml --slots 4 --into out");
    EXPECT_NE(text.out.find("trial 13 (epochs=20 optimizer=sgd batch=32) ended with status 1: out/trial-0013/log"),
              std::string::npos)
        << text.out;
    EXPECT_NE(text.out.find("24 of them before this session"), std::string::npos);
    const nlohmann::json again = place.asked("--slots 4 --observed out/trials.csv");
    std::size_t observed = 0;
    for (const nlohmann::json& trial : again["schedule"]) {
        observed += trial["time_from"] == "observed" ? 1 : 0;
    }
    EXPECT_EQ(observed, 24U);
}

/// Losses of nine trials of 20 epochs: 20 times the batch, 640 to 2,560.
TEST(TrialsRun, NamesTheBestTrialAndRanksTheOthers) {
    const StudyFolder place(
        "time: 0.001 * epochs\n"
        "command: 'echo loss $(({epochs} * {batch})) {optimizer}'\n"
        "result: {pattern: \"loss ([0-9]+) [ars]\", best: lowest}\n");
    const Outcome outcome = place.run("trials run study.yaml --slots 4 --into out --set epochs=20 --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json results = nlohmann::json::parse(outcome.out)["results"];
    ASSERT_EQ(results.size(), 9U);
    EXPECT_EQ(results[0]["result"], 640);
    EXPECT_EQ(results[0]["settings"]["batch"], "32");
    EXPECT_EQ(results[8]["result"], 2560);
    EXPECT_NE(content(place.path() / "out/trials.csv").find(",state,result,log\n"), std::string::npos);
    const Outcome text = place.run("trials run study.yaml --slots 4 --into out --set epochs=20");
    EXPECT_NE(text.out.find("640 of trial 1: epochs=20 optimizer=adam batch=32"), std::string::npos) << text.out;
    EXPECT_EQ(place.run("trials study.yaml --slots 4 --set epochs=20 --observed out/trials.csv").code, 0);
    EXPECT_NE(place.run("trials run study.yaml --slots 4 --into out --eta 2").err.find("add --early-stop asha"),
              std::string::npos);
    const StudyFolder without("command: 'true'\n");
    EXPECT_NE(without.run("trials run study.yaml --slots 4 --into out --early-stop median")
                  .err.find("what trials are compared by is missing"),
              std::string::npos);
    const StudyFolder wrong("command: 'true'\nresult: {pattern: \"loss [0-9]+\"}\n");
    EXPECT_NE(wrong.run("trials run study.yaml --slots 4 --into out").err.find("not one group"), std::string::npos);
}

TEST(TrialsRun, ItsTableIsPrintableAndReadBack) {
    const Folder place;
    std::ofstream(place.path() / "study.yaml") << "trials: odd\n"
                                                  "space:\n"
                                                  "  word: [\"=1+1\", \"@x\", \"a\\e[2J\", \"b,\\\"c\", -0.5]\n"
                                                  "command: 'true {word}'\n";
    ASSERT_EQ(place.run("trials run study.yaml --slots 1 --into out").code, 0);
    const std::string table = content(place.path() / "out/trials.csv");
    EXPECT_EQ(table.find('\x1b'), std::string::npos) << table;
    EXPECT_NE(table.find("1,1,'=1+1,"), std::string::npos) << table;
    EXPECT_NE(table.find(",-0.5,"), std::string::npos) << table;
    const Outcome read = place.run("trials study.yaml --slots 1 --observed out/trials.csv --format json");
    ASSERT_EQ(read.code, 0) << read.err;
    const nlohmann::json answer = nlohmann::json::parse(read.out);
    for (const nlohmann::json& trial : answer["schedule"]) {
        EXPECT_EQ(trial["time_from"], "observed") << trial;
    }
}

/// Runs the study until its second trial has begun, then sends the signal. Returns the exit code of a shell's `wait`.
std::string code_after(const StudyFolder& place, const std::string& signal) {
    const std::string script = "cd '" + place.path().string() + "' && export DODONA_DATA='" +
                               std::getenv("DODONA_SOURCE") + "' && { '" + std::getenv("DODONA_PROGRAM") +
                               "' trials run study.yaml --slots 1 --into out >said 2>&1 & } && p=$! && "
                               "until [ -e out/trial-0002/began ]; do sleep 0.02; done; kill -" +
                               signal + " $p; wait $p; echo $? >code";
    EXPECT_EQ(std::system(script.c_str()), 0);
    return content(place.path() / "code");
}

TEST(TrialsRun, GoesOnAfterCtrlCAndAfterAKill) {
    for (const std::string signal : {"INT", "KILL"}) {
        const StudyFolder place(
            "command: touch {folder}/began; test {trial} = 1 || while test -e slow; do sleep 0.02; done\n");
        std::ofstream(place.path() / "slow") << "";
        EXPECT_EQ(code_after(place, signal), signal == "INT" ? "130\n" : "137\n");
        if (signal == "INT") {
            EXPECT_NE(content(place.path() / "said").find("stopped: interrupted; what has finished is kept"),
                      std::string::npos);
        }
        std::filesystem::remove(place.path() / "slow");
        const Outcome rest = place.run("trials run study.yaml --slots 4 --into out --format json");
        EXPECT_EQ(rest.code, 0) << rest.err;
        const nlohmann::json done = nlohmann::json::parse(rest.out);
        EXPECT_EQ(done["finished"], 27);
        EXPECT_EQ(done["finished_before"], 1) << signal;
    }
}

/// Whether nothing has the log of a trial open any more; waits for it.
bool has_ended(const std::string& log) {
    for (int tries = 0; tries < 400; ++tries) {
        const int file = ::open(log.c_str(), O_RDONLY | O_CLOEXEC);
        const bool is_free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
        ::close(file);
        if (is_free) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

TEST(TrialsRun, ItsTrialsEndHoweverItEnds) {
    constexpr std::array kEnds{std::pair{"TERM", "130\n"}, std::pair{"HUP", "130\n"}, std::pair{"QUIT", "130\n"},
                               std::pair{"USR1", "138\n"}, std::pair{"KILL", "137\n"}};
    for (const auto& [signal, code] : kEnds) {
        const StudyFolder place("command: touch {folder}/began; test {trial} = 1 || sleep 600; true\n");
        EXPECT_EQ(code_after(place, signal), code) << signal;
        EXPECT_TRUE(has_ended(place.path() / "out/trial-0002/log")) << signal << ": `sleep` goes on";
    }
}

TEST(TrialsRun, OnAFullDiskItSaysSo) {
    // A limit on the size of files stands for it: the journal has no room for its first event.
    const StudyFolder place("command: 'true'\n");
    const std::string run = "cd '" + place.path().string() + "' && export DODONA_DATA='" +
                            std::getenv("DODONA_SOURCE") + "' && mkdir out && ulimit -f 0 && '" +
                            std::getenv("DODONA_PROGRAM") + "' trials run study.yaml --slots 1 --into out";
    std::array<char, 4096> told{};
    FILE* const pipe = popen(("{ " + run + "; } 2>&1; echo code $?").c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string all;
    while (fgets(told.data(), told.size(), pipe) != nullptr) {
        all += told.data();
    }
    pclose(pipe);
    EXPECT_NE(all.find("out/journal cannot be written: File too large"), std::string::npos) << all;
    EXPECT_NE(all.find("code 2"), std::string::npos) << all;
}

TEST(TrialsRun, SaysWhatItLacks) {
    const StudyFolder place("time: epochs\n");
    const auto tells = [&](const std::string& words, const std::string& text) {
        const Outcome outcome = place.run("trials run study.yaml " + words);
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        EXPECT_NE(outcome.err.find(text), std::string::npos) << words << "\n" << outcome.err;
    };
    tells("--slots 4 --into out", "what a trial runs is missing");
    tells("--slots 4", "--into");
    const StudyFolder with("command: train {epoch}\n");
    const Outcome unknown = with.run("trials run study.yaml --slots 4 --into out");
    EXPECT_NE(unknown.err.find("did you mean \"epochs\"?"), std::string::npos) << unknown.err;
    EXPECT_EQ(with.run("trials run study.yaml --slots 4 --into out --launch 'ssh {node}'").code, 2);
    const Outcome help = with.run("help trials run");
    EXPECT_NE(help.out.find("dodona trials run GRID"), std::string::npos);
}

/// What a batch system does with what is written, without one: tasks of an array by their number, those of PyCOMPSs by a
/// package of its names that runs each where it is called.
TEST(TrialsExport, IsRunByBatchSystems) {
    const StudyFolder place(
        "time: epochs\ncommand: echo {epochs} {optimizer} {batch} {cores} $OMP_NUM_THREADS > {folder}/out\n");
    const std::string words = "trials study.yaml --cores 48 --cores-per-trial 4 --export ";
    ASSERT_EQ(place.run(words + "slurm -o array.sh").code, 0);
    const std::string script = content(place.path() / "array.sh");
    EXPECT_NE(script.find("#SBATCH --array=0-26%12\n"), std::string::npos) << script;
    EXPECT_NE(script.find("#SBATCH --cpus-per-task=4\n"), std::string::npos);
    const std::string in = "cd '" + place.path().string() + "' && ";
    const auto starts = [&](const std::string& folder) { return fs::exists(place.path() / folder); };
    ASSERT_EQ(std::system((in + "SLURM_ARRAY_TASK_ID=0 bash array.sh").c_str()), 0);
    EXPECT_TRUE(starts("trial-0019")) << "of the longest first";
    EXPECT_FALSE(starts("trial-0001"));
    const std::string all = "for i in $(seq 1 26); do SLURM_ARRAY_TASK_ID=$i bash array.sh || exit; done";
    ASSERT_EQ(std::system((in + all).c_str()), 0);
    EXPECT_EQ(content(place.path() / "trial-0019/out"), "50 adam 32 4 4\n");
    EXPECT_EQ(content(place.path() / "trial-0009/out"), "10 rmsprop 128 4 4\n");

    ASSERT_EQ(place.run(words + "pycompss -o study.py").code, 0);
    EXPECT_NE(content(place.path() / "study.py").find("@constraint(computing_units=\"4\")"), std::string::npos);
    const fs::path api = place.path() / "pycompss/api";
    fs::create_directories(api);
    for (const char* module : {"constraint", "task"}) {
        std::ofstream(api / (std::string(module) + ".py"))
            << "def " << module << "(**_):\n    return lambda run: run\n";
    }
    std::ofstream(api / "api.py") << "def compss_wait_on(results):\n    return results\n";
    const std::string again = "rm -r trial-* && python3 study.py";
    ASSERT_EQ(std::system((in + again).c_str()), 0);
    EXPECT_EQ(content(place.path() / "trial-0027/out"), "50 rmsprop 128 4 4\n");
    const StudyFolder failing("command: test {trial} -ne 2\n");
    fs::copy(place.path() / "pycompss", failing.path() / "pycompss", fs::copy_options::recursive);
    ASSERT_EQ(failing.run("trials study.yaml --slots 4 --export pycompss -o study.py").code, 0);
    EXPECT_NE(std::system(("cd '" + failing.path().string() + "' && python3 study.py 2>errors").c_str()), 0);
    EXPECT_EQ(content(failing.path() / "errors"), "failed: trial-0002\n");

    const std::string gpus =
        place.run("trials study.yaml --machine abci --nodes 2 --gpus-per-trial 8 --export slurm").out;
    EXPECT_NE(gpus.find("--array=0-26%1\n#SBATCH --nodes=2\n"), std::string::npos) << gpus;
    EXPECT_NE(gpus.find("#SBATCH --gpus-per-node=4\n"), std::string::npos);
    EXPECT_EQ(place.run("trials study.yaml --machine abci --nodes 2 --gpus-per-trial 8 --export pycompss").code, 2);
    EXPECT_EQ(place.run("trials study.yaml --slots 4 --mtbf 1h --export slurm").code, 2);
}

TEST(TrialsRun, CompletesItsSecondWord) {
    const Folder place;
    EXPECT_NE(place.run("__complete trials r").out.find("run\n"), std::string::npos);
    EXPECT_NE(place.run("__complete trials run --int").out.find("--into"), std::string::npos);
}

}  // namespace trials_test
}  // namespace dodona::cli::testing
