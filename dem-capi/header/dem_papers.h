/*
 * dem_papers.h: distances and contacts of single triangles, points and segments, by methods of published papers, on arrays of
 * the program. Shapes, scenes and worlds do not need it.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
