// What a plan keeps in host memory.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace dodona::plan {

/// A flag with its name in files and options and its meaning.
template <class Flags>
struct FlagName {
    std::string_view word;
    bool Flags::*member;
    std::string_view meaning;
};

/// What is kept in host memory and copied to the device when needed (step/offload.hpp).
struct Offload {
    bool optimizer = false;      ///< states and master copies
    bool activations = false;    ///< activations kept for backward
    bool weights = false;        ///< weights and gradients
    bool pages = false;          ///< what the device has no room for, as pages of unified memory
    double optimizer_share = 1;  ///< of `optimizer`: how much of the states; the rest stays on the device
    [[nodiscard]] bool any() const { return moves() || pages; }
    [[nodiscard]] bool moves() const { return optimizer || activations || weights; }  ///< whatever there is room for
    auto operator<=>(const Offload&) const = default;
};

inline constexpr std::array<FlagName<Offload>, 4> kOffloadNames{{
    {"optimizer", &Offload::optimizer,
     "optimizer states and master copies: they come in and go out once a step, for the update"},
    {"activations", &Offload::activations,
     "what is kept for backward: it goes out in forward and comes in in backward"},
    {"weights", &Offload::weights,
     "weights and gradients: weights come in for either pass of every micro-batch, gradients in and out in backward"},
    {"pages", &Offload::pages,
     "of all tensors what the device has no room for, as pages of unified memory: they come when a kernel touches "
     "them"},
}};
/// Names of the flags that are set, in order.
std::vector<std::string> words(const Offload& offload);

}  // namespace dodona::plan
