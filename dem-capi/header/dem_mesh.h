/*
 * dem_mesh.h: one mesh, or two. Boxes and cylinders; defects of a mesh, its mass, moving vertices;
 * distances, near triangles, and on which side of a mesh points are.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
