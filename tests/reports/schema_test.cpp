// What the reports print is what the schemas of answers say; and the schemas reject what is not.
#include <map>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "cache_scene.hpp"
#include "goodput_scene.hpp"
#include "questions/described.hpp"
#include "questions/diff/diff.hpp"
#include "questions/goodput/goodput.hpp"
#include "questions/limits/limits.hpp"
#include "questions/models/models.hpp"
#include "questions/plans/plans.hpp"
#include "questions/predict/predict.hpp"
#include "questions/report/report.hpp"
#include "questions/trace/trace.hpp"
#include "questions/validate/validate.hpp"
#include "report_scene.hpp"
#include "reports/collect/described_record.hpp"
#include "reports/collect/prediction_answer.hpp"
#include "reports/collect/prediction_record.hpp"
#include "reports/render/json.hpp"
#include "scene.hpp"
#include "simulated_scene.hpp"
#include "sized_scene.hpp"
#include "threads_scene.hpp"
#include "trials_scene.hpp"

namespace dodona::reports::testing {
namespace schema_test {

/// By hand, or of an answer that is described.
nlohmann::json schema_of(const std::string& noun) {
    static const std::map<std::string, const files::Description*> described{
        {"cache", &files::description<questions::cache::Answer>()},
        {"diff", &files::description<questions::diff::Answer>()},
        {"goodput", &files::description<reliability::Goodput>()},
        {"largest", &files::description<LargestAnswer>()},
        {"limits", &files::description<search::LimitsAnswer>()},
        {"plan", &files::description<questions::plans::Answer>()},
        {"predict", &files::description<questions::predict::Answer>()},
        {"model", &files::description<questions::models::Answer>()},
        {"report", &files::description<Report>()},
        {"simulate", &files::description<questions::simulate::Answer>()},
        {"size", &files::description<SizeAnswer>()},
        {"tables", &files::description<questions::tables::Answer>()},
        {"threads", &files::description<questions::threads::Answer>()},
        {"trace", &files::description<questions::trace::Answer>()},
        {"trials", &files::description<questions::trials::Answer>()},
        {"trials-run", &files::description<questions::trials::RunAnswer>()},
        {"validate", &files::description<validate::Comparison>()}};
    if (const auto found = described.find(noun); found != described.end()) {
        return nlohmann::json::parse(json_line(questions::answer_schema(*found->second)));
    }
    throw std::invalid_argument("no answer is called " + noun);
}

bool is_valid(const std::string& noun, const nlohmann::json& document) {
    valijson::Schema schema;
    const nlohmann::json published = schema_of(noun);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(
            valijson::adapters::NlohmannJsonAdapter(published), schema,
            [](const std::string& other) {
                const std::string name = other.substr(other.rfind('/') + 1);  // NOUN-answer.schema.json
                return new nlohmann::json(schema_of(name.substr(0, name.rfind("-answer"))));
            },
            [](const nlohmann::json* document) { delete document; });
    return valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

nlohmann::json parsed(const Record& record) { return nlohmann::json::parse(json_line(record)); }
nlohmann::json parsed(const Document& document) { return parsed(document.record); }
nlohmann::json plans(const search::Answer& answer) { return parsed(questions::plans::document({.found = answer})); }
nlohmann::json prediction(const step::Prediction& one) {
    return parsed(questions::predict::document({.prediction = one}));
}
nlohmann::json comparison(const validate::Comparison& one) { return parsed(questions::validate::document({}, one)); }

TEST(Schema, HoldsForPlans) {
    EXPECT_TRUE(is_valid("plan", plans(two_plans())));
    EXPECT_TRUE(is_valid("plan", plans(tied_plans())));
    EXPECT_TRUE(is_valid("plan", plans(nothing_fits())));
    EXPECT_TRUE(is_valid("plan", plans(explained_plans())));
    EXPECT_EQ(plans(two_plans())["ties"], nlohmann::json::array());
    EXPECT_EQ(plans(tied_plans())["ties"], nlohmann::json::parse("[[1, 2]]"));
}

TEST(Schema, HoldsForTraces) {
    traces::StepProfile trace{.step = 2_s, .fastest = 1_s, .slowest = 3_s};
    trace.of[index(traces::DeviceWork::matmul)] = {.busy = 1_s, .exposed = 1_s, .calls = 4, .longest = "gemm"};
    trace.of[index(traces::DeviceWork::all_reduce)] = {.busy = 1_s, .exposed = 1_s, .calls = 4};
    const PredictedStep predicted = predicted_step(prediction_record(too_large()), "prediction.json");
    const nlohmann::json good = parsed(questions::trace::document(questions::trace::ask({"a", "b", trace, predicted})));
    EXPECT_TRUE(is_valid("trace", good));
    for (const std::string at : {"", "/traced_step_s", "/predicted_step_s", "/parts/0", "/collectives/0"}) {
        const nlohmann::json::json_pointer pointer(at);
        for (const auto& [key, value] : good[pointer].items()) {
            nlohmann::json broken = good;
            broken[pointer].erase(key);
            EXPECT_FALSE(is_valid("trace", broken)) << at << " " << key;
        }
    }
}

TEST(Schema, HoldsForExplanations) {
    EXPECT_TRUE(is_valid(
        "predict", parsed(questions::predict::document({.prediction = too_large(), .explanation = reasons_of_one()}))));
    const nlohmann::json good = plans(explained_plans());
    for (const std::string at : {"", "/memory", "/parameters/1", "/parameters/1/less", "/parameters/1/less/crossover",
                                 "/parameters/1/less/crossover/to"}) {
        const nlohmann::json::json_pointer pointer("/explanation" + at);
        for (const auto& [key, value] : good[pointer].items()) {
            nlohmann::json broken = good;
            broken[pointer].erase(key);
            EXPECT_FALSE(is_valid("plan", broken)) << at << " " << key;
        }
    }
    nlohmann::json broken = good;
    broken["explanation"]["parameters"][1]["less"]["crossover"]["factor"] = 0;
    EXPECT_FALSE(is_valid("plan", broken));
}

TEST(Schema, HoldsForPredictions) {
    EXPECT_TRUE(is_valid("predict", prediction(pipelined())));
    EXPECT_TRUE(is_valid("predict", prediction(too_large())));
    EXPECT_TRUE(is_valid("predict", prediction(mixed())));
    EXPECT_TRUE(is_valid("predict", prediction(observed())));
}

TEST(Schema, HoldsForComparisons) {
    const nlohmann::json good = comparison(compared_runs());
    EXPECT_TRUE(is_valid("validate", good));
    EXPECT_TRUE(is_valid("validate", comparison({})));
    for (const std::string at : {"/groups/0", "/overall", "/rows/0"}) {
        for (const auto& [key, value] : good[nlohmann::json::json_pointer(at)].items()) {
            nlohmann::json broken = good;
            broken[nlohmann::json::json_pointer(at)].erase(key);
            EXPECT_FALSE(is_valid("validate", broken)) << at << " " << key;
        }
    }
    nlohmann::json percent = good;
    percent["overall"]["coverage"] = 90;
    EXPECT_FALSE(is_valid("validate", percent)) << "ratios, not percent";
}

TEST(Schema, HoldsForReports) {
    const nlohmann::json good = parsed(questions::report::document(small_report()));
    EXPECT_TRUE(is_valid("report", good));
    for (const std::string at :
         {"", "/inputs", "/scalings/0", "/scalings/0/strategies/0", "/scalings/0/strategies/0/points/0",
          "/scalings/0/strategies/0/points/0/plan", "/scalings/0/strategies/0/points/0/plan/step_time_s", "/measured/0",
          "/best", "/best/sensitivity", "/best/timeline", "/best/timeline/bars/0"}) {
        for (const auto& [key, value] : good[nlohmann::json::json_pointer(at)].items()) {
            nlohmann::json broken = good;
            broken[nlohmann::json::json_pointer(at)].erase(key);
            EXPECT_FALSE(is_valid("report", broken)) << at << " " << key;
        }
    }
    nlohmann::json unknown = good;
    unknown["scalings"][0]["strategies"][0]["points"][0]["plan"]["time_s"]["forwards"] = 1;
    EXPECT_FALSE(is_valid("report", unknown));
}

TEST(Schema, HoldsForDifferences) {
    const Report before = small_report();
    Report after = before;
    after.scalings[0].strategies[1].points.pop_back();
    const nlohmann::json good =
        parsed(questions::diff::document(questions::diff::ask({{"a", before}, {"b", after}, 0})));
    EXPECT_TRUE(is_valid("diff", good));
    for (const std::string at : {"", "/points/0"}) {
        for (const auto& [key, value] : good[nlohmann::json::json_pointer(at)].items()) {
            nlohmann::json broken = good;
            broken[nlohmann::json::json_pointer(at)].erase(key);
            EXPECT_FALSE(is_valid("diff", broken)) << at << " " << key;
        }
    }
}

TEST(Schema, HoldsForLimits) {
    const nlohmann::json good = parsed(questions::limits::document(some_limits()));
    EXPECT_TRUE(is_valid("limits", good));
    EXPECT_TRUE(is_valid("limits", parsed(questions::limits::document(limits_of_one()))));
    for (const std::string at :
         {"", "/inputs", "/strategies/0", "/strategies/0/axes/0", "/strategies/0/points/0",
          "/strategies/0/points/0/plan", "/strategies/0/diminishing_returns", "/strategies/0/verdict"}) {
        for (const auto& [key, value] : good[nlohmann::json::json_pointer(at)].items()) {
            nlohmann::json broken = good;
            broken[nlohmann::json::json_pointer(at)].erase(key);
            EXPECT_FALSE(is_valid("limits", broken)) << at << " " << key;
        }
    }
}

TEST(Schema, HoldsForSizes) {
    for (const SizeAnswer& report : {sized(), compared_machines(), too_late()}) {
        const nlohmann::json good = parsed(questions::size::document(report));
        EXPECT_TRUE(is_valid("size", good));
        for (const std::string at : {"", "/inputs", "/machines/0", "/machines/0/attempts/0"}) {
            for (const auto& [key, value] : good[nlohmann::json::json_pointer(at)].items()) {
                nlohmann::json broken = good;
                broken[nlohmann::json::json_pointer(at)].erase(key);
                EXPECT_FALSE(is_valid("size", broken)) << at << " " << key;
            }
        }
    }
    // Its plan is one of `dodona plan`.
    nlohmann::json ranking = plans(two_plans());
    ranking["nearest"] = nlohmann::json::array({parsed(questions::size::document(sized()))["machines"][0]["plan"]});
    EXPECT_TRUE(is_valid("plan", ranking));
}

TEST(Schema, HoldsForLargest) {
    for (const LargestAnswer& report : {largest_depth(), no_depth()}) {
        const nlohmann::json good = parsed(questions::largest::document(report));
        EXPECT_TRUE(is_valid("largest", good));
        for (const auto& [key, value] : good.items()) {
            nlohmann::json broken = good;
            broken.erase(key);
            EXPECT_FALSE(is_valid("largest", broken)) << key;
        }
    }
}

TEST(Schema, HoldsForModels) {
    nlohmann::json model = {
        {"schema", "dodona/model/1"},     {"name", "net"},        {"parameters", 10}, {"trained_parameters", 10},
        {"forward_flops_per_sample", 20}, {"distinct_layers", 1}, {"layers", 2},      {"source", "here"}};
    EXPECT_TRUE(is_valid("model", model));
    model["layers"] = "2";
    EXPECT_FALSE(is_valid("model", model));
}

TEST(Schema, IsTheSameForPlansOnTheirOwnAndInRankings) {
    for (const std::string record : {"plan", "interval", "memory", "memory_totals", "explanation"}) {
        EXPECT_EQ(schema_of("plan")["definitions"].at(record), schema_of("predict")["definitions"].at(record));
    }
}

TEST(Schema, HoldsForSimulatedSteps) {
    EXPECT_TRUE(is_valid("simulate", parsed(simulate_document())));
    play::SimulatedStep with_flows = simulated();
    with_flows.allocator = {.stage = 1,
                            .fixed = {.allocated = 9_GiB, .reserved = 12_GiB, .passing = 6_GiB, .fits = false},
                            .expandable = {.allocated = 9_GiB, .reserved = 9_GiB, .passing = 6_GiB}};
    with_flows.network = {.ranks = 4,
                          .jobs = {{"", 2, 1_s, 2_s}, {"other", 2, 1_s, 1_s}},
                          .flows = 12,
                          .tabulated = {"a reduction"},
                          .degraded = {{"node0", 0.5}},
                          .busiest = {{"a", "b", 1_GB, 0.5}}};
    const nlohmann::json good = parsed(simulate_document(with_flows));
    EXPECT_TRUE(is_valid("simulate", good));
    for (const std::string at :
         {"", "/parts", "/parts/tail", "/folded", "/resources/0", "/memory/0", "/critical_path/0", "/network",
          "/network/degraded/0", "/network/busiest_links/0", "/network/jobs/0", "/allocator",
          "/allocator/fixed_segments", "/allocator/expandable_segments"}) {
        for (const auto& [key, value] : good[nlohmann::json::json_pointer(at)].items()) {
            nlohmann::json broken = good;
            broken[nlohmann::json::json_pointer(at)].erase(key);
            EXPECT_FALSE(is_valid("simulate", broken)) << at << " " << key;
        }
    }
    const play::NoisySteps steps = noisy();
    const play::NoiseStudy loads = study();
    const nlohmann::json with_noise = parsed(simulate_document(simulated(), steps, loads));
    EXPECT_TRUE(is_valid("simulate", with_noise));
    for (const std::string at : {"/noise", "/noise/sources/0", "/noise/with", "/noise/percentiles", "/noise/folded",
                                 "/noise/scales/0", "/noise/alone/0", "/study", "/study/loads/0", "/study/lent"}) {
        for (const auto& [key, value] : with_noise[nlohmann::json::json_pointer(at)].items()) {
            nlohmann::json broken = with_noise;
            broken[nlohmann::json::json_pointer(at)].erase(key);
            EXPECT_FALSE(is_valid("simulate", broken)) << at << " " << key;
        }
    }
    play::NoisySteps stopped = noisy();
    stopped.steps.clear();
    EXPECT_TRUE(is_valid("simulate", parsed(simulate_document(simulated(), stopped))));
}

TEST(Schema, HoldsForGoodput) {
    const nlohmann::json good = parsed(questions::goodput::document({"net", "box"}, failing_run()));
    EXPECT_TRUE(is_valid("goodput", good));
    EXPECT_TRUE(is_valid("goodput", parsed(questions::goodput::document({"net", "box"}, hopeless_run()))));
    for (const std::string at :
         {"", "/components/0", "/checkpoint", "/intervals/0", "/intervals/0/simulated", "/time", "/time/closed_form",
          "/time/simulated", "/run", "/run/time_s", "/spares", "/simulation"}) {
        for (const auto& [key, value] : good[nlohmann::json::json_pointer(at)].items()) {
            nlohmann::json broken = good;
            broken[nlohmann::json::json_pointer(at)].erase(key);
            EXPECT_FALSE(is_valid("goodput", broken)) << at << " " << key;
        }
    }
}

/// Without any key at one of these places it is another record.
void expect_all_needed(const std::string& noun, const nlohmann::json& good, const std::vector<std::string>& places) {
    EXPECT_TRUE(is_valid(noun, good)) << noun;
    for (const std::string& at : places) {
        for (const auto& [key, value] : good[nlohmann::json::json_pointer(at)].items()) {
            nlohmann::json broken = good;
            broken[nlohmann::json::json_pointer(at)].erase(key);
            EXPECT_FALSE(is_valid(noun, broken)) << at << " " << key;
        }
    }
}

TEST(Schema, HoldsForTrialsAndTables) {
    expect_all_needed("trials", parsed(small_document(small_study())),
                      {"", "/node", "/makespan_s", "/policies/0", "/widths/0", "/widths/0/units", "/early_stopping",
                       "/early_stopping/rungs/0", "/early_stopping/makespan_s", "/failures", "/schedule/0"});
    trials::Question plain = small_study();
    plain.stopping.reset();
    plain.failures.reset();
    plain.rent.reset();
    EXPECT_TRUE(is_valid("trials", parsed(small_document(plain))));
    expect_all_needed("trials-run", parsed(run_document(true)), {"", "/attempts/0"});
    EXPECT_TRUE(is_valid("trials-run", parsed(run_document(false))));
    expect_all_needed("tables", parsed(placed_document(placed_tables())), {"", "/parts_s", "/placement/0"});
    EXPECT_TRUE(is_valid("tables", parsed(placed_document(homeless_tables()))));
}

TEST(Schema, HoldsForThreads) {
    expect_all_needed("threads", parsed(threads_prediction()),
                      {"", "/forecast", "/forecast/guideline", "/forecast/sections/0", "/forecast/costs"});
    EXPECT_TRUE(is_valid("threads", parsed(threads_too_large())));
}

TEST(Schema, HoldsForCaches) {
    const nlohmann::json good = parsed(cached_epochs());
    expect_all_needed("cache", good, {"", "/epochs/0", "/epochs/1/tiers/1"});
    nlohmann::json broken = good;
    broken["epochs"][1]["tiers"][1]["share"] = 1.5;
    EXPECT_FALSE(is_valid("cache", broken));
}

TEST(Schema, RejectsAnyMissingKeyOfAPrediction) {
    const nlohmann::json good = prediction(pipelined());
    for (const auto& [key, value] : good["plan"].items()) {
        nlohmann::json broken = good;
        broken["plan"].erase(key);
        EXPECT_FALSE(is_valid("predict", broken)) << key;
    }
}

TEST(Schema, RejectsWrongValues) {
    const auto broken = [](const std::string& pointer, const nlohmann::json& value) {
        nlohmann::json document = prediction(pipelined());
        document[nlohmann::json::json_pointer(pointer)] = value;
        return document;
    };
    EXPECT_FALSE(is_valid("predict", broken("/schema", "dodona/predict/2")));
    EXPECT_FALSE(is_valid("predict", broken("/plan/step_time_s", 10)));
    EXPECT_FALSE(is_valid("predict", broken("/plan/step_time_s/value", "10 s")));
    EXPECT_FALSE(is_valid("predict", broken("/plan/mesh/tensor", 0)));
    EXPECT_FALSE(is_valid("predict", broken("/plan/time_s/forward", -1)));
    EXPECT_FALSE(is_valid("predict", broken("/plan/recompute", "every-0")));
    EXPECT_FALSE(is_valid("predict", broken("/plan/memory_bytes/total", nullptr)));
    EXPECT_FALSE(is_valid("predict", broken("/epoch", 3)));
}

TEST(Json, AddsUp) {
    const nlohmann::json p = parsed(described_record(pipelined()));
    double time = 0;
    for (const auto& [part, seconds] : p["time_s"].items()) {
        time += seconds.get<double>();
    }
    EXPECT_DOUBLE_EQ(time, p["step_time_s"]["value"].get<double>());
    double memory = 0;
    for (const auto& [part, bytes] : p["memory_bytes"].items()) {
        memory += part == "total" || part == "kind" ? 0 : bytes.get<double>();
    }
    EXPECT_DOUBLE_EQ(memory, p["memory_bytes"]["total"].get<double>());
}

TEST(Json, SaysNullForWhatIsAbsentOrNotFinite) {
    EXPECT_TRUE(parsed(Record(std::numeric_limits<double>::infinity())).is_null());
    EXPECT_TRUE(parsed(described_record(too_large()))["tokens_per_s"].is_null());
    EXPECT_TRUE(prediction(too_large())["epoch"].is_null());
}

}  // namespace schema_test
}  // namespace dodona::reports::testing
