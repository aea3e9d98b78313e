// An emulated libnvrtc: a program is compiled by the C++ compiler, and its "cubin" is a shared library for this
// machine, which the emulated driver loads.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "abi.h"

namespace {

enum nvrtcResult { Good = 0, InvalidInput = 3, InvalidProgram = 4, InvalidOption = 5, Compilation = 6 };

// Program is an nvrtcProgram.
struct Program {
  std::string source, name, log, image;
  std::vector<std::pair<std::string, std::string>> headers;  // name, text
};

std::string folder_of_itself() {
  Dl_info info;
  dladdr((void*)&folder_of_itself, &info);
  return std::filesystem::path(info.dli_fname).parent_path();
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string shell_word(const std::string& s) {
  std::string q = "'";
  for (char c : s) q += c == '\'' ? "'\\''" : std::string(1, c);
  return q + "'";
}

// flags appends the compiler flags for the options that have an effect here. It returns false for an option that NVRTC
// does not know.
bool flags(int count, const char* const* options, std::string* all) {
  static const char* const ignored[] = {"-arch",
                                        "--gpu-architecture",
                                        "-fmad",
                                        "--fmad",
                                        "-default-device",
                                        "--device-as-default-execution-space",
                                        "-lineinfo",
                                        "-w",
                                        "-dw",
                                        "-use_fast_math",
                                        "-opt-info",
                                        "-diag-suppress",
                                        "--diag-suppress",
                                        "-no-source-include",
                                        "--no-source-include",
                                        "-minimal",
                                        "--minimal",
                                        "-ewp",
                                        "-dlto",
                                        "-split-compile",
                                        "--split-compile",
                                        "-maxrregcount",
                                        "--maxrregcount"};
  for (int i = 0; i < count; i++) {
    std::string o = options[i];
    if (o.rfind("-D", 0) == 0 || o.rfind("-I", 0) == 0 || o.rfind("-std=", 0) == 0) *all += " " + shell_word(o);
    else if (o.rfind("--std=", 0) == 0) *all += " " + shell_word(o.substr(1));
    else {
      bool known = false;
      for (const char* k : ignored) known |= o == k || o.rfind(std::string(k) + "=", 0) == 0;
      if (!known) return false;
    }
  }
  return true;
}

}  // namespace

DRIVER_API int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 9;
  return Good;
}

DRIVER_API const char* nvrtcGetErrorString(int error) {
  switch (error) {
    case Good:
      return "NVRTC_SUCCESS";
    case InvalidInput:
      return "NVRTC_ERROR_INVALID_INPUT";
    case InvalidProgram:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case InvalidOption:
      return "NVRTC_ERROR_INVALID_OPTION";
    case Compilation:
      return "NVRTC_ERROR_COMPILATION";
  }
  return "NVRTC_ERROR unknown";
}

DRIVER_API int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return Good;
}
DRIVER_API int nvrtcGetSupportedArchs(int* archs) {
  *archs = 90;
  return Good;
}

DRIVER_API int nvrtcCreateProgram(Program** program, const char* source, const char* name, int count,
                                  const char* const* headers, const char* const* names) {
  if (!program || !source || count < 0) return InvalidInput;
  *program = new Program{source, name ? name : "default_program", "", "", {}};
  for (int i = 0; i < count; i++) (*program)->headers.push_back({names[i], headers[i]});
  return Good;
}

DRIVER_API int nvrtcDestroyProgram(Program** program) {
  if (!program || !*program) return InvalidProgram;
  delete *program;
  *program = nullptr;
  return Good;
}

DRIVER_API int nvrtcCompileProgram(Program* p, int count, const char* const* options) {
  if (!p) return InvalidProgram;
  std::string more;
  if (!flags(count, options, &more)) return InvalidOption;
  char folder[] = "/tmp/emulated-nvrtc-XXXXXX";
  if (!mkdtemp(folder)) return Compilation;
  std::filesystem::path at = folder;
  for (auto& [name, text] : p->headers) write(at / name, text);
  write(at / "program.cu", "#line 1 \"" + p->name + "\"\n" + p->source);
  std::string command = EMULATED_COMPILER " " EMULATED_FLAGS " -shared -I" + shell_word(at) + more + " " +
                        shell_word(at / "program.cu") + " -o " + shell_word(at / "image") + " -x none " +
                        shell_word(folder_of_itself() + "/libcuda.so.1") + " 2>" + shell_word(at / "log");
  int status = system(command.c_str());
  p->log = read(at / "log");
  p->image = read(at / "image");
  std::filesystem::remove_all(at);
  return status == 0 && !p->image.empty() ? Good : Compilation;
}

DRIVER_API int nvrtcGetProgramLogSize(Program* p, size_t* bytes) {
  if (!p) return InvalidProgram;
  *bytes = p->log.size() + 1;
  return Good;
}
DRIVER_API int nvrtcGetProgramLog(Program* p, char* to) {
  if (!p) return InvalidProgram;
  memcpy(to, p->log.c_str(), p->log.size() + 1);
  return Good;
}
DRIVER_API int nvrtcGetCUBINSize(Program* p, size_t* bytes) {
  if (!p) return InvalidProgram;
  *bytes = p->image.size();
  return Good;
}
DRIVER_API int nvrtcGetCUBIN(Program* p, char* to) {
  if (!p) return InvalidProgram;
  memcpy(to, p->image.data(), p->image.size());
  return Good;
}
DRIVER_API int nvrtcGetPTXSize(Program*, size_t*) { return InvalidInput; }
DRIVER_API int nvrtcGetPTX(Program*, char*) { return InvalidInput; }
