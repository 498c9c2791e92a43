// Ctrl-C: the first one asks the work to finish with what it has, the second one ends the program.
#pragma once

namespace dodona::cli {

/// A process that answers several questions begins each without the interrupts of the last.
void forget_interrupt();

void listen_for_interrupt();
bool interrupted();

}  // namespace dodona::cli
