/*
 * Reads binary STL files, for the example programs. The library itself reads no files: a program gives it vertices and
 * triangles.
 *
 * A binary STL file has 80 bytes of anything, the number of triangles in 4 bytes, and 50 bytes for each triangle: its
 * normal, which is ignored, three vertices of three floats, and 2 bytes of anything. All numbers have the least
 * significant byte first.
 */
#ifndef STL_H
#define STL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STL_HEAD = 84, STL_TRIANGLE = 50, STL_NORMAL = 12, STL_MOST = (INT32_MAX - STL_HEAD) / STL_TRIANGLE };

/* A number of a file, whatever the byte order of this machine. */
static inline uint32_t stl_u32(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline float stl_f32(const unsigned char *bytes) {
    uint32_t bits = stl_u32(bytes);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Reads the triangles of an open file, nine floats each. The file must end after the last one. */
static inline const char *stl_read_open(FILE *file, float **corners, size_t *count) {
    unsigned char head[STL_HEAD], bytes[STL_TRIANGLE];
    if (fread(head, 1, sizeof head, file) != sizeof head) {
        return "too short for a binary STL file";
    }
    uint32_t triangles = stl_u32(head + 80);
    if (triangles == 0 || triangles > STL_MOST) {
        return "no triangles, too many, or an STL file in ASCII";
    }
    /* Checks that the file is as long as its head tells before memory is allocated. */
    long wanted = (long)STL_HEAD + (long)STL_TRIANGLE * (long)triangles;
    if (fseek(file, 0, SEEK_END) != 0 || ftell(file) != wanted || fseek(file, STL_HEAD, SEEK_SET) != 0) {
        return "its length does not fit its number of triangles (is it an STL file in ASCII?)";
    }
    float *read = (float *)malloc((size_t)triangles * 9 * sizeof(float));
    if (read == NULL) {
        return "not enough memory";
    }
    for (size_t i = 0; i < triangles; i += 1) {
        if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes) {
            free(read);
            return "reading failed";
        }
        for (size_t k = 0; k < 9; k += 1) {
            read[9 * i + k] = stl_f32(bytes + STL_NORMAL + 4 * k);
        }
    }
    *corners = read;
    *count = triangles;
    return NULL;
}

/*
 * Reads `path` into `corners`, nine floats a triangle, which the caller frees, and `count`, the number of triangles.
 * Returns null, or what is wrong, and then writes neither. Numbers that are not finite pass: the library names them.
 */
static inline const char *stl_read(const char *path, float **corners, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return "cannot be opened";
    }
    const char *wrong = stl_read_open(file, corners, count);
    fclose(file);
    return wrong;
}

/* The path of a mesh of this repository, relative to the program in examples-c/build, so that the program can be
   started from any directory. */
static inline const char *stl_of_tests(char path[1024], const char *program, const char *name) {
    const char *slash = strrchr(program, '/');
    int directory = slash == NULL ? 0 : (int)(slash - program) + 1;
    int length = snprintf(path, 1024, "%.*s../../tests/data/scenes/%s", directory, program, name);
    return length > 0 && length < 1024 ? path : name;
}

/* Reads a mesh of this repository, or ends the program. */
static inline size_t stl_must_read(float **corners, const char *program, const char *name) {
    char path[1024];
    size_t triangles = 0;
    const char *wrong = stl_read(stl_of_tests(path, program, name), corners, &triangles);
    if (wrong != NULL) {
        (void)fprintf(stderr, "%s: %s\n", path, wrong);
        exit(2);
    }
    return triangles;
}

#endif /* STL_H */
