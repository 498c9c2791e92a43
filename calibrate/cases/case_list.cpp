#include "calibrate/cases/case_list.hpp"

#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::calibrate {

namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text, char at) {
    Words parts;
    std::istringstream rest(text);
    for (std::string part; std::getline(rest, part, at);) {
        parts.push_back(part);
    }
    return parts;
}

Parameter parameter_from(const std::string& text) {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    const double scale = unit.empty() ? 1 : unit == "Ki" ? 0x1p10 : unit == "Mi" ? 0x1p20 : unit == "Gi" ? 0x1p30 : 0;
    return fault == std::errc{} && scale > 0 ? Parameter{value * scale} : Parameter{text};
}

double number_from(const std::string& text) {
    const Parameter value = parameter_from(text);
    check(std::holds_alternative<double>(value), "an end of a progression is no number");
    return std::get<double>(value);
}

Words progression(const std::string& text, std::size_t dots) {
    const std::size_t power = text.find('^', dots);
    check(power != std::string::npos, "a progression has no factor");
    const double last = number_from(text.substr(dots + 2, power - dots - 2));
    const double factor = number_from(text.substr(power + 1));
    check(factor > 1, "a progression does not grow");
    Words values;
    for (double value = number_from(text.substr(0, dots)); value <= last; value *= factor) {
        values.push_back(fmt::format("{}", value));
    }
    return values;
}

Words values_of(const std::string& text, bool quick) {
    const Words lists = split(text, '|');
    const std::string& list = quick ? lists.back() : lists.front();
    if (const std::size_t dots = list.find(".."); dots != std::string::npos) {
        return progression(list, dots);
    }
    const bool marked = list.find('*') != std::string::npos;
    Words values;
    for (std::string& value : split(list, ',')) {
        const bool star = value.ends_with('*');
        value.resize(value.size() - (star ? 1 : 0));
        if (star || !marked || !quick) {
            values.push_back(std::move(value));
        }
    }
    return values;
}

/// Each of the cases once for every value.
std::vector<Case> combined(const std::vector<Case>& cases, const Words& names, const Words& values,
                           const std::map<std::string, Parameter>& named) {
    std::vector<Case> all;
    for (const Case& one : cases) {
        for (const std::string& value : values) {
            const Words together = names.size() == 1 ? Words{value} : split(value, ':');
            check(together.size() == names.size(), "a list of cases has names without values");
            all.push_back(one);
            for (std::size_t i = 0; i < names.size(); ++i) {
                const std::string& text = together[i];
                all.back().parameters[names[i]] =
                    text.starts_with('$') ? named.at(text.substr(1)) : parameter_from(text);
            }
        }
    }
    return all;
}

Words lines_of(std::string_view text) {
    Words lines;
    for (const std::string& line : split(std::string(text), '\n')) {
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin == 0 || lines.empty()) {
            lines.push_back(line);
        } else if (begin != std::string::npos) {
            lines.back() += (lines.back().ends_with(',') ? "" : " ") + line.substr(begin);
        }
    }
    return lines;
}

}  // namespace

std::vector<Case> listed_cases(std::string_view text, const CaseOptions& options,
                               const std::map<std::string, Parameter>& named) {
    std::vector<Case> all;
    for (const std::string& line : lines_of(text)) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        const bool full = word == "full";
        if (word.empty() || (full && options.quick)) {
            continue;
        }
        if (full) {
            words >> word;
        }
        std::vector<Case> cases{{.benchmark = word, .parameters = {}}};
        while (words >> word) {
            const std::size_t equals = word.find('=');
            check(equals != std::string::npos, "a parameter of a list of cases has no value");
            cases = combined(cases, split(word.substr(0, equals), ':'),
                             values_of(word.substr(equals + 1), options.quick), named);
        }
        all.insert(all.end(), cases.begin(), cases.end());
    }
    return all;
}

}  // namespace dodona::calibrate
