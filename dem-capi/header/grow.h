/**
 * The defaults of `dem_shape_desc`.
 */
static inline dem_shape_desc dem_shape_desc_default(void) {
    dem_shape_desc desc;
    (void)dem_shape_desc_init(&desc, sizeof desc);
    return desc;
}

/**
 * The defaults of `dem_scene_query`.
 */
static inline dem_scene_query dem_scene_query_default(void) {
    dem_scene_query query;
    (void)dem_scene_query_init(&query, sizeof query);
    return query;
}

/**
 * The shape in a block.
 */
static inline dem_shape *dem_shape_in(const dem_block *block) {
    return (dem_shape *)block->start;
}

/**
 * The scene in a block.
 */
static inline dem_scene *dem_scene_in(const dem_block *block) {
    return (dem_scene *)block->start;
}

/**
 * The corners in a block that `dem_scene_manifolds` has filled.
 */
static inline const dem_contact_corner *dem_corners_in(const dem_block *block) {
    return (const dem_contact_corner *)block->start;
}
