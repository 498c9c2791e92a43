#include "calibrate/imports/attention_case.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/ranges.hpp"
#include "calibrate/imports/operator_arguments.hpp"

namespace dodona::calibrate {

namespace {

enum class Layout { sequence_first, heads_first };  ///< [batch, tokens, heads, head], [batch, heads, tokens, head]

constexpr std::size_t kNone = 99;

/// Where the arguments stand (pytorch: aten/src/ATen/native/native_functions.yaml, 2.1 to 2.9).
struct AttentionArguments {
    std::string_view name;
    std::size_t query, bias, lengths, causal;
    Layout layout;
    bool backward;
};

constexpr std::array kAttention{
    AttentionArguments{"aten::_flash_attention_forward", 0, kNone, 3, 8, Layout::sequence_first, false},
    AttentionArguments{"aten::_flash_attention_backward", 1, kNone, 6, 11, Layout::sequence_first, true},
    AttentionArguments{"aten::_efficient_attention_forward", 0, 3, 4, 9, Layout::sequence_first, false},
    AttentionArguments{"aten::_efficient_attention_backward", 1, 4, 6, 14, Layout::sequence_first, true},
    AttentionArguments{"aten::_scaled_dot_product_cudnn_attention", 0, 3, kNone, 6, Layout::heads_first, false},
    AttentionArguments{"aten::_scaled_dot_product_cudnn_attention_backward", 1, 8, 9, 14, Layout::heads_first, true},
    AttentionArguments{"aten::_cudnn_attention_forward", 0, 3, 4, 10, Layout::heads_first, false},
    AttentionArguments{"aten::_cudnn_attention_backward", 1, 8, 9, 14, Layout::heads_first, true},
};

const AttentionArguments* arguments_of(std::string_view name) {
    return found_in(kAttention, &AttentionArguments::name, name);
}

/// "true" of a flag; 1 and 2 of a kind of mask, both causal. None where the trace has no value.
std::optional<bool> is_causal(const Json& values, std::size_t argument) {
    const Json::array_t& all = elements(&values);
    std::string text = argument < all.size() ? word(&all[argument]) : std::string();
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text == "true" || text == "1" || text == "2") {
        return true;
    }
    return text == "false" || text == "0" ? std::optional(false) : std::nullopt;
}

bool is_there(const Json& shapes, std::size_t operand) {
    const auto extents = operand == kNone ? std::nullopt : extents_of(shapes, operand);
    return extents && std::count(extents->begin(), extents->end(), 0) == 0;
}

}  // namespace

bool is_attention(std::string_view name) { return arguments_of(name) != nullptr; }

OperatorCase attention_case(const KinetoOperator& called, std::string_view kernel) {
    const AttentionArguments& where = *arguments_of(called.name);
    const auto query = extents_of(called.shapes, where.query);
    const auto key = extents_of(called.shapes, where.query + 1);
    const auto value = extents_of(called.shapes, where.query + 2);
    if (!query || !key || !value) {
        return {.of = {}, .why = std::string(kNoShapes)};
    }
    if (is_there(called.shapes, where.lengths)) {
        return {.of = {}, .why = "calls of attention over packed sequences (their lengths are not in a trace)"};
    }
    if (is_there(called.shapes, where.bias)) {
        return {.of = {}, .why = "calls of attention with a bias"};
    }
    const auto causal = is_causal(called.values, where.causal);
    if (!causal) {
        return {.of = {}, .why = "calls of attention that do not say whether they are causal (\"Concrete Inputs\")"};
    }
    constexpr std::size_t kDimensions = 4;
    const auto is_odd = [](const Extents& of) { return of.size() != kDimensions || std::ranges::count(of, 0) > 0; };
    if (is_odd(*query) || is_odd(*key) || *key != *value || query->front() != key->front() ||
        query->back() != key->back()) {
        return {.of = {}, .why = std::string(kOddShapes)};
    }
    const std::size_t heads = where.layout == Layout::heads_first ? 1 : 2;
    const std::size_t tokens = 3 - heads;
    if ((*query)[heads] % (*key)[heads] != 0) {
        return {.of = {}, .why = std::string(kOddShapes)};
    }
    const auto precision = precision_of(called.types, where.query, kernel);
    if (!precision) {
        return {.of = {}, .why = std::string(kOddTypes)};
    }
    const auto extent = [](const Extents& of, std::size_t dimension) { return static_cast<double>(of[dimension]); };
    return {.of = Case{.benchmark = "attention",
                       .parameters = {{"batch", extent(*query, 0)},
                                      {"heads", extent(*query, heads)},
                                      {"kv_heads", extent(*key, heads)},
                                      {"queries", extent(*query, tokens)},
                                      {"keys", extent(*key, tokens)},
                                      {"head", extent(*query, 3)},
                                      {"causal", *causal ? 1.0 : 0.0},
                                      {"precision", *precision},
                                      {"direction", where.backward ? "backward-input" : "forward"}}}};
}

}  // namespace dodona::calibrate
