/*
 * dem_pair.h: contacts of two bodies at a time, for programs that find pairs by themselves. A scene (dem.h) does all of this
 * for many bodies in one call.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 */
