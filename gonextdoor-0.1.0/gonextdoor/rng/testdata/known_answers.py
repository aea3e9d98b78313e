"""Writes known_answers.json: the random words of the contract by Python's big integers, apart from the Go code.

python known_answers.py > known_answers.json
"""

import json

GAMMA = 0x9E3779B97F4A7C15
MASK = 2**64 - 1
PURPOSES = ["choices", "roots", "seeds", "edges", "weights", "order"]


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def stream(seed, purpose):
    return mix((seed + GAMMA * (1 + purpose)) & MASK)


def key(stream, id):
    return mix(stream ^ (id * GAMMA & MASK))


def word(key, slot):
    return mix(key ^ ((slot + 1) * GAMMA & MASK))


def number(stream, id):
    high = id * (stream >> 32 | 1) + stream & 0xFFFFFFFF
    high = (high ^ high >> 17) * 0xED5AD4BB & 0xFFFFFFFF
    high = (high ^ high >> 11) * 0xAC4C1B51 & 0xFFFFFFFF
    high = (high ^ high >> 15) * 0x31848BAB & 0xFFFFFFFF
    return (high ^ high >> 14) << 32 | key(stream, id) & 0xFFFFFFFF


def main():
    numbers = [0, 1, 2, 255, 2**31, 2**32 - 1, 2**32, 2**40, 2**63, MASK]
    words, hung, below = [], [], []
    for i, seed in enumerate(numbers):
        for j, id in enumerate(numbers):
            purpose = (i + j) % len(PURPOSES)
            step, attempt = 7 * i * j, 25 * j
            s = stream(seed, purpose)
            k = key(s, id)
            w = word(k, step << 8 | attempt)
            words.append([seed, purpose, id, step, attempt, s, k, w])
            hung.append([k, step, id, key(word(k, step), id)])
    for i, n in enumerate([0, 1, 2, 3, 7, 1000, 2**24, 2**32 - 1, 2**32 + 1, MASK]):
        for w in [0, 1, MASK, 2**63, words[7 * i + 3][-1], words[9 * i][-1]]:
            product = w * n
            below.append([w, n, product >> 64, product % 2**64 >> 32, (w * GAMMA & MASK) >> 32])
    shared = [[w[5], id, number(w[5], id)] for w in words[::7] for id in (0, 1, 255, 2**31, 2**32 - 1)]
    mixed = [[x, mix(x)] for x in numbers]

    def rows(table):
        # Decimal text: JSON numbers beyond 2^53 lose digits in many readers.
        return "[\n    " + ",\n    ".join(json.dumps([str(x) for x in row]) for row in table) + "\n  ]"

    tables = {
        "mix: x, mix": mixed,
        "words: seed, purpose, id, step, try, stream, key, word": words,
        "hung: key, slot, id, key under the slot": hung,
        "numbers: stream, id, number": shared,
        "below: word, n, index, fraction, second": below,
    }
    body = ",\n  ".join(f"{json.dumps(name)}: {rows(table)}" for name, table in tables.items())
    print("{\n  " + body + "\n}")


main()
