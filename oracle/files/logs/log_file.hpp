// Forms of logs as files: software/*/NAME.log.yaml.
#pragma once

#include "files/description.hpp"
#include "files/logs/log_form.hpp"

namespace dodona::files {

template <>
const Description& description<LogForm>();

/// Throws InputError with every fault found.
LogForm read_log_form(Document document);

}  // namespace dodona::files
