#include "files/memory_profile.hpp"

#include "files/heading.hpp"

namespace dodona::files {

namespace {

constexpr double kMostFragmentation = 1;

}  // namespace

void read_memory_keys(Fields& fields, plan::MemoryProfile& profile) {
    profile.loss = fields.find("loss").one_of(plan::kLossMemories, profile.loss);
    profile.gradient_placeholders = fields.find("gradient_placeholders").flag();
    profile.quantised_inputs = fields.find("quantised_inputs").flag();
    profile.gradient_copies = fields.find("gradient_copies").flag();
    profile.update_copies = fields.find("update_copies").flag();
    profile.reduction_bucket = fields.find("reduction_bucket").quantity(Sign::not_negative, Bytes{});
    profile.workspace = fields.find("workspace").quantity(Sign::not_negative, Bytes{});
    profile.communicator = fields.find("communicator").quantity(Sign::not_negative, Bytes{});
    profile.fragmentation = fields.find("fragmentation").bare().number({.least = 0, .most = kMostFragmentation});
}

plan::MemoryProfile read_memory_profile(Document document) {
    plan::MemoryProfile profile;
    Fields fields(Value(*document.root, "", document.faults));
    const Heading heading = read_heading(fields, "memory");
    profile.name = heading.name;
    profile.source = heading.source;
    profile.summary = fields.find("summary").text();
    read_memory_keys(fields, profile);
    fields.finish();
    throw_faults(document);
    return profile;
}

}  // namespace dodona::files
