// The field's words, read as what dodona calls the same thing: tp for tensor, 15T for 1.5e13, 8k for 8,192, "30 days" for
// 30d. Tables; what is printed keeps to dodona's own words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "plan/strategy.hpp"

namespace dodona::cli {

/// An axis that the word means: one of `axes`, or the word itself where it means none of them.
std::string axis_meant(std::string_view word, std::span<const std::string> axes);
/// The same of a strategy's axes, folded ones too.
std::string axis_meant(std::string_view word, const plan::Strategy& strategy);

/// Whether the word stands for virtual stages of an interleaved pipeline: vp, vpp.
bool means_virtual_stages(std::string_view word);

/// "tensor 8", "tp=8" or "expert 16 over data" -> name and size as typed; none: it is none of these.
std::optional<std::pair<std::string, std::string>> sized_axis(std::string_view typed);

/// The choice that the word means: other capitals and punctuation, or a word that the field has for it.
std::optional<std::string> choice_meant(std::string_view word, std::span<const std::string> choices);

/// The option of `names` that other programs call so: --global-batch-size for --batch. Empty: none is.
std::string option_called(std::string_view typed, std::span<const std::string> names);

/// A whole number with k (1,024) or M (1,024 k), as sequences and batches are counted: "8k" -> 8192.
std::optional<std::int64_t> count_meant(std::string_view typed);

/// A number with k, M, B or T (powers of 1,000) and what it counts: "15T tokens" -> 1.5e13.
std::optional<double> amount_meant(std::string_view typed);

/// A duration with its unit in one letter: "30 days" -> "30d"; anything else as typed.
std::string duration_meant(const std::string& typed);

/// A price of an hour or an amount with its currency: "$2.5" -> "2.5 USD", "1.5M USD" -> "1500000 USD".
std::string money_meant(const std::string& typed);

}  // namespace dodona::cli
