// Ctrl-C: the first one asks the work to finish with what it has, the second one ends the program.
#pragma once

namespace dodona::cli {

/// A process that answers several questions begins each without the interrupts of the last.
void forget_interrupt();

void listen_for_interrupt();
/// The same of the signal with which schedulers of clusters end a job, some seconds before they kill it.
void listen_for_termination();
/// Both, and what comes when a terminal is closed or Ctrl-\ is pressed.
void listen_for_any_end();
bool interrupted();

}  // namespace dodona::cli
