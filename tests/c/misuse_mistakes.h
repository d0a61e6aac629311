/*
 * One mistake at a time, in each argument of a right call and in each field of its structs: for misuse.c.
 *
 * FAIL: this has to be an error. FINE: it has to be right. ANY: either, but nothing is harmed. HURT: a block is damaged, and may say that it is in use.
 */
#ifndef MISUSE_MISTAKES_H
#define MISUSE_MISTAKES_H

#include "misuse.h"

/* Mistakes in memory, one after the other. */
struct place {
    const struct row *row;
    const union value *v;
    char what[96];
};

static void poke(const struct place *place, void *at, const void *bytes, size_t size, enum must must, const char *mistake) {
    char what[160];
    snprintf(what, sizeof what, "%s: %s", place->what, mistake);
    memcpy(at, bytes, size);
    (void)attempt(place->row, place->v, must, what);
}

static void poke_u32(const struct place *p, void *at, uint32_t n, enum must must, const char *mistake) { poke(p, at, &n, 4, must, mistake); }
static void poke_u64(const struct place *p, void *at, uint64_t n, enum must must, const char *mistake) { poke(p, at, &n, 8, must, mistake); }

static const struct { double number; enum must must, infinite, negative; const char *name; } NUMBERS[] = {
    {NAN, FAIL, FAIL, FAIL, "NaN"}, {INFINITY, FAIL, ANY, FAIL, "infinite"}, {-INFINITY, FAIL, ANY, FAIL, "-infinite"},
    {-1, ANY, ANY, FAIL, "-1"}, {0, ANY, ANY, ANY, "0"}, {1e300, ANY, ANY, ANY, "1e300"}, {-1e300, ANY, ANY, FAIL, "-1e300"},
    {5e-324, ANY, ANY, ANY, "5e-324"}, {1e18, ANY, ANY, ANY, "1e18"},
};
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static enum must must_of(size_t i, char letter) {
    return letter == 'p' ? NUMBERS[i].negative : letter == 'f' ? NUMBERS[i].must : letter == 'F' ? NUMBERS[i].infinite : ANY;
}

static void poke_double(const struct place *place, void *at, char letter) {
    for (size_t i = 0; i < COUNT_OF(NUMBERS); i++) poke(place, at, &NUMBERS[i].number, 8, must_of(i, letter), NUMBERS[i].name);
}

/* A dem_array, dem_output or dem_indices, which begin alike. */
static void poke_array(const struct place *place, unsigned char *at, char letter) {
    dem_array *array = (void *)at;
    const dem_array was = *array;
    if (was.data == NULL) return;
    const size_t width = was.type == DEM_F64 || was.type == DEM_U64 ? 8 : 4;
    poke_u64(place, &array->data, 0, ANY, "null data");
    const enum must more = letter == 'W' || letter == 'C' ? ANY : FAIL; /* An output may have more room, and some arrays more items. */
    poke_u64(place, &array->count, SIZE_MAX, more, "count SIZE_MAX");
    if (letter != 'I') poke_u64(place, &array->count, SIZE_MAX / 16, more, "count SIZE_MAX / 16"); /* Indices are read until one is wrong. */
    poke_u64(place, &array->count, was.count - 1, ANY, "one too few");
    poke_u64(place, &array->count, 0, ANY, "count 0");
    poke_u64(place, &array->stride, SIZE_MAX / 2, was.count > 2 ? FAIL : ANY, "stride SIZE_MAX / 2");
    poke_u64(place, &array->stride, 1, ANY, "stride 1");
    poke_u64(place, &array->component_stride, SIZE_MAX - 7, ANY, "component_stride -8");
    poke_u64(place, &array->component_stride, 1, ANY, "component_stride 1");
    for (uint32_t type = 0; type < 7; type++)
        if (type != DEM_F64 && (width == 8 || type != DEM_U64)) poke_u32(place, &array->type, type, type == 0 || type > DEM_U64 ? FAIL : ANY, "another type");
    if (letter != 'I') poke_u32(place, &array->reserved, 1, FAIL, "reserved 1");
    else poke_u32(place, &array->reserved, 7, ANY, "base 7");
    if (letter == 'W') return;
    const struct item *item = item_of(was.data);
    if (item == NULL || item->bytes < width) return;
    unsigned char *const ends[2] = {(unsigned char *)(uintptr_t)was.data, item->at + item->bytes - width};
    for (size_t k = 0; k < 2; k++) {
        if (was.type == DEM_F64) poke_double(place, ends[k], letter == 'a' ? 'F' : letter == 'C' ? 'g' : 'f');
        else poke_u32(place, ends[k], UINT32_MAX, ANY, "an item 0xffffffff");
    }
}

