// All targets as libFuzzer drives them; the environment's DODONA_FUZZ_TARGET names the one that is attacked.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "targets.hpp"

namespace {

const dodona::fuzz::Target& asked_target() {
    const char* const name = std::getenv("DODONA_FUZZ_TARGET");
    const dodona::fuzz::Target* const found = dodona::fuzz::target_named(name == nullptr ? "" : name);
    if (found == nullptr) {
        std::fputs("DODONA_FUZZ_TARGET names no target\n", stderr);
        std::abort();
    }
    return *found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const dodona::fuzz::Target& target = asked_target();
    target.read(std::string(reinterpret_cast<const char*>(bytes), size));
    return 0;
}
