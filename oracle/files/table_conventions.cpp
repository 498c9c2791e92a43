#include "files/table_conventions.hpp"

#include "files/fields.hpp"
#include "files/heading.hpp"
#include "files/machine_table.hpp"
#include "files/model_table.hpp"

namespace dodona::files {

namespace {

constexpr std::string_view kModels = "a table of models";
constexpr std::string_view kMachines = "a table of machines";

ModelFamily read_model_family(const Value& value) {
    ModelFamily family;
    family.where = value.where();
    Fields fields(value);
    family.when = read_condition(fields.require("when", "which rows: {family: gpt}"), model_columns(), kModels);
    if (const Value refuse = fields.find("refuse")) {
        family.refusal = refuse.text();
        fields.finish();
        return family;
    }
    family.model = fields.require("use", "a model file, or `refuse:` with the reason").text();
    for (const Fields::Member& member : Fields(fields.require("set", "{parameter: column}")).rest()) {
        family.set.emplace_back(member.key, read_column(member.value.text(), member.value, model_columns(), kModels));
    }
    if (const Value without = fields.find("without")) {
        for (const std::string& column : without.texts()) {
            family.without.push_back(read_column(column, without, model_columns(), kModels));
        }
    }
    fields.finish();
    return family;
}

MachineFamily read_machine_family(const Value& value) {
    MachineFamily family;
    family.where = value.where();
    Fields fields(value);
    family.when = read_condition(fields.require("when", "which rows: {device: b200}"), machine_columns(), kMachines);
    if (const Value refuse = fields.find("refuse")) {
        family.refusal = refuse.text();
    } else {
        family.like = fields.require("like", "a built-in machine, or `refuse:` with the reason").text();
    }
    fields.finish();
    return family;
}

}  // namespace

TableConventions read_table_conventions(Document document) {
    TableConventions conventions;
    Fields fields(Value(*document.root, "", document.faults));
    static_cast<void>(read_heading(fields, "tables"));
    for (const Value& value : fields.require("models").list()) {
        conventions.models.push_back(read_model_family(value));
    }
    for (const Value& value : fields.require("machines").list()) {
        conventions.machines.push_back(read_machine_family(value));
    }
    fields.finish();
    throw_faults(document);
    return conventions;
}

}  // namespace dodona::files
