//go:build cuda && cgo && linux && amd64

// The functions of the driver library, under their names, so that code which calls them links without the library. Each
// jumps to where its entry points: at first to the look-up, then to the library's function. All arguments that a
// function of C may have in registers are kept over the look-up.
// A test finds names that are called and not here: the linker says nothing.

.macro entry name
	.globl \name
	.hidden \name
	.type \name, @function
	.section .data.rel.local, "aw", @progbits
	.balign 8
entry_\name:
	.quad first_\name
	.quad name_\name
	.section .rodata.str1.1, "aMS", @progbits, 1
name_\name:
	.asciz "\name"
	.text
\name:
	jmpq *entry_\name(%rip)
first_\name:
	leaq entry_\name(%rip), %r11
	jmp look_up
	.size \name, .-\name
.endm

	.text
look_up:
	pushq %rbp
	movq %rsp, %rbp
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	subq $144, %rsp
	andq $-16, %rsp
	movdqu %xmm0, 0(%rsp)
	movdqu %xmm1, 16(%rsp)
	movdqu %xmm2, 32(%rsp)
	movdqu %xmm3, 48(%rsp)
	movdqu %xmm4, 64(%rsp)
	movdqu %xmm5, 80(%rsp)
	movdqu %xmm6, 96(%rsp)
	movdqu %xmm7, 112(%rsp)
	movq %r11, %rdi
	call gnd_libcuda_resolve
	movq %rax, %r11
	movdqu 0(%rsp), %xmm0
	movdqu 16(%rsp), %xmm1
	movdqu 32(%rsp), %xmm2
	movdqu 48(%rsp), %xmm3
	movdqu 64(%rsp), %xmm4
	movdqu 80(%rsp), %xmm5
	movdqu 96(%rsp), %xmm6
	movdqu 112(%rsp), %xmm7
	movq -8(%rbp), %rdi
	movq -16(%rbp), %rsi
	movq -24(%rbp), %rdx
	movq -32(%rbp), %rcx
	movq -40(%rbp), %r8
	movq -48(%rbp), %r9
	leave
	jmpq *%r11

