// Sections that several texts share, each behind its heading; empty where there is nothing to say.
//
//   Time of one step: 17.1 s
//     ██████████████▓▓▓▓▓▓▓▒▒░
//     █ forward 30.2 %  ▓ backward 60.1 %  ...
#pragma once

#include <string>
#include <string_view>

#include "reports/style.hpp"
#include "reports/table.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

inline constexpr std::size_t kTextWidth = 100;

std::string heading(Style style, std::string_view title);
std::string time_bar(const step::Prediction& prediction, Style style);
std::string memory_bar(const step::Prediction& prediction, Style style);
std::string limits(const step::Prediction& prediction, Style style);
std::string bottlenecks(const step::Prediction& prediction, Style style);
/// What observed steps moved; nothing where nothing was observed.
std::string observed(const step::Prediction& prediction, Style style);
std::string evidence(const step::Prediction& prediction, Style style);

/// "  - text", wrapped.
std::string bullet(std::string_view text);

}  // namespace dodona::reports
