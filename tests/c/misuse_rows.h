/* Right calls of every function, header by header: for misuse.c. */
#define SCRATCH_NEEDED P(OUT, number[0], 8)
#define PUT(name, type, ...) \
    type name##_is = __VA_ARGS__; \
    type *name = put_struct(&name##_is, sizeof name##_is)

static dem_array *array_of(const void *data, size_t bytes, size_t count, uint32_t type) {
    const dem_array array = {put(data, bytes), count, 0, 0, type, 0};
    return put(&array, sizeof array);
}

static dem_output *output_of(size_t bytes, size_t count, uint32_t type) {
    const dem_output output = {room(bytes), count, 0, 0, type, 0};
    return put(&output, sizeof output);
}

static void rows_of_shapes(void) {
    const double edges_of[3] = {1, 2, 3}, density = 2;
    const double *edges = put(edges_of, sizeof edges_of);
    PUT(options, dem_inspect_options, dem_inspect_options_default());
    dem_shape_info bare_info;
    MUST(dem_shape_describe(&bare_info, sizeof bare_info, bare, &told));
    PUT(refit, dem_refit_desc, dem_refit_desc_default());
    refit->vertices = dem_array_f64(put(TETRAHEDRON, sizeof TETRAHEDRON), 4);
    refit->halo = 0.06;
    PUT(query, dem_query, dem_query_default());
    query->a = mesh, query->b = bare, query->pose_b.position[2] = -0.12, query->margin = 0.1;
    PUT(points, dem_point_query, dem_point_query_default());
    points->shape = mesh, points->points = dem_array_f64(put(PLACES, sizeof PLACES), 3);
    PUT(results, dem_point_results, dem_point_results_default());
    results->triangle = results->side = results->doubt = (dem_output){NULL, 3, 0, 0, DEM_U32, 0};
    results->triangle.data = room(12), results->side.data = room(12), results->doubt.data = room(12);
    results->distance = dem_output_f64(room(24), 3), results->point = dem_output_f64(room(72), 3), results->normal = dem_output_f64(room(72), 3);
    const dem_output *numbers = output_of(24, 3, DEM_F64);
    const dem_block none = {NULL, 0, resize, NULL};
    dem_block *block = put(&none, sizeof none);
    begin();
    const struct row rows[] = {
        R(dem_defaults, NULL, P(OUT, out[0], sizeof(dem_scene_query)), N(ROOM, sizeof(dem_scene_query)), N(CHOICE, DEM_DEFAULT_SCENE_QUERY)),
        R(dem_isa_list, NULL, P(OUT, out[0], 32), N(ROOM, 8), HOW_MANY(0)),
        R(dem_shape_layout, NULL, P(MAYBE, number[0], 8), P(MAYBE, number[1], 8), S(STRUCT, shape_desc, SHAPE_SIZE)),
        R(dem_shape_init, NULL, P(FRESH, memory, bare_size), N(ROOM, bare_size), P(OUT, number[0], 8), S(STRUCT, shape_desc, SHAPE_DESC)),
        R(dem_shape_open, NULL, B(BLOCK, mesh, mesh_size), N(ROOM, mesh_size), P(OUT, number[0], 8)),
        R(dem_shape_describe, NULL, RECORD(0, dem_shape_info), SHAPE),
        R(dem_shape_build, NULL, H(block, 1), S(STRUCT, shape_desc, SHAPE_DESC)),
        R(dem_box_mesh, NULL, P(OUT, out[0], 192), P(OUT, out[1], 144), P(STRUCT, edges, 24)),
        R(dem_cylinder_facets, NULL, P(OUT, number[0], 8), D(POSITIVE, 1), D(POSITIVE, 0.1)),
        R(dem_cylinder_mesh, NULL, P(OUT, out[0], 192), N(ROOM, 8), P(OUT, out[1], 144), N(ROOM, 12), D(POSITIVE, 1), D(POSITIVE, 2), N(NUMBER, 3)),
        R(dem_shape_inspect, NULL, RECORD(0, dem_report), SHAPE, S(OPTION, options, INSPECT), WORK),
        R(dem_shape_findings, NULL, LIST(0, dem_finding), N(STRIDE, 0), HOW_MANY(0), SHAPE, S(OPTION, options, INSPECT), WORK),
        R(dem_shape_components, NULL, LIST(0, dem_component), N(STRIDE, 0), HOW_MANY(0), SHAPE, S(OPTION, options, INSPECT), WORK),
        R(dem_shape_self_intersections, NULL, P(JUNK, out[0], MOST * 8), N(ROOM, MOST), HOW_MANY(0), SHAPE, N(CHOICE, DEM_ISA_BEST), WORK),
        R(dem_shape_mass, NULL, RECORD(0, dem_mass), SHAPE, D(POSITIVE, density), WORK),
        R(dem_placed_mass, NULL, RECORD(0, dem_mass), S(STRUCT, placed_mesh, KIND_ONLY), D(POSITIVE, density), N(FEW, 4), WORK),
        R(dem_placed_mass, NULL, RECORD(0, dem_mass), S(STRUCT, placed_compound, "ouXUggggUUggggggg"), D(POSITIVE, density), N(FEW, 4), WORK),
        R(dem_shape_refit, NULL, F(BLOCK, bare, bare_size, (size_t)bare_info.size), N(ROOM, bare_size), S(STRUCT, refit, REFIT)),
        R(dem_pairs, NULL, LIST(0, dem_triangle_pair), N(STRIDE, 0), HOW_MANY(0), S(STRUCT, query, QUERY), WORK),
        R(dem_min_distance, NULL, RECORD(0, dem_triangle_pair), S(STRUCT, query, QUERY_NEAREST), WORK),
        R(dem_any_pair, NULL, P(OUT, number[0], 4), S(STRUCT, query, QUERY), WORK),
        R(dem_point_distance, NULL, S(STRUCT, results, POINT_RESULTS), S(STRUCT, points, POINT_QUERY), WORK),
        R(dem_point_winding, NULL, S(STRUCT, numbers, "W"), S(STRUCT, points, POINT_QUERY)),
        R(dem_placed_cast, NULL, P(JUNK, out[0], 2 * sizeof(dem_ray_hit)), S(STRUCT, placed_mesh, PLACED_MESH), L(STRUCT, rays, 2, RAY), N(MANY, 2)),
        R(dem_placed_cast, NULL, P(JUNK, out[0], 2 * sizeof(dem_ray_hit)), S(STRUCT, placed_ball, PLACED_BALL), L(STRUCT, rays, 2, RAY), N(MANY, 2)),
        R(dem_placed_cast_all, NULL, LIST(0, dem_ray_hit), P(JUNK, out[1], 16), S(STRUCT, placed_mesh, PLACED_MESH), L(STRUCT, rays, 2, RAY), N(MANY, 2)),
    };
    ROWS(rows);
}

static void rows_of_scenes(void) {
    dem_scene_contacts found;
    MUST(dem_scene_view(&found, sizeof found, scene, &told));
    const size_t n = found.count, pairs_found = found.pair_count, n_last = found.last_count;
    static const double forces_of[3 * MOST];
    static const uint32_t taken_of[MOST] = {1};
    if (n > MOST || pairs_found > MOST || n_last > MOST) exit(5);
    const dem_array *forces = array_of(forces_of, 24 * n, n, DEM_F64), *centres = array_of(PLACES, sizeof PLACES, 3, DEM_F64);
    const dem_output *force_sums = output_of(72, 3, DEM_F64), *torque_sums = output_of(72, 3, DEM_F64), *radii = output_of(24, 3, DEM_F64);
    const dem_output *loads = output_of(96, 4, DEM_F64);
    const uint32_t *taken = put(taken_of, 4 * pairs_found);
    const double *of_last = put(forces_of, 24 * n_last);
    const dem_tasks alone_of = {NULL, NULL, 0, 0}, *tasks = put(&alone_of, sizeof alone_of);
    const dem_near_pair near_of[2] = {{0, 1, {0, 0, 0}, 0}, {0, 2, {0, 0, 0}, 0}}, *near = put(near_of, sizeof near_of);
    dem_pose poses_of[4] = {table[0].pose, table[0].pose, table[0].pose, table[0].pose};
    poses_of[1].position[2] = -0.12, poses_of[3].position[2] = 1.4;
    const dem_pose *poses = put(poses_of, sizeof poses_of);
    dem_scene_surface surface_of = dem_surface_of(&table[0], 0, 1);
    surface_of.vertices = dem_array_f64(put(TETRAHEDRON, sizeof TETRAHEDRON), 4);
    const dem_scene_surface *surface = put_struct(&surface_of, sizeof surface_of);
    surface_of.bodies = scene_query;
    const dem_scene_surface *spread = put_struct(&surface_of, sizeof surface_of);
    PUT(motion, dem_scene_motion, dem_scene_motion_default());
    motion->velocities = *centres, motion->spins = *centres, motion->centres = *centres, motion->surfaces = surface, motion->surface_count = 1;
    const dem_block none = {NULL, 0, resize, NULL}, full = {scene, scene_size, resize, NULL};
    dem_block *block = put(&full, sizeof full), *corners = put(&none, sizeof none);
    begin();
    const size_t counts = sizeof(dem_scene_counts);
#define COUNTS P(MAYBE, out[0], counts), N(ROOM, counts)
#define SCENE_BODIES S(STRUCT, scene_query, SCENE_QUERY)
    const struct row rows[] = {
        R(dem_scene_layout, NULL, P(MAYBE, number[0], 8), P(MAYBE, number[1], 8), S(STRUCT, scene_desc, SCENE_DESC)),
        R(dem_scene_init, NULL, P(FRESH, memory, scene_size), N(ROOM, scene_size), P(OUT, number[0], 8), S(STRUCT, scene_desc, SCENE_DESC)),
        R(dem_scene_grow, NULL, P(FRESH, memory, scene_size), N(ROOM, scene_size), P(OUT, number[0], 8), SCENE_IN, S(STRUCT, scene_desc, SCENE_DESC)),
        R(dem_scene_open, NULL, SCENE, N(ROOM, scene_size), P(OUT, number[0], 8)),
        R(dem_scene_commit, NULL, SCENE),
        R(dem_scene_commit_pairs, NULL, SCENE, P(OUT, out[0], 4 * MOST), N(ROOM, MOST), HOW_MANY(0), P(KEPT_LIST, taken, 4 * pairs_found), N(MANY, pairs_found)),
        R(dem_scene_abandon, NULL, SCENE),
        R(dem_scene_hash, NULL, P(OUT, number[0], 8), SCENE_IN),
        R(dem_scene_view, NULL, RECORD(0, dem_scene_contacts), SCENE_IN),
        R(dem_scene_detect, NULL, SCENE, COUNTS, SCENE_BODIES, WORK),
        R(dem_scene_find, NULL, SCENE, COUNTS, SCENE_BODIES, WORK),
        R(dem_scene_find_pairs, NULL, SCENE, COUNTS, SCENE_BODIES, P(KEPT_LIST, near, sizeof near_of), N(MANY, 2), P(LIST_OR_NULL, poses, sizeof poses_of), WORK),
        R(dem_scene_wrenches, NULL, S(OPTION, force_sums, "W"), S(OPTION, torque_sums, "W"), SCENE_IN, S(STRUCT, forces, "A"), S(OPTION, forces, "A"), S(OPTION, centres, "A"), S(OPTION, tasks, "T"), N(CHOICE, DEM_LIST_CONTACTS)),
        R(dem_scene_step, NULL, H(block, 2), COUNTS, SCENE_BODIES),
        R(dem_scene_manifolds, NULL, H(block, 2), H(corners, 1), HOW_MANY(0), S(STRUCT, scene_query, SCENE_PLACES), N(NUMBER, 4)),
        R(dem_scene_size, NULL, P(OUT, number[0], 8), SCENE_IN),
        R(dem_scene_bounds, NULL, SCENE, S(OPTION, force_sums, "W"), S(OPTION, radii, "W"), S(STRUCT, scene_query, SCENE_PLACES), WORK),
        R(dem_scene_candidates, NULL, SCENE, LIST(0, dem_near_pair), HOW_MANY(0), SCENE_BODIES, WORK),
        R(dem_scene_events, NULL, LIST(0, dem_contact_event), HOW_MANY(0), SCENE_IN),
        R(dem_scene_carry, NULL, P(OUT, out[0], 24 * n), SCENE_IN, P(LIST_OR_NULL, of_last, 24 * n_last), S(OPTION, tasks, "T"), N(CHOICE, DEM_CARRY_TANGENT)),
        R(dem_scene_velocities_scratch, NULL, SCRATCH_NEEDED, SCENE_IN, S(OPTION, motion, SCENE_MOTION_SIZE), S(OPTION, tasks, "T")),
        R(dem_scene_velocities, NULL, P(OUT, out[0], 24 * n), SCENE_IN, S(OPTION, motion, SCENE_MOTION), S(OPTION, tasks, "T"), WORK),
        R(dem_scene_motions, NULL, P(OUT, out[0], 24 * n), P(OUT, out[1], 24 * n), SCENE_IN, S(OPTION, motion, SCENE_MOTION), S(OPTION, tasks, "T"), WORK),
        R(dem_scene_loads, NULL, S(STRUCT, loads, "W"), SCENE_IN, S(STRUCT, surface, SURFACE), N(ROOM, sizeof *surface), S(STRUCT, forces, "A"), N(CHOICE, DEM_LIST_CONTACTS), WORK),
        R(dem_scene_loads, NULL, S(STRUCT, loads, "W"), SCENE_IN, S(STRUCT, spread, SURFACE), N(ROOM, sizeof *spread), S(STRUCT, forces, "A"), N(CHOICE, DEM_LIST_CONTACTS), WORK),
        R(dem_scene_room, NULL, P(OUT, out[0], sizeof(dem_scene_desc)), N(ROOM, sizeof(dem_scene_desc)), P(MAYBE, number[0], 8), S(STRUCT, scene_query, SCENE_PLACES)),
        R(dem_scene_corners, NULL, SCENE, P(OUT, out[0], MOST * sizeof(dem_contact_corner)), N(ROOM, MOST), HOW_MANY(0), S(STRUCT, scene_query, SCENE_PLACES), N(NUMBER, 4), WORK),
        R(dem_scene_cast, NULL, SCENE, P(JUNK, out[0], 2 * sizeof(dem_ray_hit)), S(STRUCT, scene_query, SCENE_PLACES), L(STRUCT, rays, 2, RAY), N(MANY, 2), WORK),
        R(dem_scene_cast_all, NULL, SCENE, LIST(0, dem_ray_hit), P(JUNK, out[1], 16), S(STRUCT, scene_query, SCENE_PLACES), L(STRUCT, rays, 2, RAY), N(MANY, 2), WORK),
    };
    ROWS(rows);
}

static void rows_of_pairs(void) {
    PUT(query, dem_placed_query, dem_placed_query_default());
    query->a = query->b = table[0], query->b.pose.position[2] = -0.12, query->tag = 5;
    dem_contact contacts_of[MOST];
    static double cones_of[4 * 4];
    size_t n = 0;
    MUST(dem_placed_contacts(contacts_of, MOST, 0, &n, query, scratch, SCRATCH_SIZE, &told));
    MUST(dem_patch_cones(cones_of, 4, placed_mesh, 1e-6, &told));
    if (n == 0) exit(6);
    dem_contact *contacts = put(contacts_of, n * sizeof *contacts_of);
    const double *cones = put(cones_of, sizeof cones_of), *of_last = put(contacts_of, 24 * n);
    PUT(motion, dem_motion, dem_motion_default());
    motion->shape = mesh, motion->vertices = dem_array_f64(put(TETRAHEDRON, sizeof TETRAHEDRON), 4);
    const dem_body_pair pair = {5, query->a.pose, query->b.pose};
    const dem_contact_list step = {contacts, n, 0, put(&pair, sizeof pair), 1, 0, NULL, 0}, *last = put(&step, sizeof step), *now = put(&step, sizeof step);
    dem_contact_link links_of[MOST];
    for (size_t i = 0; i < n; i++) links_of[i] = (dem_contact_link){(uint32_t)i, (uint32_t)i};
    const dem_contact_link *links = put(links_of, n * sizeof *links_of);
    const dem_pose *pose = put(&query->a.pose, sizeof query->a.pose);
    begin();
    const size_t record = sizeof(dem_contact), corner = sizeof(dem_contact_corner);
#define BODIES S(STRUCT, query, PLACED_QUERY)
    const struct row rows[] = {
        R(dem_placed_contacts_scratch, NULL, SCRATCH_NEEDED, S(STRUCT, query, PLACED_SIZE), N(NUMBER, 8), N(NUMBER, MOST), N(STRIDE, 0)),
        R(dem_placed_contacts, NULL, P(JUNK, out[0], MOST * record), N(ROOM, MOST), N(STRIDE, 0), HOW_MANY(0), BODIES, WORK),
        R(dem_placed_list, NULL, P(JUNK, out[0], 512), N(ROOM, 64), HOW_MANY(0), S(STRUCT, query, PLACED_ALONE), D(POSITIVE, 0.01), WORK),
        R(dem_contact_corners_scratch, NULL, SCRATCH_NEEDED, S(STRUCT, query, PLACED_SIZE), N(NUMBER, 8)),
        R(dem_contact_corners, NULL, P(JUNK, out[0], MOST * corner), N(ROOM, MOST), N(STRIDE, 0), HOW_MANY(0), P(KEPT_LIST, contacts, n * record), N(MANY, n), N(STRIDE, 0), S(STRUCT, query, PLACED_ALONE), N(NUMBER, 4), WORK),
        R(dem_patch_cones, NULL, P(JUNK, out[0], 4 * 32), N(ROOM, 4), S(STRUCT, placed_mesh, KIND_ONLY), D(POSITIVE, 1e-6)),
        R(dem_contact_clamp, NULL, P(OUT, contacts, n * record), N(MANY, n), N(STRIDE, 0), P(KEPT_LIST, cones, sizeof cones_of), N(MANY, 4), S(STRUCT, pose, "Q"), N(CHOICE, DEM_BODY_A)),
        R(dem_contact_velocities, NULL, P(OUT, out[0], 24 * n), P(KEPT_LIST, contacts, n * record), N(MANY, n), N(STRIDE, 0), S(OPTION, motion, MOTION), P(LIST_OR_NULL, NULL, 0), WORK),
        R(dem_contact_match, NULL, P(JUNK, out[0], n * 8), P(LIST_OR_NULL, NULL, 0), N(NUMBER, 0), HOW_MANY(0), P(MAYBE_JUNK, out[1], MOST * 16), N(ROOM, MOST), HOW_MANY(1), S(STRUCT, last, CONTACT_LIST), S(STRUCT, now, CONTACT_LIST), D(LIMIT, 0.1), WORK),
        R(dem_contact_carry, NULL, P(OUT, out[0], 24 * n), P(KEPT_LIST, of_last, 24 * n), P(KEPT_LIST, links, 8 * n), P(LIST_OR_NULL, NULL, 0), N(MANY, 0), S(STRUCT, last, CONTACT_LIST), S(STRUCT, now, CONTACT_LIST)),
    };
    ROWS(rows);
}

static void rows_of_broad_phases(void) {
    const double radii_of[3] = {0.5, 0.5, 0.5}, lows[2][3] = {{-9, -9, -2}, {0, 0, 0}}, highs[2][3] = {{9, 9, -0.1}, {1, 1, 1}};
    const uint32_t bits[3] = {1, 1, 1}, still[3] = {0, 0, 0};
    PUT(query, dem_near_query, dem_near_query_default());
    query->margin = 0.1, query->centres = dem_array_f64(put(PLACES, sizeof PLACES), 3), query->radii = dem_array_f64(put(radii_of, sizeof radii_of), 3);
    query->motions = dem_array_u32(put(still, sizeof still), 3), query->groups = query->masks = dem_array_u32(put(bits, sizeof bits), 3);
    const dem_near_query *then = put_struct(query, sizeof *query);
    PUT(boxes, dem_near_boxes, dem_near_boxes_default());
    boxes->lows = dem_array_f64(put(lows, sizeof lows), 2), boxes->highs = dem_array_f64(put(highs, sizeof highs), 2);
    const dem_near_pair list_of[2] = {{0, 1, {0, 0, 0}, 0}, {1, 2, {0, 0, 0}, 0}}, *list = put(list_of, sizeof list_of);
    const uint32_t *changed = put(bits, 4);
    PUT(desc, dem_grid_desc, dem_grid_desc_default());
    desc->bodies = 8;
    begin();
#define SPHERES S(STRUCT, query, NEAR_QUERY)
    const struct row rows[] = {
        R(dem_near_scratch, NULL, SCRATCH_NEEDED, N(NUMBER, 3), N(NUMBER, 2), N(NUMBER, MOST), N(STRIDE, 0)),
        R(dem_near_moved, NULL, RECORD(0, dem_near_motion), S(STRUCT, then, NEAR_QUERY), SPHERES, WORK),
        R(dem_near_refresh, NULL, LIST(0, dem_near_pair), N(STRIDE, 0), HOW_MANY(0), P(KEPT_LIST, list, sizeof list_of), N(MANY, 2), S(STRUCT, then, NEAR_AGAIN), S(STRUCT, query, NEAR_AGAIN), WORK),
        R(dem_grid_layout, NULL, P(MAYBE, number[0], 8), P(MAYBE, number[1], 8), S(STRUCT, desc, "zuou")),
        R(dem_grid_init, NULL, P(FRESH, memory, grid_size), N(ROOM, grid_size), P(OUT, number[0], 8), S(STRUCT, desc, "zuou")),
        R(dem_grid_describe, NULL, P(OUT, out[0], sizeof(dem_grid_report)), B(KEPT, grid, grid_size)),
        R(dem_grid_pairs, NULL, B(ENDED, grid, grid_size), LIST(0, dem_near_pair), N(STRIDE, 0), HOW_MANY(0), SPHERES, P(LIST_OR_NULL, changed, 4), N(NUMBER, 1), WORK),
        R(dem_box_pairs, NULL, LIST(0, dem_box_pair), N(STRIDE, 0), HOW_MANY(0), SPHERES, S(STRUCT, boxes, NEAR_BOXES), WORK),
    };
    ROWS(rows);
}

static void rows_of_papers(void) {
    static const double corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 1, 1, 0, 1, 0, 1, 2}};
    static const uint32_t both[2][2] = {{0, 1}, {1, 0}};
    const double limits[2] = {0.5, 2};
    const dem_triangles list = {put(corners, sizeof corners), 2, 0, 0, 0, DEM_F64, 0}, *a = put(&list, sizeof list), *b = put(&list, sizeof list);
    const dem_segments parts = {put(corners, 96), 2, 0, 0, 0, DEM_F64, 0}, *segments = put(&parts, sizeof parts), *others = put(&parts, sizeof parts);
    const dem_array *points = array_of(PLACES, 48, 2, DEM_F64);
    const dem_indices pairs_of = {put(both, sizeof both), 2, 0, 0, DEM_U32, 0}, *pairs = put(&pairs_of, sizeof pairs_of);
    PUT(results, dem_closest_points, dem_closest_points_default());
    results->distance = dem_output_f64(room(16), 2), results->point_a = dem_output_f64(room(48), 2), results->features = (dem_output){room(16), 2, 0, 0, DEM_U32, 0};
    PUT(options, dem_triangle_options, dem_triangle_options_default());
    PUT(touching, dem_contact_options, dem_contact_options_default());
    touching->threshold = 1, touching->thresholds = dem_array_f64(put(limits, sizeof limits), 2);
    PUT(verdicts, dem_contact_results, dem_contact_results_default());
    verdicts->verdict = (dem_output){room(8), 2, 0, 0, DEM_U32, 0}, verdicts->distance = dem_output_f64(room(16), 2);
    begin();
