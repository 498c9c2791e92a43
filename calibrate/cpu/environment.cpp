#include "calibrate/cpu/environment.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "calibrate/cpu/onednn.hpp"
#include "calibrate/cpu/sgemm.hpp"
#include "calibrate/cpu/threads.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

std::string model_name() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with("model name")) {
            const auto at = line.find(": ");
            return at == std::string::npos ? "unknown" : line.substr(at + 2);
        }
    }
    return "unknown";
}

/// Hz, by additions that wait for each other: one a cycle on every CPU of the last decades. Of two registers: some CPUs
/// carry out additions of a constant without spending a cycle.
double measured_clock() {
    constexpr int kTries = 30;
    constexpr std::uint64_t kAdditions = 200'000;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTries; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        std::uint64_t sum = 0;
        std::uint64_t step = 3;
        const auto add = [&sum, &step] {
            asm volatile("" : "+r"(sum), "+r"(step));  // keeps the additions apart
            sum += step;
        };
        for (std::uint64_t at = 0; at < kAdditions; at += 8) {
            add(), add(), add(), add(), add(), add(), add(), add();
        }
        asm volatile("" : "+r"(sum));
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return static_cast<double>(kAdditions) / least;
}

/// Seconds until a page that was just asked for can be written: what fresh tensors cost beside their kernels.
double page_fault() {
    constexpr std::size_t kPages = 512;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 5; ++i) {
        void* const memory = mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return 0;
        }
        madvise(memory, kPages * page, MADV_NOHUGEPAGE);
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t at = 0; at < kPages; ++at) {
            static_cast<volatile char*>(memory)[at * page] = 1;
        }
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        munmap(memory, kPages * page);
    }
    return least / kPages;
}

std::string precisions() {
    try {
        check_precision(Precision::bf16);
        return "fp32, bf16";
    } catch (const CannotMeasure&) {
        return "fp32";
    }
}

}  // namespace

Environment environment_of(const std::vector<int>& cpus, const std::vector<Cache>& caches, Bytes flushed) {
    Environment environment;
    auto& facts = environment.facts;
    facts["device"] = model_name();
    facts["threads"] = fmt::format("{}", cpus.size());
    facts["cores"] = fmt::format("{}", cores_of(cpus).size());
    facts["memory"] = fmt::format(
        "{:.0f}", static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    facts["clock"] = fmt::format("{:.0f}", measured_clock());
    facts["page_fault"] = fmt::format("{:.3g}", page_fault());
    for (const Cache& cache : caches) {
        facts[fmt::format("cache_{}", cache.level)] = fmt::format("{:.0f}", cache.size.in(Bytes::of_base(1)));
    }
    facts["flushed"] = fmt::format("{:.0f}", flushed.in(Bytes::of_base(1)));
    facts["onednn"] = onednn_version();
    facts["blas"] = blas_name();
    facts["algorithms"] = "winograd";
    facts["instructions"] = precisions();
    return environment;
}

}  // namespace dodona::calibrate::cpu