entry cuArray3DCreate_v2
entry cuArray3DGetDescriptor_v2
entry cuArrayCreate_v2
entry cuArrayDestroy
entry cuArrayGetDescriptor_v2
entry cuCtxCreate_v2
entry cuCtxDestroy_v2
entry cuCtxDisablePeerAccess
entry cuCtxEnablePeerAccess
entry cuCtxGetApiVersion
entry cuCtxGetCacheConfig
entry cuCtxGetCurrent
entry cuCtxGetDevice
entry cuCtxGetFlags
entry cuCtxGetLimit
entry cuCtxGetSharedMemConfig
entry cuCtxGetStreamPriorityRange
entry cuCtxPopCurrent_v2
entry cuCtxPushCurrent_v2
entry cuCtxResetPersistingL2Cache
entry cuCtxSetCacheConfig
entry cuCtxSetCurrent
entry cuCtxSetLimit
entry cuCtxSetSharedMemConfig
entry cuCtxSynchronize
entry cuDeviceCanAccessPeer
entry cuDeviceGet
entry cuDeviceGetAttribute
entry cuDeviceGetCount
entry cuDeviceGetName
entry cuDeviceGetP2PAttribute
entry cuDeviceGetUuid
entry cuDeviceGetUuid_v2
entry cuDevicePrimaryCtxGetState
entry cuDevicePrimaryCtxRelease_v2
entry cuDevicePrimaryCtxReset_v2
entry cuDevicePrimaryCtxRetain
entry cuDevicePrimaryCtxSetFlags_v2
entry cuDeviceTotalMem_v2
entry cuDriverGetVersion
entry cuEventCreate
entry cuEventDestroy_v2
entry cuEventElapsedTime
entry cuEventElapsedTime_v2
entry cuEventQuery
entry cuEventRecord
entry cuEventSynchronize
entry cuFuncGetAttribute
entry cuFuncSetAttribute
entry cuFuncSetCacheConfig
entry cuFuncSetSharedMemConfig
entry cuGetErrorName
entry cuGetErrorString
entry cuGraphAddChildGraphNode
entry cuGraphAddDependencies
entry cuGraphAddEmptyNode
entry cuGraphAddHostNode
entry cuGraphAddKernelNode_v2
entry cuGraphAddMemcpyNode
entry cuGraphAddMemsetNode
entry cuGraphClone
entry cuGraphCreate
entry cuGraphDestroy
entry cuGraphDestroyNode
entry cuGraphExecDestroy
entry cuGraphGetEdges
entry cuGraphInstantiateWithFlags
entry cuGraphLaunch
entry cuLaunchCooperativeKernel
entry cuLaunchKernel
entry cuLinkAddData_v2
entry cuLinkAddFile_v2
entry cuLinkComplete
entry cuLinkCreate_v2
entry cuLinkDestroy
entry cuMemAddressFree
entry cuMemAddressReserve
entry cuMemAdvise
entry cuMemAllocAsync
entry cuMemAllocFromPoolAsync
entry cuMemAllocManaged
entry cuMemAllocPitch_v2
entry cuMemAlloc_v2
entry cuMemCreate
entry cuMemFreeAsync
entry cuMemFreeHost
entry cuMemFree_v2
entry cuMemGetAddressRange_v2
entry cuMemGetAllocationGranularity
entry cuMemGetInfo_v2
entry cuMemHostAlloc
entry cuMemHostRegister_v2
entry cuMemHostUnregister
entry cuMemMap
entry cuMemPoolCreate
entry cuMemPoolDestroy
entry cuMemPoolGetAttribute
entry cuMemPoolSetAccess
entry cuMemPoolSetAttribute
entry cuMemPoolTrimTo
entry cuMemPrefetchAsync
entry cuMemRelease
entry cuMemSetAccess
entry cuMemUnmap
entry cuMemcpy
entry cuMemcpy2DAsync_v2
entry cuMemcpy2DUnaligned_v2
entry cuMemcpy2D_v2
entry cuMemcpy3DAsync_v2
entry cuMemcpy3DPeer
entry cuMemcpy3DPeerAsync
entry cuMemcpy3D_v2
entry cuMemcpyAsync
entry cuMemcpyAtoA_v2
entry cuMemcpyAtoD_v2
entry cuMemcpyAtoHAsync_v2
entry cuMemcpyAtoH_v2
entry cuMemcpyDtoA_v2
entry cuMemcpyDtoDAsync_v2
entry cuMemcpyDtoD_v2
entry cuMemcpyDtoHAsync_v2
entry cuMemcpyDtoH_v2
entry cuMemcpyHtoAAsync_v2
entry cuMemcpyHtoA_v2
entry cuMemcpyHtoDAsync_v2
entry cuMemcpyHtoD_v2
entry cuMemcpyPeer
entry cuMemcpyPeerAsync
entry cuMemsetD16Async
entry cuMemsetD16_v2
entry cuMemsetD2D16Async
entry cuMemsetD2D16_v2
entry cuMemsetD2D32Async
entry cuMemsetD2D32_v2
entry cuMemsetD2D8Async
entry cuMemsetD2D8_v2
entry cuMemsetD32Async
entry cuMemsetD32_v2
entry cuMemsetD8Async
entry cuMemsetD8_v2
entry cuModuleGetFunction
entry cuModuleGetGlobal_v2
entry cuModuleGetSurfRef
entry cuModuleGetTexRef
entry cuModuleLoad
entry cuModuleLoadData
entry cuModuleLoadDataEx
entry cuModuleLoadFatBinary
entry cuModuleUnload
entry cuOccupancyMaxActiveBlocksPerMultiprocessor
entry cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
entry cuPointerGetAttribute
entry cuPointerSetAttribute
entry cuStreamAttachMemAsync
entry cuStreamBeginCapture_v2
entry cuStreamCreate
entry cuStreamCreateWithPriority
entry cuStreamDestroy_v2
entry cuStreamEndCapture
entry cuStreamGetFlags
entry cuStreamGetPriority
entry cuStreamIsCapturing
entry cuStreamQuery
entry cuStreamSynchronize
entry cuStreamWaitEvent
entry cuStreamWaitValue32_v2
entry cuStreamWriteValue32_v2
entry cuSurfRefGetArray
entry cuSurfRefSetArray
entry cuTexRefGetAddressMode
entry cuTexRefGetAddress_v2
entry cuTexRefGetArray
entry cuTexRefGetBorderColor
entry cuTexRefGetFilterMode
entry cuTexRefGetFlags
entry cuTexRefGetFormat
entry cuTexRefGetMaxAnisotropy
entry cuTexRefSetAddress2D_v3
entry cuTexRefSetAddressMode
entry cuTexRefSetAddress_v2
entry cuTexRefSetArray
entry cuTexRefSetBorderColor
entry cuTexRefSetFilterMode
entry cuTexRefSetFlags
entry cuTexRefSetFormat
entry cuTexRefSetMaxAnisotropy
entry cuTexRefSetMipmapFilterMode
entry cuTexRefSetMipmapLevelBias
entry cuTexRefSetMipmapLevelClamp

.section .note.GNU-stack, "", @progbits
