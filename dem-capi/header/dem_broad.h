/*
 * dem_broad.h: which of many spheres are near each other, and which are near boxes, for programs that need only a broad phase.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
