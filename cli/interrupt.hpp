// Ctrl-C: the first one asks the work to finish with what it has, the second one ends the program.
#pragma once

namespace dodona::cli {

void listen_for_interrupt();
bool interrupted();

}  // namespace dodona::cli
