// Traces in files that are gone afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "base/diagnostic.hpp"

namespace dodona::traces::testing {

class TraceFile {
public:
    explicit TraceFile(std::string_view content) {
        const int file = mkstemp(path_.data());
        close(file);
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~TraceFile() { std::filesystem::remove(path_); }
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_ = (std::filesystem::temp_directory_path() / "dodona-trace-XXXXXX").string();
};

inline std::string kineto(const std::string& events) {
    return R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[)" + events + "]}";
}

inline std::string step_mark(int number, double start, double end) {
    return fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":{}}})", number,
        start, end - start);
}

inline std::string launch(int correlation, double start) {
    return fmt::format(
        R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":{},"dur":1,"args":{{"correlation":{}}}}})",
        start, correlation);
}

/// `more`: further arguments of the event.
inline std::string kernel(const std::string& name, int correlation, double start, double end,
                          const std::string& more = "") {
    return fmt::format(
        R"(,{{"ph":"X","cat":"kernel","name":"{}","ts":{},"dur":{},"args":{{"device":0,"correlation":{}{}}}}})", name,
        start, end - start, correlation, more);
}

/// What a reader says of a file; empty where it takes it.
template <class Read>
std::string complaint(Read read) {
    try {
        read();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace dodona::traces::testing
