#include "calibrate/cases/storage_cases.hpp"

namespace dodona::calibrate {

std::vector<Case> storage_cases(const std::string& directory, const CaseOptions& options) {
    std::vector<Case> cases;
    for (const double writers : options.quick ? std::vector{1., 2.} : std::vector{1., 2., 4., 8.}) {
        for (const double bytes : options.quick ? std::vector{0x1p23} : std::vector{0x1p20, 0x1p24, 0x1p27}) {
            for (const char* operation : {"write", "read"}) {
                cases.push_back({.benchmark = "file",
                                 .parameters = {{"operation", operation},
                                                {"bytes", bytes},
                                                {"block", 0x1p20},
                                                {"writers", writers},
                                                {"directory", directory}}});
            }
        }
        for (const char* operation : {"create", "stat", "remove"}) {
            cases.push_back({.benchmark = "file",
                             .parameters = {{"operation", operation}, {"writers", writers}, {"directory", directory}}});
        }
    }
    for (const char* format : {"raw", "safetensors", "npz", "npz-compressed"}) {
        for (const char* operation : {"write", "read"}) {
            cases.push_back({.benchmark = "checkpoint",
                             .parameters = {{"operation", operation},
                                            {"format", format},
                                            {"bytes", options.quick ? 0x1p20 : 0x1p25},
                                            {"tensors", 16.},
                                            {"directory", directory}}});
        }
    }
    return cases;
}

}  // namespace dodona::calibrate
