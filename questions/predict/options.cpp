#include "questions/predict/predict.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::predict::Options>() {
    using questions::predict::Options;
    static const Description described{
        .noun = "options of predict",
        .summary = "Lengths of samples, and collectives whose time is taken apart.",
        .keys = joined(questions::length_keys<&Options::lengths>(),
                       {optional<&Options::traced>("trace",
                                                   "what makes the time of a collective, one correction after the "
                                                   "other: words of its line, such as \"all-gather of weights\"",
                                                   {.value_text = "WORDS", .group = "Output"})}),
        .defaults = default_of<Options>};
    return described;
}

}  // namespace dodona
