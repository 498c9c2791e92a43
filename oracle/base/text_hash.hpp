// A hash of text that is the same on every machine and in every version: for choices that a table's order must not make.
#pragma once

#include <cstdint>
#include <string_view>

namespace dodona {

/// FNV-1a, 64 bits (Fowler, Noll and Vo). Its upper half depends on all of the text.
constexpr std::uint64_t text_hash(std::string_view text) {
    std::uint64_t value = 14'695'981'039'346'656'037U;
    for (const char c : text) {
        value = (value ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
    }
    return value;
}

}  // namespace dodona
