"""A part in a process whose address space is bounded, and the transport that reaches such processes by pipes."""

import os
import pickle
import resource
import struct
import subprocess
import sys

from gonextdoor.partition import Transport


def answer(stream, value):
    """Writes a pickled value with its length."""
    data = pickle.dumps(value)
    stream.write(struct.pack("<q", len(data)))
    stream.write(data)
    stream.flush()


def received(stream):
    """Reads a value that answer wrote."""
    (size,) = struct.unpack("<q", stream.read(8))
    return pickle.loads(stream.read(size))


def field(name):
    """A figure of /proc/self/status, in bytes."""
    with open("/proc/self/status") as file:
        return int(file.read().split(name + ":")[1].split()[0]) * 1024


def small_stacks():
    """Gives new threads, whose number varies, 1 MiB of address space each instead of 8 MiB."""
    resource.setrlimit(resource.RLIMIT_STACK, (2**20, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def main(small, folder, number, spare):
    """Serves calls of a part. spare is the number of bytes that may be mapped beyond those of a warm process."""
    import gonextdoor as gnd

    calls, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    warm = gnd.partition.open(small)
    gnd.partition.sample(warm, gnd.apps.Node2Vec(p=2, q=0.5, length=9), seed=1, edges=True)
    limit = field("VmSize") + spare
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    before = field("VmRSS")
    try:
        part = gnd.partition.Part(folder, number)
    except Exception as error:
        answer(results, error)
        return
    answer(results, None)
    while True:
        method, arguments = received(calls)
        if method == "memory":
            answer(results, field("VmHWM") - before)
            return
        try:
            answer(results, getattr(part, method)(*arguments))
        except Exception as error:
            answer(results, error)


class Pipes(Transport):
    """A transport to a process for each part."""

    def __init__(self, small, folder, parts, spare):
        self.parts = parts
        settings = os.environ | {"MALLOC_ARENA_MAX": "1", "GOMAXPROCS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.processes = [
            subprocess.Popen(
                [sys.executable, __file__, str(small), str(folder), str(part), str(spare)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=settings,
                preexec_fn=small_stacks,
            )
            for part in range(parts)
        ]
        for process in self.processes:
            self.result((process, None))

    def superstep(self, part, cohort, step, inboxes):
        return None, self.result(self.ask(part, "superstep", cohort, step, list(inboxes)))

    def ask(self, part, method, *arguments):
        answer(self.processes[part].stdin, (method, arguments))
        return self.processes[part], None

    def result(self, ticket):
        process, value = ticket
        if process is not None:
            value = received(process.stdout)
        if isinstance(value, Exception):
            raise value
        return value

    def restart(self, part):
        raise AssertionError(f"part {part} was lost")

    def memory(self):
        """The growth of the resident memory of each process, at its peak, in bytes. Ends the processes."""
        return [self.result(self.ask(part, "memory")) for part in range(self.parts)]

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
