#include "calibrate/machine/yaml.hpp"

#include <cmath>

#include <fmt/format.h>

namespace dodona::calibrate {

std::string number(double value) { return fmt::format("{:.9g}", value); }

std::string written(Seconds time) {
    const double seconds = time.in(1_s);
    if (seconds >= 1) {
        return fmt::format("{:.6g} s", seconds);
    }
    return seconds >= 1e-3 ? fmt::format("{:.6g} ms", seconds * 1e3) : fmt::format("{:.6g} us", seconds * 1e6);
}

std::string written(Bytes size) { return fmt::format("{:.15g} B", size.in(unit::byte)); }

std::string written(Flop work) { return fmt::format("{:.15g} FLOP", work.in(unit::flop)); }

std::string written(BytesPerSecond rate) { return fmt::format("{:.6g} GB/s", rate.in(1_GB_per_s)); }

std::string written(FlopPerSecond rate) { return fmt::format("{:.6g} TFLOP/s", rate.in(1_TFLOP_per_s)); }

void Yaml::line(std::string_view text) {
    text_.append(static_cast<std::size_t>(begins_item_ ? depth_ - 2 : depth_), ' ');
    text_ += begins_item_ ? "- " : "";
    begins_item_ = false;
    text_ += text;
    text_ += '\n';
}

void Yaml::comment(std::string_view text) { line(fmt::format("# {}", text)); }

void Yaml::pair(std::string_view key, std::string_view value) { line(fmt::format("{}: {}", key, value)); }

void Yaml::quoted_unless_empty(std::string_view key, std::string_view text) {
    if (text.empty()) {
        return;
    }
    std::string quoted;
    for (const char c : text) {
        quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c == '\n' ? ' ' : c);
    }
    line(fmt::format("{}: \"{}\"", key, quoted));
}

Yaml::Deeper Yaml::mapping(std::string_view key) {
    line(fmt::format("{}:", key));
    return Deeper(*this);
}

Yaml::Deeper Yaml::item() {
    begins_item_ = true;
    return Deeper(*this);
}

void Yaml::item(std::string_view value) { line(fmt::format("- {}", value)); }

void Yaml::block(std::string_view lines) {
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        line(lines.substr(0, end));
        lines = end == std::string_view::npos ? std::string_view{} : lines.substr(end + 1);
    }
}

}  // namespace dodona::calibrate
