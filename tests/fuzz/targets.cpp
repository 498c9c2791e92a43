#include "targets.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/expression.hpp"
#include "base/printable.hpp"
#include "calibrate/imports/import.hpp"
#include "calibrate/imports/topology.hpp"
#include "calibrate/record/exchange.hpp"
#include "calibrate/record/record.hpp"
#include "files/framework_file.hpp"
#include "files/launch/launch_text.hpp"
#include "files/library.hpp"
#include "files/logs/training_log.hpp"
#include "files/machine_file.hpp"
#include "files/measured_shares.hpp"
#include "files/model_file.hpp"
#include "files/noise_file.hpp"
#include "files/plan_file.hpp"
#include "files/run_table.hpp"
#include "files/strategy_file.hpp"
#include "files/study_file.hpp"
#include "files/traced/traced_model.hpp"
#include "files/traced/traced_onnx.hpp"
#include "graph/graph.hpp"
#include "questions/diff/diff.hpp"
#include "questions/report/report.hpp"
#include "reports/collect/predicted_step.hpp"
#include "reports/render/json_reader.hpp"
#include "reports/render/renderer.hpp"
#include "traces/step_profile.hpp"

namespace dodona::fuzz {

namespace {

const files::Library& library() {
    static const files::Library all(std::getenv("DODONA_SOURCE") == nullptr ? "." : std::getenv("DODONA_SOURCE"));
    return all;
}

files::Document document(const std::string& bytes) { return files::parse_document(bytes, "bytes.yaml"); }

template <class Read>
void quietly(Read read) {
    try {
        read();
    } catch (const InputError& error) {
        static_cast<void>(error.what());  // and what it says can be printed
    }
}

void model(const std::string& bytes) {
    quietly([&] {
        const graph::NetworkSpec spec = files::read_model(document(bytes), {}, library().model_opener());
        static_cast<void>(graph::build(spec));
    });
}
void cluster(const std::string& bytes) {
    quietly([&] { static_cast<void>(files::read_cluster(document(bytes), library().machine_openers())); });
}
void device(const std::string& bytes) {
    quietly([&] { static_cast<void>(files::read_device(document(bytes), {})); });
}
void strategy(const std::string& bytes) {
    quietly([&] { static_cast<void>(files::read_strategy(document(bytes))); });
}
void framework(const std::string& bytes) {
    quietly([&] { static_cast<void>(files::read_framework(document(bytes), library().mechanism_opener())); });
}
void plan(const std::string& bytes) {
    quietly([&] {
        static_cast<void>(files::read_plan(document(bytes), library().strategy_opener(), library().framework_opener(),
                                           library().mechanism_opener()));
    });
}
void study(const std::string& bytes) {
    quietly([&] {
        const trials::Study study = files::read_study(document(bytes));
        static_cast<void>(trials::draw_trials(study.space, study.draw));
    });
}
void noise(const std::string& bytes) {
    quietly([&] { static_cast<void>(files::read_noise(document(bytes))); });
}
void runs(const std::string& bytes) {
    quietly([&] { static_cast<void>(files::read_runs(files::read_csv(bytes, "bytes.csv"))); });
}
void shares(const std::string& bytes) {
    quietly([&] { static_cast<void>(files::read_lengths(files::read_csv(bytes, "bytes.csv"), "bytes.csv", 4096)); });
    quietly([&] {
        static_cast<void>(
            graph::fullest_ranks(files::read_expert_loads(files::read_csv(bytes, "bytes.csv"), "bytes.csv")));
    });
}
void launch(const std::string& bytes) {
    quietly([&] { static_cast<void>(files::read_launch_text(bytes, "bytes.sh")); });
}
void onnx(const std::string& bytes) {
    const Location where{.source = std::make_shared<const Source>(Source{.name = "bytes.onnx", .lines = {}})};
    quietly([&] {
        const files::OnnxGraph graph = files::read_onnx(bytes, where);
        const files::ImportedModel model =
            files::import_traced(files::traced_onnx(graph, where, {{"sequence", 8}}), "bytes", "bytes");
        static_cast<void>(graph::build(files::read_model(document(model.text), {}, library().model_opener())));
    });
}
void torch_graph(const std::string& bytes) {
    quietly([&] {
        const files::ImportedModel model = files::import_torch(document(bytes), "bytes");
        static_cast<void>(graph::build(files::read_model(document(model.text), {}, library().model_opener())));
    });
}
void records(const std::string& bytes) {
    quietly([&] {
        const calibrate::Record record = calibrate::record_from(bytes, {});
        static_cast<void>(calibrate::record_from(calibrate::to_line(record), {}));
    });
    quietly([&] { static_cast<void>(calibrate::case_from(bytes, {})); });
    quietly([&] { static_cast<void>(calibrate::settings_from(bytes, {})); });
}
reports::Record answer(const std::string& bytes) {
    return reports::record_of_json(reports::result_text(bytes, "bytes"), "bytes");
}
void report(const std::string& bytes) {
    quietly([&] {
        const questions::report::Report report = questions::report::report_from(answer(bytes), "bytes");
        for (const reports::Renderer& renderer : reports::renderers()) {
            static_cast<void>(renderer.render(questions::report::document(report), {}));
        }
        static_cast<void>(questions::diff::document(questions::diff::ask({{"bytes", report}, {"bytes", report}, 0})));
    });
}
void prediction(const std::string& bytes) {
    quietly([&] { static_cast<void>(reports::predicted_step(answer(bytes), "bytes")); });
}
/// For readers of files.
template <class Read>
void with_file(const std::string& bytes, Read read) {
    std::string path = (std::filesystem::temp_directory_path() / "dodona-fuzz-XXXXXX").string();
    close(mkstemp(path.data()));
    std::ofstream(path, std::ios::binary) << bytes;
    quietly([&] { read(path); });
    std::filesystem::remove(path);
}
void trace(const std::string& bytes) {
    with_file(bytes, [](const std::string& path) { static_cast<void>(traces::load_step_profile(path, 1)); });
}
void imported(const std::string& bytes) {
    with_file(bytes, [](const std::string& path) {
        const calibrate::Imported all = calibrate::import_file(path, {.date = "2026-01-01T00:00:00Z"});
        for (const calibrate::Topology& topology : all.topologies) {
            quietly([&] { static_cast<void>(calibrate::levels_of(topology, {.device = "h100"})); });
        }
    });
}
void log(const std::string& bytes) {
    static const std::vector<files::LogForm> forms = library().log_forms();
    quietly([&] { static_cast<void>(files::read_training_log(bytes, "bytes.log", forms)); });
}
void expression(const std::string& bytes) {
    quietly([&] {
        static_cast<void>(Expression::parse(bytes, {}).evaluate([](std::string_view) { return std::optional(2.0); }));
    });
}
void shown(const std::string& bytes) { static_cast<void>(printable(printable_json(bytes))); }

}  // namespace

std::span<const Target> targets() {
    static const std::vector<Target> all{
        {"model", model, {"tests/files/bad/model.txt", "tests/files/library/models"}},
        {"cluster", cluster, {"tests/files/bad/cluster.txt", "tests/files/library/hardware/clusters"}},
        {"device", device, {"tests/files/bad/device.txt"}},
        {"strategy", strategy, {"tests/files/bad/strategy.txt", "oracle/plan/strategies"}},
        {"framework", framework, {"tests/files/bad/framework.txt", "software/megatron"}},
        {"plan", plan, {"tests/files/bad/plan.txt"}},
        {"study", study, {"tests/files/bad/trials.txt"}},
        {"noise", noise, {"tests/files/bad/noise.txt"}},
        {"runs", runs, {"tests/files/bad/runs.txt"}},
        {"shares", shares, {}},
        {"launch", launch, {"tests/files/launch/scripts.txt"}},
        {"onnx", onnx, {"tests/files/onnx"}, Form::protobuf},
        {"torch_graph", torch_graph, {"tests/files/torch"}},
        {"records", records, {}},
        {"report", report, {"tests/reports/golden/report.json"}},
        {"prediction", prediction, {"tests/reports/golden/predict.json"}},
        {"trace", trace, {"tests/cli/traces"}},
        {"imported", imported, {"tests/calibrate/imports/logs.txt"}},
        {"log", log, {"tests/files/logs.txt"}},
        {"expression", expression, {}},
        {"shown", shown, {}},
    };
    return all;
}

const Target* target_named(std::string_view name) {
    const auto all = targets();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Target& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace dodona::fuzz
