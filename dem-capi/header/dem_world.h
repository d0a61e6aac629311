/*
 * dem_world.h: bodies that move. The library finds their contacts, applies a force law and makes the time steps.
 *
 * What dem.h says of conventions, memory, errors, threads and determinism holds here, too. It is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
