#include "calibrate/cpu/threads.hpp"

#include <dlfcn.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace dodona::calibrate::cpu {

std::vector<int> usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cpus;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set)) {
                cpus.push_back(cpu);
            }
        }
    }
    return cpus;
}

std::vector<Core> cores_of(const std::vector<int>& cpus) {
    std::map<std::pair<int, std::string>, Core> cores;
    for (const int cpu : cpus) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", cpu);
        std::ifstream siblings_file(folder + "thread_siblings_list");
        std::ifstream package_file(folder + "physical_package_id");
        std::string siblings;
        int package = 0;
        if (!(siblings_file >> siblings)) {
            siblings = fmt::format("{}", cpu);
        }
        if (!(package_file >> package)) {
            package = 0;
        }
        Core& core = cores[{package, siblings}];
        core.package = package;
        core.cpus.push_back(cpu);
    }
    std::vector<Core> all;
    for (auto& [place, core] : cores) {
        all.push_back(std::move(core));
    }
    return all;
}

void use_threads(int threads) {
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    // An OpenBLAS that was built with threads of its own has a setting of its own.
    if (void* const found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); found != nullptr) {
        reinterpret_cast<void (*)(int)>(found)(threads);
    }
}

void in_parts(std::int64_t count, const std::function<void(std::int64_t begin, std::int64_t end)>& part) {
    if (omp_get_max_threads() == 1) {
        part(0, count);
        return;
    }
#pragma omp parallel
    {
        const std::int64_t threads = omp_get_num_threads();
        const std::int64_t mine = omp_get_thread_num();
        part(count * mine / threads, count * (mine + 1) / threads);
    }
}

void on_each_cpu(const std::function<void()>& part) {
    const std::vector<int> cpus = usable_cpus();
    const auto count = std::min(cpus.size(), static_cast<std::size_t>(omp_get_max_threads()));
    if (count <= 1) {
        part();
        return;
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        threads.emplace_back([&part, cpu = cpus[i]] {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET(static_cast<std::size_t>(cpu), &set);
            sched_setaffinity(0, sizeof set, &set);
            part();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

void keep_to(const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) {
        CPU_SET(static_cast<std::size_t>(cpu), &set);
    }
#pragma omp parallel
    { sched_setaffinity(0, sizeof set, &set); }
}

}  // namespace dodona::calibrate::cpu
