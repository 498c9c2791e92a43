#include "files/description_keys.hpp"

namespace dodona::files {

Key make_key(std::string_view name, std::string_view meaning, bool required, const KeyOptions& options,
             void* (*member)(void*), ValueType type) {
    return {.name = std::string(name),
            .meaning = std::string(meaning),
            .required = required,
            .help = std::string(options.help),
            .default_text = std::string(options.default_text),
            .value_text = std::string(options.value_text),
            .former_name = std::string(options.former_name),
            .group = std::string(options.group),
            .repeats = options.repeats,
            .only = options.only,
            .always_written = options.always_written,
            .rows = options.rows,
            .left_out = options.left_out,
            .in_place = options.in_place,
            .is_absent = options.is_absent,
            .is_derived = options.is_derived,
            .member = member,
            .type = std::move(type)};
}

}  // namespace dodona::files
