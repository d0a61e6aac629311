/*
 * What misuse.c is made of: memory with gaps that nobody may touch, and wrong calls that are made from right ones.
 *
 * All that calls are handed lies in one arena, item by item, with gaps between them. It is copied before each call. After it, each byte that
 * the call was not allowed to write must be what it was: inputs, blocks, gaps. A right call is a row of a table: the function, and for each
 * argument its value and what it is for (`role`). Each row is called as it stands, and then with one mistake at a time.
 */
#ifndef MISUSE_H
#define MISUSE_H

#include <dem_broad.h>
#include <dem_heap.h>
#include <dem_pair.h>
#include <dem_papers.h>
#include <dem_world.h>
#include <math.h>
#include <string.h>

/* What an argument is for. */
enum role {
    NONE,
    OUT,     /* written; as it was after an error */
    MAYBE,   /* the same, may be null */
    JUNK,    /* written, also where an error comes */
    MAYBE_JUNK, /* the same, may be null */
    COUNT,   /* a count that tells what is needed, also where an error comes; may be null */
    BLOCK,   /* a block that is changed; as it was after an error */
    ENDED,   /* the same; but an error may end what was under way in it */
    KEPT,    /* a block that is read; or another one that keeps its bytes */
    FRESH,   /* memory for a block, which is none before */
    STRUCT,  /* a struct that is read, with `layout` */
    OPTION,  /* the same, may be null */
    HEAP,    /* a dem_block */
    KEPT_LIST,    /* an array that is read */
    LIST_OR_NULL, /* the same, may be null */
    ROOM,    /* how many bytes or items the argument before has, which must be enough */
    MANY,    /* how many items the argument before has: too large a number must be noticed */
    STRIDE,  /* bytes from one record to the next */
    SCRATCH, /* scratch, and behind it its size */
    SIZE,    /* size of scratch */
    CHOICE,  /* one of a few numbers */
    NUMBER,  /* any number */
    FEW,     /* any number, and work in proportion to it */
    LIMIT,   /* not NaN */
    REAL,    /* a finite number */
    POSITIVE /* a finite number, not negative */
};

union value {
    void *p;
    size_t n;
    double d;
};

struct argument {
    enum role role;
    union value value;
    size_t bytes;       /* of what `p` points to */
    const char *layout; /* of a struct: a letter for each field, see `poke_fields` */
    size_t items;       /* how many of these structs there are */
    size_t kept;        /* of a block with scratch behind it, how many bytes stay as they were after an error; 0: all */
};

#define MOST_ARGUMENTS 13

struct row {
    const char *name;
    int32_t (*call)(const union value *v, dem_error *error);
    const char *phases; /* of a world, whether the call is right: idle, begun, at the law, done; null where there is no world */
    struct argument arguments[MOST_ARGUMENTS];
};

/* In C11 an argument that is a pointer, a number or a double has to be initialised by its own member of the union. */
#define P(role, pointer, bytes) {role, {.p = (void *)(uintptr_t)(pointer)}, bytes, "", 1, 0}
/* A block of which only so many bytes have to stay. */
#define F(role, pointer, bytes, kept) {role, {.p = (void *)(uintptr_t)(pointer)}, bytes, "", 1, kept}
#define N(role, number) {role, {.n = (size_t)(number)}, 0, NULL, 0, 0}
#define D(role, number) {role, {.d = (number)}, 0, NULL, 0, 0}
#define S(role, pointer, fields) {role, {.p = (void *)(uintptr_t)(pointer)}, sizeof *(pointer), fields, 1, 0}
#define L(role, pointer, count, fields) {role, {.p = (void *)(uintptr_t)(pointer)}, (count) * sizeof *(pointer), fields, count, 0}
/* A block of this kind, a world that is replaced by those of other phases (`items` is 3), and a dem_block with one. */
#define B(role, pointer, bytes) P(role, pointer, bytes)
#define W(role, pointer, bytes) {role, {.p = (void *)(uintptr_t)(pointer)}, bytes, NULL, 3, 0}
#define H(pointer, world) {HEAP, {.p = (pointer)}, sizeof(dem_block), NULL, world, 0}
#define WORK P(SCRATCH, scratch, SCRATCH_SIZE), N(SIZE, SCRATCH_SIZE)


