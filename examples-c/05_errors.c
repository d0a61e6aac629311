/*
 * What misuse gives: a status, a place, and a sentence that says what to do. Nothing crashes, nothing is half-done.
 *
 * Every case is a mistake that a host program makes sooner or later. The program prints the sentences and checks the
 * statuses; it ends with 0 if all were as expected.
 */
#include <dem.h>
#include <stdio.h>
#include <string.h>

static int mistakes = 0;

/* Prints what a call gave, and counts it where it is not what was expected. */
static void expect(const char *what, int32_t expected, int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT];
    if (dem_error_format(error, sentence, sizeof sentence, NULL) != DEM_OK) {
        strcpy(sentence, "(no sentence)");
    }
    printf("%-28s %-24s %s\n", what, dem_status_string(status), sentence);
    if (status != expected || error->code != expected) {
        printf("    expected %s\n", dem_status_string(expected));
        mistakes += 1;
    }
}

static void check(const char *what, int holds) {
    if (!holds) {
        printf("%s: does not hold\n", what);
        mistakes += 1;
    }
}

/* Buffers that are too small or missing: the number needed comes back, and the second call succeeds. */
static void short_buffers(void) {
    dem_error error;
    uint32_t isas[DEM_ISA_COUNT] = {0};
    size_t count = 0;
    int32_t status = dem_isa_list(isas, 0, &count, &error);
    expect("no room at all", DEM_ERROR_CAPACITY, status, &error);
    check("the number needed", count > 0 && error.needed == count && error.given == 0 && isas[0] == 0);
    status = dem_isa_list(NULL, count, NULL, &error);
    expect("a null output", DEM_ERROR_NULL, status, &error);
    status = dem_isa_list(isas, count, NULL, &error);
    expect("exactly enough room", DEM_OK, status, &error);
    check("the list begins with scalar", isas[0] == DEM_ISA_SCALAR);
    check("and ends with the best", isas[count - 1] == dem_isa_best());
}

/* The sentence itself goes into a buffer of the caller. */
static void short_sentences(void) {
    dem_error error;
    size_t needed = 0;
    char text[DEM_ERROR_TEXT] = "untouched";
    (void)dem_isa_list(NULL, 0, NULL, &error);
    check("null buffer of no bytes", dem_error_format(&error, NULL, 0, &needed) == DEM_ERROR_CAPACITY);
    check("one byte too few", dem_error_format(&error, text, needed - 1, NULL) == DEM_ERROR_CAPACITY && text[0] == 0);
    check("exactly enough", dem_error_format(&error, text, needed, NULL) == DEM_OK && strlen(text) == needed - 1);
    check("no error to write about", dem_error_format(NULL, text, sizeof text, NULL) == DEM_ERROR_NULL);
    error.code = 12345;
    check("numbers that mean nothing", dem_error_format(&error, text, sizeof text, NULL) == DEM_ERROR_OUT_OF_RANGE);
    check("names of nothing", strcmp(dem_status_string(12345), "unknown status") == 0 &&
                                  strcmp(dem_argument_string(12345), "unknown argument") == 0);
}

/* A header and a library that do not belong together. */
static void versions(void) {
    check("header and library agree", dem_abi_version() == DEM_ABI_VERSION && dem_version() == DEM_VERSION);
}

int main(void) {
    printf("%-28s %-24s %s\n", "mistake", "status", "what dem_error_format says");
    short_buffers();
    short_sentences();
    versions();
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
