/**
 * The defaults of `dem_world_desc`, with room for so many bodies.
 */
static inline dem_world_desc dem_world_desc_default(uint32_t bodies) {
    dem_world_desc desc;
    (void)dem_world_desc_init(&desc, sizeof desc);
    desc.bodies = bodies;
    return desc;
}

/**
 * The defaults of `dem_world_setup`.
 */
static inline dem_world_setup dem_world_setup_default(void) {
    dem_world_setup setup;
    (void)dem_world_setup_init(&setup, sizeof setup);
    return setup;
}

/**
 * The defaults of `dem_member`.
 */
static inline dem_member dem_member_default(void) {
    dem_member member;
    (void)dem_member_init(&member, sizeof member);
    return member;
}

/**
 * The defaults of `dem_world_query`.
 */
static inline dem_world_query dem_world_query_default(void) {
    dem_world_query query;
    (void)dem_world_query_init(&query, sizeof query);
    return query;
}

/**
 * An elastic force alone: `dem_interaction_init`.
 */
static inline dem_interaction dem_interaction_default(uint32_t normal, double stiffness) {
    dem_interaction interaction;
    (void)dem_interaction_init(&interaction, sizeof interaction, normal, stiffness);
    return interaction;
}

/**
 * The world in a block.
 */
static inline dem_world *dem_world_in(const dem_block *block) {
    return (dem_world *)block->start;
}
