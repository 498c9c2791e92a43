// Settings of a trial in answers.
#pragma once

#include "files/description_keys.hpp"
#include "trials/space.hpp"

namespace dodona::questions::trials {

/// Settings by their names: numbers stay texts, as they were written.
inline files::ValueType settings_type() {
    using Setting = dodona::trials::Settings::value_type;
    return {files::named_entries<&Setting::first, &Setting::second>(files::type_of<std::string>({}))};
}

}  // namespace dodona::questions::trials