/* The arena: items with gaps between them. What the sanitizers and valgrind can see, they are told. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define CLOSE(at, size) __asan_poison_memory_region(at, size)
#define REOPEN(at, size) __asan_unpoison_memory_region(at, size)
#elif defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define CLOSE(at, size) (void)VALGRIND_MAKE_MEM_NOACCESS(at, size)
#define REOPEN(at, size) (void)VALGRIND_MAKE_MEM_DEFINED(at, size)
#endif
#endif
#ifndef CLOSE
#define CLOSE(at, size) ((void)0)
#define REOPEN(at, size) ((void)0)
#endif

enum { ARENA = 1 << 21, GAP = 64, SLACK = 16, MOST_ITEMS = 256, MOST_BLOCKS = 16, FLIPS = 24 };
static _Alignas(64) unsigned char arena[ARENA], master[ARENA], before[ARENA];
static size_t used = GAP;
static struct item {
    unsigned char *at;
    size_t bytes;
} items[MOST_ITEMS];
static size_t item_count = 0;
/* Blocks of all kinds, to be mistaken for each other. */
static struct block {
    void *at;
    char kind;
} blocks[MOST_BLOCKS];
static size_t block_count = 0;
static dem_error *error_at;
static int faults = 0;
static long calls = 0;

/* Bytes at a multiple of 64, with gaps around them. */
static void *room(size_t bytes) {
    if (used + bytes + 2 * GAP > ARENA || item_count == MOST_ITEMS) abort();
    unsigned char *at = arena + used;
    memset(at, 0xA5, bytes);
    items[item_count++] = (struct item){at, bytes};
    used = (used + bytes + GAP + 63) / 64 * 64;
    return at;
}

/* A copy of an array. */
static void *put(const void *data, size_t bytes) { return memcpy(room(bytes), data, bytes); }

/* A copy of a struct, and behind it bytes that are not 0: what a larger `struct_size` asks for. */
static void *put_struct(const void *data, size_t bytes) {
    void *at = memcpy(room(bytes + SLACK), data, bytes);
    items[item_count - 1].bytes = bytes + SLACK;
    return at;
}

static void *put_block(char kind, const void *data, size_t bytes) {
    void *at = memcpy(room(bytes), data, bytes);
    if (block_count == MOST_BLOCKS) abort();
    blocks[block_count++] = (struct block){at, kind};
    return at;
}

static const struct item *item_of(const void *p) {
    for (size_t i = 0; i < item_count; i++)
        if ((uintptr_t)p - (uintptr_t)items[i].at < items[i].bytes) return &items[i];
    return NULL;
}

/* All is in place: from here on, each call begins with these bytes. */
static void begin(void) {
    if (error_at == NULL) error_at = room(sizeof *error_at);
    REOPEN(arena, used); /* Scratch was used, and holds anything. */
    memcpy(master, arena, used);
}

/* What a dem_block gets is not in the arena, but has a gap behind it, too. */
static struct given {
    unsigned char *at;
    size_t size;
} given[64];
static size_t given_count = 0;
static enum { GIVES, GIVES_NONE, GIVES_CROOKED } giver = GIVES;

static void *resize(void *context, void *old, size_t old_size, size_t size) {
    (void)context, (void)old, (void)old_size;
    if (size == 0 || giver == GIVES_NONE || given_count == 64 || size > (1u << 28)) return NULL;
    unsigned char *at = aligned_alloc(64, (size + GAP + 8 + 63) / 64 * 64);
    if (at == NULL) return NULL;
    const size_t shift = giver == GIVES_CROOKED ? 8 : 0;
    memset(at + shift + size, 0xC3, GAP);
    given[given_count++] = (struct given){at, size + shift};
    return at + shift;
}

static int gaps_are_whole(void) {
    int whole = 1;
    for (size_t i = 0; i < given_count; i++) {
        for (size_t k = 0; k < GAP; k++) whole &= given[i].at[given[i].size + k] == 0xC3;
        free(given[i].at);
    }
    given_count = 0;
    return whole;
}

/* One wrong call. What is handed over crooked ends so many bytes later. */
static size_t slack = 0;
enum must { ANY, FAIL, FINE, HURT };

static void fault(const struct row *row, const char *what, const char *problem, int32_t status) {
    char text[DEM_ERROR_TEXT] = "";
    if (status < 0) (void)dem_error_format(text, sizeof text, NULL, error_at);
    printf("%s: %s: %s: %s, %s\n", row->name, what, problem, dem_status_string(status), text);
    faults += 1;
}

