// Random bits by counter: the bits of a number depend on that number alone, so draws are the same in every order.
#pragma once

#include <cstdint>

namespace dodona::simulate {

/// A hash whose output bits all depend on all input bits.
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, with the constants of
/// D. Stafford's variant 13.
constexpr std::uint64_t random_bits(std::uint64_t counter) {
    std::uint64_t z = counter + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

/// The bits of a sequence of numbers.
template <class... Numbers>
constexpr std::uint64_t random_bits(std::uint64_t first, std::uint64_t second, Numbers... others) {
    return random_bits(random_bits(first) ^ second, others...);
}

}  // namespace dodona::simulate
