#include "lab/evidence/fits/profiles.hpp"

#include <filesystem>

#include "lab/evidence/fits/rows.hpp"

namespace dodona::calibrate {

namespace {

constexpr const char* kTensorCores = "16 bit inputs, 16 bit multiplication, 32 bit addition";
constexpr const char* kHalfStorage = "16 bit inputs, 32 bit multiplication, 32 bit addition";
constexpr const char* kLent = "attention was not measured: as on a B200, the same chip";
constexpr const char* kSingle = "Float";

void append(std::vector<Series>& all, std::vector<Series> more) {
    for (Series& series : more) {
        if (!series.samples.empty()) {
            all.push_back(std::move(series));
        }
    }
}

Series joined(Series first, const Series& second) {
    first.samples.insert(first.samples.end(), second.samples.begin(), second.samples.end());
    first.backward.insert(first.backward.end(), second.backward.begin(), second.backward.end());
    first.source += "; " + second.source;
    first.conditions += "; " + second.conditions;
    return first;
}

std::vector<Series> deepbench(const DeepBench& rows) {
    std::vector<Series> all;
    append(all, {deepbench_products(rows), deepbench_convolutions(rows, graph::Direction::forward),
                 deepbench_convolutions(rows, graph::Direction::backward_input),
                 deepbench_convolutions(rows, graph::Direction::backward_weight), deepbench_recurrences(rows)});
    return all;
}

std::vector<Series> linears(const MeasuredTable& table, const std::string& gpu, const std::string& device) {
    std::vector<Series> all;
    append(all, {linear_rows(table, gpu, "bfloat16", device), linear_rows(table, gpu, "fp8", device)});
    return all;
}

}  // namespace

std::vector<ProfileRows> profile_rows(const std::string& folder, const std::string& typed) {
    const auto table = [&](const char* name) {
        return MeasuredTable((std::filesystem::path(folder) / (std::string(name) + ".csv.gz")).string());
    };
    const MeasuredTable gemm = table("gemm_bf16_fp8");
    const MeasuredTable bench = table("deepbench_train_kernels");
    const MeasuredTable operators = table("transformer_operators_a100_gh200");
    const MeasuredTable aceso = table("aceso_v100_operators");
    const Operators a100{operators, "A100-SXM4-80GB", "a100-sxm4-80gb"};
    const Operators gh200{operators, "GH200 120GB", "gh200"};
    using graph::Direction;

    ProfileRows ampere{"a100-sxm", "", linears(gemm, "a100_sxm", "a100-sxm4-80gb"), ""};
    append(ampere.series,
           {operator_products(a100), operator_attention(a100, Direction::forward),
            operator_attention(a100, Direction::backward_input), operator_streams(a100), operator_gathers(a100)});

    // The same chip in another package: its attention and streams, as shares, stand for H100 and H200 too.
    std::vector<Series> hopper;
    append(hopper, {operator_products(gh200), operator_attention(gh200, Direction::forward), operator_streams(gh200)});
    ProfileRows superchip{"gh200", "backward attention of the source has impossible rates and is left out", hopper,
                          "a100-sxm"};
    const std::vector<std::string> recorded{(std::filesystem::path(typed) / "h200_records.jsonl").string(),
                                            (std::filesystem::path(typed) / "h100_records.jsonl").string()};
    std::vector<Series> single;
    append(single, {recorded_products(recorded, Precision::tf32, "h200-sxm-141gb"),
                    recorded_products(recorded, Precision::fp32, "h200-sxm-141gb")});
    const char* borrowed =
        "attention and streams were measured on a GH200, products of tf32 and fp32 on an H200 and an H100: the same "
        "chip";
    ProfileRows h100{"h100-sxm", borrowed, linears(gemm, "h100_sxm", "h100-sxm5-80gb"), "a100-sxm"};
    ProfileRows h200{"h200-sxm", borrowed, linears(gemm, "h200_sxm", "h200-sxm-141gb"), "a100-sxm"};
    const MeasuredTable in_cudnn((std::filesystem::path(typed) / "attention_hopper.csv").string());
    for (ProfileRows* hopper_module : {&h100, &h200}) {
        append(hopper_module->series, {hopper[1], hopper[2]});
        append(hopper_module->series, single);
    }
    for (ProfileRows* chip : {&superchip, &h100, &h200}) {
        append(chip->series, {hopper_attention(in_cudnn, Direction::forward, "h100-sxm5-80gb"),
                              hopper_attention(in_cudnn, Direction::backward_input, "h100-sxm5-80gb")});
    }

    ProfileRows volta{"v100-sxm", "", deepbench({bench, "NV_V100", kSingle, "v100-sxm2-32gb", Precision::fp32}), ""};
    std::vector<Series> half = deepbench({bench, "NV_V100", kTensorCores, "v100-sxm2-32gb", Precision::fp16});
    half.front() = joined(half.front(), aceso_products(aceso, "v100-sxm2-32gb"));
    append(volta.series, half);
    append(volta.series, {aceso_streams(aceso, "v100-sxm2-32gb")});

    ProfileRows pascal{"p100", "", deepbench({bench, "NV_P100", kSingle, "p100-pcie-16gb", Precision::fp32}), ""};
    append(pascal.series, deepbench({bench, "NV_P100", kHalfStorage, "p100-pcie-16gb", Precision::fp16}));
    ProfileRows turing{"t4", "", deepbench({bench, "NV_T4", kSingle, "t4", Precision::fp32}), ""};
    append(turing.series, deepbench({bench, "NV_T4", kTensorCores, "t4", Precision::fp16}));

    const MeasuredTable trained((std::filesystem::path(typed) / "attention_b200.csv").string());
    constexpr FlopPerSecond kPeak = 2250_TFLOP_per_s;  // of a B200: what the source's shares are of
    ProfileRows blackwell{"b200", "", linears(gemm, "b200_sxm", "b200"), ""};
    append(blackwell.series, {training_attention(trained, Direction::forward, "b200", kPeak),
                              training_attention(trained, Direction::backward_input, "b200", kPeak)});

    return {ampere,
            blackwell,
            {"gb200", kLent, linears(gemm, "gb200", "gb200"), "b200"},
            superchip,
            {"gtx-1080-ti", "", deepbench({bench, "NV_1080Ti", kSingle, "gtx-1080-ti", Precision::fp32}), ""},
            h100,
            h200,
            pascal,
            turing,
            {"titan-x-maxwell", "", deepbench({bench, "NV_TitanX", kSingle, "titan-x-maxwell", Precision::fp32}), ""},
            volta};
}

}  // namespace dodona::calibrate
