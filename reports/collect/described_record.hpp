// Described objects as records: numbers in base units, with the unit in the key (memory_bytes, launch_s); null for what is
// absent. The name of a file's object is `name`. A key that is added to a description is in JSON at once.
#pragma once

#include <string>
#include <utility>

#include "files/description.hpp"
#include "reports/document/document.hpp"
#include "reports/document/record.hpp"

namespace dodona::reports {

Record described_record(const files::Description& description, const void* object);

/// What a key is called in records: with the unit of its value.
std::string record_key(const files::Description& description, const files::Key& key);

template <class T>
Record described_record(const T& object) {
    return described_record(files::description<T>(), &object);
}

/// One row of what a table shows, and the whole file of the object beside it.
template <class T>
void set_record(Document& document, Record row, const T& object) {
    document.rows = {row};
    document.record = std::move(row);
    document.record["file"] = described_record(object);
}

}  // namespace dodona::reports
