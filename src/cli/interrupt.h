// Ctrl-C: once asks the command to finish its step and end with exit code 130, twice ends it at once.
#pragma once

#include <exception>

namespace plimsoll::cli {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

void install_interrupt_handler();

bool interrupted() noexcept;

// Throws Interrupted if Ctrl-C was pressed.
void check_interrupt();

}  // namespace plimsoll::cli
