// The part of the binary interface of the CUDA driver that the emulated driver implements. It is declared here so that
// no headers of NVIDIA are needed.
#pragma once
#include <cstddef>
#include <cstdint>

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using u32 = unsigned int;
using u64 = unsigned long long;

enum : CUresult {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  OutOfResources = 701,
  LaunchTimeout = 702,
  AlreadyRegistered = 712,
  NotRegistered = 713,
  LaunchFailed = 719,
  CooperativeTooLarge = 720,
  NotSupported = 801,
  CaptureUnsupported = 900,
  CaptureInvalidated = 901,
};

#define DRIVER_API extern "C" __attribute__((visibility("default")))
