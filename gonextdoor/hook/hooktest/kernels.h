// Compiled hooks for tests: node2vec and some others, as a compiler of users' hooks makes them.
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// The twins of hook.Run and hook.Block; TestLayout compares the sizes.
typedef struct {
	const void *address;
	int64_t length;
} array;
typedef struct {
	const uint64_t *indptr;
	const uint32_t *indices;
	const double *weights;
	const int32_t *labels;
	const int64_t *times;
	const void *edge_ids;
	const double *largest, *prefix;
	const uint32_t *slots;
	_Atomic uint64_t *fault;
	uint64_t vertices, edges, first, edge_id_size, set_buckets, set_bits, set_shift, mirrored;
	uint64_t params[32];
	array arrays[16];
} run;
typedef struct {
	const run *r;
	int64_t n, step;
	const uint64_t *row;
	const uint32_t *transit, *prev;
	const uint64_t *prev_edge;
	const uint32_t *slot, *size;
	const uint64_t *key, *words;
	uint32_t *const *sample;
	int32_t *const *ends;
	const uint32_t *roots;
	const uint64_t *edge;
	const uint32_t *dst;
	uint32_t *out;
} block;

static uint64_t run_size(void) { return sizeof(run); }
static uint64_t block_size(void) { return sizeof(block); }

enum { none = 0xFFFFFFFFu };

static uint64_t word(uint64_t key, uint64_t slot) {
	uint64_t x = key ^ (slot + 1) * 0x9E3779B97F4A7C15u;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
	x = (x ^ x >> 27) * 0x94D049BB133111EBu;
	return x ^ x >> 31;
}

static void note(const block *b, int64_t i, uint64_t kind) {
	uint64_t code = b->row[i] << 24 | ((uint64_t)b->step & 0xFFFF) << 8 | kind;
	uint64_t lowest = atomic_load(b->r->fault);
	while (code < lowest && !atomic_compare_exchange_weak(b->r->fault, &lowest, code)) {
	}
}

static int has_edge(const run *r, uint32_t u, uint32_t v) {
	for (uint64_t p = r->indptr[u]; p < r->indptr[u + 1]; p++)
		if (r->indices[p] == v) return 1;
	return 0;
}

// Params: back, one, away; and what vertex_bias adds.
static uint32_t bias(const block *b, int64_t i, uint64_t edge, uint32_t dst) {
	uint32_t prev = b->prev[i];
	uint32_t weight = b->r->weights ? (uint32_t)b->r->weights[edge] % 1024 + 1 : 1;
	uint64_t factor = b->r->params[2];
	if (prev == none || has_edge(b->r, prev, dst)) factor = b->r->params[1];
	if (dst == prev) factor = b->r->params[0];
	return (uint32_t)factor * weight;
}

static void edge_bias(const void *p) {
	const block *b = p;
	for (int64_t i = 0; i < b->n; i++) b->out[i] = bias(b, i, b->edge[i], b->dst[i]);
}

static void row_bias(const void *p) {
	const block *b = p;
	uint32_t *out = b->out;
	for (int64_t i = 0; i < b->n; i++)
		for (uint64_t k = 0; k < b->dst[i]; k++) *out++ = bias(b, i, b->edge[i] + k, b->r->indices[b->edge[i] + k]);
}

static void bound(const void *p) {
	const block *b = p;
	uint64_t most = b->r->params[0];
	if (b->r->params[1] > most) most = b->r->params[1];
	if (b->r->params[2] > most) most = b->r->params[2];
	for (int64_t i = 0; i < b->n; i++) b->out[i] = (uint32_t)most * 1024;
}

// A neighbour drawn by the hook's own word, or none if a byte of another is 0.
static void next(const void *p) {
	const block *b = p;
	for (int64_t i = 0; i < b->n; i++) {
		uint64_t first = b->r->indptr[b->transit[i]], n = b->r->indptr[b->transit[i] + 1] - first;
		uint64_t at = (uint64_t)((unsigned __int128)word(b->key[i], b->words[i]) * n >> 64);
		int gone = n == 0 || (word(b->key[i], b->words[i] + 1) & 31) == 0;
		b->out[i] = gone ? none : b->r->indices[first + at];
	}
}

