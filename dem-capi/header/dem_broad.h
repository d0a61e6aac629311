/*
 * dem_broad.h: which of many spheres are near each other, and which are near boxes, for programs that need no more than that.
 *
 * What dem.h says of conventions, memory, errors, threads and determinism holds here, too. It is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
