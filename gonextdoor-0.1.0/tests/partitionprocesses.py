"""Parts in separate processes, which report their memory: a transport over pipes."""

import multiprocessing
import sys

import gonextdoor as gnd


def resident(field):
    """A memory figure of this process, in bytes: VmRSS now, or VmHWM at most."""
    with open("/proc/self/status") as file:
        return 1024 * next(int(line.split()[1]) for line in file if line.startswith(field))


def serve(folder, number, pipe):
    """Answers the calls of a pipe with a part, until None arrives; then sends how much memory the part took."""
    before = resident("VmRSS")
    part = gnd.partition.Part(folder, number)
    while (call := pipe.recv()) is not None:
        method, arguments = call
        pipe.send(getattr(part, method)(*arguments))
    pipe.send(resident("VmHWM") - before)


class Processes(gnd.partition.Transport):
    """Runs each part but one in a process."""

    def __init__(self, folder, parts, home):
        self.parts, self._pipes = parts, {}
        context = multiprocessing.get_context("spawn")
        for part in range(parts):
            if part != home:
                self._pipes[part], end = context.Pipe()
                context.Process(target=serve, args=(folder, part, end), daemon=True).start()

    def ask(self, part, method, *arguments):
        self._pipes[part].send((method, arguments))
        return part

    def result(self, ticket):
        return self._pipes[ticket].recv()

    def superstep(self, part, cohort, step, inboxes):
        raise NotImplementedError

    def restart(self, part):
        raise NotImplementedError

    def close(self):
        for pipe in self._pipes.values():
            pipe.send(None)

    def memory(self):
        """Ends the parts. Returns the bytes that each took."""
        self.close()
        return [pipe.recv() for pipe in self._pipes.values()]


def seeds_of(batch):
    """The seed nodes of a batch."""
    return range(1000 * batch, 1000 * batch + 1000)


def main(folder, home, batches):
    """Draws batches at one part. Prints sums over each, and at the end the bytes that each part took."""
    graph = gnd.partition.open(folder)
    transport = Processes(folder, graph.parts, home)
    before = resident("VmRSS")
    sampler = gnd.partition.NeighborSampler(graph, [15, 10], home=home, transport=transport)
    for batch in range(batches):
        drawn = sampler.draw(seeds_of(batch), batch)
        arrays = drawn.split(drawn.arena)
        print(int(arrays.nodes[0].sum()), int(arrays.edges[0].sum()), int(arrays.row[0].sum()))
    print(resident("VmHWM") - before, *transport.memory())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
