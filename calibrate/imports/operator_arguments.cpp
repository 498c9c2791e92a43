#include "calibrate/imports/operator_arguments.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "calibrate/imports/log_text.hpp"

namespace dodona::calibrate {

std::optional<Extents> extents_of(const Json& lists, std::size_t operand) {
    const Json::array_t& all = elements(&lists);
    if (operand >= all.size() || !all[operand].is_array() || all[operand].empty()) {
        return std::nullopt;
    }
    constexpr std::int64_t kMax = std::int64_t{1} << 40;
    Extents extents;
    for (const Json& extent : all[operand]) {
        if (!extent.is_number_integer() || extent.get<std::int64_t>() < 0 || extent.get<std::int64_t>() > kMax) {
            return std::nullopt;
        }
        extents.push_back(extent.get<std::int64_t>());
    }
    return extents;
}

std::optional<Extents> list_of(const Json& values, std::size_t argument) {
    const Json::array_t& all = elements(&values);
    const std::string text = argument < all.size() ? word(&all[argument]) : std::string();
    Extents list = numbers_in(text);
    return list.empty() ? std::nullopt : std::optional(std::move(list));
}

std::optional<std::string> precision_of(const Json& types, std::size_t operand, std::string_view kernel) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames{{{"float", "fp32"},
                                                                                    {"Float", "fp32"},
                                                                                    {"c10::Half", "fp16"},
                                                                                    {"Half", "fp16"},
                                                                                    {"c10::BFloat16", "bf16"},
                                                                                    {"BFloat16", "bf16"},
                                                                                    {"c10::Float8_e4m3fn", "fp8"},
                                                                                    {"c10::Float8_e5m2", "fp8"},
                                                                                    {"c10::Float8_e4m3fnuz", "fp8"},
                                                                                    {"c10::Float8_e5m2fnuz", "fp8"}}};
    const Json::array_t& all = elements(&types);
    const std::string type = operand < all.size() ? word(&all[operand]) : std::string();
    const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& name) { return name.first == type; });
    if (found == kNames.end()) {
        return std::nullopt;
    }
    // cuBLAS and CUTLASS name kernels of tf32 so; s1688 is its tensor-core instruction.
    const bool tf32 = kernel.find("tf32") != std::string_view::npos || kernel.find("s1688") != std::string_view::npos;
    return found->second == "fp32" && tf32 ? "tf32" : std::string(found->second);
}

}  // namespace dodona::calibrate
