#include "files/description_keys.hpp"
#include "questions/diff/diff.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::diff::Options>() {
    using questions::diff::Options;
    static const Description described{
        .noun = "options of diff",
        .summary = "The difference that counts.",
        .keys = {optional<&Options::tolerance>(
            "tolerance",
            "of the time of a sample; default: 0.005. Of a traced step; default: the interval of the prediction",
            {.range = {.least = 0, .most = 1e6}, .value_text = "R", .group = "Comparison"})},
        .defaults = default_of<Options>};
    return described;
}

}  // namespace dodona
