#include "calibrate/measure/back_end.hpp"

#include <dlfcn.h>
#include <sysexits.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "base/program_folder.hpp"
#include "calibrate/record/exchange.hpp"
#include "calibrate/storage/storage.hpp"

namespace dodona::calibrate {

namespace {

using Measure = int (*)(int in, int out);

std::string found(const Places& places, const std::string& file, const Lacking& otherwise) {
    std::error_code ignored;
    for (const std::string& folder : places.folders) {
        const std::filesystem::path path = std::filesystem::path(folder) / file;
        if (std::filesystem::is_regular_file(path, ignored)) {
            return path.string();
        }
    }
    throw InstrumentMissing(otherwise);
}

/// Opened in the new process only: its libraries start threads and talk to drivers.
int measure_with(const std::string& module, const std::string& backend, int in, int out) {
    void* opened = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* entry = opened == nullptr ? nullptr : ::dlsym(opened, "dodona_measure");
    if (entry != nullptr) {
        return reinterpret_cast<Measure>(entry)(in, out);
    }
    const char* why = ::dlerror();
    const Lacking lacking{
        .why = fmt::format("the back end {} does not start: {}", backend, why ? why : "no reason known"),
        .help = "install the libraries that it names, or build dodona again on this machine"};
    const std::string line = to_line(Record{.backend = backend, .date = date_now(), .what = lacking}) + "\n";
    return ::write(out, line.data(), line.size()) > 0 ? EX_UNAVAILABLE : EX_IOERR;
}

BackEnd of_module(const Places& places, const std::string& name, std::vector<Pass> passes, const Lacking& otherwise) {
    return {.name = name, .passes = std::move(passes), .start = [places, name, otherwise] {
                const std::string module = found(places, fmt::format("dodona-calibrate-{}.so", name), otherwise);
                return Child::forked([&](int in, int out) { return measure_with(module, name, in, out); },
                                     places.guard);
            }};
}

BackEnd of_mpi(const Places& places) {
    return {.name = "mpi", .passes = {Pass::time}, .start = [places] {
                std::vector<std::string> words = places.mpirun;
                words.push_back(found(places, "dodona-calibrate-mpi",
                                      {.why = "the back end for networks is not built",
                                       .help = "`./dodona calibrate --backend mpi` of a source tree installs MPI and "
                                               "builds it; or import what nccl-tests or OSU's benchmarks printed: "
                                               "--import LOG"}));
                return Child::program(words, places.guard);
            }};
}

}  // namespace

std::vector<std::string> usual_folders() {
    std::vector<std::string> folders;
    for (const char* part : {"calibrate/cpu", "calibrate/cuda", "calibrate/mpi", "../lib/dodona", "."}) {
        if (const std::filesystem::path beside = beside_program(part); !beside.empty()) {
            folders.push_back(beside.string());
        }
    }
    return folders;
}

std::vector<BackEnd> back_ends(const Places& places) {
    std::vector<BackEnd> all{
        of_module(places, "cpu", {Pass::time},
                  {.why = "the back end for CPUs is not built",
                   .help = "`./dodona calibrate --backend cpu` of a source tree installs oneDNN and builds it"}),
        of_module(places, "cuda", {Pass::time, Pass::names, Pass::counters},
                  {.why = "the back end for GPUs is not built",
                   .help = "install the CUDA toolkit with cuBLAS and CUPTI (and cuDNN, NCCL); then `./dodona calibrate "
                           "--backend cuda` of a source tree builds it; or import a PyTorch profile: --import TRACE"}),
        of_mpi(places),
        {.name = "storage", .passes = {Pass::time}, .start = [places] {
             return Child::forked(measure_storage, places.guard);
         }}};
    if (!places.program.empty()) {
        all.push_back({.name = "program", .passes = {Pass::time}, .start = [places] {
                           return Child::program(places.program, places.guard);
                       }});
    }
    return all;
}

}  // namespace dodona::calibrate
