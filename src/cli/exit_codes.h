// How the command ends, and the one place where exceptions become exit codes.
#pragma once

namespace plimsoll::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kWrongUsage = 2,
  kBadInput = 65,
  kNoDevice = 69,
  kMemoryLimit = 73,
  kCannotWrite = 74,
  kInterrupted = 130,
};

// For a catch block: prints the message of the exception being handled to stderr and returns its exit code.
int report_current_exception() noexcept;

}  // namespace plimsoll::cli
