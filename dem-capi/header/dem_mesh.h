/*
 * dem_mesh.h: a mesh by itself, and two of them: boxes and cylinders; what is wrong with a mesh, its mass, its vertices that
 * move; distances, near triangles, and on which side points are.
 *
 * What dem.h says of conventions, memory, errors, threads and determinism holds here, too. It is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
