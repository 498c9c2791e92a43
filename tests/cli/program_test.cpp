// What transcripts cannot show: files that are written, colour, other environments.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "running.hpp"

namespace dodona::cli::testing {
namespace program_test {

namespace fs = std::filesystem;
constexpr const char* kPredict = "predict resnet50 --machine abci --gpus 8 --strategy data --batch 512";
constexpr const char* kPlan = "plan resnet50 --machine abci --gpus 8 --strategy data --batch 512";

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

TEST(Program, ReadsThePlanThatItSaved) {
    const Folder place;
    const Outcome plan = place.run(std::string(kPlan) + " --format json --save best.yaml");
    ASSERT_EQ(plan.code, 0) << plan.err;
    const Outcome predict =
        place.run("predict resnet50 --machine abci --gpus 8 --batch 512 --plan best.yaml --format json");
    ASSERT_EQ(predict.code, 0) << predict.err;
    const auto best = nlohmann::json::parse(plan.out)["plans"][0];
    auto again = nlohmann::json::parse(predict.out)["plan"];
    again["rank"] = 1;
    again["first_is_faster"] = nullptr;  // of rankings
    again["tied_with_first"] = false;
    EXPECT_EQ(best, again);
}

// 80 GPUs alone would be asked with a batch of 80, which is another question.
TEST(Program, RemediesKeepTheBatchThatWasAsked) {
    const Outcome plan = Folder().run("plan llama-3.1-70b --machine l4-x8 --gpus 8 --batch 8 --format json");
    const auto remedies = nlohmann::json::parse(plan.out)["remedies"];
    ASSERT_FALSE(remedies.empty());
    for (const auto& remedy : remedies) {
        const auto has = [&](const char* option) {
            return std::any_of(remedy["options"].begin(), remedy["options"].end(),
                               [&](const auto& one) { return one["option"] == option; });
        };
        EXPECT_EQ(remedy["plan"]["batch"], 8) << remedy["change"];
        EXPECT_TRUE(!has("--gpus") || has("--batch")) << remedy["change"];
    }
}

TEST(Program, ChecksWhatAFrameworkIsLike) {
    const Folder place;
    std::ofstream(place.path() / "wrong.yaml") << "framework: own\nsource: s\nlike: typcal\n";
    std::ofstream(place.path() / "right") << "framework: own\nsource: s\nsummary: mine\nlike: typical\n";
    const Outcome wrong = place.run("check wrong.yaml");
    EXPECT_EQ(wrong.code, 1);
    EXPECT_NE(wrong.err.find("wrong.yaml:3:7: error: unknown software \"typcal\""), std::string::npos) << wrong.err;
    const Outcome right = place.run("check right");
    EXPECT_EQ(right.code, 0) << right.err;
    EXPECT_EQ(right.out, "right: framework own: mine\n");
}

TEST(Program, StillReadsOldNamesOfOptions) {
    const Folder place;
    const std::string job =
        "predict gpt3-175b --machine selene --gpus 128 --batch 64 --strategy megatron-sequence "
        "--mesh tensor=8,pipeline=8,data=2 --schedule interleaved-1f1b --format json ";
    const Outcome old = place.run(job + "--microbatch 1 --chunks 3 --shard gradients --shard-group 2");
    const Outcome now = place.run(job + "--micro-batch 1 --virtual-stages 3 --zero 2 --zero-group 2");
    EXPECT_EQ(old.code, 0) << old.err;
    EXPECT_EQ(old.out, now.out);
    const std::string search = "plan resnet50 --machine abci --gpus 8 --strategy data,zero1 --batch 512 --top 50 ";
    const auto plans = [&](const std::string& words) {
        return nlohmann::json::parse(place.run(search + words + " --format json").out)["plans"];
    };
    EXPECT_EQ(plans("--workers 2 --fixed microbatch=32,shard=states"),
              plans("--threads 2 --fixed micro-batch=32,zero=1"));
    EXPECT_NE(plans("--fixed zero=1"), plans("--fixed zero=0"));
}

TEST(Program, FixesAnAxisThatIsCalledLikeASetting) {
    const Folder place;
    const auto plans = [&](const std::string& fixed) {
        const Outcome outcome = place.run(
            "plan resnet50 --machine abci --gpus 8 --strategy hybrid-shard --batch 512 --format json --fixed " + fixed);
        EXPECT_EQ(outcome.code, 0) << fixed << outcome.err;
        return nlohmann::json::parse(outcome.out)["plans"];
    };
    const auto axis = plans("shard=2");
    EXPECT_FALSE(axis.empty());
    for (const auto& plan : axis) {
        EXPECT_EQ(plan["mesh"]["shard"], 2) << plan;
    }
    EXPECT_EQ(plans("fsdp=2"), axis) << "a word for the axis";
    EXPECT_EQ(plans("shard=parameters"), plans("zero=3"));
    EXPECT_NE(plans("zero=3"), axis);
}

/// Tables of a search are kept by strategy.
TEST(Program, SearchesNoTwoStrategiesOfOneName) {
    const Folder place;
    std::ofstream(place.path() / "own.yaml")
        << "strategy: data\nsource: a test\naxes: [data]\neverywhere: {batch: data}\n";
    const Outcome outcome = place.run("plan resnet50 --machine abci --gpus 8 --batch 512 --strategy data,own.yaml");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("two strategies are called data"), std::string::npos) << outcome.err;
}

/// Those that `dodona --help` lists and this program answers itself.
std::vector<std::string> commands(const Folder& place) {
    std::istringstream overview(place.run("--help").out);
    std::vector<std::string> found;
    bool listed = false;
    for (std::string line; std::getline(overview, line) && !(listed && line.empty());) {
        if (listed && line.find("calibrate ") == std::string::npos) {
            found.push_back(line.substr(2, line.find("  ", 2) - 2));
        }
        listed = listed || line == "Commands:";
    }
    return found;
}

TEST(Program, SaysInThirtyLinesWhatMostQuestionsNeed) {
    const Folder place;
    const std::vector<std::string> all = commands(place);
    ASSERT_GT(all.size(), 20);
    for (const std::string& command : all) {
        const std::string common = place.run(command + " --help").out;
        const std::string whole = place.run(command + " --help all").out;
        EXPECT_LE(std::count(common.begin(), common.end(), '\n'), 30) << common;
        EXPECT_NE(common.find("\nExample"), std::string::npos) << common;
        EXPECT_NE(common.substr(common.size() - 2), "\\\n") << "an example is whole: " << common;
        EXPECT_EQ(common != whole, common.find("--help all` says more") != std::string::npos) << common;
    }
}

TEST(Program, JsonIsShortForItsFormat) {
    const Folder place;
    EXPECT_EQ(place.run("models resnet50 --json").out, place.run("models resnet50 --format json").out);
    EXPECT_EQ(place.run("models resnet50 --json --format csv").code, 2);
}

/// A framework with errors of its own, so that these tests do not move with fits.
constexpr const char* kSoftware =
    "framework: eager\nsource: here\nspread: {value: 0.1, source: here}\n"
    "parameters: {stream: {value: 1.5, lo: 1, hi: 2.5, source: here}}\n";

nlohmann::json asked(const Folder& place, const std::string& words) {
    const Outcome outcome = place.run(words + " --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
}

TEST(Program, MovesItsParametersToAnObservedStep) {
    const Folder place;
    std::ofstream(place.path() / "eager.yaml") << kSoftware;
    const std::string predict = std::string(kPredict) + " --software ./eager.yaml";
    const auto before = asked(place, predict)["plan"];
    EXPECT_TRUE(before["observed"].is_null());
    const double step = before["step_time_s"]["value"];
    const auto after = asked(place, predict + " --observed " + std::to_string(1.2 * step) + "s")["plan"];
    EXPECT_NEAR(after["step_time_s"]["value"].get<double>() / step, 1.2, 1e-5) << "a measured step is a fact";
    EXPECT_NEAR(after["observed"]["missed_before"], 0.2, 1e-4);
    EXPECT_NEAR(after["observed"]["missed_after"], 0, 0.01) << "parameters explain most of it";
    const auto width = [](const nlohmann::json& p) {
        const auto& t = p["step_time_s"];
        return (t["hi"].get<double>() - t["lo"].get<double>()) / t["value"].get<double>();
    };
    EXPECT_LT(width(after), 0.9 * width(before));
    EXPECT_FALSE(after["observed"]["moved"].empty());
}

TEST(Program, PlansWhatPredictSaysOfTheObservedPlan) {
    const Folder place;
    std::ofstream(place.path() / "eager.yaml") << kSoftware;
    const std::string job = "resnet50 --machine abci --gpus 8 --batch 512 --software ./eager.yaml";
    const double step = asked(place, "plan " + job + " --save taken.yaml")["plans"][0]["step_time_s"]["value"];
    const std::string observed = " --observed " + std::to_string(1.3 * step) + "s";
    const auto plans = asked(place, "plan " + job + observed + " --observed-plan taken.yaml --top 9")["plans"];
    const double said =
        asked(place, "predict " + job + " --plan taken.yaml" + observed)["plan"]["step_time_s"]["value"];
    const auto taken = std::find_if(plans.begin(), plans.end(), [&](const nlohmann::json& plan) {
        return plan["step_time_s"]["value"].get<double>() == said;
    });
    ASSERT_NE(taken, plans.end()) << said;
    EXPECT_NEAR(said / (1.3 * step), 1, 0.01);
    double before = 0;
    for (std::size_t i = 1; i < plans.size(); ++i) {
        const double now = plans[i]["step_time_s"]["value"];
        EXPECT_GE(now, before) << "ranked by what was learnt, after the first";
        before = now;
    }
}

TEST(Program, PlansAndSavesWithWhatWasObserved) {
    const Folder place;
    std::ofstream(place.path() / "eager.yaml") << kSoftware;
    const std::string plan = std::string(kPlan) + " --software ./eager.yaml";
    const double step = asked(place, plan + " --save taken.yaml")["plans"][0]["step_time_s"]["value"];
    const auto after = asked(place, plan + " --observed " + std::to_string(1.3 * step) +
                                        "s --observed-plan taken.yaml --save next.yaml")["plans"][0];
    EXPECT_GT(after["step_time_s"]["value"], 1.1 * step);
    const auto again = asked(place, "predict resnet50 --machine abci --plan next.yaml")["plan"];
    EXPECT_NEAR(again["step_time_s"]["value"].get<double>() / after["step_time_s"]["value"].get<double>(), 1, 1e-3);
}

TEST(Program, ReadsObservedRunsFromATable) {
    const Folder place;
    std::ofstream(place.path() / "eager.yaml") << kSoftware;
    const std::string predict = std::string(kPredict) + " --software ./eager.yaml";
    const auto before = asked(place, predict)["plan"];
    const double step = before["step_time_s"]["value"];
    std::ofstream(place.path() / "runs.csv")
        << "id,model,input,global_batch,microbatch,machine,gpus,precision,strategy,data,step_time_s\n"
        << "a,resnet50,image=3x224x224,512,64,abci,8,fp16,data,8," << 1.25 * step << "\n"
        << "b,resnet50,image=3x224x224,256,64,abci,4,fp16,data,4," << 1.25 * step << "\n"
        << "c,resnet50,image=3x224x224,256,64,abci,4,fp16,data,4,\n";
    const auto after = asked(place, predict + " --observed runs.csv")["plan"];
    EXPECT_EQ(after["observed"]["runs"], 2) << "c was not measured";
    EXPECT_GT(after["step_time_s"]["value"], 1.1 * step);
}

// Three times as long as predicted in both of its rows; the row of another batch is of another plan.
TEST(Program, KeepsTheMeasuredStepsOfAPlanInATable) {
    const Folder place;
    const std::string predict =
        "predict resnet50 --machine abci --gpus 8 --batch 512 --micro-batch 64 --strategy data --precision fp16";
    const double step = asked(place, predict)["plan"]["step_time_s"]["value"];
    std::ofstream(place.path() / "runs.csv")
        << "id,model,input,global_batch,microbatch,machine,gpus,precision,strategy,data,step_time_s\n"
        << "a,resnet50,image=3x224x224,512,64,abci,8,fp16,data,8," << 3 * step << "\n"
        << "b,resnet50,image=3x224x224,512,64,abci,8,fp16,data,8," << 3 * step << "\n"
        << "c,resnet50,image=3x224x224,256,32,abci,8,fp16,data,8," << 9 * step << "\n";
    const auto after = asked(place, predict + " --observed runs.csv")["plan"];
    EXPECT_NEAR(after["step_time_s"]["value"].get<double>() / step, 3, 1e-4);
    EXPECT_LT(after["step_time_s"]["hi"].get<double>(), 3.2 * step);
}

TEST(Program, SaysWhereAnObservedStepIsFurtherOffThanErrorsExplain) {
    const Folder place;
    std::ofstream(place.path() / "eager.yaml") << kSoftware;
    const std::string predict = std::string(kPredict) + " --software ./eager.yaml";
    const double step = asked(place, predict)["plan"]["step_time_s"]["value"];
    const auto observed = [&](double times) {
        return place.run(predict + " --observed " + std::to_string(times * step) + "s").out;
    };
    EXPECT_NE(observed(50).find("further off than errors explain"), std::string::npos);
    EXPECT_NE(observed(50).find("which are a fixed time here"), std::string::npos);
    EXPECT_EQ(observed(1.05).find("further off than errors explain"), std::string::npos);
    EXPECT_EQ(observed(1.05).find("which are a fixed time here"), std::string::npos);
}

// The public case of a network whose step took 17 times as long as predicted, and one that was far shorter: both are kept.
TEST(Program, KeepsAMeasuredStepWhateverItIs) {
    const Folder place;
    for (const char* measured : {"0.477", "0.007"}) {
        const std::string predict =
            std::string("predict vgg16 --machine dgx-h100 --gpus 1 --strategy serial -b 64 --observed ") + measured +
            "s";
        const auto plan = asked(place, predict)["plan"];
        const auto& step = plan["step_time_s"];
        EXPECT_NEAR(step["value"].get<double>() / std::stod(measured), 1, 1e-9);
        EXPECT_LT(step["hi"].get<double>(), 1.05 * step["value"].get<double>());
        EXPECT_GT(step["lo"].get<double>(), 0.95 * step["value"].get<double>());
        double exposed = 0;
        for (const auto& part : plan["time_s"]) {
            exposed += part.get<double>();
        }
        EXPECT_NEAR(exposed / std::stod(measured), 1, 1e-6);
    }
}

TEST(Program, ListsFrameworksAndShowsOne) {
    const Folder place;
    std::ofstream(place.path() / "eager.yaml") << kSoftware;
    EXPECT_FALSE(asked(place, "software")["software"].empty());
    const auto one = asked(place, "software ./eager.yaml");
    EXPECT_EQ(one["name"], "eager");
    EXPECT_EQ(one["parameters"][0]["parameter"], "stream");
    EXPECT_EQ(one["parameters"][0]["hi"], 2.5);
    EXPECT_EQ(place.run("software ./eager.yaml --format csv").code, 0);
    EXPECT_EQ(place.run("software megatorn").code, 2);
}

TEST(Program, ShowsAMechanismWithItsDefaults) {
    const Folder place;
    const auto graphs = asked(place, "software graphs");
    EXPECT_EQ(graphs["name"], "graphs");
    EXPECT_EQ(graphs["parameters"][0]["parameter"], "launch");
    EXPECT_DOUBLE_EQ(graphs["parameters"][0]["hi"].get<double>(), 5e-6);
    EXPECT_EQ(graphs["default_for"][0], "framework: NeMo (MLPerf); notes: *v4.* or *v5.* or *v6.*");
    EXPECT_EQ(asked(place, "software eager")["default_for"][0], "framework: nanotron");
    EXPECT_EQ(asked(place, "software other-source")["default_for"].size(), 1);
    EXPECT_EQ(asked(place, "software fused-epilogues")["default_for"][0], "model: dlrm*; framework: *HugeCTR*");
    EXPECT_EQ(asked(place, "software deepep")["default_for"][0], "notes: *DeepEP* or *HybridEP*");
    EXPECT_TRUE(asked(place, "software overlapped-dispatch")["default_for"].empty());
    EXPECT_NE(place.run("software overlapped-dispatch").out.find("nothing: only where it is asked for"),
              std::string::npos);
    EXPECT_EQ(place.run("software graphs --format csv").code, 0);
}

TEST(Program, WritesAFileWholeAndLeavesNothingBeside) {
    const Folder place;
    const Outcome outcome = place.run(std::string(kPredict) + " -o result.json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(nlohmann::json::parse(content(place.path() / "result.json"))["schema"], "dodona/predict/1");
    EXPECT_EQ(files_in(place.path()), 1U);
}

TEST(Program, AnswersNoWithExitCodeOne) {
    const Folder place;
    const Outcome outcome = place.run(
        "plan gpt3-175b --machine workstation --gpus 1 --strategy serial --batch 1 "
        "--save none.yaml");
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("nothing fits: ")) << outcome.out;
    EXPECT_EQ(files_in(place.path()), 0U);
}

TEST(Program, PredictsWhatDoesNotFit) {
    const Folder place;
    const Outcome outcome = place.run(
        "predict gpt3-175b --machine workstation --gpus 1 --strategy serial --batch 1 "
        "--format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_FALSE(nlohmann::json::parse(outcome.out)["plan"]["fits"].get<bool>());
}

TEST(Program, IsColouredOnlyWhenAskedOffATerminal) {
    const Folder place;
    EXPECT_EQ(place.run(kPredict, "FORCE_COLOR=1").out.find('\x1b'), std::string::npos);
    EXPECT_NE(place.run(std::string(kPredict) + " --color always").out.find('\x1b'), std::string::npos);
}

TEST(Program, SaysThatItsDataIsMissing) {
    const Folder place;
    const Outcome outcome = place.run("models", "DODONA_DATA=/nowhere");
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.err, "error: DODONA_DATA is /nowhere, which does not hold dodona's models and machines\n");
}

TEST(Program, ReportsAFullDisk) {
    const Folder place;
    const Outcome outcome = place.run("strategies -o /dev/full");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "error: /dev/full cannot be written: No space left on device\n");
}

TEST(Program, PrintsTheSameBytesTwice) {
    const Folder place;
    EXPECT_EQ(place.run(kPredict).out, place.run(kPredict).out);
}

TEST(Check, AcceptsEverythingThatComesWithDodona) {
    const Folder place;
    const Outcome outcome = place.run(
        "check \"$DODONA_SOURCE\"/models/*.yaml \"$DODONA_SOURCE\"/hardware/*/*.yaml "
        "\"$DODONA_SOURCE\"/oracle/plan/strategies/*.yaml");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
}

/// A model that no installation has, in `folder`.
void put_model(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder / "models");
    std::ofstream(folder / "models/of-somebody.yaml") << "model: of-somebody\n";
}

