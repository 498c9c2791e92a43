#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/imports/json.hpp"
#include "calibrate/imports/nccl_run.hpp"
#include "calibrate/imports/nccl_tests.hpp"

namespace dodona::calibrate {

namespace {

/// What "%lf" leaves of a number.
Printed six_digits(double value) { return {value, 0.5e-6}; }

std::optional<NcclTiming> timing_of(const Json& row, const std::string& place, const Location& whole, bool& cpu_time) {
    const Json* body = member(row, place);
    if (body == nullptr || !body->is_object()) {
        return std::nullopt;
    }
    const Json* time = member(*body, "time");
    cpu_time = cpu_time || (time == nullptr && member(*body, "cpu_time") != nullptr);
    const auto us = number(time != nullptr ? time : member(*body, "cpu_time"));
    const auto algorithm = number(member(*body, "alg_bw"));
    const auto bus = number(member(*body, "bus_bw"));
    if (!us || !algorithm || !bus || *us <= 0) {
        return std::nullopt;
    }
    NcclTiming timing{.time = six_digits(*us),
                      .algorithm = six_digits(*algorithm),
                      .bus = six_digits(*bus),
                      .wrong = number(member(*body, "nwrong")),
                      .where = whole};
    constexpr double kMicros = 1e6;  // of a second
    if (const Json* single = member(row, place + "_per_iter")) {
        for (const auto& [name, as] : {std::pair{"min_us", "least_iteration"}, std::pair{"max_us", "longest_iteration"},
                                       std::pair{"p50_us", "median_iteration"}, std::pair{"p95_us", "p95_iteration"},
                                       std::pair{"p99_us", "p99_iteration"}}) {
            if (const auto value = number(member(*single, name))) {
                timing.values[as] = *value / kMicros;
            }
        }
    }
    return timing;
}

NcclRank rank_of(const Json& device) {
    return {.rank = static_cast<std::int64_t>(number(member(device, "rank")).value_or(0)),
            .group = static_cast<std::int64_t>(number(member(device, "group")).value_or(0)),
            .host = word(member(device, "hostname")),
            .device = word(member(device, "device_info"))};
}

/// The last part of the program's path.
std::string program_of_arguments(const Json& file) {
    const Json::array_t& arguments = elements(member(file, "args"));
    const std::string path = arguments.empty() ? std::string() : word(&arguments.front());
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

bool is_nccl_tests_json(std::string_view start) {
    return start.find("\"start_time\"") != std::string_view::npos && start.find("\"args\"") != std::string_view::npos &&
           start.find("\"version\"") != std::string_view::npos;
}

void read_nccl_tests_json(const std::string& text, ImportBuilder& into) {
    const Location whole{std::make_shared<Source>(Source{into.file(), {}}), 0, 0, 1};
    const Json file = read_json(text, whole, "env");
    NcclRun run{.program = program_of_arguments(file), .where = whole};
    if (const auto code = number(member(file, "nccl_version"))) {
        run.versions["nccl"] = nccl_version(static_cast<std::int64_t>(std::clamp(*code, 0.0, 1e9)));
    }
    const Json none;
    const Json* config = member(file, "config");
    config = config == nullptr ? &none : config;
    run.iterations = number(member(*config, "iterations")).value_or(0);
    append(run.ranks, elements(member(*config, "devices")), [](const Json& device) { return rank_of(device); });
    std::size_t unread = 0;
    for (const Json& result : elements(member(file, "results"))) {
        NcclRow row{.bytes = number(member(result, "size")).value_or(0),
                    .type = word(member(result, "type")),
                    .redop = word(member(result, "redop")),
                    .root = static_cast<int>(std::clamp(number(member(result, "root")).value_or(-1), -1.0, 1e6)),
                    .where = whole};
        row.out_of_place = timing_of(result, "out_of_place", whole, run.cpu_time);
        row.in_place = timing_of(result, "in_place", whole, run.cpu_time);
        if (row.out_of_place || row.in_place) {
            run.rows.push_back(std::move(row));
        } else {
            ++unread;
        }
    }
    if (unread > 0) {
        into.note(whole, fmt::format("results without a time are left out: {}", unread));
    }
    if (const Json* bounds = member(file, "out_of_bounds")) {
        run.out_of_bounds =
            static_cast<std::int64_t>(std::clamp(number(member(*bounds, "count")).value_or(0), 0.0, 1e15));
    }
    import_nccl_run(run, into);
}

}  // namespace dodona::calibrate
