#include "calibrate/imports/operator_cases.hpp"

#include <gtest/gtest.h>

namespace dodona::calibrate {
namespace imports_operator_cases_test {

KinetoOperator product(Json shapes, Json strides, const std::string& type = "c10::BFloat16") {
    return {.name = "aten::mm", .shapes = std::move(shapes), .strides = std::move(strides), .types = {type, type}};
}

KinetoOperator convolution(const std::string& stride, const std::string& padding, const std::string& groups) {
    return {.name = "aten::cudnn_convolution",
            .shapes = {{2, 64, 56, 56}, {128, 64, 3, 3}},
            .strides = {{200704, 3136, 56, 1}, {576, 9, 3, 1}},
            .types = {"c10::Half", "c10::Half"},
            .values = {"", "", padding, stride, "[1, 1]", groups}};
}

// A row-major layer: y[t,n] = x[t,k] W[n,k]^T has its second operand transposed; dx = dy W neither; dW = dy^T x the
// first.
TEST(OperatorCases, DirectionsOfAProductAreToldByItsStrides) {
    const auto direction = [](const Json& left, const Json& right) {
        return case_of(product({{8, 16}, {16, 32}}, {left, right}), "").of->word("direction");
    };
    EXPECT_EQ(direction({16, 1}, {1, 16}), "forward");
    EXPECT_EQ(direction({16, 1}, {32, 1}), "backward-input");
    EXPECT_EQ(direction({1, 8}, {32, 1}), "backward-weight");
}

TEST(OperatorCases, AVectorIsTakenForRowMajor) {
    EXPECT_EQ(case_of(product({{8, 1}, {1, 32}}, {{1, 8}, {32, 1}}), "").of->word("direction"), "backward-input");
}

TEST(OperatorCases, ProductsThatDoNotFitAreLeftOutWithAReason) {
    EXPECT_FALSE(case_of(product({{8, 16}, {17, 32}}, nullptr), "").of);
    EXPECT_FALSE(case_of(product({{8, 0}, {0, 32}}, nullptr), "").of);
    EXPECT_FALSE(case_of(product({{8, 16, 2}, {16, 32}}, nullptr), "").of);
    EXPECT_NE(case_of(product({}, nullptr), "").why.find("record_shapes"), std::string::npos);
    EXPECT_NE(case_of(product({{8, 16}, {16, 32}}, nullptr, "double"), "").why.find("types"), std::string::npos);
    EXPECT_FALSE(case_of(product({{8, 16}, {16, 32}}, nullptr), "").assumed.empty());
}

TEST(OperatorCases, Tf32IsToldByTheKernel) {
    const KinetoOperator called = product({{8, 16}, {16, 32}}, nullptr, "float");
    EXPECT_EQ(case_of(called, "ampere_sgemm_128x64").of->word("precision"), "fp32");
    EXPECT_EQ(case_of(called, "cutlass_80_tensorop_s1688gemm_64x64").of->word("precision"), "tf32");
    EXPECT_EQ(case_of(product({{8, 16}, {16, 32}}, nullptr, "c10::Float8_e4m3fn"), "").of->word("precision"), "fp8");
}

TEST(OperatorCases, OneNumberStandsForAllDimensionsOfAConvolution) {
    const auto of = case_of(convolution("[2]", "[1, 1]", "1"), "").of;
    ASSERT_TRUE(of);
    EXPECT_EQ(of->word("stride"), "2x2");
    EXPECT_EQ(of->word("input"), "56x56");
    EXPECT_EQ(of->number("filters"), 128);
}

TEST(OperatorCases, ConvolutionsThatCannotBeAreLeftOut) {
    for (const auto& called : {convolution("[0, 0]", "[1, 1]", "1"), convolution("[1, 1]", "[-1, 1]", "1"),
                               convolution("[1, 1]", "[1, 1]", "2"), convolution("[1, 1]", "[1, 1]", "0")}) {
        EXPECT_FALSE(case_of(called, "").of);
    }
    EXPECT_NE(case_of(convolution("", "[1, 1]", "1"), "").why.find("Concrete Inputs"), std::string::npos);
    KinetoOperator large = convolution("[1, 1]", "[0, 0]", "1");
    large.shapes = {{2, 64, 2, 2}, {128, 64, 3, 3}};  // no window of 3 in 2
    EXPECT_FALSE(case_of(large, "").of);
}

TEST(OperatorCases, KernelsOfABackwardConvolutionSayTheirDirection) {
    EXPECT_EQ(convolution_direction("sm80_xmma_dgrad_implicit_gemm_indexed_f16"), "backward-input");
    EXPECT_EQ(convolution_direction("cudnn::cnn::wgrad_alg0_engine"), "backward-weight");
    EXPECT_EQ(convolution_direction("miopenSp3AsmConvBwdData"), "backward-input");
    EXPECT_EQ(convolution_direction("cudnn::nchwToNhwcKernel"), "");
}

}  // namespace imports_operator_cases_test
}  // namespace dodona::calibrate
