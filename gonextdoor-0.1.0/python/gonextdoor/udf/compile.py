"""Compiles LLVM IR to machine code for this CPU."""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.binding as llvm

__all__ = ["loaded", "object_code"]


def object_code(text: str) -> bytes:
    """The object file of a module, optimised."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    made = llvm.parse_assembly(text)
    made.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="small",
    )
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = True
    llvm.create_pass_builder(machine, options).getModulePassManager().run(
        made, llvm.create_pass_builder(machine, options)
    )
    code: bytes = machine.emit_object(made)
    return code


def loaded(object_file: bytes, kernels: Sequence[str]) -> tuple[dict[str, int], object]:
    """The kernels' addresses, and the object that owns their memory."""
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(""), llvm.Target.from_default_triple().create_target_machine()
    )
    engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    return {name: engine.get_function_address(name) for name in kernels}, engine