std::string output_of(const std::string& command) {
    const Folder place;
    static_cast<void>(std::system((command + " >'" + (place.path() / "out").string() + "' 2>&1").c_str()));
    return content(place.path() / "out");
}

TEST(Program, TakesNoDataFromTheWorkingDirectoryWhereAFileHasItsName) {
    const Folder place;
    put_model(place.path() / "share/dodona");
    std::ofstream(place.path() / "dodona") << "";
    const std::string folder = std::filesystem::path(std::getenv("DODONA_PROGRAM")).parent_path();
    const std::string listed =
        output_of("cd '" + place.path().string() + "' && env -u DODONA_DATA PATH='" + folder + "' dodona models");
    EXPECT_EQ(listed.find("of-somebody"), std::string::npos) << listed;
    EXPECT_NE(listed.find("resnet50"), std::string::npos) << listed;
}

TEST(Program, WithoutProcNothingOfTheWorkingDirectoryIsTaken) {
    const std::string apart = "unshare -rm sh -c \"mount -t tmpfs none /proc && ";
    if (std::system((apart + "true\" 2>/dev/null").c_str()) != 0) {
        GTEST_SKIP() << "no name spaces here";
    }
    const Folder place;
    const std::string program = std::getenv("DODONA_PROGRAM");
    put_model(place.path() / "share/dodona");
    std::filesystem::create_directory(place.path() / "here");
    std::ofstream(place.path() / "here/dodona-calibrate") << "#!/bin/sh\necho obeyed\n";
    std::filesystem::permissions(place.path() / "here/dodona-calibrate", std::filesystem::perms::owner_all);
    const std::string start =
        "cd '" + (place.path() / "here").string() + "' && " + apart + "env -u DODONA_DATA '" + program + "' ";
    const std::string calibrated = output_of(start + "calibrate --help\"");
    EXPECT_EQ(calibrated.find("obeyed"), std::string::npos) << calibrated;
    EXPECT_NE(calibrated.find("is not known without /proc"), std::string::npos) << calibrated;
    const std::string listed = output_of(start + "models\"");
    EXPECT_EQ(listed.find("of-somebody"), std::string::npos) << listed;
    EXPECT_NE(listed.find("resnet50"), std::string::npos) << listed;
}

