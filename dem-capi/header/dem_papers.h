/*
 * dem_papers.h: distances and contacts of single triangles, points and segments, by the methods of the papers, on arrays of
 * the program. Shapes, scenes and worlds do not need it.
 *
 * What dem.h says of conventions, memory, errors, threads and determinism holds here, too. It is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
