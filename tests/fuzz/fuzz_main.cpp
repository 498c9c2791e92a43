// One target as libFuzzer drives it; DODONA_FUZZ_TARGET is its name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const dodona::fuzz::Target* const target = dodona::fuzz::target_named(DODONA_FUZZ_TARGET);
    if (target == nullptr) {
        std::abort();
    }
    target->read(std::string(reinterpret_cast<const char*>(bytes), size));
    return 0;
}
