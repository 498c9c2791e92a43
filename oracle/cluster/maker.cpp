#include "cluster/maker.hpp"

#include <algorithm>

namespace dodona::cluster {

namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view maker_word(std::string_view family) { return family.substr(0, family.find(' ')); }

std::optional<Maker> maker_of(std::string_view family) {
    if (family.empty()) {
        return std::nullopt;
    }
    const std::string_view word = maker_word(family);
    const auto* const row = std::find_if(kMakerTable.begin(), kMakerTable.end(), [&](const Enumerator<Maker>& maker) {
        return std::equal(word.begin(), word.end(), maker.name.begin(), maker.name.end(),
                          [](char a, char b) { return lower(a) == lower(b); });
    });
    return row == kMakerTable.end() ? Maker::other : row->value;
}

}  // namespace dodona::cluster