#define PAIRED S(OPTION, pairs, "I"), S(OPTION, options, TRIANGLE_OPTIONS)
    const struct row rows[] = {
        R(dem_triangle_distance, NULL, S(STRUCT, results, RESULTS), S(STRUCT, a, TRIANGLES), S(STRUCT, b, TRIANGLES), PAIRED),
        R(dem_triangle_contacts, NULL, S(STRUCT, verdicts, RESULTS), P(MAYBE, out[0], sizeof(dem_contact_statistics)), N(ROOM, sizeof(dem_contact_statistics)), S(STRUCT, a, TRIANGLES), S(STRUCT, b, TRIANGLES), S(OPTION, pairs, "I"), S(OPTION, touching, CONTACT_OPTIONS)),
        R(dem_point_triangle_distance, NULL, S(STRUCT, results, RESULTS), S(STRUCT, points, "A"), S(STRUCT, a, TRIANGLES), PAIRED),
        R(dem_point_segment_distance, NULL, S(STRUCT, results, RESULTS), S(STRUCT, points, "A"), S(STRUCT, segments, SEGMENTS), PAIRED),
        R(dem_segment_distance, NULL, S(STRUCT, results, RESULTS), S(STRUCT, segments, SEGMENTS), S(STRUCT, others, SEGMENTS), PAIRED),
    };
    ROWS(rows);
}

