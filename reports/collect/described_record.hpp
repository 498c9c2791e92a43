// Described objects as records: numbers in base units, with the unit in the key (memory_bytes, launch_s); null for what is
// absent. The name of a file's object is `name`. A key that is added to a description is in JSON at once.
#pragma once

#include <string>
#include <utility>

#include "base/diagnostic.hpp"
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

/// What is wrong with a record, by the path of the key: "scalings[0].batch".
class RecordFaults {
public:
    /// `name`: of the file that it is from; `help`: beside each fault.
    RecordFaults(const std::string& name, std::string help);

    void add(const std::string& path, const std::string& message);
    void throw_if_any() const { faults_.throw_if_errors(); }

private:
    Location where_;
    std::string help_;
    int count_ = 0;
    Diagnostics faults_;
};

/// An object from its record. What the description computes must be there and is not looked at.
void read_described(const Record& record, const files::Description& description, void* object, const std::string& path,
                    RecordFaults& faults);

/// One row of what a table shows, and the whole file of the object beside it.
template <class T>
void set_record(Document& document, Record row, const T& object) {
    document.rows = {row};
    document.record = std::move(row);
    document.record["file"] = described_record(object);
}

}  // namespace dodona::reports
