#include "files/logs/log_form.hpp"

#include <algorithm>
#include <array>

#include "base/decimal.hpp"
#include "files/logs/log_number.hpp"

namespace dodona::files {

namespace {

/// The product of the numbers of a list: "8, 4" is 32.
double product_of_list(std::string_view list) {
    double product = 1;
    for (std::size_t at = 0; at < list.size();) {
        double value = 0;
        const auto read = decimal_at(list.data() + at, list.data() + list.size(), value);
        if (read.ec == std::errc()) {
            product *= value;
            at = static_cast<std::size_t>(read.ptr - list.data());
        } else {
            ++at;
        }
    }
    return product;
}

std::optional<double> number_of_job(std::string_view line, const JobForm& form) {
    if (form.product_of.empty() && form.product_until.empty()) {
        const auto number = number_in(line, form);
        return number && !number->is_rounded && number->value > 0 ? std::optional(number->value) : std::nullopt;
    }
    const std::size_t start = line.find(form.line);
    const std::size_t found = start == std::string_view::npos ? start : line.find(form.after, start);
    if (found == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = line.substr(found + form.after.size());
    if (!form.product_until.empty()) {
        return product_of_list(rest.substr(0, rest.find(form.product_until)));
    }
    double product = 1;
    for (const std::string& factor : form.product_of) {
        const auto degree = number_after(rest, factor);
        product *= degree ? degree->value : 1;
    }
    return product;
}

/// The number that a text starts with, behind any of these characters.
std::optional<double> number_behind(std::string_view& text, std::string_view leading) {
    text.remove_prefix(std::min(text.find_first_not_of(leading), text.size()));
    double value = 0;
    const auto read = decimal_at(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return value;
}

std::optional<double> LoggedNumbers::*member_of(LoggedJob is) {
    switch (is) {
        case LoggedJob::batch: return &LoggedNumbers::batch;
        case LoggedJob::sequence: return &LoggedNumbers::sequence;
        case LoggedJob::gpus: return &LoggedNumbers::gpus;
        case LoggedJob::steps: return &LoggedNumbers::steps;
    }
    return nullptr;
}

}  // namespace

std::optional<LoggedPartTime> part_in(std::string_view line, const PartForm& form) {
    const std::size_t found = line.find(form.after);
    if (found == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view rest = line.substr(found + form.after.size());
    const auto shortest = number_behind(rest, " .:(");
    if (!shortest || *shortest < 0) {
        return std::nullopt;
    }
    const auto longest = rest.starts_with(',') ? number_behind(rest, ", ") : shortest;
    return LoggedPartTime{form.is, Seconds::of_base(*shortest / 1e3),
                          Seconds::of_base(longest.value_or(*shortest) / 1e3)};
}

void read_job(std::string_view line, std::span<const LogForm> forms, LoggedNumbers& numbers) {
    for (const LogForm& form : forms) {
        for (const JobForm& one : form.job) {
            if (const auto number = number_of_job(line, one)) {
                numbers.*member_of(one.is) = number;
            }
        }
    }
}

namespace {

/// The number at the start of a text, and what is behind it; blanks before it are left out.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    double value = 0;
    const auto read = decimal_at(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr == text.data() || value <= 0) {
        return std::nullopt;
    }
    return std::pair(value, text.substr(static_cast<std::size_t>(read.ptr - text.data())));
}

}  // namespace

std::optional<BarStep> bar_step(std::string_view line) {
    constexpr std::array<std::string_view, 6> kOthers{"Loading", "Fetching", "Evaluat", "Validat", "Sanity", "Saving"};
    const std::size_t bar = line.find("%|");
    const std::size_t end = bar == std::string_view::npos ? bar : line.find("| ", bar + 2);
    if (end == std::string_view::npos || std::any_of(kOthers.begin(), kOthers.end(), [&](std::string_view word) {
            return line.substr(0, bar).find(word) != std::string_view::npos;
        })) {
        return std::nullopt;
    }
    const auto step = leading_number(line.substr(end + 2));
    const auto total = step && step->second.starts_with('/') ? leading_number(step->second.substr(1)) : std::nullopt;
    const std::size_t left = total ? total->second.find('<') : std::string_view::npos;
    const std::size_t comma = left == std::string_view::npos ? left : total->second.find(',', left);
    const auto rate = comma == std::string_view::npos ? std::nullopt : leading_number(total->second.substr(comma + 1));
    if (!rate || (!rate->second.starts_with("s/it") && !rate->second.starts_with("it/s"))) {
        return std::nullopt;
    }
    return BarStep{.step = step->first,
                   .total = total->first,
                   .seconds = rate->second.starts_with("s/it") ? rate->first : 1 / rate->first};
}

}  // namespace dodona::files
