// What was typed, read into typed values. Faults are collected, so that one run names them all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"

namespace dodona::cli {

/// The largest count that an option takes: no cluster has more devices, no step more samples.
inline constexpr std::int64_t kMaxCount = 1'000'000'000;

class Arguments {
public:
    /// Values in the order given, by the long name of their option or the name of their positional.
    using Values = std::map<std::string, std::vector<std::string>>;
    /// Where values stand that are from a file, by the same names.
    using Places = std::map<std::string, Location>;

    explicit Arguments(Values values, Places places = {}) : values_(std::move(values)), places_(std::move(places)) {}

    [[nodiscard]] bool has(const std::string& name) const;
    /// The same arguments with another value of an option or a positional, without their faults; empty: without it.
    [[nodiscard]] Arguments with(const std::string& name, const std::string& value) const;
    std::optional<std::string> text(const std::string& name);
    /// A fault if it is missing; then empty.
    std::string required_text(const std::string& name, const std::string& help);
    std::optional<std::int64_t> count(const std::string& name, std::int64_t most = kMaxCount);
    std::optional<std::int64_t> required_count(const std::string& name, const std::string& help);
    /// A decimal number of at least `least`.
    std::optional<double> ratio(const std::string& name, double least);
    /// A number of more than nothing, such as 1.5e13.
    std::optional<double> amount(const std::string& name);
    std::optional<Bytes> size(const std::string& name);
    std::optional<Seconds> duration(const std::string& name);
    std::optional<BytesPerSecond> bandwidth(const std::string& name);
    std::optional<Power> power(const std::string& name);
    std::optional<std::string> word(const std::string& name, std::span<const std::string> choices);
    /// Values between commas.
    std::vector<std::string> list(const std::string& name);
    /// Whole numbers between commas, of 1 or more, or of 0 or more.
    std::vector<std::int64_t> counts(const std::string& name, bool with_zero = false);
    /// "a=1,b=2" in order; the values are counts.
    std::vector<std::pair<std::string, std::int64_t>> sizes(const std::string& name);
    /// All values of an option that repeats, or of a positional.
    [[nodiscard]] std::vector<std::string> all(const std::string& name) const;

    /// A value as if it had been typed; of an option that does not repeat, only where none was.
    void give(const std::string& name, const std::string& value, bool repeats = false);

    /// The answer goes into this text rather than to standard output; it outlives the arguments. Null: it does not.
    void answer_into(std::string* text) { answer_ = text; }
    [[nodiscard]] std::string* answer() const { return answer_; }

    void fault(const std::string& name, const std::string& message, const std::string& help = {});
    /// Faults that were found by another reader.
    void take(const Diagnostics& faults);
    /// A fault of a value that `word` does not look at again.
    void refuse(const std::string& name, const std::string& message);
    void missing(const std::string& what, const std::string& help);
    /// Where the value of an option or a positional stands, if it is from a file.
    [[nodiscard]] Location place(const std::string& name) const;
    void throw_if_faults() const { faults_.throw_if_errors(); }

    /// The count that a part of an option's value is.
    std::optional<std::int64_t> count_from(const std::string& name, const std::string& typed,
                                           std::int64_t most = kMaxCount);

private:
    template <Dimensions D>
    std::optional<Quantity<D>> positive(const std::string& name, const std::string& help);

    Values values_;
    Places places_;
    std::set<std::string> refused_;
    Diagnostics faults_;
    std::string* answer_ = nullptr;
};

/// The parts of a text between its commas; one at least.
std::vector<std::string> between_commas(const std::string& typed);

/// A typed word as messages show it: in quotes, control characters and excess length left out.
std::string as_typed(std::string_view typed);

/// Why a value that means none of the choices is refused.
std::string no_choice(const std::string& typed, std::span<const std::string> choices);

}  // namespace dodona::cli