/* One mistake in each field of a struct. */
static void poke_fields(struct place *place, unsigned char *at, const char *layout) {
    const size_t name = strlen(place->what);
    unsigned char *const start = at;
    for (const char *letter = layout; *letter != 0; letter++) {
        snprintf(place->what + name, sizeof place->what - name, " byte %td", at - start);
        const uint32_t u = *(const uint32_t *)(const void *)at;
        switch (*letter) {
        case 'z':
            poke_u32(place, at, 0, FAIL, "struct_size 0");
            poke_u32(place, at, 3, FAIL, "struct_size 3");
            poke_u32(place, at, u + 4, FAIL, "struct_size with more");
            poke_u32(place, at, UINT32_MAX, FAIL, "struct_size 0xffffffff");
            at += 4;
            break;
        case 'r': poke_u32(place, at, 1, FAIL, "reserved 1"), at += 4; break;
        case 'R': poke_u64(place, at, 1, FAIL, "reserved 1"), at += 8; break;
        case 'o': poke_u32(place, at, 77, FAIL, "77"), poke_u32(place, at, UINT32_MAX, FAIL, "0xffffffff"), at += 4; break;
        case 'q': poke_u64(place, at, 77, FAIL, "77"), poke_u64(place, at, SIZE_MAX, FAIL, "SIZE_MAX"), at += 8; break;
        case 'u': poke_u32(place, at, 0, ANY, "0"), poke_u32(place, at, UINT32_MAX, ANY, "0xffffffff"), at += 4; break;
        case 'U': poke_u64(place, at, 0, ANY, "0"), poke_u64(place, at, SIZE_MAX, ANY, "SIZE_MAX"), at += 8; break;
        case 'f': case 'p': case 'F': case 'g': poke_double(place, at, *letter), at += 8; break;
        case '*': poke_u64(place, at, 0, FAIL, "null"), at += 8; break;
        case '?': poke_u64(place, at, 0, ANY, "null"), at += 8; break;
        case 'X': at += 8; break;
        case 'Y': at += sizeof(dem_array); break;
        case '@': case '#':
            poke_u64(place, at, 0, *letter == '@' ? FAIL : ANY, "null");
            if (*(void **)(void *)at != NULL) poke_u64(place, at, *(uint64_t *)(void *)at + 8, FAIL, "off by 8");
            for (size_t i = 0; i < block_count; i++)
                if (blocks[i].kind != 's') poke_u64(place, at, (uintptr_t)blocks[i].at, FAIL, "a block of another kind");
            at += 8;
            break;
        case 'n':
            poke_u64(place, at, SIZE_MAX, FAIL, "SIZE_MAX"), poke_u64(place, at, SIZE_MAX / 16, FAIL, "SIZE_MAX / 16");
            poke_u64(place, at, 0, ANY, "0"), at += 8;
            break;
        case 's': poke_u64(place, at, 1, ANY, "1"), poke_u64(place, at, SIZE_MAX / 2 - 6, ANY, "SIZE_MAX / 2"), at += 8; break;
        case 'A': case 'a': case 'C': case 'W': case 'I': poke_array(place, at, *letter), at += sizeof(dem_array); break;
        case 'Q': {
            const double zeros[4] = {0, 0, 0, 0};
            for (size_t i = 0; i < 7; i++) poke_double(place, at + 8 * i, 'f');
            poke(place, at + 24, zeros, sizeof zeros, ANY, "no orientation");
            at += sizeof(dem_pose);
            break;
        }
        case 'T':
            poke_u64(place, at + offsetof(dem_tasks, lanes), SIZE_MAX, ANY, "lanes SIZE_MAX");
            poke_u64(place, at + offsetof(dem_tasks, reserved), 1, FAIL, "tasks with reserved 1");
            at += sizeof(dem_tasks);
            break;
        default: abort();
        }
    }
    place->what[name] = 0;
}

