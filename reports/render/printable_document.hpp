// What a page shows of a document, without what it would obey.
#pragma once

#include "reports/document/document.hpp"

namespace dodona::reports {

/// The blocks with all their texts as dodona::printable leaves them; without the record. What a page of text
/// starts from; Markdown and HTML escape more, each where it writes a text.
std::vector<Block> printable_blocks(const Document& document);

}  // namespace dodona::reports