/* These bytes may be others than before. */
static void allow(const void *p, size_t bytes) {
    if ((uintptr_t)p - (uintptr_t)arena >= used) return;
    const size_t from = (size_t)((const unsigned char *)p - arena);
    memcpy(before + from, p, bytes < used - from ? bytes : used - from);
}

/* The array of each dem_output in a struct may be written. */
static void allow_outputs(const unsigned char *at, const char *layout) {
    for (; *layout != 0; layout++) {
        if (*layout == 'W') {
            const dem_output *output = (const void *)at;
            const struct item *item = item_of(output->data);
            if (item != NULL) allow(item->at, item->bytes);
        }
        at += strchr("AaCYWI", *layout) ? 40 : *layout == 'Q' ? 56 : *layout == 'T' ? 32 : strchr("zrou", *layout) ? 4 : 8;
    }
}

static void allow_what(const struct row *row, const union value *v, int32_t status, enum must must) {
    for (size_t i = 0; i < MOST_ARGUMENTS && row->arguments[i].role != NONE; i++) {
        const struct argument *a = &row->arguments[i], *next = a + 1;
        size_t bytes = a->bytes;
        const int sized = i + 1 < MOST_ARGUMENTS && (next->role == ROOM || next->role == SIZE);
        if (sized && next->value.n > 0 && v[i + 1].n < next->value.n) bytes = bytes / next->value.n * v[i + 1].n;
        switch (a->role) {
        case JUNK: case MAYBE_JUNK: case COUNT: case FRESH: case SCRATCH: allow(v[i].p, bytes); break;
        case OUT: case MAYBE: if (status >= 0) allow(v[i].p, bytes); break;
        case ENDED: allow(v[i].p, bytes); break;
        case BLOCK:
            if (a->kept > 0) allow((const char *)v[i].p + a->kept, bytes - a->kept);
            if (status >= 0 || must == HURT) allow(v[i].p, bytes);
            break;
        case STRUCT: case OPTION: if (status >= 0 && v[i].p == a->value.p) allow_outputs(v[i].p, a->layout); break;
        case HEAP:
            if (v[i].p != a->value.p) break;
            allow(v[i].p, sizeof(dem_block));
            if (status >= 0 || must == HURT || a->items == 4) {
                const struct item *item = item_of(((const dem_block *)(const void *)(master + ((unsigned char *)v[i].p - arena)))->start);
                if (item != NULL) allow(item->at, item->bytes);
                item = item_of(((const dem_block *)v[i].p)->start);
                if (item != NULL) allow(item->at, item->bytes);
            }
            break;
        default: break;
        }
    }
    allow(error_at, sizeof *error_at);
}

static int32_t attempt(const struct row *row, const union value *v, enum must must, const char *what) {
    memcpy(before, arena, used);
    for (size_t i = 0; i < item_count; i++) {
        unsigned char *end = items[i].at + items[i].bytes + slack, *next = i + 1 < item_count ? items[i + 1].at : arena + used;
        CLOSE(end, (size_t)(next - end));
    }
    const int32_t status = row->call(v, error_at);
    REOPEN(arena, used);
    calls += 1;
    const dem_error *e = error_at;
    char text[DEM_ERROR_TEXT] = "";
    if (status < 0) {
        if (e->code != status) fault(row, what, "the error has another code", status);
        if (e->argument == 0 || strstr(dem_argument_string(e->argument), "unknown") != NULL) fault(row, what, "no argument is named", status);
        if (dem_error_format(text, sizeof text, NULL, e) != DEM_OK || strstr(text, "unknown argument") || strstr(text, "unknown status")) fault(row, what, "no sentence", status);
        if (status == DEM_ERROR_PANIC || ((status == DEM_ERROR_POISONED || status == DEM_ERROR_BUSY) && must != HURT)) fault(row, what, "a defect", status);
        if (must == FINE) fault(row, what, "should be right", status);
    } else if (must == FAIL) fault(row, what, "should be an error", status);
    if (!gaps_are_whole()) fault(row, what, "memory that was got is overrun", status);
    allow_what(row, v, status, must);
    if (memcmp(before, arena, used) != 0) {
        size_t at = 0;
        while (before[at] == arena[at]) at++;
        size_t i = 0;
        while (i + 1 < item_count && items[i + 1].at <= arena + at) i++;
        char place[128];
        snprintf(place, sizeof place, "wrote where it must not: item %zu of %zu bytes, byte %td", i, items[i].bytes, arena + at - items[i].at);
        fault(row, what, place, status);
    }
    memcpy(arena, master, used);
    return status;
}

#endif
