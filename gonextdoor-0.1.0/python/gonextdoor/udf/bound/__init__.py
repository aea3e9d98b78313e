"""The bound of a user's hook ``edge_bias``: an upper bound of the biases of a transit's candidates.

A bound depends on the app and the graph only. It is part of the samples' definition, since proposals are accepted by
bias / bound: a change here changes samples.

One abstract interpreter (interpreter) runs a hook on the values of a domain: hookranges on ranges, acceptance on the
numbers of a probe. ranges has the arithmetic of ranges, graphfacts those of a graph, and errors the errors that ranges
do not exclude. From ranges follows the inferred bound (inferred); other bounds are measured on the graph (measured).
choice takes the first that exists.
"""
