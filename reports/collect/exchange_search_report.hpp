// Plans of a ranking with the exchanges that were searched, as a part of the document of `dodona plan`.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "exchange/replica_exchange.hpp"
#include "files/description.hpp"
#include "reports/document/document.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// What an exchange does to training.
enum class ExchangeKind { exchange, compress, asynchronous };
inline constexpr std::array kExchangeKindTable{
    Enumerator(ExchangeKind::exchange, "exchange", "the same sum of gradients as an all-reduce"),
    Enumerator(ExchangeKind::compress, "compress", "the sum of compressed gradients, the same on all replicas"),
    Enumerator(ExchangeKind::asynchronous, "asynchronous", "replicas that differ between exchanges, or are stale")};
constexpr const auto& enumerators(ExchangeKind /*type*/) { return kExchangeKindTable; }
inline constexpr std::array kExchangeKinds = values_of(kExchangeKindTable);
constexpr std::string_view name(ExchangeKind kind) { return name_of(kind); }

ExchangeKind kind_of(const exchange::Exchange& exchange);

/// Those asked for, by kind.
using ExchangeKinds = std::array<bool, kExchangeKinds.size()>;

/// A plan with an exchange; none: its own.
struct ExchangeChoice {
    std::size_t rank = 0;  ///< of the plan with its own exchange, from 0 on
    const step::Prediction* plan = nullptr;
    std::optional<exchange::ReplicaExchange> made;
    [[nodiscard]] Seconds step() const { return made ? made->cost.step : plan->step.value; }
};

struct ExchangeSearch {
    ExchangeKinds kinds{};
    std::vector<ExchangeChoice> choices;  ///< the fastest first
    std::size_t without = 0;              ///< plans that have no exchange to replace
};

/// Adds the first `shown` choices.
void add_exchange_search(Document& document, const ExchangeSearch& found, std::size_t shown);

}  // namespace dodona::reports

namespace dodona::files {

template <>
const Description& description<reports::ExchangeChoice>();

}  // namespace dodona::files
