// Reads what a description describes. Every fault goes to the diagnostics of the values; reading goes on.
#pragma once

#include <utility>

#include "files/description.hpp"

namespace dodona::files {

/// One value of a type into a member.
void read_value(const ValueType& type, const Value& value, void* member, const Reading& reading);

/// The keys of a mapping that may have others; finish() is left to the caller.
void read_keys(const Description& description, Fields& fields, void* object, const Reading& reading);

/// A described object inside a document, where it needs no source of its own.
void read_record(const Description& description, const Value& value, void* object, const Reading& reading);

/// A whole document. Throws InputError with every fault found.
void read_document(const Description& description, Document document, void* object, const Openers& open);

template <class T>
T read_file(Document document, const Openers& open = {}) {
    T object;
    read_document(description<T>(), std::move(document), &object, open);
    return object;
}

}  // namespace dodona::files