static void rows_of_worlds(void) {
    const dem_material rock_of = {1e9, 0.25, 0.5, 0.5, 0.1, 0}, *rock = put(&rock_of, sizeof rock_of);
    dem_mass mass_of;
    MUST(dem_shape_mass(&mass_of, sizeof mass_of, mesh, 2, scratch, SCRATCH_SIZE, &told));
    const dem_mass *mass = put(&mass_of, sizeof mass_of);
    const dem_pose *pose = put(&table[0].pose, sizeof table[0].pose);
    const double *place = put(PLACES[0], 24);
    const dem_body *body = put(&member->body, sizeof member->body);
    const dem_array *forces = array_of(PLACES, sizeof PLACES, 3, DEM_F64);
    const dem_output *positions = output_of(72, 3, DEM_F64), *orientations = output_of(96, 3, DEM_F64);
    const dem_wrench push = {{1, 2, 3}, {0, 0, 0}}, *load = put(&push, sizeof push);
    const dem_tasks alone_of = {NULL, NULL, 0, 0}, *tasks = put(&alone_of, sizeof alone_of);
    static uint8_t bytes_of[1 << 16];
    size_t file_size = 0, springs_size = 0;
    MUST(dem_world_save(bytes_of, sizeof bytes_of, &file_size, worlds[0], &told));
    const uint8_t *file = put(bytes_of, file_size);
    uint8_t *saved = room(file_size);
    const dem_taken_over over_of = {{1, 0, 0}, {0, 0, 1}, 2, {0, 1, 0}, 3, 4, 1, 1}, *over = put(&over_of, sizeof over_of);
    const uint64_t *leaving = put(handles, sizeof handles);
    MUST(dem_world_pack_springs(worlds[0], bytes_of, sizeof bytes_of, &springs_size, leaving, 3, &told));
    if (springs_size == 0) exit(7);
    const uint8_t *springs = put(bytes_of, springs_size);
    uint8_t *packed = room(springs_size);
    const dem_block full = {worlds[0], world_size, resize, NULL}, begun = {worlds[1], world_size, resize, NULL}, none = {NULL, 0, resize, NULL};
    dem_block *block = put(&full, sizeof full), *step = put(&begun, sizeof begun), *fresh = put(&none, sizeof none), *corners = put(&none, sizeof none);
    const uint64_t handle = handles[1];
    begin();
#define LAW S(STRUCT, world_query, WORLD_QUERY)
#define RAYS L(STRUCT, rays, 2, RAY), N(MANY, 2)
    const struct row rows[] = {
        R(dem_interaction_of_materials, NULL, RECORD(0, dem_interaction), S(STRUCT, rock, "pppppp"), S(STRUCT, rock, "pppppp"), N(CHOICE, DEM_NORMAL_LINEAR), D(POSITIVE, 1)),
        R(dem_interactions_check, NULL, P(MAYBE, number[0], 8), S(STRUCT, interaction, INTERACTION), N(MANY, 1)),
        R(dem_damping_for, NULL, P(OUT, number[0], 8), N(CHOICE, DEM_DAMPING_HUNT_CROSSLEY), D(POSITIVE, 0.5), D(POSITIVE, 1)),
        R(dem_pressure_for, NULL, P(OUT, number[0], 8), D(POSITIVE, 1), D(POSITIVE, 1), D(REAL, 0.01), D(POSITIVE, 0.1)),
        R(dem_resting_gap, NULL, P(OUT, number[0], 8), D(POSITIVE, 1), D(POSITIVE, 1), D(POSITIVE, 10), D(POSITIVE, 0.1)),
        R(dem_linear_stiffness, NULL, P(OUT, number[0], 8), D(POSITIVE, 1), D(POSITIVE, 1), D(POSITIVE, 0.5)),
        R(dem_stable_step, NULL, P(OUT, number[0], 8), D(POSITIVE, 1), D(POSITIVE, 1), D(POSITIVE, 0.5)),
        R(dem_buckling_load, NULL, P(OUT, number[0], 8), D(POSITIVE, 1), D(POSITIVE, 1), N(NUMBER, 3)),
        R(dem_world_layout, NULL, P(MAYBE, number[0], 8), P(MAYBE, number[1], 8), S(STRUCT, world_desc, WORLD_DESC)),
        R(dem_world_init, NULL, P(FRESH, memory, world_size), N(ROOM, world_size), P(OUT, number[0], 8), S(STRUCT, world_desc, WORLD_DESC)),
        R(dem_world_grow, "++++", P(FRESH, memory, world_size), N(ROOM, world_size), P(OUT, number[0], 8), WORLD_IN(0), S(STRUCT, world_desc, WORLD_DESC)),
        R(dem_world_room, "++++", RECORD(0, dem_world_desc), WORLD_IN(0)),
        R(dem_world_open, "++++", WORLD(0), N(ROOM, world_size), P(OUT, number[0], 8)),
        R(dem_world_save, "+???", P(JUNK, saved, file_size), N(ROOM, file_size), HOW_MANY(0), WORLD_IN(0)),
        R(dem_world_load, NULL, P(FRESH, memory, world_size), N(ROOM, world_size), P(OUT, number[0], 8), P(KEPT_LIST, file, file_size), N(MANY, file_size)),
        R(dem_world_set_up, "+---", WORLD(0), S(STRUCT, setup, WORLD_SETUP)),
        R(dem_world_hash, "++++", P(OUT, number[0], 8), WORLD_IN(0)),
        R(dem_body_of_mass, NULL, P(OUT, out[0], sizeof(dem_body)), P(KEPT_LIST, mass, sizeof *mass), S(STRUCT, pose, "Q")),
        R(dem_body_ball, NULL, P(OUT, out[0], sizeof(dem_body)), S(STRUCT, place, "f"), D(POSITIVE, 1), D(POSITIVE, 2)),
        R(dem_body_capsule, NULL, P(OUT, out[0], sizeof(dem_body)), S(STRUCT, pose, "Q"), D(POSITIVE, 0.5), D(POSITIVE, 1), D(POSITIVE, 2)),
        R(dem_world_add, "+---", WORLD(0), P(MAYBE, number[0], 8), S(STRUCT, member, MEMBER)),
        R(dem_world_remove, "+---", WORLD(0), N(CHOICE, handle)),
        R(dem_world_set_body, "+---", WORLD(0), N(CHOICE, handle), S(STRUCT, body, BODY)),
        R(dem_world_member, "++++", RECORD(0, dem_member), WORLD_IN(0), N(CHOICE, handle)),
        R(dem_world_set_member, "+---", WORLD(0), N(CHOICE, handle), S(STRUCT, member, MEMBER)),
        R(dem_world_set_material, "+---", WORLD(0), N(CHOICE, handle), N(NUMBER, 1)),
        R(dem_world_body, "++++", P(OUT, out[0], sizeof(dem_body)), WORLD_IN(0), N(CHOICE, handle)),
        R(dem_world_handle, "++++", P(OUT, number[0], 8), WORLD_IN(0), N(NUMBER, 1)),
        R(dem_world_states, "++++", S(OPTION, positions, "W"), S(OPTION, orientations, "W"), P(LIST_OR_NULL, NULL, 0), P(LIST_OR_NULL, NULL, 0), HOW_MANY(0), WORLD_IN(0)),
        R(dem_world_set_loads, "+---", WORLD(0), S(OPTION, forces, "A"), S(OPTION, forces, "A")),
        R(dem_world_set_load, "+---", WORLD(0), N(CHOICE, handle), S(STRUCT, load, "ffffff")),
        R(dem_world_begin, "+---", WORLD(0), D(POSITIVE, 1e-4), N(CHOICE, DEM_ASK_LAW)),
        R(dem_world_poll, "-++-", WORLD(1), P(OUT, number[0], 4), LAW, WORK),
        R(dem_world_poll, "-++-", WORLD(2), P(OUT, number[0], 4), S(STRUCT, world_query, WORLD_LATER), WORK),
        R(dem_world_law, "--+-", WORLD(2), RECORD(0, dem_host_law)),
        R(dem_world_taken_over, "--+-", P(OUT, out[0], MOST * sizeof(dem_taken_over)), N(ROOM, MOST), WORLD_IN(2), S(OPTION, tasks, "T")),
        R(dem_springs_take_over, NULL, P(OUT, out[0], sizeof(dem_springs)), S(STRUCT, over, TAKEN), S(STRUCT, place, "f"), D(POSITIVE, 0.1), D(POSITIVE, 1)),
        R(dem_world_accept, "---+", WORLD(3)),
        R(dem_world_abandon, "-+++", WORLD(3)),
        R(dem_world_advance, "+---", W(ENDED, worlds[0], world_size), LAW, D(POSITIVE, 2e-4), D(POSITIVE, 1e-4), WORK),
        R(dem_world_advance_step, "+---", W(ENDED, worlds[0], world_size), P(OUT, number[0], 8), P(OUT, number[1], 4), LAW, D(POSITIVE, 1e-4), D(POSITIVE, 1e-4), WORK),
        R(dem_world_view, "++++", RECORD(0, dem_world_slots), WORLD_IN(0)),
        R(dem_world_contacts, "++++", RECORD(0, dem_scene_contacts), WORLD_IN(0)),
        R(dem_world_measure, "+??+", RECORD(0, dem_world_report), WORLD_IN(0), S(OPTION, tasks, "T")),
        R(dem_world_cast, "++++", WORLD(0), P(JUNK, out[0], 2 * sizeof(dem_ray_hit)), S(STRUCT, world_query, WORLD_LATER), RAYS, WORK),
        R(dem_world_cast_all, "++++", WORLD(0), LIST(0, dem_ray_hit), P(JUNK, out[1], 16), S(STRUCT, world_query, WORLD_LATER), RAYS, WORK),
        R(dem_world_build, NULL, H(fresh, 1), S(OPTION, setup, WORLD_SETUP)),
        R(dem_world_insert, "+---", H(block, 3), P(MAYBE, number[0], 8), S(STRUCT, member, MEMBER)),
        R(dem_world_run, "+---", H(block, 4), LAW, D(POSITIVE, 2e-4), D(POSITIVE, 1e-4)),
        R(dem_world_run_step, "+---", H(block, 4), P(OUT, number[0], 8), P(OUT, number[1], 4), LAW, D(POSITIVE, 1e-4), D(POSITIVE, 1e-4)),
        R(dem_world_next, "-++-", H(step, 3), P(OUT, number[0], 4), LAW),
        R(dem_world_overlaps, "+---", H(block, 4), LIST(0, dem_scene_pair), N(STRIDE, 0), HOW_MANY(0), LAW),
        R(dem_world_size, "++++", P(OUT, number[0], 8), WORLD_IN(0)),
        R(dem_world_corners, "++++", WORLD(0), P(OUT, out[0], MOST * sizeof(dem_contact_corner)), N(ROOM, MOST), HOW_MANY(0), S(STRUCT, world_query, WORLD_LATER), N(NUMBER, 4), WORK),
        R(dem_world_manifolds, "++++", H(block, 3), H(corners, 1), HOW_MANY(0), S(STRUCT, world_query, WORLD_LATER), N(NUMBER, 4)),
        R(dem_world_find, "++++", P(OUT, number[0], 8), WORLD_IN(0), N(NUMBER, 5)),
        R(dem_world_pack_springs, "+---", WORLD(0), P(JUNK, packed, springs_size), N(ROOM, springs_size), HOW_MANY(0), P(KEPT_LIST, leaving, 24), N(MANY, 3)),
        R(dem_world_unpack_springs, "+---", WORLD(0), HOW_MANY(0), P(KEPT_LIST, springs, springs_size), N(MANY, springs_size)),
        R(dem_world_take_springs, "+---", H(block, 3), HOW_MANY(0), P(KEPT_LIST, springs, springs_size), N(MANY, springs_size)),
    };
    ROWS(rows);
}
