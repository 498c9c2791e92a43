// JSON Schemas (draft-07) of described files. What stands in several of them is a definition in a schema of its own.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "files/description.hpp"

namespace dodona::files::testing {

using Json = nlohmann::ordered_json;

class SchemaWriter {
public:
    SchemaWriter();

    /// The schema of a file; what it refers to goes to the definitions.
    Json file(const Description& description);

    /// definitions.schema.json, of all files so far.
    [[nodiscard]] Json definitions() const;

private:
    friend struct SchemaOf;

    Json reference(const std::string& name) const;
    Json defined(const std::string& name, Json schema);
    Json record(const Description& description);
    Json mapping(const Description& description);
    Json value(const ValueType& type, const std::string& key);
    Json key(const Description& description, const Key& key);

    std::map<std::string, Json> definitions_;
};

}  // namespace dodona::files::testing
