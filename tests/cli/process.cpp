#include "cli/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <string_view>
#include <utility>

extern char** environ;

namespace plimsoll::cli_tests {

namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
    read = ends[0];
    write = ends[1];
  }
  int read;
  int write;
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!changes.contains(std::string(text.substr(0, text.find('='))))) result.emplace_back(text);
  }
  for (const auto& [name, value] : changes) result.push_back(name + "=" + value);
  return result;
}

void close_end(int& descriptor) {
  if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

// Appends what is there; closes the end at its end.
void drain(int& descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<size_t>(count));
  } else {
    close_end(descriptor);
  }
}

}  // namespace

Process::Process(const Start& start) {
  signal(SIGPIPE, SIG_IGN);  // a command may end before it has read its input
  Pipe input, output, error;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.write, STDERR_FILENO);
  if (start.stdout_path.empty()) {
    posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, start.stdout_path.c_str(), O_WRONLY, 0);
  }
  std::vector<std::string> words{PLIMSOLL_PROGRAM};
  words.insert(words.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> environment = merged_environment(start.environment);
  const int failed =
      posix_spawn(&pid_, PLIMSOLL_PROGRAM, &actions, nullptr, pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(input.read);
  close(output.write);
  close(error.write);
  input_ = input.write;
  output_ = output.read;
  error_ = error.read;
  if (failed != 0) throw std::runtime_error("cannot start " PLIMSOLL_PROGRAM);
  if (!start.input.empty() && write(input_, start.input.data(), start.input.size()) < 0) close_input();
  if (!start.keep_input_open) close_input();
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close_input();
  close_end(output_);
  close_end(error_);
}

void Process::send(int signal) const { kill(pid_, signal); }

bool Process::read_until(const std::function<bool(const Outcome&)>& done, std::chrono::seconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!done(outcome_)) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !read_some(left)) return false;
  }
  return true;
}

Outcome Process::finish(std::chrono::seconds deadline) {
  read_until([this](const Outcome&) { return output_ < 0 && error_ < 0; }, deadline);
  if (output_ >= 0 || error_ >= 0) kill(pid_, SIGKILL);
  int status = 0;
  rusage usage{};
  wait4(std::exchange(pid_, -1), &status, 0, &usage);
  outcome_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
#if !defined(__SANITIZE_ADDRESS__)
  outcome_.peak_resident_bytes = static_cast<uint64_t>(usage.ru_maxrss) << 10;
#endif
  return std::move(outcome_);
}

bool Process::read_some(std::chrono::milliseconds patience) {
  std::array<pollfd, 2> ends{pollfd{output_, POLLIN, 0}, pollfd{error_, POLLIN, 0}};
  if (output_ < 0 && error_ < 0) return false;
  if (poll(ends.data(), ends.size(), static_cast<int>(patience.count())) <= 0) return true;
  if (ends[0].revents != 0) drain(output_, outcome_.out);
  if (ends[1].revents != 0) drain(error_, outcome_.err);
  return true;
}

void Process::close_input() { close_end(input_); }

Outcome run(const Start& start) { return Process(start).finish(); }

Outcome run(std::vector<std::string> arguments) { return run(Start{.arguments = std::move(arguments)}); }

}  // namespace plimsoll::cli_tests