static void vertex_bias(const void *p) {
	const block *b = p;
	for (int64_t i = 0; i < b->n; i++) {
		uint32_t v = b->dst[i];
		b->out[i] = (uint32_t)(b->r->indptr[v + 1] - b->r->indptr[v]) + (uint32_t)b->r->params[3];
	}
}

// Back to the root, stay, or on; it reads all that a hook can of the sample.
static void update(const void *p) {
	const block *b = p;
	for (int64_t i = 0; i < b->n; i++) {
		uint64_t w = word(b->key[i], b->words[i] + 2);
		uint32_t size = b->size[i], roots = b->roots[i];
		const uint32_t *sample = b->sample[i];
		const int32_t *ends = b->ends ? b->ends[i] : NULL;
		uint32_t before = ends ? (uint32_t)ends[b->step] : roots + (uint32_t)b->step;
		uint32_t last = sample[before - 1];
		switch (w & 15) {
		case 0: b->out[i] = sample[0]; break;
		case 1: b->out[i] = b->transit[i]; break;
		case 2: b->out[i] = last == none || size != before - roots ? b->dst[i] : last; break;
		case 3: b->out[i] = (w >> 4 & 7) == 0 ? none : b->dst[i]; break;
		case 4: b->out[i] = b->slot[i] % 2 && b->edge[i] != ~0ull ? b->r->indices[b->edge[i]] : b->dst[i]; break;
		default: b->out[i] = b->dst[i];
		}
	}
}

static void stop(const void *p) {
	const block *b = p;
	for (int64_t i = 0; i < b->n; i++) b->out[i] = (word(b->key[i], b->words[i] + 3) >> 40) % 11 == 0;
}

static void fanout(const void *p) {
	const block *b = p;
	for (int64_t i = 0; i < b->n; i++) b->out[i] = (uint32_t)(word(b->key[i], b->words[i] + 4) % 4);
}

// A bias of 1, and a fault at some samples from step 2 on.
static uint32_t fails(const block *b, int64_t i) {
	if (b->step < 2 || b->row[i] % 5 != 3) return 1;
	note(b, i, 6 + (uint64_t)(b->step & 1));
	return 0;
}

static void faulty(const void *p) {
	const block *b = p;
	for (int64_t i = 0; i < b->n; i++) b->out[i] = fails(b, i);
}

static void faulty_row(const void *p) {
	const block *b = p;
	uint32_t *out = b->out;
	for (int64_t i = 0; i < b->n; i++)
		for (uint64_t k = 0; k < b->dst[i]; k++) *out++ = fails(b, i);
}

// A bias of 128, and at some candidates a fault, or the bias params[3] if it is not 0.
static uint32_t refuses(const block *b, int64_t i, uint32_t dst) {
	if (dst % 200 != 7) return 128;
	if (b->r->params[3]) return (uint32_t)b->r->params[3];
	note(b, i, 8);
	return 0;
}

static void refusing(const void *p) {
	const block *b = p;
	for (int64_t i = 0; i < b->n; i++) b->out[i] = refuses(b, i, b->dst[i]);
}

static void refusing_row(const void *p) {
	const block *b = p;
	uint32_t *out = b->out;
	for (int64_t i = 0; i < b->n; i++)
		for (uint64_t k = 0; k < b->dst[i]; k++) *out++ = refuses(b, i, b->r->indices[b->edge[i] + k]);
}

// 1 more than the end point, which may be read past the end of the file.
static void ends_row(const void *p) {
	const block *b = p;
	uint32_t *out = b->out;
	for (int64_t i = 0; i < b->n; i++)
		for (uint64_t k = 0; k < b->dst[i]; k++) *out++ = 1 + b->r->indices[b->edge[i] + k];
}

// The kernels by number: Go cannot take the address of a static function.
static uint64_t kernel(int number) {
	void (*all[])(const void *) = {edge_bias, row_bias, bound, next, vertex_bias, update, stop, fanout, faulty, faulty_row, refusing, refusing_row, ends_row};
	return (uint64_t)(uintptr_t)all[number];
}
