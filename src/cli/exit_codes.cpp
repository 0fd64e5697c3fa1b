#include "cli/exit_codes.h"

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "plimsoll/errors.h"
#include "plimsoll/lm/registry.h"
#include "cli/interrupt.h"

namespace plimsoll::cli {

namespace {

int say(ExitCode code, const char* message) noexcept {
  std::fprintf(stderr, "plimsoll: %s\n", message);
  return code;
}

}  // namespace

int report_current_exception() noexcept {
  try {
    throw;
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const lm::DownloadStopped& error) {
    return say(kInterrupted, error.what());
  } catch (const FileError& error) {
    return say(kBadInput, error.what());
  } catch (const DeviceError& error) {
    return say(kNoDevice, error.what());
  } catch (const OutOfMemory& error) {
    return say(kMemoryLimit, error.what());
  } catch (const WriteError& error) {
    return say(kCannotWrite, error.what());
  } catch (const std::invalid_argument& error) {
    return say(kWrongUsage, error.what());
  } catch (const std::length_error& error) {
    return say(kWrongUsage, error.what());
  } catch (const std::bad_alloc&) {
    return say(kFailed, "the system has no memory left for the program's own tables");
  } catch (const std::exception& error) {
    return say(kFailed, error.what());
  } catch (...) {
    return say(kFailed, "an error of unknown kind");
  }
}

}  // namespace plimsoll::cli
