// A process, its output and what it took.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace plimsoll::cli_tests {

struct Outcome {
  int exit_code = 0;  // negative: the signal that ended it
  std::string out;
  std::string err;
  uint64_t peak_resident_bytes = 0;  // high-water mark; 0 under AddressSanitizer, which takes far more
};

struct Start {
  std::vector<std::string> arguments = {};              // of the `plimsoll` command
  std::string input = {};                               // for its stdin, which then ends; short
  bool keep_input_open = false;                         // stdin does not end
  std::string stdout_path = {};                         // where stdout goes; empty: Outcome::out
  std::map<std::string, std::string> environment = {};  // set on top of ours
};

// A running `plimsoll`. Its output is read as it comes.
class Process {
 public:
  explicit Process(const Start& start);
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;

  // Reads until `done` says so of all output so far, or the process closes its output. False for the latter, and after
  // the deadline.
  bool read_until(const std::function<bool(const Outcome&)>& done, std::chrono::seconds deadline);

  // Reads what is left and waits for the end. A process that is not done by the deadline is killed.
  Outcome finish(std::chrono::seconds deadline = std::chrono::seconds(300));

 private:
  bool read_some(std::chrono::milliseconds patience);  // false: both ends are closed
  void close_input();

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  int error_ = -1;
  Outcome outcome_;
};

// Runs to the end.
Outcome run(const Start& start);
Outcome run(std::vector<std::string> arguments);

}  // namespace plimsoll::cli_tests
