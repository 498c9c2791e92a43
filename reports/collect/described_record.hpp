// Described objects as records: numbers in base units, with the unit in the key (memory_bytes, launch_s); null for what is
// absent. The name of a file's object is `name`. A key that is added to a description is in JSON at once.
#pragma once

#include "files/description.hpp"
#include "reports/document/record.hpp"

namespace dodona::reports {

Record described_record(const files::Description& description, const void* object);

template <class T>
Record described_record(const T& object) {
    return described_record(files::description<T>(), &object);
}

}  // namespace dodona::reports
