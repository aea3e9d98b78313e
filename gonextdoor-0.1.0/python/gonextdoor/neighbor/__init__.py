"""Neighbour sampling for graph neural networks: samplers, their batches, and the seeds of batches."""
