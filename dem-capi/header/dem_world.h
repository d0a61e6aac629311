/*
 * dem_world.h: bodies that move. The library finds their contacts, applies a force law and makes the time steps.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
