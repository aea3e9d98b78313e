"""Forest fire (Leskovec et al., KDD'05): each burning vertex sets a geometric number of its unburned neighbours on
fire.

The built-in ForestFire counts as far as it must; a hook has 32 separate words for each choice, so this one burns 31
at most. For probabilities up to one half the difference is negligible.
"""

import gonextdoor as gnd


def burning(ctx):
    k = 0
    for i in range(31):
        if ctx.chance(i) >= ctx.spread:
            return k
        k += 1
    return k


def forest_fire(probability, depth=4):
    params = {"spread": round(probability * 2**32)}
    return gnd.App(sample_size=burning, steps=depth, unique="sample", weighted=False, params=params)


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    print(gnd.sample(graph, forest_fire(0.4), roots=3, seed=7).lengths)