TEST(Program, DoesNotWaitForAPipe) {
    const Folder place;
    ASSERT_EQ(::mkfifo((place.path() / "net.onnx").c_str(), 0600), 0);
    const Outcome outcome = place.run("check net.onnx");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("net.onnx is a pipe; expected a file"), std::string::npos) << outcome.err;
    const Outcome options = place.run("models --config net.onnx");
    EXPECT_EQ(options.code, 2);
    EXPECT_NE(options.err.find("\"net.onnx\" is a pipe; expected a file"), std::string::npos) << options.err;
    ASSERT_EQ(::mkfifo((place.path() / "list.json").c_str(), 0600), 0);
    const Outcome written = place.run("models -o list.json");
    EXPECT_EQ(written.code, 2);
    EXPECT_NE(written.err.find("list.json is a pipe without a reader"), std::string::npos) << written.err;
}

TEST(Help, FitsIntoAHundredColumnsAndHasNoHeadingTwice) {
    const Folder place;
    std::istringstream overview(place.run("--help").out);
    std::vector<std::string> commands;
    for (std::string line; std::getline(overview, line) &&
                           line != "  dodona COMMAND --help   its common options; --help all: all of them";) {
        EXPECT_LE(line.size(), 100U) << line;
        const bool is_command = line.starts_with("  ") && line.size() > 14 && line.substr(12, 2) == "  ";
        if (is_command && !line.starts_with("  calibrate")) {  // a program of its own
            commands.push_back(line.substr(2, line.find("  ", 2) - 2));
        }
    }
    EXPECT_GT(commands.size(), 25U);
    for (const std::string& command : commands) {
        for (const char* which : {" --help", " --help all"}) {
            std::istringstream help(place.run(command + which).out);
            std::set<std::string> headings;
            for (std::string line; std::getline(help, line);) {
                EXPECT_LE(line.size(), 100U) << command << which << ": " << line;
                if (line.ends_with(':') && !line.starts_with(' ')) {
                    EXPECT_TRUE(headings.insert(line).second) << command << which << ": " << line << " twice";
                }
            }
        }
    }
}

}  // namespace program_test
}  // namespace dodona::cli::testing