/* One mistake in a block: none, crooked, of another kind, filled with something else, with a flipped bit. */
static void misuse_block(struct place *place, union value *v, size_t i) {
    const struct argument *a = &place->row->arguments[i];
    unsigned char *at = a->value.p;
    char kind = 0;
    v[i].p = at + 8;
    (void)attempt(place->row, v, FAIL, "block off by 8");
    for (size_t k = 0; k < block_count; k++)
        if (blocks[k].at == at) kind = blocks[k].kind;
    for (size_t k = 0; k < block_count; k++) {
        v[i].p = blocks[k].at;
        /* What reads a scene takes a world, too. */
        const int world = a->role == KEPT && kind == 'c' && blocks[k].kind == 'w';
        if (blocks[k].kind != kind && kind != 0) (void)attempt(place->row, v, world ? ANY : FAIL, "a block of another kind");
    }
    v[i].p = at;
    memset(at, 0, 64), (void)attempt(place->row, v, FAIL, "first line of a block zeroed");
    memset(at, 0, a->bytes), (void)attempt(place->row, v, FAIL, "block zeroed");
    memset(at, 0xA5, a->bytes), (void)attempt(place->row, v, FAIL, "block 0xA5");
    memset(at + a->bytes / 2, 0xA5, a->bytes - a->bytes / 2), (void)attempt(place->row, v, HURT, "second half of a block lost");
    memset(at + 256, 0, a->bytes - 256), (void)attempt(place->row, v, HURT, "all but the head of a block zeroed");
    static uint64_t random = 1;
    for (size_t k = 0; k < FLIPS; k++) {
        char what[64];
        random = random * 6364136223846793005u + 1442695040888963407u;
        const size_t bit = (size_t)(random >> 20) % (8 * (k % 2 == 0 ? 256 : a->bytes));
        snprintf(what, sizeof what, "bit %zu of byte %zu of a block flipped", bit % 8, bit / 8);
        at[bit / 8] ^= (unsigned char)(1u << bit % 8);
        (void)attempt(place->row, v, HURT, what);
    }
}

static void misuse_heap(struct place *place, union value *v, size_t i) {
    dem_block *block = v[i].p;
    for (giver = GIVES_NONE; giver <= GIVES_CROOKED; giver++) {
        (void)attempt(place->row, v, ANY, "no more memory");
        block->start = NULL, block->size = 0;
        (void)attempt(place->row, v, FAIL, "neither block nor memory");
    }
    giver = GIVES;
    poke_u64(place, &block->resize, 0, ANY, "no function that gets memory");
    if (block->start != NULL) {
        poke_u64(place, &block->size, 0, ANY, "block of size 0");
        poke_u64(place, &block->size, 64, ANY, "block of size 64");
        poke_u64(place, &block->start, (uintptr_t)block->start + 8, FAIL, "block off by 8");
        poke_u64(place, &block->start, 0, ANY, "block without start");
    }
}

