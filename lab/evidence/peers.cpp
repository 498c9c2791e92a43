#include "lab/evidence/peers.hpp"

#include "files/fields.hpp"
#include "files/heading.hpp"

namespace dodona::calibrate {

std::vector<PeerError> load_peers(const std::string& path, const Location& where) {
    files::Document document = files::load_document(path, path, where);
    std::vector<PeerError> peers;
    files::Fields fields(files::Value(*document.root, "", document.faults));
    static_cast<void>(read_heading(fields, "peers"));
    for (const files::Value& value : fields.require("errors").list()) {
        PeerError& peer = peers.emplace_back();
        files::Fields entry(value);
        peer.group = entry.require("group", "of a table of runs").text();
        peer.peer = entry.require("peer", "the program").text();
        peer.error = entry.require("error", "mean size, a fraction").number({.least = 0});
        peer.of_memory = entry.find("of").choice({"time", "memory"}) == 1;
        if (const files::Value over = entry.find("over")) {
            peer.over = over.text();
        }
        peer.source = entry.require("source", "where it is printed").text();
        entry.finish();
    }
    fields.finish();
    throw_faults(document);
    return peers;
}

}  // namespace dodona::calibrate
