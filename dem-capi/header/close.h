/* ------------------------------------------------------------------------------------------------------------------------
 * The library without an operating system.
 *
 * libdem_core.a has the same functions. It needs no libc and no allocator: what it leaves to the host is memcpy, memmove,
 * memset, memcmp and the function below.
 */

/**
 * Defined by the host, and only with libdem_core.a: called when the library meets a defect of its own.
 *
 * Inputs: `message`, `length` bytes of ASCII without a zero at the end: what happened and where.
 * It must not return. (If it does, the program ends in an illegal instruction or an endless loop.)
 */
void dem_host_panic(const char *message, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* DEM_H */