/* All mistakes in one argument. */
static void misuse_argument(struct place *place, union value *v, size_t i) {
    const struct row *row = place->row;
    const struct argument *a = &row->arguments[i];
    const union value was = v[i];
    unsigned char *at = was.p;
    snprintf(place->what, sizeof place->what, "argument %zu", i);
    char what[128];
#define TRY(must, mistake) (snprintf(what, sizeof what, "%s: %s", place->what, mistake), attempt(row, v, must, what))
    const int pointer = a->role <= LIST_OR_NULL, optional = a->role == MAYBE_JUNK || a->role == LIST_OR_NULL || a->role == MAYBE || a->role == COUNT || a->role == OPTION;
    if (pointer) v[i].p = NULL, (void)TRY(optional ? ANY : FAIL, "null"), v[i] = was;
    switch (a->role) {
    case OUT: case MAYBE: case JUNK: case MAYBE_JUNK: case COUNT:
        slack = 8, v[i].p = at + 1, (void)TRY(ANY, "crooked"), v[i] = was, slack = 0;
        /* Small outputs are not compared with blocks. */
        for (size_t k = 0; a->bytes >= 1024 && k < MOST_ARGUMENTS; k++)
            if (row->arguments[k].role == BLOCK || row->arguments[k].role == ENDED || row->arguments[k].role == KEPT) v[i].p = row->arguments[k].value.p, (void)TRY(FAIL, "output in a block");
        break;
    case BLOCK: case ENDED: case KEPT: misuse_block(place, v, i); break;
    case FRESH: v[i].p = at + 8, (void)TRY(FAIL, "memory off by 8"); break;
    case HEAP: misuse_heap(place, v, i); break;
    case STRUCT: case OPTION: {
        const size_t each = a->bytes / a->items;
        memset(at, 0xA5, a->bytes), (void)TRY(a->layout[0] == 'z' ? FAIL : ANY, "never initialised");
        memset(at, 0, a->bytes), (void)TRY(a->layout[0] == 'z' ? FAIL : ANY, "zeros");
        slack = 8, v[i].p = at + 4, (void)TRY(ANY, "crooked"), v[i] = was, slack = 0;
        poke_fields(place, at, a->layout);
        if (a->items > 1) poke_fields(place, at + (a->items - 1) * each, a->layout);
        break;
    }
    case ROOM: case SIZE: case MANY: {
        const size_t less[] = {0, 1, was.n / 2, was.n - 1};
        for (size_t k = 0; k < COUNT_OF(less); k++) v[i].n = less[k], (void)TRY(ANY, "less");
        if (a->role == MANY) v[i].n = SIZE_MAX, (void)TRY(FAIL, "SIZE_MAX");
        break;
    }
    case KEPT_LIST: case LIST_OR_NULL:
        if (at == NULL) break;
        for (int byte = 0; byte < 256; byte += 0xA5) memset(at, byte, a->bytes), (void)TRY(ANY, "other numbers");
        memset(at, 0xFF, a->bytes), (void)TRY(ANY, "all bits");
        break;
    case SCRATCH: {
        const union value size = v[i + 1];
        v[i].p = NULL, v[i + 1].n = 0;
        const int needed = TRY(ANY, "no scratch") == DEM_ERROR_CAPACITY;
        v[i + 1] = size, (void)TRY(needed ? FAIL : ANY, "null scratch");
        for (size_t k = 0; needed && k < MOST_ARGUMENTS; k++)
            if (row->arguments[k].role == BLOCK || row->arguments[k].role == ENDED || row->arguments[k].role == KEPT) v[i].p = row->arguments[k].value.p, (void)TRY(FAIL, "scratch in a block");
        v[i].p = at + 1, v[i + 1].n = size.n - 1, (void)TRY(ANY, "crooked scratch"), v[i + 1] = size;
        break;
    }
    case STRIDE: {
        const size_t strides[] = {1, 3, SIZE_MAX / 2, SIZE_MAX};
        for (size_t k = 0; k < COUNT_OF(strides); k++) v[i].n = strides[k], (void)TRY(ANY, "another stride");
        break;
    }
    case CHOICE: v[i].n = 77, (void)TRY(FAIL, "77"), v[i].n = UINT32_MAX, (void)TRY(FAIL, "0xffffffff"); break;
    case FEW: v[i].n = 0, (void)TRY(ANY, "0"); break;
    case NUMBER: v[i].n = 0, (void)TRY(ANY, "0"), v[i].n = UINT32_MAX, (void)TRY(ANY, "0xffffffff"), v[i].n = SIZE_MAX, (void)TRY(ANY, "SIZE_MAX"); break;
    case LIMIT: case REAL: case POSITIVE:
        for (size_t k = 0; k < COUNT_OF(NUMBERS); k++) v[i].d = NUMBERS[k].number, (void)TRY(must_of(k, a->role == LIMIT ? 'F' : a->role == REAL ? 'f' : 'p'), NUMBERS[k].name);
        break;
    default: break;
    }
    v[i] = was;
#undef TRY
}

/* Each row as it stands, in each phase of a world, and with one mistake at a time. */
static void misuse(const struct row *rows, size_t count, void *const worlds[4]) {
    for (const struct row *row = rows; row < rows + count; row++) {
        union value v[MOST_ARGUMENTS];
        for (size_t i = 0; i < MOST_ARGUMENTS; i++) v[i] = row->arguments[i].value;
        struct place place = {row, v, ""};
        const int before_it = faults;
        const long calls_before = calls;
        (void)attempt(row, v, FINE, "as it should be");
        for (size_t i = 0; i < MOST_ARGUMENTS && row->arguments[i].role != NONE; i++) {
            const struct argument *a = &row->arguments[i];
            misuse_argument(&place, v, i);
            for (size_t k = 0; row->phases != NULL && k < 4; k++) {
                const enum must must = row->phases[k] == '+' ? FINE : row->phases[k] == '-' ? FAIL : ANY;
                static struct row there;
                there = *row;
                if (a->role == HEAP && a->items >= 3) {
                    ((dem_block *)v[i].p)->start = worlds[k];
                    (void)attempt(&there, v, must, "in another phase");
                } else if ((a->role == BLOCK || a->role == ENDED || a->role == KEPT) && a->items == 3) {
                    v[i].p = there.arguments[i].value.p = worlds[k];
                    (void)attempt(&there, v, must, "in another phase");
                    v[i] = a->value;
                }
            }
        }
        if (faults > before_it || calls - calls_before < 2) printf("%s: %d faults of %ld calls\n", row->name, faults - before_it, calls - calls_before);
    }
}

#endif
