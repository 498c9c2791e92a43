#include "files/peer_file.hpp"

#include "files/fields.hpp"
#include "files/heading.hpp"

namespace dodona::files {

std::vector<PeerError> read_peers(Document document) {
    std::vector<PeerError> peers;
    Fields fields(Value(*document.root, "", document.faults));
    static_cast<void>(read_heading(fields, "peers"));
    for (const Value& value : fields.require("errors").list()) {
        PeerError& peer = peers.emplace_back();
        Fields entry(value);
        peer.group = entry.require("group", "of a table of runs").text();
        peer.peer = entry.require("peer", "the program").text();
        peer.error = entry.require("error", "mean size, a fraction").number({.least = 0});
        peer.of_memory = entry.find("of").choice({"time", "memory"}) == 1;
        if (const Value over = entry.find("over")) {
            peer.over = over.text();
        }
        peer.source = entry.require("source", "where it is printed").text();
        entry.finish();
    }
    fields.finish();
    throw_faults(document);
    return peers;
}

}  // namespace dodona::files
