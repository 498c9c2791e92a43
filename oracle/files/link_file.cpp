#include "files/link_file.hpp"

#include <set>

#include "files/curves.hpp"
#include "files/fields.hpp"
#include "files/heading.hpp"

namespace dodona::files {

namespace {

std::vector<cluster::Protocol> read_protocols(const Value& value) {
    std::vector<cluster::Protocol> protocols;
    std::set<std::string> names;
    for (const Value& item : value.list()) {
        cluster::Protocol protocol;
        Fields fields(item);
        if (const Value name = fields.require("name", "low-latency, simple")) {
            protocol.name = read_name(name);
        }
        protocol.timing.start =
            fields.require("start", "once a collective: 8 us").quantity(Sign::not_negative, Seconds{});
        protocol.timing.step = fields.require("step", "of one message: 1 us").quantity(Sign::not_negative, Seconds{});
        protocol.timing.efficiency = fields.require("efficiency", "the share of the bandwidth that it reaches: 0.9")
                                         .number({.least = 0, .most = 1, .without_least = true}, 1);
        fields.finish();
        if (!protocol.name.empty() && !names.insert(protocol.name).second) {
            item.error(fmt::format("a second protocol \"{}\"", protocol.name), "protocols have different names");
        }
        protocols.push_back(protocol);
    }
    return protocols;
}

}  // namespace

cluster::Link read_link(const Value& value, SourceIs source) {
    cluster::Link link;
    Fields fields(value);
    const Heading heading = read_heading(fields, "link", source);
    link.name = heading.name;
    link.source = heading.source;
    link.wiring = fields.find("wiring").one_of(cluster::kWirings, link.wiring);
    link.bandwidth = fields.require("bandwidth", "of one device, all its links, one way: 300 GB/s")
                         .quantity(Sign::positive, BytesPerSecond{});
    link.protocols = read_protocols(fields.find("protocols"));
    if (const Value error = fields.find("error")) {
        link.error = error.number({.least = 0}, 0);
    }
    link.curves = read_collective_curves(fields.find("curves"), RanksPerNode::all);
    fields.finish();
    return link;
}

cluster::Link read_link(Document document) {
    const cluster::Link link = read_link(Value(*document.root, "", document.faults), SourceIs::required);
    throw_faults(document);
    return link;
}

}  // namespace dodona::files
