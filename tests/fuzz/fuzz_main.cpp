// All targets as libFuzzer drives them; the environment's DODONA_FUZZ_TARGET names the one that is attacked.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
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

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

/// Bytes are changed a third of the time; else what has a structure is changed as the tree or the words that it is.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t most, unsigned seed) {
    namespace fuzz = dodona::fuzz;
    std::mt19937 random(seed);
    const unsigned way = random() % 3;
    const fuzz::Form form = asked_target().form;
    const bool has_words = form == fuzz::Form::json && way == 1;
    const auto tree = way == 0 ? std::nullopt
                               : fuzz::tree_of(std::string(reinterpret_cast<const char*>(bytes), size),
                                               has_words ? fuzz::Form::tokens : form);
    const std::string changed = tree ? fuzz::text_of(fuzz::mutated(*tree, random)) : "";
    if (changed.empty() || changed.size() > most) {
        return LLVMFuzzerMutate(bytes, size, most);
    }
    std::copy(changed.begin(), changed.end(), bytes);
    return changed.size();
}
