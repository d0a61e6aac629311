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
