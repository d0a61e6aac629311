! dem: contact detection and motion of rigid bodies, for Fortran 2018. The headers beside this file (dem.h and others)
! are the manual; types, constants and functions have the same names here. This file is made from the headers: do not
! edit it. Compile it with your program, because a compiled module works only with the same compiler:
!
!   gfortran $(pkg-config --variable=fortran dem) yours.f90 $(pkg-config --libs dem-static)
!
! Differences in Fortran:
!   Functions return the status, as in C. Arguments that C passes by pointers are optional: an argument that is left out
!     is a null pointer, and an error tells if the library needs it. `call dem_must(error)` ends the program after an error.
!   Types that are inputs begin with their defaults, so dem_defaults need not be called. Indices of vertices in
!     triangles count from 1 (`base` of dem_indices).
!   The library reads and writes arrays of a program in place. They need the attribute `target`, and must exist while
!     they are used. dem_array_of(a), dem_output_of(a) and dem_indices_of(a) describe a whole array: a(n), a(3,n), and
!     a(n,3) with `items = 1`. A call that needs three numbers an item refuses a(2,n). Other arrays need their strides
!     in bytes, such as a field of an array of derived types: dem_array(c_loc(bodies(1)%position), size(bodies),
!     storage_size(bodies) / 8). Numbers that are not double also need their `type`.
!   Objects (dem_shape, dem_scene, dem_world, dem_grid) are of type(c_ptr). Blocks that begin with dem_heap() get their
!     memory from malloc; dem_free gives it back. block%start takes the place of dem_shape_in, dem_scene_in and
!     dem_world_in.
!   Indices in results of the library (of bodies, triangles and contacts) count from 0. dem_contact_at, dem_pair_at
!     and dem_slot_body count from 1, as arrays do; lists whose strides are those of the types become arrays by
!     c_f_pointer.
!   DEM_VERSION and DEM_ABI_VERSION are names of functions, so the constants with these names end in _HERE here.
!   Unsigned numbers of C are signed numbers of the same size here; DEM_NO_ID is -1. Addresses have 64 bits.
module dem
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    implicit none
    private :: error_unit, moved, as_output

    real(c_double), parameter :: DEM_INFINITY = transfer(9218868437227405312_c_int64_t, 0._c_double)

    ! Versions (dem.h).

    integer(c_int32_t), parameter :: DEM_VERSION_MAJOR = 0
    integer(c_int32_t), parameter :: DEM_VERSION_MINOR = 1
    integer(c_int32_t), parameter :: DEM_VERSION_PATCH = 0
    integer(c_int32_t), parameter :: DEM_VERSION_HERE = 100
    integer(c_int32_t), parameter :: DEM_ABI_VERSION_HERE = 1

    ! Status and errors (dem.h).

    integer(c_int32_t), parameter :: DEM_OK = 0
    integer(c_int32_t), parameter :: DEM_NONE = 1
    integer(c_int32_t), parameter :: DEM_ERROR_NULL = -1
    integer(c_int32_t), parameter :: DEM_ERROR_MISALIGNED = -2
    integer(c_int32_t), parameter :: DEM_ERROR_CAPACITY = -3
    integer(c_int32_t), parameter :: DEM_ERROR_NOT_FINITE = -4
    integer(c_int32_t), parameter :: DEM_ERROR_OUT_OF_RANGE = -5
    integer(c_int32_t), parameter :: DEM_ERROR_BAD_INDEX = -6
    integer(c_int32_t), parameter :: DEM_ERROR_BAD_SIZE = -7
    integer(c_int32_t), parameter :: DEM_ERROR_TOO_LARGE = -8
    integer(c_int32_t), parameter :: DEM_ERROR_DAMAGED = -9
    integer(c_int32_t), parameter :: DEM_ERROR_BUSY = -10
    integer(c_int32_t), parameter :: DEM_ERROR_POISONED = -11
    integer(c_int32_t), parameter :: DEM_ERROR_UNSUPPORTED = -12
    integer(c_int32_t), parameter :: DEM_ERROR_PANIC = -13
    integer(c_int32_t), parameter :: DEM_ERROR_MISMATCH = -14
    integer(c_int32_t), parameter :: DEM_ERROR_OVERLAP = -15
    integer(c_int32_t), parameter :: DEM_ERROR_DUPLICATE = -16
    integer(c_int32_t), parameter :: DEM_ARGUMENT_SCRATCH = 2
    integer(c_int32_t), parameter :: DEM_ARGUMENT_OUTPUT = 3
    integer(c_int32_t), parameter :: DEM_ARGUMENT_PAIRS = 25
    integer(c_int32_t), parameter :: DEM_ARGUMENT_CONTACTS = 55
    integer(c_int32_t), parameter :: DEM_ARGUMENT_EVENTS = 60
    integer(c_int32_t), parameter :: DEM_ARGUMENT_BODIES = 63
    integer(c_int32_t), parameter :: DEM_ARGUMENT_CANDIDATES = 96
    integer(c_int32_t), parameter :: DEM_ARGUMENT_POSES = 105
    integer(c_int32_t), parameter :: DEM_ARGUMENT_LIST = 106
    integer(c_int32_t), parameter :: DEM_ARGUMENT_NODES = 107
    integer(c_int32_t), parameter :: DEM_ARGUMENT_BLENDS = 108
    integer(c_int32_t), parameter :: DEM_ARGUMENT_MARGIN_CONTACTS = 147
    integer(c_int32_t), parameter :: DEM_ARGUMENT_PAIR_CONTACTS = 182
    integer(c_int32_t), parameter :: DEM_ERROR_TEXT = 512

    ! Memory (dem.h).

    integer(c_int32_t), parameter :: DEM_ALIGN = 64

    ! Arrays (dem.h).

    integer(c_int32_t), parameter :: DEM_F32 = 1
    integer(c_int32_t), parameter :: DEM_F64 = 2
    integer(c_int32_t), parameter :: DEM_I32 = 3
    integer(c_int32_t), parameter :: DEM_U32 = 4
    integer(c_int32_t), parameter :: DEM_U64 = 5

    ! Defaults of structs (dem.h).

    integer(c_int32_t), parameter :: DEM_DEFAULT_SHAPE_DESC = 1
    integer(c_int32_t), parameter :: DEM_DEFAULT_COMPOUND = 2
    integer(c_int32_t), parameter :: DEM_DEFAULT_SCENE_DESC = 3
    integer(c_int32_t), parameter :: DEM_DEFAULT_SCENE_QUERY = 4
    integer(c_int32_t), parameter :: DEM_DEFAULT_SCENE_MOTION = 5
    integer(c_int32_t), parameter :: DEM_DEFAULT_WORLD_DESC = 6
    integer(c_int32_t), parameter :: DEM_DEFAULT_WORLD_SETUP = 7
    integer(c_int32_t), parameter :: DEM_DEFAULT_MEMBER = 8
    integer(c_int32_t), parameter :: DEM_DEFAULT_WORLD_QUERY = 9
    integer(c_int32_t), parameter :: DEM_DEFAULT_PLACED_QUERY = 10
    integer(c_int32_t), parameter :: DEM_DEFAULT_MOTION = 11
    integer(c_int32_t), parameter :: DEM_DEFAULT_INSPECT_OPTIONS = 12
    integer(c_int32_t), parameter :: DEM_DEFAULT_REFIT_DESC = 13
    integer(c_int32_t), parameter :: DEM_DEFAULT_QUERY = 14
    integer(c_int32_t), parameter :: DEM_DEFAULT_POINT_QUERY = 15
    integer(c_int32_t), parameter :: DEM_DEFAULT_POINT_RESULTS = 16
    integer(c_int32_t), parameter :: DEM_DEFAULT_NEAR_QUERY = 17
    integer(c_int32_t), parameter :: DEM_DEFAULT_GRID_DESC = 18
    integer(c_int32_t), parameter :: DEM_DEFAULT_NEAR_BOXES = 19
    integer(c_int32_t), parameter :: DEM_DEFAULT_CLOSEST_POINTS = 20
    integer(c_int32_t), parameter :: DEM_DEFAULT_TRIANGLE_OPTIONS = 21
    integer(c_int32_t), parameter :: DEM_DEFAULT_CONTACT_OPTIONS = 22
    integer(c_int32_t), parameter :: DEM_DEFAULT_CONTACT_RESULTS = 23

    ! Instruction sets (dem.h).

    integer(c_int32_t), parameter :: DEM_ISA_BEST = 0
    integer(c_int32_t), parameter :: DEM_ISA_SCALAR = 1
    integer(c_int32_t), parameter :: DEM_ISA_SSE2 = 2
    integer(c_int32_t), parameter :: DEM_ISA_AVX2 = 3
    integer(c_int32_t), parameter :: DEM_ISA_AVX512 = 4
    integer(c_int32_t), parameter :: DEM_ISA_NEON = 5
    integer(c_int32_t), parameter :: DEM_ISA_COUNT = 8

    ! Shapes (dem.h).

    integer(c_int32_t), parameter :: DEM_PRESET_FAST = 1
    integer(c_int32_t), parameter :: DEM_PRESET_DEFAULT = 2
    integer(c_int32_t), parameter :: DEM_PRESET_BEST = 3
    integer(c_int32_t), parameter :: DEM_LAW_FACING = 0
    integer(c_int32_t), parameter :: DEM_LAW_VOLUME = 1
    integer(c_int32_t), parameter :: DEM_LAW_AUTO = 2
    integer(c_int32_t), parameter :: DEM_NO_ID = -1
    integer(c_int32_t), parameter :: DEM_FEATURE_VERTEX_0 = 0
    integer(c_int32_t), parameter :: DEM_FEATURE_VERTEX_1 = 1
    integer(c_int32_t), parameter :: DEM_FEATURE_VERTEX_2 = 2
    integer(c_int32_t), parameter :: DEM_FEATURE_EDGE_0 = 3
    integer(c_int32_t), parameter :: DEM_FEATURE_EDGE_1 = 4
    integer(c_int32_t), parameter :: DEM_FEATURE_EDGE_2 = 5
    integer(c_int32_t), parameter :: DEM_FEATURE_FACE = 6

    ! Bodies: spheres, capsules, half-spaces, meshes and compounds of these (dem.h).

    integer(c_int32_t), parameter :: DEM_KIND_SPHERE = 1
    integer(c_int32_t), parameter :: DEM_KIND_HALF_SPACE = 2
    integer(c_int32_t), parameter :: DEM_KIND_MESH = 3
    integer(c_int32_t), parameter :: DEM_KIND_COMPOUND = 4
    integer(c_int32_t), parameter :: DEM_KIND_CAPSULE = 5

    ! Contacts: what forces act on (dem.h).

    integer(c_int32_t), parameter :: DEM_CONTACT_SURFACE = 0
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_TOUCHING = 1
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_PENETRATING = 2
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_OPEN = 4
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_LEAST_TRANSLATION = 8
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_CONTAINED = 16
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_DEGENERATE = 32
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_UNSURE = 64
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_COINCIDENT = 128
    integer(c_int32_t), parameter :: DEM_CONTACT_IS_THIN = 256
    integer(c_int32_t), parameter :: DEM_EVENT_NONE = 0
    integer(c_int32_t), parameter :: DEM_EVENT_BEGIN = 1
    integer(c_int32_t), parameter :: DEM_EVENT_PERSIST = 2
    integer(c_int32_t), parameter :: DEM_EVENT_END = 3

    ! Scenes (dem.h).

    integer(c_int32_t), parameter :: DEM_LIST_CONTACTS = 0
    integer(c_int32_t), parameter :: DEM_LIST_MARGIN = 1

    ! Contacts of a scene (dem.h).

    integer(c_int32_t), parameter :: DEM_GROUPING_REGIONS = 0
    integer(c_int32_t), parameter :: DEM_GROUPING_PATCHES = 1
    integer(c_int32_t), parameter :: DEM_GROUPING_BODIES = 2
    integer(c_int32_t), parameter :: DEM_MOTION_DYNAMIC = 0
    integer(c_int32_t), parameter :: DEM_MOTION_KINEMATIC = 1
    integer(c_int32_t), parameter :: DEM_MOTION_STATIC = 2
    integer(c_int32_t), parameter :: DEM_MOTION_GHOST = 3

    ! From one step of a scene to the next (dem.h).

    integer(c_int32_t), parameter :: DEM_CARRY_TANGENT = 0
    integer(c_int32_t), parameter :: DEM_CARRY_NORMAL = 1
    integer(c_int32_t), parameter :: DEM_CARRY_NUMBER = 2

    ! Force laws (dem_world.h).

    integer(c_int32_t), parameter :: DEM_NORMAL_PRESSURE = 0
    integer(c_int32_t), parameter :: DEM_NORMAL_LINEAR = 1
    integer(c_int32_t), parameter :: DEM_NORMAL_SPRING = 2
    integer(c_int32_t), parameter :: DEM_NORMAL_HERTZ = 3
    integer(c_int32_t), parameter :: DEM_DAMPING_NONE = 0
    integer(c_int32_t), parameter :: DEM_DAMPING_HUNT_CROSSLEY = 1
    integer(c_int32_t), parameter :: DEM_DAMPING_DASHPOT = 2
    integer(c_int32_t), parameter :: DEM_DAMPING_DASHPOT_WITH_TENSION = 3
    integer(c_int32_t), parameter :: DEM_COHESION_NONE = 0
    integer(c_int32_t), parameter :: DEM_COHESION_AREA = 1
    integer(c_int32_t), parameter :: DEM_COHESION_DMT = 2

    ! Worlds (dem_world.h).

    integer(c_int32_t), parameter :: DEM_RECORDS_LAST = 0
    integer(c_int32_t), parameter :: DEM_RECORDS_NONE = 1
    integer(c_int32_t), parameter :: DEM_ORDER_SEMI_IMPLICIT = 0
    integer(c_int32_t), parameter :: DEM_ORDER_EXPLICIT = 1
    integer(c_int32_t), parameter :: DEM_ROTATION_SPLITTING = 0
    integer(c_int32_t), parameter :: DEM_ROTATION_GYROSCOPIC = 1

    ! Bodies of worlds (dem_world.h).

    integer(c_int64_t), parameter :: DEM_WORLD_NO_ID = 9223372036854775807_c_int64_t

    ! Steps of worlds (dem_world.h).

    integer(c_int32_t), parameter :: DEM_ASK_LOADS = 1
    integer(c_int32_t), parameter :: DEM_ASK_LAW = 2
    integer(c_int32_t), parameter :: DEM_WANT_MORE = 0
    integer(c_int32_t), parameter :: DEM_WANT_LOADS = 1
    integer(c_int32_t), parameter :: DEM_WANT_LAW = 2
    integer(c_int32_t), parameter :: DEM_WANT_DONE = 3
    integer(c_int32_t), parameter :: DEM_WANT_STUCK = 4
    integer(c_int32_t), parameter :: DEM_PHASE_IDLE = 0
    integer(c_int32_t), parameter :: DEM_PHASE_FIND = 1
    integer(c_int32_t), parameter :: DEM_PHASE_LAW = 2
    integer(c_int32_t), parameter :: DEM_PHASE_HOST_LAW = 3
    integer(c_int32_t), parameter :: DEM_PHASE_LOADS = 4
    integer(c_int32_t), parameter :: DEM_PHASE_MOVE = 5
    integer(c_int32_t), parameter :: DEM_PHASE_DONE = 6
    integer(c_int32_t), parameter :: DEM_PHASE_STUCK = 7

    ! Clamped normals, for engines on badly welded surfaces (dem_pair.h).

    integer(c_int32_t), parameter :: DEM_BODY_A = 0
    integer(c_int32_t), parameter :: DEM_BODY_B = 1

    ! Defects of a shape (dem_mesh.h).

    integer(c_int32_t), parameter :: DEM_DEFECT_POINT = 0
    integer(c_int32_t), parameter :: DEM_DEFECT_TWO_EQUAL = 1
    integer(c_int32_t), parameter :: DEM_DEFECT_COLLINEAR = 2
    integer(c_int32_t), parameter :: DEM_DEFECT_NEARLY_COLLINEAR = 3
    integer(c_int32_t), parameter :: DEM_DEFECT_NEEDLE = 4
    integer(c_int32_t), parameter :: DEM_DEFECT_DUPLICATE = 5
    integer(c_int32_t), parameter :: DEM_DEFECT_REVERSED_COPY = 6
    integer(c_int32_t), parameter :: DEM_DEFECT_REVERSED_TRIANGLE = 7
    integer(c_int32_t), parameter :: DEM_DEFECT_OPEN_EDGE = 8
    integer(c_int32_t), parameter :: DEM_DEFECT_NON_MANIFOLD_EDGE = 11
    integer(c_int32_t), parameter :: DEM_DEFECT_INCONSISTENT_EDGE = 14
    integer(c_int32_t), parameter :: DEM_DEFECT_UNUSED_VERTEX = 17
    integer(c_int32_t), parameter :: DEM_WORKS_DISTANCES = 1
    integer(c_int32_t), parameter :: DEM_WORKS_INSIDE = 2
    integer(c_int32_t), parameter :: DEM_WORKS_MASS = 4
    integer(c_int32_t), parameter :: DEM_COMPONENT_CLOSED = 1
    integer(c_int32_t), parameter :: DEM_COMPONENT_ORIENTABLE = 2
    integer(c_int32_t), parameter :: DEM_COMPONENT_INWARD = 4

    ! Mass properties of a shape (dem_mesh.h).

    integer(c_int32_t), parameter :: DEM_MASS_INWARD = 1
    integer(c_int32_t), parameter :: DEM_MASS_FLAT = 2

    ! Shapes that change (dem_mesh.h).

    integer(c_int32_t), parameter :: DEM_REFIT_HALOS = 1
    integer(c_int32_t), parameter :: DEM_REFIT_SURROGATES = 2

    ! Queries of two shapes (dem_mesh.h).

    integer(c_int32_t), parameter :: DEM_WITNESS_DEFINITE = 0
    integer(c_int32_t), parameter :: DEM_WITNESS_ANY = 1

    ! Points and a shape (dem_mesh.h).

    integer(c_int32_t), parameter :: DEM_SIDE_OUTSIDE = 0
    integer(c_int32_t), parameter :: DEM_SIDE_INSIDE = 1
    integer(c_int32_t), parameter :: DEM_SIDE_SURFACE = 2
    integer(c_int32_t), parameter :: DEM_SIDE_BEYOND = 3
    integer(c_int32_t), parameter :: DEM_DOUBT_OPEN = 1
    integer(c_int32_t), parameter :: DEM_DOUBT_INCONSISTENT = 2
    integer(c_int32_t), parameter :: DEM_DOUBT_DEGENERATE = 4
    integer(c_int32_t), parameter :: DEM_DOUBT_TOUCHING = 8
    integer(c_int32_t), parameter :: DEM_DOUBT_SHARP = 16
    integer(c_int32_t), parameter :: DEM_DOUBT_FAR = 32
    integer(c_int32_t), parameter :: DEM_DOUBT_WINDING = 64

    ! Which triangles are in contact (dem_papers.h).

    integer(c_int32_t), parameter :: DEM_VERDICT_NONE = 0
    integer(c_int32_t), parameter :: DEM_VERDICT_CONTACT = 1
    integer(c_int32_t), parameter :: DEM_VERDICT_UNRESOLVED = 2
    integer(c_int32_t), parameter :: DEM_SCHEME_SPLITTING = 1
    integer(c_int32_t), parameter :: DEM_SCHEME_NEWTON = 2
    integer(c_int32_t), parameter :: DEM_SCHEME_PROJECTED = 3
    integer(c_int32_t), parameter :: DEM_CRITERION_FUNCTIONAL = 1
    integer(c_int32_t), parameter :: DEM_CRITERION_CONTACT_POINT = 2
    integer(c_int32_t), parameter :: DEM_CRITERION_CERTIFIED = 3
    integer(c_int32_t), parameter :: DEM_FALLBACK_NONE = 0
    integer(c_int32_t), parameter :: DEM_FALLBACK_PAIRS = 1
    integer(c_int32_t), parameter :: DEM_FALLBACK_BATCHES = 2

    ! Status and errors (dem.h).

    ! What a call on a scene or a world had too little room for: of each kind a number that is enough, or 0 if
    ! there was enough.
    type, bind(c) :: dem_shortage
        integer(c_int64_t) :: bodies = 0
        integer(c_int64_t) :: candidates = 0
        integer(c_int64_t) :: contacts = 0
        integer(c_int64_t) :: margin_contacts = 0
        integer(c_int64_t) :: nodes = 0
        integer(c_int64_t) :: posed = 0
        integer(c_int64_t) :: ball_pairs = 0
        integer(c_int64_t) :: ball_contacts = 0
        integer(c_int64_t) :: pairs = 0
        integer(c_int64_t) :: pair_contacts = 0
        integer(c_int64_t) :: scratch = 0
    end type

    ! What was wrong, where, and what would be right.
    type, bind(c) :: dem_error
        integer(c_int32_t) :: code = 0
        integer(c_int32_t) :: argument = 0
        integer(c_int64_t) :: index = 0
        integer(c_int32_t) :: component = 0
        integer(c_int32_t) :: reserved = 0
        integer(c_int64_t) :: needed = 0
        integer(c_int64_t) :: given = 0
        type(dem_shortage) :: short_of
    end type

    ! Memory (dem.h).

    ! A block of memory, and a function that gets a larger one.
    type, bind(c) :: dem_block
        type(c_ptr) :: start = c_null_ptr
        integer(c_size_t) :: size = 0
        type(c_funptr) :: resize = c_null_funptr
        type(c_ptr) :: context = c_null_ptr
    end type

    ! Arrays (dem.h).

    ! Input items of one, three or more numbers: component c of item i lies at byte `i * stride + c *
    ! component_stride` after `data`.
    type, bind(c) :: dem_array
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0
        integer(c_size_t) :: stride = 0
        integer(c_size_t) :: component_stride = 0
        integer(c_int32_t) :: type = 2
        integer(c_int32_t) :: reserved = 0
    end type

    ! Output items, laid out as in `dem_array`.
    type, bind(c) :: dem_output
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0
        integer(c_size_t) :: stride = 0
        integer(c_size_t) :: component_stride = 0
        integer(c_int32_t) :: type = 2
        integer(c_int32_t) :: reserved = 0
    end type

    ! Input items of two or three indices (triangles that form a pair, vertices of a triangle), laid out as in
    ! `dem_array`.
    type, bind(c) :: dem_indices
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0
        integer(c_size_t) :: stride = 0
        integer(c_size_t) :: component_stride = 0
        integer(c_int32_t) :: type = 3
        integer(c_int32_t) :: base = 1
    end type

    ! Threads (dem.h).

    ! Threads of the program.
    type, bind(c) :: dem_tasks
        type(c_funptr) :: run = c_null_funptr
        type(c_ptr) :: user = c_null_ptr
        integer(c_size_t) :: lanes = 1
        integer(c_size_t) :: reserved = 0
    end type

    ! Shapes (dem.h).

    ! The input for building a shape.
    type, bind(c) :: dem_shape_desc
        integer(c_int32_t) :: struct_size = 176
        integer(c_int32_t) :: cells = 1
        type(dem_array) :: vertices
        type(dem_indices) :: triangles
        type(dem_array) :: halos
        real(c_double) :: halo = 0
        integer(c_int32_t) :: stored = 2
        integer(c_int32_t) :: preset = 2
        integer(c_int32_t) :: fan_out = 4
        integer(c_int32_t) :: leaf = 4
        integer(c_int32_t) :: isa = 0
        integer(c_int32_t) :: law = 2
        real(c_double) :: flat = 0.00000095367431640625_c_double
        real(c_double) :: angle = 0.7853981633974483_c_double
    end type

    ! Properties of a shape.
    type, bind(c) :: dem_shape_info
        integer(c_int32_t) :: triangles
        integer(c_int32_t) :: vertices
        integer(c_int32_t) :: stored
        integer(c_int32_t) :: depth
        real(c_double) :: centre(3)
        real(c_double) :: radius
        real(c_double) :: halo
        integer(c_int64_t) :: identity
        integer(c_int64_t) :: size
        integer(c_int32_t) :: cells
        integer(c_int32_t) :: law
    end type

    ! Bodies: spheres, capsules, half-spaces, meshes and compounds of these (dem.h).

    ! Position and orientation of a body: world = rotation * local + position.
    type, bind(c) :: dem_pose
        real(c_double) :: position(3) = 0
        real(c_double) :: orientation(4) = [0, 0, 0, 1]
    end type

    ! A body, or a part of one.
    type, bind(c) :: dem_placed
        integer(c_int32_t) :: kind = 1
        integer(c_int32_t) :: solid = 0
        type(c_ptr) :: shape = c_null_ptr
        integer(c_size_t) :: reserved = 0
        real(c_double) :: radius = 0
        real(c_double) :: halo = 0
        real(c_double) :: scale = 1
        real(c_double) :: half_length = 0
        real(c_double) :: reserved_lengths(2) = 0
        type(dem_pose) :: pose
    end type

    ! Parts that move together and have no contacts with each other.
    type, bind(c) :: dem_compound
        integer(c_int32_t) :: struct_size = 32
        integer(c_int32_t) :: reserved = 0
        type(c_ptr) :: parts = c_null_ptr
        integer(c_size_t) :: count = 0
        integer(c_size_t) :: stride = 0
    end type

    ! Contacts: what forces act on (dem.h).

    ! A contact of two bodies.
    type, bind(c) :: dem_contact
        integer(c_int64_t) :: key(2)
        real(c_double) :: position(3)
        real(c_double) :: normal(3)
        real(c_double) :: moment(3)
        real(c_double) :: gap
        real(c_double) :: least_gap
        real(c_double) :: area
        real(c_double) :: share
        real(c_double) :: halo
        integer(c_int32_t) :: kind
        integer(c_int32_t) :: status
        real(c_double) :: energy
        real(c_double) :: wedging
        real(c_double) :: radius
        real(c_double) :: offset(3)
        real(c_double) :: spread(6)
        real(c_double) :: curvature(6)
    end type

    ! A patch of A and a patch of B that press on each other: a part of a contact.
    type, bind(c) :: dem_contact_node
        integer(c_int64_t) :: features
        integer(c_int32_t) :: contact
        real(c_float) :: force
    end type

    ! The link from a contact of this step to the last step.
    type, bind(c) :: dem_contact_link
        integer(c_int32_t) :: origin
        integer(c_int32_t) :: source
    end type

    ! A blend: if a contact of this step takes over several springs, the part that it takes from one contact of the
    ! last step.
    type, bind(c) :: dem_contact_blend
        integer(c_int32_t) :: now
        integer(c_int32_t) :: last
        real(c_double) :: weight
    end type

    ! An event: a contact begins, persists or ends.
    type, bind(c) :: dem_contact_event
        integer(c_int32_t) :: contact
        integer(c_int32_t) :: pair
        integer(c_int32_t) :: now
        integer(c_int32_t) :: last
    end type

    ! A corner of a contact.
    type, bind(c) :: dem_contact_corner
        real(c_double) :: position(3)
        real(c_double) :: gap
        integer(c_int32_t) :: contact
        integer(c_int32_t) :: order
        integer(c_int64_t) :: features(2)
        real(c_double) :: gap_error
    end type

    ! Scenes (dem.h).

    ! The room of a scene's block.
    type, bind(c) :: dem_scene_desc
        integer(c_int32_t) :: struct_size = 32
        integer(c_int32_t) :: bodies = 0
        integer(c_int32_t) :: candidates = 0
        integer(c_int32_t) :: contacts = 0
        integer(c_int32_t) :: levels = 8
        integer(c_int32_t) :: posed = 0
        integer(c_int32_t) :: nodes = 0
        integer(c_int32_t) :: margin_contacts = 0
    end type

    ! Two bodies that have contacts.
    type, bind(c) :: dem_scene_pair
        integer(c_int64_t) :: ids(2)
        integer(c_int32_t) :: a
        integer(c_int32_t) :: b
        integer(c_int32_t) :: first
        integer(c_int32_t) :: end
        integer(c_int32_t) :: image(3)
        integer(c_int16_t) :: shift(3)
        integer(c_int16_t) :: spare
        integer(c_int32_t) :: posed
        real(c_double) :: least_gap
        real(c_double) :: energy
    end type

    ! The data that a committed step keeps of a contact.
    type, bind(c) :: dem_scene_kept
        real(c_double) :: position(3)
        real(c_double) :: area
    end type

    ! Pointers to the contacts found last, in the scene's block.
    type, bind(c) :: dem_scene_contacts
        type(c_ptr) :: contacts
        type(c_ptr) :: links
        integer(c_size_t) :: count
        type(c_ptr) :: pairs
        integer(c_size_t) :: pair_count
        type(c_ptr) :: touch_ends
        type(c_ptr) :: touches
        integer(c_size_t) :: body_count
        type(c_ptr) :: last_pairs
        integer(c_size_t) :: last_pair_count
        type(c_ptr) :: last_contacts
        type(c_ptr) :: last_features
        integer(c_size_t) :: last_count
        type(c_ptr) :: successors
        type(c_ptr) :: blends
        integer(c_size_t) :: blend_count
        type(c_ptr) :: nodes
        integer(c_size_t) :: node_count
        type(c_ptr) :: last_nodes
        integer(c_size_t) :: last_node_count
        type(c_ptr) :: margin_contacts
        integer(c_size_t) :: margin_count
        type(c_ptr) :: margin_pairs
        integer(c_size_t) :: margin_pair_count
        type(c_ptr) :: margin_touch_ends
        type(c_ptr) :: margin_touches
        integer(c_size_t) :: contact_stride
        integer(c_size_t) :: pair_stride
        integer(c_size_t) :: link_stride
        integer(c_size_t) :: kept_stride
        integer(c_size_t) :: blend_stride
        integer(c_size_t) :: node_stride
    end type

    ! Two bodies that are near.
    type, bind(c) :: dem_near_pair
        integer(c_int32_t) :: a = 0
        integer(c_int32_t) :: b = 0
        integer(c_int16_t) :: shift(3) = 0
        integer(c_int16_t) :: spare = 0
    end type

    ! Contacts of a scene (dem.h).

    ! What a hierarchical grid chose and expected, and what its search found.
    type, bind(c) :: dem_grid_report
        integer(c_int64_t) :: levels
        real(c_double) :: sizes(16)
        integer(c_int64_t) :: bodies(16)
        real(c_double) :: expected
        real(c_double) :: tested
    end type

    ! Counts of a step.
    type, bind(c) :: dem_scene_counts
        integer(c_int64_t) :: candidates
        integer(c_int64_t) :: pairs
        integer(c_int64_t) :: contacts
        integer(c_int64_t) :: persisting
        integer(c_int64_t) :: crossing
        integer(c_int64_t) :: listed
        integer(c_int64_t) :: age
        integer(c_int64_t) :: margin_pairs
        integer(c_int64_t) :: margin_contacts
        type(dem_grid_report) :: grid
    end type

    ! The bodies of a scene, and the settings of a step.
    type, bind(c) :: dem_scene_query
        integer(c_int32_t) :: struct_size = 520
        integer(c_int32_t) :: isa = 0
        type(c_ptr) :: shapes = c_null_ptr
        integer(c_size_t) :: shape_count = 0
        integer(c_size_t) :: shape_stride = 0
        integer(c_size_t) :: pairs = 0
        integer(c_size_t) :: pair_contacts = 0
        integer(c_size_t) :: grouping = 0
        type(dem_tasks) :: tasks
        real(c_double) :: periods(3) = 0
        real(c_double) :: bound = DEM_INFINITY
        real(c_double) :: skin = 0
        real(c_double) :: margin = 0
        type(dem_array) :: positions
        type(dem_array) :: orientations
        type(dem_array) :: scales
        type(dem_array) :: halos
        type(dem_array) :: shape_of = dem_array(type=4)
        type(dem_array) :: motions = dem_array(type=4)
        type(dem_array) :: groups = dem_array(type=4)
        type(dem_array) :: masks = dem_array(type=4)
        type(dem_array) :: ids = dem_array(type=5)
        real(c_double) :: angle = 0.7853981633974483_c_double
        integer(c_int64_t) :: energies = 0
        integer(c_int64_t) :: spreads = 0
    end type

    ! How fast surfaces of a scene move in contact (dem.h).

    ! A body whose vertices move by themselves.
    type, bind(c) :: dem_scene_surface
        type(c_ptr) :: shape = c_null_ptr
        integer(c_size_t) :: reserved_2 = 0
        real(c_double) :: scale = 1
        integer(c_int32_t) :: body = 0
        integer(c_int32_t) :: reserved = 0
        type(dem_array) :: vertices
        type(dem_pose) :: pose
        type(c_ptr) :: bodies = c_null_ptr
        integer(c_size_t) :: reserved_3 = 0
    end type

    ! How the bodies of a scene move: body i is item i of every array, in the order of the query.
    type, bind(c) :: dem_scene_motion
        integer(c_int32_t) :: struct_size = 160
        integer(c_int32_t) :: list = 0
        type(dem_array) :: velocities
        type(dem_array) :: spins
        type(dem_array) :: centres
        type(c_ptr) :: surfaces = c_null_ptr
        integer(c_size_t) :: surface_count = 0
        integer(c_size_t) :: surface_stride = 0
        integer(c_size_t) :: reserved_2 = 0
    end type

    ! Ray casts (dem.h).

    ! A hit: where a ray meets a surface.
    type, bind(c) :: dem_ray_hit
        real(c_double) :: t
        real(c_double) :: point(3)
        real(c_double) :: normal(3)
        integer(c_int64_t) :: id
        integer(c_int32_t) :: body
        integer(c_int32_t) :: part
        integer(c_int32_t) :: triangle
        integer(c_int32_t) :: side
    end type

    ! A ray: all points `origin + t direction` with t from 0 to `most`, in world coordinates.
    type, bind(c) :: dem_ray
        real(c_double) :: origin(3) = 0
        real(c_double) :: direction(3) = 0
        real(c_double) :: most = DEM_INFINITY
        integer(c_int32_t) :: mask = -1
        integer(c_int32_t) :: reserved = 0
    end type

    ! Force laws (dem_world.h).

    ! The force law between two materials.
    type, bind(c) :: dem_interaction
        integer(c_int32_t) :: normal = 0
        integer(c_int32_t) :: damped = 0
        integer(c_int32_t) :: cohesive = 0
        integer(c_int32_t) :: reserved = 0
        real(c_double) :: stiffness = 0
        real(c_double) :: damping = 0
        real(c_double) :: friction = 0
        real(c_double) :: shear = 0.2857142857142857_c_double
        real(c_double) :: lag = 0
        real(c_double) :: torsion = 1
        real(c_double) :: rolling = 0
        real(c_double) :: cohesion = 0
    end type

    ! An elastic, rough solid.
    type, bind(c) :: dem_material
        real(c_double) :: young = 0
        real(c_double) :: poisson = 0
        real(c_double) :: restitution = 0
        real(c_double) :: friction = 0
        real(c_double) :: rolling = 0
        real(c_double) :: cohesion = 0
    end type

    ! Worlds (dem_world.h).

    ! The room of a world's block.
    type, bind(c) :: dem_world_desc
        integer(c_int32_t) :: struct_size = 40
        integer(c_int32_t) :: bodies = 0
        integer(c_int32_t) :: candidates = 0
        integer(c_int32_t) :: contacts = 0
        integer(c_int32_t) :: levels = 8
        integer(c_int32_t) :: nodes = 0
        integer(c_int32_t) :: records = 0
        integer(c_int32_t) :: ball_pairs = 0
        integer(c_int32_t) :: ball_contacts = 0
        integer(c_int32_t) :: events = 0
    end type

    ! Settings for all steps of a world, until they are changed.
    type, bind(c) :: dem_world_setup
        integer(c_int32_t) :: struct_size = 72
        integer(c_int32_t) :: order = 0
        integer(c_int32_t) :: rotation = 0
        integer(c_int32_t) :: records = 0
        real(c_double) :: gravity(3) = 0
        real(c_double) :: periods(3) = 0
        integer(c_int32_t) :: watch = 0
        integer(c_int32_t) :: reserved = 0
    end type

    ! Bodies of worlds (dem_world.h).

    ! A rigid body.
    type, bind(c) :: dem_body
        real(c_double) :: position(3) = 0
        real(c_double) :: orientation(4) = [0, 0, 0, 1]
        real(c_double) :: velocity(3) = 0
        real(c_double) :: angular_velocity(3) = 0
        real(c_double) :: mass = 0
        real(c_double) :: moments(3) = 0
        integer(c_int32_t) :: motion = 0
        integer(c_int32_t) :: reserved = 0
    end type

    ! A body to add to a world.
    type, bind(c) :: dem_member
        integer(c_int32_t) :: struct_size = 184
        integer(c_int32_t) :: shape = 0
        integer(c_int32_t) :: material = 0
        integer(c_int32_t) :: groups = 1
        integer(c_int32_t) :: masks = -1
        integer(c_int32_t) :: reserved = 0
        type(dem_body) :: body = dem_body(motion=2)
        real(c_double) :: scale = 1
        integer(c_int64_t) :: id = 9223372036854775807_c_int64_t
    end type

    ! A force, and a torque.
    type, bind(c) :: dem_wrench
        real(c_double) :: force(3) = 0
        real(c_double) :: torque(3) = 0
    end type

    ! Steps of worlds (dem_world.h).

    ! The input of polls: the shapes of bodies, settings of the search for contacts, the law.
    type, bind(c) :: dem_world_query
        integer(c_int32_t) :: struct_size = 168
        integer(c_int32_t) :: isa = 0
        type(c_ptr) :: shapes = c_null_ptr
        integer(c_size_t) :: shape_count = 0
        integer(c_size_t) :: shape_stride = 0
        type(c_ptr) :: interactions = c_null_ptr
        integer(c_size_t) :: interaction_count = 0
        integer(c_size_t) :: pairs = 0
        integer(c_size_t) :: pair_contacts = 0
        integer(c_size_t) :: grouping = 0
        type(dem_tasks) :: tasks
        real(c_double) :: bound = DEM_INFINITY
        real(c_double) :: skin = 0
        real(c_double) :: angle = 0.7853981633974483_c_double
        integer(c_int64_t) :: energies = 0
        type(c_ptr) :: surfaces = c_null_ptr
        integer(c_size_t) :: surface_count = 0
        integer(c_size_t) :: surface_stride = 0
        integer(c_size_t) :: reserved = 0
    end type

    ! How two surfaces move at a contact.
    type, bind(c) :: dem_meeting
        real(c_double) :: velocity(3)
        real(c_double) :: spin(3)
    end type

    ! The data that a contact keeps from step to step.
    type, bind(c) :: dem_springs
        real(c_double) :: vectors(3, 5)
    end type

    ! Input and output of a law of the program.
    type, bind(c) :: dem_host_law
        type(c_ptr) :: meetings
        type(c_ptr) :: acts
        type(c_ptr) :: springs
        integer(c_size_t) :: count
        integer(c_size_t) :: meeting_stride
        integer(c_size_t) :: wrench_stride
        integer(c_size_t) :: spring_stride
    end type

    ! Two bodies that approach each other too fast for a step.
    type, bind(c) :: dem_too_fast
        integer(c_int32_t) :: a
        integer(c_int32_t) :: b
        real(c_double) :: ratio
        real(c_double) :: dt
    end type

    ! Springs of a law of the program (dem_world.h).

    ! What a contact takes over from contacts that have joined into it, or from one of which it is a part.
    type, bind(c) :: dem_taken_over
        real(c_double) :: joined_mean(3)
        real(c_double) :: joined_moment(3)
        real(c_double) :: joined_square
        real(c_double) :: split_arm(3)
        real(c_double) :: split_square
        real(c_double) :: split_own
        integer(c_int32_t) :: has_joined
        integer(c_int32_t) :: begins
    end type

    ! The content of worlds (dem_world.h).

    ! An event: two bodies begin or cease to touch in one of the steps of a window.
    type, bind(c) :: dem_pair_event
        integer(c_int64_t) :: ids(2)
        integer(c_int32_t) :: bodies(2)
        integer(c_int32_t) :: what
        integer(c_int32_t) :: reserved
        real(c_double) :: time
    end type

    ! The content of a world, in its block.
    type, bind(c) :: dem_world_slots
        type(c_ptr) :: bodies
        type(c_ptr) :: moved
        type(c_ptr) :: ids
        type(c_ptr) :: shapes
        type(c_ptr) :: materials
        type(c_ptr) :: scales
        type(c_ptr) :: loads
        type(c_ptr) :: wrenches
        type(c_ptr) :: mean_wrenches
        integer(c_size_t) :: count
        type(c_ptr) :: acts
        integer(c_size_t) :: act_count
        type(c_ptr) :: springs
        integer(c_size_t) :: spring_count
        real(c_double) :: time
        integer(c_int64_t) :: steps
        integer(c_int32_t) :: phase
        integer(c_int32_t) :: bodies_there
        type(dem_too_fast) :: too_fast
        integer(c_size_t) :: body_stride
        integer(c_size_t) :: wrench_stride
        integer(c_size_t) :: spring_stride
        integer(c_size_t) :: event_stride
        type(c_ptr) :: events
        integer(c_size_t) :: event_count
    end type

    ! Numbers of a step, or of the window that `dem_world_advance` went over.
    type, bind(c) :: dem_world_report
        real(c_double) :: time
        real(c_double) :: dt
        integer(c_int64_t) :: steps
        integer(c_int64_t) :: contacts
        integer(c_int64_t) :: pairs
        real(c_double) :: mass
        real(c_double) :: first(3)
        real(c_double) :: momentum(3)
        real(c_double) :: angular_momentum(3)
        real(c_double) :: translation
        real(c_double) :: rotation
        real(c_double) :: potential
        real(c_double) :: work
        real(c_double) :: gravity_work
        real(c_double) :: stored_normal
        real(c_double) :: stored_tangential
        real(c_double) :: damped
        real(c_double) :: rubbed
        real(c_double) :: least_gap
        real(c_double) :: approach
        integer(c_int32_t) :: approaching(2)
        real(c_double) :: frequency
        integer(c_int32_t) :: stiffest
        integer(c_int32_t) :: stiffest_partner
        type(dem_too_fast) :: too_fast
        real(c_double) :: virial(9)
        real(c_double) :: coordination
        real(c_double) :: window_gap
        real(c_double) :: window_approach
        integer(c_int32_t) :: window_approaching(2)
        integer(c_int32_t) :: window_status
        integer(c_int32_t) :: reserved_2
        integer(c_int64_t) :: deepest(2)
        real(c_double) :: load_work
        real(c_double) :: driven_work
        real(c_double) :: spurious
    end type

    ! Contacts of two bodies (dem_pair.h).

    ! Two bodies.
    type, bind(c) :: dem_placed_query
        integer(c_int32_t) :: struct_size = 336
        integer(c_int32_t) :: isa = 0
        integer(c_int64_t) :: tag = 0
        type(dem_placed) :: a
        type(dem_placed) :: b
        type(dem_tasks) :: tasks
        type(c_ptr) :: list = c_null_ptr
        integer(c_size_t) :: list_count = 0
        integer(c_int64_t) :: energies = 0
        integer(c_int64_t) :: spreads = 0
    end type

    ! How fast surfaces move in contact (dem_pair.h).

    ! How a body moves: velocity + spin x (x - centre), plus the velocities of vertices on its surface.
    type, bind(c) :: dem_motion
        integer(c_int32_t) :: struct_size = 200
        integer(c_int32_t) :: reserved = 0
        real(c_double) :: velocity(3) = 0
        real(c_double) :: spin(3) = 0
        real(c_double) :: centre(3) = 0
        type(c_ptr) :: shape = c_null_ptr
        integer(c_size_t) :: reserved_2 = 0
        type(dem_pose) :: pose
        real(c_double) :: scale = 1
        type(dem_array) :: vertices
    end type

    ! Contacts from step to step (dem_pair.h).

    ! The poses of a pair of bodies for which its contacts were computed: those of its query.
    type, bind(c) :: dem_body_pair
        integer(c_int64_t) :: tag
        type(dem_pose) :: pose_a
        type(dem_pose) :: pose_b
    end type

    ! The contacts of one step.
    type, bind(c) :: dem_contact_list
        type(c_ptr) :: contacts = c_null_ptr
        integer(c_size_t) :: count = 0
        integer(c_size_t) :: stride = 0
        type(c_ptr) :: pairs = c_null_ptr
        integer(c_size_t) :: pair_count = 0
        integer(c_size_t) :: pair_stride = 0
        type(c_ptr) :: nodes = c_null_ptr
        integer(c_size_t) :: node_count = 0
    end type

    ! Defects of a shape (dem_mesh.h).

    ! The result of an inspection: numbers of defects, and what works.
    type, bind(c) :: dem_report
        integer(c_int64_t) :: triangles
        integer(c_int64_t) :: vertices
        integer(c_int64_t) :: positions
        integer(c_int64_t) :: points
        integer(c_int64_t) :: two_equal
        integer(c_int64_t) :: collinear
        integer(c_int64_t) :: nearly_collinear
        integer(c_int64_t) :: needles
        integer(c_int64_t) :: duplicates
        integer(c_int64_t) :: reversed_copies
        integer(c_int64_t) :: reversed_triangles
        integer(c_int64_t) :: unused_vertices
        integer(c_int64_t) :: edges
        integer(c_int64_t) :: open_edges
        integer(c_int64_t) :: open_loops
        integer(c_int64_t) :: non_manifold_edges
        integer(c_int64_t) :: inconsistent_edges
        integer(c_int64_t) :: unbalanced_edges
        integer(c_int64_t) :: components
        integer(c_int64_t) :: closed_components
        integer(c_int64_t) :: inward_components
        integer(c_int64_t) :: non_orientable_components
        integer(c_int64_t) :: works
        real(c_double) :: thickness
        integer(c_int32_t) :: thinnest(2)
    end type

    ! Settings of an inspection: which defects, from which size on.
    type, bind(c) :: dem_inspect_options
        integer(c_int32_t) :: struct_size = 24
        integer(c_int32_t) :: defects = -1
        real(c_double) :: resolution = 0.00000011920928955078125_c_double
        real(c_double) :: needle = 0.0001_c_double
    end type

    ! One place of a defect.
    type, bind(c) :: dem_finding
        integer(c_int32_t) :: defect
        integer(c_int32_t) :: item
        integer(c_int32_t) :: side
        integer(c_int32_t) :: other
    end type

    ! A set of triangles connected by neighbours.
    type, bind(c) :: dem_component
        real(c_double) :: volume
        real(c_double) :: area
        integer(c_int32_t) :: first
        integer(c_int32_t) :: triangles
        integer(c_int32_t) :: reversed
        integer(c_int32_t) :: state
    end type

    ! Mass properties of a shape (dem_mesh.h).

    ! Mass properties, in the shape's own frame.
    type, bind(c) :: dem_mass
        real(c_double) :: mass
        real(c_double) :: volume
        real(c_double) :: area
        real(c_double) :: centre(3)
        real(c_double) :: inertia(3, 3)
        real(c_double) :: moments(3)
        real(c_double) :: axes(3, 3)
        real(c_double) :: volume_error
        real(c_double) :: centre_error
        real(c_double) :: inertia_error
        integer(c_int64_t) :: holes
        integer(c_int64_t) :: state
        type(dem_pose) :: part_pose
    end type

    ! Shapes that change (dem_mesh.h).

    ! The changes of a shape.
    type, bind(c) :: dem_refit_desc
        integer(c_int32_t) :: struct_size = 104
        integer(c_int32_t) :: how = 2
        type(dem_array) :: vertices
        type(dem_array) :: halos
        real(c_double) :: halo = -1
        integer(c_int32_t) :: isa = 0
        integer(c_int32_t) :: reserved = 0
    end type

    ! Queries of two shapes (dem_mesh.h).

    ! Two triangles, and their closest points.
    type, bind(c) :: dem_triangle_pair
        integer(c_int32_t) :: a
        integer(c_int32_t) :: b
        integer(c_int32_t) :: feature_a
        integer(c_int32_t) :: feature_b
        real(c_double) :: distance
        real(c_double) :: point_a(3)
        real(c_double) :: point_b(3)
    end type

    ! Two shapes and their poses.
    type, bind(c) :: dem_query
        integer(c_int32_t) :: struct_size = 160
        integer(c_int32_t) :: isa = 0
        type(c_ptr) :: a = c_null_ptr
        type(c_ptr) :: b = c_null_ptr
        type(dem_pose) :: pose_a
        type(dem_pose) :: pose_b
        real(c_double) :: margin = 0
        real(c_double) :: bound = DEM_INFINITY
        integer(c_int32_t) :: witness = 0
        integer(c_int32_t) :: reserved = 0
    end type

    ! Points and a shape (dem_mesh.h).

    ! Output arrays: item i belongs to point i.
    type, bind(c) :: dem_point_results
        integer(c_int32_t) :: struct_size = 328
        integer(c_int32_t) :: reserved = 0
        type(dem_output) :: triangle = dem_output(type=0)
        type(dem_output) :: feature = dem_output(type=0)
        type(dem_output) :: side = dem_output(type=0)
        type(dem_output) :: doubt = dem_output(type=0)
        type(dem_output) :: distance = dem_output(type=0)
        type(dem_output) :: signed_distance = dem_output(type=0)
        type(dem_output) :: point = dem_output(type=0)
        type(dem_output) :: normal = dem_output(type=0)
    end type

    ! Points, a shape and its pose.
    type, bind(c) :: dem_point_query
        integer(c_int32_t) :: struct_size = 128
        integer(c_int32_t) :: isa = 0
        type(c_ptr) :: shape = c_null_ptr
        integer(c_size_t) :: reserved = 0
        type(dem_pose) :: pose
        real(c_double) :: bound = DEM_INFINITY
        type(dem_array) :: points
    end type

    ! Bodies as spheres (dem_broad.h).

    ! How far bodies have moved since a list was made.
    type, bind(c) :: dem_near_motion
        real(c_double) :: sum
        real(c_double) :: farthest
        real(c_double) :: skin
    end type

    ! Spheres, and the margin within which they are pairs.
    type, bind(c) :: dem_near_query
        integer(c_int32_t) :: struct_size = 280
        integer(c_int32_t) :: isa = 0
        integer(c_int32_t) :: dimensions = 3
        integer(c_int32_t) :: reserved = 0
        type(dem_tasks) :: tasks
        real(c_double) :: periods(3) = 0
        real(c_double) :: margin = 0
        type(dem_array) :: centres
        type(dem_array) :: radii
        type(dem_array) :: motions = dem_array(type=4)
        type(dem_array) :: groups = dem_array(type=4)
        type(dem_array) :: masks = dem_array(type=4)
    end type

    ! Pairs of spheres (dem_broad.h).

    ! The room of a grid's block.
    type, bind(c) :: dem_grid_desc
        integer(c_int32_t) :: struct_size = 16
        integer(c_int32_t) :: bodies = 0
        integer(c_int32_t) :: levels = 8
        integer(c_int32_t) :: loose = 0
    end type

    ! Spheres near boxes (dem_broad.h).

    ! A sphere that is near a box.
    type, bind(c) :: dem_box_pair
        integer(c_int32_t) :: body
        integer(c_int32_t) :: huge
        integer(c_int16_t) :: shift(3)
        integer(c_int16_t) :: spare
    end type

    ! Axis-aligned boxes, and their filters.
    type, bind(c) :: dem_near_boxes
        integer(c_int32_t) :: struct_size = 208
        integer(c_int32_t) :: reserved = 0
        type(dem_array) :: lows
        type(dem_array) :: highs
        type(dem_array) :: motions = dem_array(type=4)
        type(dem_array) :: groups = dem_array(type=4)
        type(dem_array) :: masks = dem_array(type=4)
    end type

    ! Distances of triangles (dem_papers.h).

    ! Output arrays: item i belongs to pair i.
    type, bind(c) :: dem_closest_points
        integer(c_int32_t) :: struct_size = 248
        integer(c_int32_t) :: reserved = 0
        type(dem_output) :: distance = dem_output(type=0)
        type(dem_output) :: point_a = dem_output(type=0)
        type(dem_output) :: point_b = dem_output(type=0)
        type(dem_output) :: weights_a = dem_output(type=0)
        type(dem_output) :: weights_b = dem_output(type=0)
        type(dem_output) :: features = dem_output(type=0)
    end type

    ! Input triangles: component c of vertex k of triangle i lies at byte `i * stride + k * vertex_stride + c *
    ! component_stride` after `data`.
    type, bind(c) :: dem_triangles
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0
        integer(c_size_t) :: stride = 0
        integer(c_size_t) :: vertex_stride = 0
        integer(c_size_t) :: component_stride = 0
        integer(c_int32_t) :: type = 2
        integer(c_int32_t) :: reserved = 0
    end type

    ! Options for pairs of triangles.
    type, bind(c) :: dem_triangle_options
        integer(c_int32_t) :: struct_size = 16
        integer(c_int32_t) :: isa = 0
        integer(c_int32_t) :: precision = 0
        integer(c_int32_t) :: reserved = 0
    end type

    ! Which triangles are in contact (dem_papers.h).

    ! How contacts are computed.
    type, bind(c) :: dem_contact_options
        integer(c_int32_t) :: struct_size = 120
        integer(c_int32_t) :: isa = 0
        integer(c_int32_t) :: precision = 0
        integer(c_int32_t) :: scheme = 2
        integer(c_int32_t) :: criterion = 3
        integer(c_int32_t) :: sweeps = 4
        integer(c_int32_t) :: fallback = 1
        integer(c_int32_t) :: batch = 8
        integer(c_int32_t) :: exact_contacts = 1
        integer(c_int32_t) :: reserved = 0
        real(c_double) :: kappa = 10
        real(c_double) :: rho = 0.003_c_double
        real(c_double) :: c = 1
        real(c_double) :: unit = 1
        real(c_double) :: threshold = 0
        type(dem_array) :: thresholds
    end type

    ! Output arrays: item i belongs to pair i.
    type, bind(c) :: dem_contact_results
        integer(c_int32_t) :: struct_size = 248
        integer(c_int32_t) :: reserved = 0
        type(dem_output) :: verdict = dem_output(type=0)
        type(dem_output) :: exact = dem_output(type=0)
        type(dem_output) :: distance = dem_output(type=0)
        type(dem_output) :: lower = dem_output(type=0)
        type(dem_output) :: point_a = dem_output(type=0)
        type(dem_output) :: point_b = dem_output(type=0)
    end type

    ! How much of the work each kernel did.
    type, bind(c) :: dem_contact_statistics
        integer(c_int64_t) :: pairs
        integer(c_int64_t) :: contacts
        integer(c_int64_t) :: unresolved
        integer(c_int64_t) :: exact
        integer(c_int64_t) :: batches
        integer(c_int64_t) :: exact_batches
    end type

    ! Distances of points and segments (dem_papers.h).

    ! Input segments: component c of end k of segment i lies at byte `i * stride + k * vertex_stride + c *
    ! component_stride` after `data`.
    type, bind(c) :: dem_segments
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0
        integer(c_size_t) :: stride = 0
        integer(c_size_t) :: vertex_stride = 0
        integer(c_size_t) :: component_stride = 0
        integer(c_int32_t) :: type = 2
        integer(c_int32_t) :: reserved = 0
    end type

    ! A part of the work: dem_tasks%run calls it with each number below `lanes`, and with its `arg`.
    abstract interface
        subroutine dem_lane(lane, arg) bind(c)
            import :: c_size_t, c_ptr
            integer(c_size_t), value :: lane
            type(c_ptr), value :: arg
        end subroutine
    end interface

    ! The procedure of dem_tasks%run, set by c_funloc. It calls `lane` with each number below `lanes` (c_f_procpointer
    ! makes a procedure of it), and with `arg`. `user` is that of dem_tasks.
    abstract interface
        subroutine dem_tasks_run(user, lanes, lane, arg) bind(c)
            import :: c_size_t, c_ptr, c_funptr
            type(c_ptr), value :: user, arg
            integer(c_size_t), value :: lanes
            type(c_funptr), value :: lane
        end subroutine
    end interface

    ! The procedure of dem_block%resize.
    abstract interface
        function dem_resize(context, old, old_size, size) bind(c)
            import :: c_size_t, c_ptr
            type(c_ptr), value :: context, old
            integer(c_size_t), value :: old_size, size
            type(c_ptr) :: dem_resize
        end function
    end interface

    interface
        ! Versions (dem.h).

        ! The version of the library that runs, as `DEM_VERSION`.
        function dem_version() bind(c)
            import
            integer(c_int32_t) :: dem_version
        end function

        ! The version of the binary interface of the library that runs; a program runs with it if it equals
        ! `DEM_ABI_VERSION`.
        function dem_abi_version() bind(c)
            import
            integer(c_int32_t) :: dem_abi_version
        end function

        ! Status and errors (dem.h).

        ! Writes a sentence that tells a user what was wrong, where, and what to do.
        function dem_error_format(text, capacity, needed, error) bind(c)
            import
            character(kind=c_char), intent(inout), optional :: text(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: needed
            type(dem_error), intent(in), optional :: error
            integer(c_int32_t) :: dem_error_format
        end function

        ! The name of a status, such as `DEM_ERROR_NULL`; `unknown status` for any other number.
        function dem_status_string(status) bind(c)
            import
            integer(c_int32_t), value :: status
            type(c_ptr) :: dem_status_string
        end function

        ! The name of an argument in a `dem_error`, such as `vertices`; `unknown argument` for any other number.
        function dem_argument_string(argument) bind(c)
            import
            integer(c_int32_t), value :: argument
            type(c_ptr) :: dem_argument_string
        end function

        ! Defaults of structs (dem.h).

        ! Fills a struct with its defaults.
        function dem_defaults(record, struct_size, which, error) bind(c)
            import
            type(c_ptr), value :: record
            integer(c_size_t), value :: struct_size
            integer(c_int32_t), value :: which
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_defaults
        end function

        ! Instruction sets (dem.h).

        ! Lists the instruction sets that this machine has and this library uses, slowest first.
        function dem_isa_list(isas, capacity, count, error) bind(c)
            import
            integer(c_int32_t), intent(inout), optional :: isas(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_isa_list
        end function

        ! The name of an instruction set, such as `avx2`; `unknown` if this machine does not have it.
        function dem_isa_name(isa) bind(c)
            import
            integer(c_int32_t), value :: isa
            type(c_ptr) :: dem_isa_name
        end function

        ! Shapes (dem.h).

        ! How much memory is needed to build a shape, including scratch.
        function dem_shape_layout(size, align, desc, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: size
            integer(c_size_t), intent(inout), optional :: align
            type(dem_shape_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_layout
        end function

        ! Builds a shape.
        function dem_shape_init(memory, size, shape, desc, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: shape
            type(dem_shape_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_init
        end function

        ! Opens bytes as a shape, if they come from a file, another process, or a copy that was made during a call.
        function dem_shape_open(memory, size, shape, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: shape
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_open
        end function

        ! Properties of a shape: counts, its position in its own frame, its size.
        function dem_shape_describe(info, info_size, shape, error) bind(c)
            import
            type(dem_shape_info), intent(inout), optional :: info
            integer(c_size_t), value :: info_size
            type(c_ptr), value :: shape
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_describe
        end function

        ! Scenes (dem.h).

        ! How much memory a scene needs.
        function dem_scene_layout(size, align, desc, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: size
            integer(c_size_t), intent(inout), optional :: align
            type(dem_scene_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_layout
        end function

        ! Makes an empty scene.
        function dem_scene_init(memory, size, scene, desc, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: scene
            type(dem_scene_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_init
        end function

        ! Makes a larger scene that continues another one.
        function dem_scene_grow(memory, size, grown, scene, desc, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: grown
            type(c_ptr), value :: scene
            type(dem_scene_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_grow
        end function

        ! Opens bytes as a scene, if they come from a file, another process, or a copy that was made during a call.
        function dem_scene_open(memory, size, scene, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_open
        end function

        ! Commits the contacts found last: the next step is linked to them.
        function dem_scene_commit(scene, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_commit
        end function

        ! Commits some of the pairs found last.
        function dem_scene_commit_pairs(scene, origins, origin_capacity, count, taken, taken_count, error) bind(c)
            import
            type(c_ptr), value :: scene
            integer(c_int32_t), intent(inout), optional :: origins(*)
            integer(c_size_t), value :: origin_capacity
            integer(c_size_t), intent(inout), optional :: count
            integer(c_int32_t), intent(in), optional :: taken(*)
            integer(c_size_t), value :: taken_count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_commit_pairs
        end function

        ! Discards the contacts found since the last commit.
        function dem_scene_abandon(scene, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_abandon
        end function

        ! A hash of everything in the committed step that later steps depend on.
        function dem_scene_hash(hash, scene, error) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: hash
            type(c_ptr), value :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_hash
        end function

        ! Gives pointers to the contacts found by the last step or trial that succeeded.
        function dem_scene_view(view, view_size, scene, error) bind(c)
            import
            type(dem_scene_contacts), intent(inout), optional :: view
            integer(c_size_t), value :: view_size
            type(c_ptr), value :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_view
        end function

        ! Contacts of a scene (dem.h).

        ! One step: finds all contacts of all bodies, links them to those of the last step (`dem_scene_find`), and
        ! commits them (`dem_scene_commit`).
        function dem_scene_detect(scene, counts, counts_size, query, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_scene_counts), intent(inout), optional :: counts
            integer(c_size_t), value :: counts_size
            type(dem_scene_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_detect
        end function

        ! Finds all contacts of all bodies as a trial, and links them to those of the committed step.
        function dem_scene_find(scene, counts, counts_size, query, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_scene_counts), intent(inout), optional :: counts
            integer(c_size_t), value :: counts_size
            type(dem_scene_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_find
        end function

        ! As `dem_scene_find`, for pairs that the program lists: its own candidates, or some of all pairs.
        function dem_scene_find_pairs(scene, counts, counts_size, query, pairs, pair_count, poses, scratch, &
                scratch_size, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_scene_counts), intent(inout), optional :: counts
            integer(c_size_t), value :: counts_size
            type(dem_scene_query), intent(in), optional :: query
            type(dem_near_pair), intent(in), optional :: pairs(*)
            integer(c_size_t), value :: pair_count
            type(dem_pose), intent(in), optional :: poses(*)
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_find_pairs
        end function

        ! Sums the forces and torques on each body over its contacts.
        function dem_scene_wrenches(forces_out, torques_out, scene, forces, torques, centres, tasks, list, error) &
                bind(c)
            import
            type(dem_output), intent(in), optional :: forces_out
            type(dem_output), intent(in), optional :: torques_out
            type(c_ptr), value :: scene
            type(dem_array), intent(in), optional :: forces
            type(dem_array), intent(in), optional :: torques
            type(dem_array), intent(in), optional :: centres
            type(dem_tasks), intent(in), optional :: tasks
            integer(c_int32_t), value :: list
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_wrenches
        end function

        ! Room for the first step of a scene (dem.h).

        ! Estimates the room that the first steps of a scene need, from the number of bodies and their shapes.
        function dem_scene_room(desc, struct_size, pairs, query, error) bind(c)
            import
            type(dem_scene_desc), intent(inout), optional :: desc
            integer(c_size_t), value :: struct_size
            integer(c_size_t), intent(inout), optional :: pairs
            type(dem_scene_query), intent(in), optional :: query
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_room
        end function

        ! Memory that grows (dem.h).

        ! Builds a shape as `dem_shape_init` does, in memory that the library gets from the program.
        function dem_shape_build(shape, desc, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: shape
            type(dem_shape_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_build
        end function

        ! One step of a scene as by `dem_scene_detect`, in memory that the library gets from the program.
        function dem_scene_step(scene, counts, counts_size, query, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: scene
            type(dem_scene_counts), intent(inout), optional :: counts
            integer(c_size_t), value :: counts_size
            type(dem_scene_query), intent(in), optional :: query
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_step
        end function

        ! The corners of all contacts of a step of `dem_scene_step`, as by `dem_scene_corners`, in memory that the
        ! library gets from the program.
        function dem_scene_manifolds(scene, corners, count, query, most, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: scene
            type(dem_block), intent(inout), optional :: corners
            integer(c_size_t), intent(inout), optional :: count
            type(dem_scene_query), intent(in), optional :: query
            integer(c_size_t), value :: most
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_manifolds
        end function

        ! How many bytes a scene takes, without the scratch after it.
        function dem_scene_size(size, scene, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: size
            type(c_ptr), value :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_size
        end function

        ! Phases of a step of a scene (dem.h).

        ! Computes a sphere around each body with its halo, without a margin.
        function dem_scene_bounds(scene, centres, radii, query, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_output), intent(in), optional :: centres
            type(dem_output), intent(in), optional :: radii
            type(dem_scene_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_bounds
        end function

        ! Lists the pairs of bodies for which `dem_scene_find` computes contacts: `motions`, `groups` and `masks` allow
        ! them, and their bounds meet.
        function dem_scene_candidates(scene, pairs, capacity, count, query, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_near_pair), intent(inout), optional :: pairs(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: count
            type(dem_scene_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_candidates
        end function

        ! From one step of a scene to the next (dem.h).

        ! Tells which contacts begin, persist and end.
        function dem_scene_events(events, event_capacity, event_count, scene, error) bind(c)
            import
            type(dem_contact_event), intent(inout), optional :: events(*)
            integer(c_size_t), value :: event_capacity
            integer(c_size_t), intent(inout), optional :: event_count
            type(c_ptr), value :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_events
        end function

        ! Carries the program's own data of contacts, such as the elongations of springs, from the committed step to
        ! the contacts found last.
        function dem_scene_carry(values, scene, of_last, tasks, kind, error) bind(c)
            import
            real(c_double), intent(inout), optional :: values(*)
            type(c_ptr), value :: scene
            real(c_double), intent(in), optional :: of_last(*)
            type(dem_tasks), intent(in), optional :: tasks
            integer(c_int32_t), value :: kind
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_carry
        end function

        ! How fast surfaces of a scene move in contact (dem.h).

        ! How much scratch `dem_scene_velocities` and `dem_scene_motions` need.
        function dem_scene_velocities_scratch(scratch_size, scene, motion, tasks, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: scratch_size
            type(c_ptr), value :: scene
            type(dem_scene_motion), intent(in), optional :: motion
            type(dem_tasks), intent(in), optional :: tasks
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_velocities_scratch
        end function

        ! Computes for each contact of a scene the velocity of A's surface less that of B's, at the contact.
        function dem_scene_velocities(velocities, scene, motion, tasks, scratch, scratch_size, error) bind(c)
            import
            real(c_double), intent(inout), optional :: velocities(*)
            type(c_ptr), value :: scene
            type(dem_scene_motion), intent(in), optional :: motion
            type(dem_tasks), intent(in), optional :: tasks
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_velocities
        end function

        ! Computes for each contact of a scene the velocity and the angular velocity of A's surface less those of B's.
        function dem_scene_motions(velocities, spins, scene, motion, tasks, scratch, scratch_size, error) bind(c)
            import
            real(c_double), intent(inout), optional :: velocities(*)
            real(c_double), intent(inout), optional :: spins(*)
            type(c_ptr), value :: scene
            type(dem_scene_motion), intent(in), optional :: motion
            type(dem_tasks), intent(in), optional :: tasks
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_motions
        end function

        ! Loads on the vertices of a wall (dem.h).

        ! Computes the load on each vertex of a wall's mesh: its part of the forces at the wall's contacts.
        function dem_scene_loads(loads, scene, surface, surface_size, forces, list, scratch, scratch_size, error) &
                bind(c)
            import
            type(dem_output), intent(in), optional :: loads
            type(c_ptr), value :: scene
            type(dem_scene_surface), intent(in), optional :: surface
            integer(c_size_t), value :: surface_size
            type(dem_array), intent(in), optional :: forces
            integer(c_int32_t), value :: list
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_loads
        end function

        ! Corners of a scene (dem.h).

        ! Finds the corners of all contacts found last, ordered by contact: at least one for each.
        function dem_scene_corners(scene, corners, capacity, count, query, most, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_contact_corner), intent(inout), optional :: corners(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: count
            type(dem_scene_query), intent(in), optional :: query
            integer(c_size_t), value :: most
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_corners
        end function

        ! Ray casts (dem.h).

        ! Finds the first point where each ray meets a body.
        function dem_placed_cast(hits, body, rays, count, error) bind(c)
            import
            type(dem_ray_hit), intent(inout), optional :: hits(*)
            type(dem_placed), intent(in), optional :: body
            type(dem_ray), intent(in), optional :: rays(*)
            integer(c_size_t), value :: count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_placed_cast
        end function

        ! Finds all points where each ray meets a body.
        function dem_placed_cast_all(hits, capacity, ends, body, rays, count, error) bind(c)
            import
            type(dem_ray_hit), intent(inout), optional :: hits(*)
            integer(c_size_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: ends(*)
            type(dem_placed), intent(in), optional :: body
            type(dem_ray), intent(in), optional :: rays(*)
            integer(c_size_t), value :: count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_placed_cast_all
        end function

        ! Finds which body of a scene each ray meets first, and where.
        function dem_scene_cast(scene, hits, query, rays, count, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_ray_hit), intent(inout), optional :: hits(*)
            type(dem_scene_query), intent(in), optional :: query
            type(dem_ray), intent(in), optional :: rays(*)
            integer(c_size_t), value :: count
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_cast
        end function

        ! Finds all points where rays meet bodies of a scene.
        function dem_scene_cast_all(scene, hits, capacity, ends, query, rays, count, scratch, scratch_size, error) &
                bind(c)
            import
            type(c_ptr), value :: scene
            type(dem_ray_hit), intent(inout), optional :: hits(*)
            integer(c_size_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: ends(*)
            type(dem_scene_query), intent(in), optional :: query
            type(dem_ray), intent(in), optional :: rays(*)
            integer(c_size_t), value :: count
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_scene_cast_all
        end function

        ! Force laws (dem_world.h).

        ! Computes the force law between two materials from their moduli.
        function dem_interaction_of_materials(interaction, struct_size, a, b, normal, size, error) bind(c)
            import
            type(dem_interaction), intent(inout), optional :: interaction
            integer(c_size_t), value :: struct_size
            type(dem_material), intent(in), optional :: a
            type(dem_material), intent(in), optional :: b
            integer(c_int32_t), value :: normal
            real(c_double), value :: size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_interaction_of_materials
        end function

        ! Checks a table of interactions: each number is in its range, and the number of items belongs to some number
        ! of materials.
        function dem_interactions_check(materials, table, count, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: materials
            type(dem_interaction), intent(in), optional :: table(*)
            integer(c_size_t), value :: count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_interactions_check
        end function

        ! The number `damping` for a restitution: the velocity at which bodies part over that at which they met.
        function dem_damping_for(damping, damped, restitution, velocity, error) bind(c)
            import
            real(c_double), intent(inout), optional :: damping
            integer(c_int32_t), value :: damped
            real(c_double), value :: restitution
            real(c_double), value :: velocity
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_damping_for
        end function

        ! The `stiffness` of `DEM_NORMAL_PRESSURE` with which a load on an area rests at a gap: `load / (area (1 - gap
        ! / halo))`.
        function dem_pressure_for(pressure, load, area, gap, halo, error) bind(c)
            import
            real(c_double), intent(inout), optional :: pressure
            real(c_double), value :: load
            real(c_double), value :: area
            real(c_double), value :: gap
            real(c_double), value :: halo
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_pressure_for
        end function

        ! The gap at which a load on an area rests: `halo (1 - load / (pressure area))`.
        function dem_resting_gap(gap, load, area, pressure, halo, error) bind(c)
            import
            real(c_double), intent(inout), optional :: gap
            real(c_double), value :: load
            real(c_double), value :: area
            real(c_double), value :: pressure
            real(c_double), value :: halo
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_resting_gap
        end function

        ! The `stiffness` of `DEM_NORMAL_LINEAR` for which contacts last the given time, with a dashpot of this
        ! restitution whose force may pull.
        function dem_linear_stiffness(stiffness, mass, time, restitution, error) bind(c)
            import
            real(c_double), intent(inout), optional :: stiffness
            real(c_double), value :: mass
            real(c_double), value :: time
            real(c_double), value :: restitution
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_linear_stiffness
        end function

        ! The longest time step for which one contact is stable.
        function dem_stable_step(dt, stiffness, mass, zeta, error) bind(c)
            import
            real(c_double), intent(inout), optional :: dt
            real(c_double), value :: stiffness
            real(c_double), value :: mass
            real(c_double), value :: zeta
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_stable_step
        end function

        ! The load at which a column of equal blocks buckles sideways: `4 tilt / height sin^2(pi / (4 blocks))`.
        function dem_buckling_load(load, tilt, height, blocks, error) bind(c)
            import
            real(c_double), intent(inout), optional :: load
            real(c_double), value :: tilt
            real(c_double), value :: height
            integer(c_int32_t), value :: blocks
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_buckling_load
        end function

        ! Worlds (dem_world.h).

        ! How much memory a world needs.
        function dem_world_layout(size, align, desc, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: size
            integer(c_size_t), intent(inout), optional :: align
            type(dem_world_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_layout
        end function

        ! Makes an empty world: no bodies, no gravity, time 0.
        function dem_world_init(memory, size, world, desc, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: world
            type(dem_world_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_init
        end function

        ! Makes a larger world that continues another one, between steps or between the polls of a step.
        function dem_world_grow(memory, size, grown, world, desc, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: grown
            type(c_ptr), value :: world
            type(dem_world_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_grow
        end function

        ! The room of a world.
        function dem_world_room(desc, struct_size, world, error) bind(c)
            import
            type(dem_world_desc), intent(inout), optional :: desc
            integer(c_size_t), value :: struct_size
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_room
        end function

        ! Opens a copy of a block as a world, if the copy was made during a call, or by another process on this
        ! machine.
        function dem_world_open(memory, size, world, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_open
        end function

        ! Writes all of a world as bytes for a file, with a version and a checksum, even within a step.
        function dem_world_save(bytes, capacity, count, world, error) bind(c)
            import
            integer(c_int8_t), intent(inout), optional :: bytes(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: count
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_save
        end function

        ! Makes a world from the bytes that `dem_world_save` wrote; it continues with the same bits.
        function dem_world_load(memory, size, world, bytes, count, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: world
            integer(c_int8_t), intent(in), optional :: bytes(*)
            integer(c_size_t), value :: count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_load
        end function

        ! Changes the settings for all steps from now on.
        function dem_world_set_up(world, setup, error) bind(c)
            import
            type(c_ptr), value :: world
            type(dem_world_setup), intent(in), optional :: setup
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_set_up
        end function

        ! A hash of the accepted state: of the time, and of all that later steps depend on.
        function dem_world_hash(hash, world, error) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: hash
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_hash
        end function

        ! Bodies of worlds (dem_world.h).

        ! Makes a dynamic body at rest, whose mesh has a given pose.
        function dem_body_of_mass(body, mass, mesh, error) bind(c)
            import
            type(dem_body), intent(inout), optional :: body
            type(dem_mass), intent(in), optional :: mass
            type(dem_pose), intent(in), optional :: mesh
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_body_of_mass
        end function

        ! Makes a dynamic ball at rest.
        function dem_body_ball(body, position, radius, density, error) bind(c)
            import
            type(dem_body), intent(inout), optional :: body
            real(c_double), intent(in), optional :: position(*)
            real(c_double), value :: radius
            real(c_double), value :: density
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_body_ball
        end function

        ! Makes a dynamic capsule at rest, along the z axis of `pose`, for the shape of `dem_placed_capsule`.
        function dem_body_capsule(body, pose, half_length, radius, density, error) bind(c)
            import
            type(dem_body), intent(inout), optional :: body
            type(dem_pose), intent(in), optional :: pose
            real(c_double), value :: half_length
            real(c_double), value :: radius
            real(c_double), value :: density
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_body_capsule
        end function

        ! Adds a body.
        function dem_world_add(world, handle, member, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_int64_t), intent(inout), optional :: handle
            type(dem_member), intent(in), optional :: member
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_add
        end function

        ! Removes a body.
        function dem_world_remove(world, handle, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_int64_t), value :: handle
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_remove
        end function

        ! Changes the pose, the velocities, the mass or the kind of motion of a body.
        function dem_world_set_body(world, handle, body, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_int64_t), value :: handle
            type(dem_body), intent(in), optional :: body
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_set_body
        end function

        ! Gives all properties of a body in the accepted state.
        function dem_world_member(member, struct_size, world, handle, error) bind(c)
            import
            type(dem_member), intent(inout), optional :: member
            integer(c_size_t), value :: struct_size
            type(c_ptr), value :: world
            integer(c_int64_t), value :: handle
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_member
        end function

        ! Changes all properties of a body: its shape, scale, groups, masks and material, and those that
        ! `dem_world_set_body` changes.
        function dem_world_set_member(world, handle, member, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_int64_t), value :: handle
            type(dem_member), intent(in), optional :: member
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_set_member
        end function

        ! Gives a body another material, by its number (`dem_member`).
        function dem_world_set_material(world, handle, material, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_int64_t), value :: handle
            integer(c_int32_t), value :: material
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_set_material
        end function

        ! Gives a body in its accepted state.
        function dem_world_body(body, world, handle, error) bind(c)
            import
            type(dem_body), intent(inout), optional :: body
            type(c_ptr), value :: world
            integer(c_int64_t), value :: handle
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_body
        end function

        ! Gives the handle of the body in a slot.
        function dem_world_handle(handle, world, slot, error) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: handle
            type(c_ptr), value :: world
            integer(c_int32_t), value :: slot
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_handle
        end function

        ! Copies the accepted states of all bodies into the program's own arrays: one item for each slot, including
        ! free slots.
        function dem_world_states(positions, orientations, velocities, spins, count, world, error) bind(c)
            import
            type(dem_output), intent(in), optional :: positions
            type(dem_output), intent(in), optional :: orientations
            type(dem_output), intent(in), optional :: velocities
            type(dem_output), intent(in), optional :: spins
            integer(c_size_t), intent(inout), optional :: count
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_states
        end function

        ! Sets the program's own forces on all bodies, such as those of a fluid, a field or a motor.
        function dem_world_set_loads(world, forces, torques, error) bind(c)
            import
            type(c_ptr), value :: world
            type(dem_array), intent(in), optional :: forces
            type(dem_array), intent(in), optional :: torques
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_set_loads
        end function

        ! Sets the program's own force on one body, as `dem_world_set_loads` does on all bodies.
        function dem_world_set_load(world, handle, load, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_int64_t), value :: handle
            type(dem_wrench), intent(in), optional :: load
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_set_load
        end function

        ! Steps of worlds (dem_world.h).

        ! Begins a step.
        function dem_world_begin(world, dt, asks, error) bind(c)
            import
            type(c_ptr), value :: world
            real(c_double), value :: dt
            integer(c_int32_t), value :: asks
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_begin
        end function

        ! Does one phase of the step.
        function dem_world_poll(world, want, query, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_int32_t), intent(inout), optional :: want
            type(dem_world_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_poll
        end function

        ! Input and output of a law of the program, at `DEM_WANT_LAW`.
        function dem_world_law(world, law, law_size, error) bind(c)
            import
            type(c_ptr), value :: world
            type(dem_host_law), intent(inout), optional :: law
            integer(c_size_t), value :: law_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_law
        end function

        ! Accepts a complete step: its result becomes the state of the world.
        function dem_world_accept(world, error) bind(c)
            import
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_accept
        end function

        ! Abandons the step in any phase.
        function dem_world_abandon(world, error) bind(c)
            import
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_abandon
        end function

        ! Advances the world over a window of time, in equal steps, and accepts each step.
        function dem_world_advance(world, query, length, most_dt, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: world
            type(dem_world_query), intent(in), optional :: query
            real(c_double), value :: length
            real(c_double), value :: most_dt
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_advance
        end function

        ! Takes the next step of a window; the first call begins the window.
        function dem_world_advance_step(world, dt, complete, query, length, most_dt, scratch, scratch_size, error) &
                bind(c)
            import
            type(c_ptr), value :: world
            real(c_double), intent(inout), optional :: dt
            integer(c_int32_t), intent(inout), optional :: complete
            type(dem_world_query), intent(in), optional :: query
            real(c_double), value :: length
            real(c_double), value :: most_dt
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_advance_step
        end function

        ! Springs of a law of the program (dem_world.h).

        ! Tells a law of the program, at `DEM_WANT_LAW`, what each contact takes over where contacts have joined or
        ! split.
        function dem_world_taken_over(taken, capacity, world, tasks, error) bind(c)
            import
            type(dem_taken_over), intent(inout), optional :: taken(*)
            integer(c_size_t), value :: capacity
            type(c_ptr), value :: world
            type(dem_tasks), intent(in), optional :: tasks
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_taken_over
        end function

        ! Computes the springs of sliding and of torsion with which the laws of the library begin a step.
        function dem_springs_take_over(springs, taken, normal, reach, torsion, error) bind(c)
            import
            type(dem_springs), intent(inout), optional :: springs
            type(dem_taken_over), intent(in), optional :: taken
            real(c_double), intent(in), optional :: normal(*)
            real(c_double), value :: reach
            real(c_double), value :: torsion
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_springs_take_over
        end function

        ! The content of worlds (dem_world.h).

        ! Gives pointers to the bodies, forces and springs of a world.
        function dem_world_view(slots, slots_size, world, error) bind(c)
            import
            type(dem_world_slots), intent(inout), optional :: slots
            integer(c_size_t), value :: slots_size
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_view
        end function

        ! The contacts of the step or of the last accepted one, as in scenes, at the positions of the start of the
        ! step.
        function dem_world_contacts(view, view_size, world, error) bind(c)
            import
            type(dem_scene_contacts), intent(inout), optional :: view
            integer(c_size_t), value :: view_size
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_contacts
        end function

        ! The scene in a world, for calls that read a scene: `dem_scene_view`, `dem_scene_wrenches`,
        ! `dem_scene_velocities`, `dem_scene_motions` and `dem_scene_loads` with their scratch functions,
        ! `dem_scene_events`, `dem_scene_carry`.
        function dem_world_scene(world) bind(c)
            import
            type(c_ptr), value :: world
            type(c_ptr) :: dem_world_scene
        end function

        ! Measures a world: energies, works, momenta, the deepest gap, and whether steps are short enough.
        function dem_world_measure(report, report_size, world, tasks, error) bind(c)
            import
            type(dem_world_report), intent(inout), optional :: report
            integer(c_size_t), value :: report_size
            type(c_ptr), value :: world
            type(dem_tasks), intent(in), optional :: tasks
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_measure
        end function

        ! Rays at worlds (dem_world.h).

        ! Finds which body of a world each ray meets first, and where, at the positions of the accepted state.
        function dem_world_cast(world, hits, query, rays, count, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: world
            type(dem_ray_hit), intent(inout), optional :: hits(*)
            type(dem_world_query), intent(in), optional :: query
            type(dem_ray), intent(in), optional :: rays(*)
            integer(c_size_t), value :: count
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_cast
        end function

        ! Finds all points where rays meet bodies of a world, at the positions of the accepted state.
        function dem_world_cast_all(world, hits, capacity, ends, query, rays, count, scratch, scratch_size, error) &
                bind(c)
            import
            type(c_ptr), value :: world
            type(dem_ray_hit), intent(inout), optional :: hits(*)
            integer(c_size_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: ends(*)
            type(dem_world_query), intent(in), optional :: query
            type(dem_ray), intent(in), optional :: rays(*)
            integer(c_size_t), value :: count
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_cast_all
        end function

        ! Worlds that grow (dem_world.h).

        ! Makes an empty world, in memory that the library gets from the program.
        function dem_world_build(world, setup, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: world
            type(dem_world_setup), intent(in), optional :: setup
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_build
        end function

        ! Adds a body as `dem_world_add` does, in a world that grows if it is full.
        function dem_world_insert(world, handle, member, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: world
            integer(c_int64_t), intent(inout), optional :: handle
            type(dem_member), intent(in), optional :: member
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_insert
        end function

        ! Advances the world over a window of time as `dem_world_advance` does.
        function dem_world_run(world, query, length, most_dt, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: world
            type(dem_world_query), intent(in), optional :: query
            real(c_double), value :: length
            real(c_double), value :: most_dt
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_run
        end function

        ! Takes the next step of a window as `dem_world_advance_step` does.
        function dem_world_run_step(world, dt, complete, query, length, most_dt, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: world
            real(c_double), intent(inout), optional :: dt
            integer(c_int32_t), intent(inout), optional :: complete
            type(dem_world_query), intent(in), optional :: query
            real(c_double), value :: length
            real(c_double), value :: most_dt
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_run_step
        end function

        ! Does one phase of a step as `dem_world_poll` does.
        function dem_world_next(world, want, query, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: world
            integer(c_int32_t), intent(inout), optional :: want
            type(dem_world_query), intent(in), optional :: query
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_next
        end function

        ! How many bytes a world takes, without the scratch after it.
        function dem_world_size(size, world, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: size
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_size
        end function

        ! Overlaps in worlds (dem_world.h).

        ! Lists the pairs of bodies that overlap in the accepted state, the deepest first.
        function dem_world_overlaps(world, pairs, capacity, stride, count, query, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: world
            type(dem_scene_pair), intent(inout), optional :: pairs(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(dem_world_query), intent(in), optional :: query
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_overlaps
        end function

        ! Corners of worlds (dem_world.h).

        ! Finds the corners of all contacts of the step or of the last accepted one (none after `dem_world_abandon`),
        ! ordered by contact: at least one for each.
        function dem_world_corners(world, corners, capacity, count, query, most, scratch, scratch_size, error) bind(c)
            import
            type(c_ptr), value :: world
            type(dem_contact_corner), intent(inout), optional :: corners(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: count
            type(dem_world_query), intent(in), optional :: query
            integer(c_size_t), value :: most
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_corners
        end function

        ! As `dem_world_corners`, in memory that the library gets from the program.
        function dem_world_manifolds(world, corners, count, query, most, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: world
            type(dem_block), intent(inout), optional :: corners
            integer(c_size_t), intent(inout), optional :: count
            type(dem_world_query), intent(in), optional :: query
            integer(c_size_t), value :: most
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_manifolds
        end function

        ! Bodies that go to other worlds (dem_world.h).

        ! Finds the body with an id.
        function dem_world_find(handle, world, id, error) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: handle
            type(c_ptr), value :: world
            integer(c_int64_t), value :: id
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_find
        end function

        ! Writes as bytes what the next step needs of the contacts of some bodies: springs, and data to match the
        ! contacts.
        function dem_world_pack_springs(world, bytes, capacity, count, handles, handle_count, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_int8_t), intent(inout), optional :: bytes(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: count
            integer(c_int64_t), intent(in), optional :: handles(*)
            integer(c_size_t), value :: handle_count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_pack_springs
        end function

        ! Reads bytes that `dem_world_pack_springs` wrote in other worlds.
        function dem_world_unpack_springs(world, pairs, bytes, count, error) bind(c)
            import
            type(c_ptr), value :: world
            integer(c_size_t), intent(inout), optional :: pairs
            integer(c_int8_t), intent(in), optional :: bytes(*)
            integer(c_size_t), value :: count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_unpack_springs
        end function

        ! As `dem_world_unpack_springs`, in a world that grows if it has too little room.
        function dem_world_take_springs(world, pairs, bytes, count, error) bind(c)
            import
            type(dem_block), intent(inout), optional :: world
            integer(c_size_t), intent(inout), optional :: pairs
            integer(c_int8_t), intent(in), optional :: bytes(*)
            integer(c_size_t), value :: count
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_world_take_springs
        end function

        ! Contacts of two bodies (dem_pair.h).

        ! Tells a good first size of the scratch of `dem_placed_contacts`.
        function dem_placed_contacts_scratch(scratch_size, query, pairs, capacity, stride, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: scratch_size
            type(dem_placed_query), intent(in), optional :: query
            integer(c_size_t), value :: pairs
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_placed_contacts_scratch
        end function

        ! Finds the contacts of two bodies of any kinds, ordered by key.
        function dem_placed_contacts(contacts, capacity, stride, count, query, scratch, scratch_size, error) bind(c)
            import
            type(dem_contact), intent(inout), optional :: contacts(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(dem_placed_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_placed_contacts
        end function

        ! Lists the triangles of two bodies that may come within their halos while the bodies move relative to each
        ! other by at most `margin`.
        function dem_placed_list(list, capacity, count, query, margin, scratch, scratch_size, error) bind(c)
            import
            integer(c_int64_t), intent(inout), optional :: list(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: count
            type(dem_placed_query), intent(in), optional :: query
            real(c_double), value :: margin
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_placed_list
        end function

        ! Corners of contacts, for solvers that work with impulses (dem_pair.h).

        ! Tells a good first size of the scratch of `dem_contact_corners`.
        function dem_contact_corners_scratch(scratch_size, query, pairs, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: scratch_size
            type(dem_placed_query), intent(in), optional :: query
            integer(c_size_t), value :: pairs
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_contact_corners_scratch
        end function

        ! Finds the corners of the contacts of two bodies, ordered by contact: at least one for each.
        function dem_contact_corners(corners, capacity, stride, count, contacts, contact_count, contact_stride, query, &
                most, scratch, scratch_size, error) bind(c)
            import
            type(dem_contact_corner), intent(inout), optional :: corners(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(dem_contact), intent(in), optional :: contacts(*)
            integer(c_size_t), value :: contact_count
            integer(c_size_t), value :: contact_stride
            type(dem_placed_query), intent(in), optional :: query
            integer(c_size_t), value :: most
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_contact_corners
        end function

        ! Clamped normals, for engines on badly welded surfaces (dem_pair.h).

        ! Computes the cones of a body's patches, for `dem_contact_clamp`.
        function dem_patch_cones(cones, capacity, body, flat, error) bind(c)
            import
            real(c_double), intent(inout), optional :: cones(*)
            integer(c_size_t), value :: capacity
            type(dem_placed), intent(in), optional :: body
            real(c_double), value :: flat
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_patch_cones
        end function

        ! Rotates normals of contacts with a body into the cones of its patches.
        function dem_contact_clamp(contacts, count, stride, cones, features, pose, which, error) bind(c)
            import
            type(dem_contact), intent(inout), optional :: contacts(*)
            integer(c_size_t), value :: count
            integer(c_size_t), value :: stride
            real(c_double), intent(in), optional :: cones(*)
            integer(c_size_t), value :: features
            type(dem_pose), intent(in), optional :: pose
            integer(c_int32_t), value :: which
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_contact_clamp
        end function

        ! How fast surfaces move in contact (dem_pair.h).

        ! Computes for each contact the velocity of A's surface less that of B's, at the contact.
        function dem_contact_velocities(velocities, contacts, count, stride, a, b, scratch, scratch_size, error) &
                bind(c)
            import
            real(c_double), intent(inout), optional :: velocities(*)
            type(dem_contact), intent(in), optional :: contacts(*)
            integer(c_size_t), value :: count
            integer(c_size_t), value :: stride
            type(dem_motion), intent(in), optional :: a
            type(dem_motion), intent(in), optional :: b
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_contact_velocities
        end function

        ! Contacts from step to step (dem_pair.h).

        ! Tells which contact of this step continues which contact of the last step, and which contacts begin, persist
        ! and end.
        function dem_contact_match(links, blends, blend_capacity, blend_count, events, event_capacity, event_count, &
                last, now, bound, scratch, scratch_size, error) bind(c)
            import
            type(dem_contact_link), intent(inout), optional :: links(*)
            type(dem_contact_blend), intent(inout), optional :: blends(*)
            integer(c_size_t), value :: blend_capacity
            integer(c_size_t), intent(inout), optional :: blend_count
            type(dem_contact_event), intent(inout), optional :: events(*)
            integer(c_size_t), value :: event_capacity
            integer(c_size_t), intent(inout), optional :: event_count
            type(dem_contact_list), intent(in), optional :: last
            type(dem_contact_list), intent(in), optional :: now
            real(c_double), value :: bound
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_contact_match
        end function

        ! Carries a vector of each contact from the last step to this one: the elongation of its tangential spring.
        function dem_contact_carry(vectors, of_last, links, blends, blend_count, last, now, error) bind(c)
            import
            real(c_double), intent(inout), optional :: vectors(*)
            real(c_double), intent(in), optional :: of_last(*)
            type(dem_contact_link), intent(in), optional :: links(*)
            type(dem_contact_blend), intent(in), optional :: blends(*)
            integer(c_size_t), value :: blend_count
            type(dem_contact_list), intent(in), optional :: last
            type(dem_contact_list), intent(in), optional :: now
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_contact_carry
        end function

        ! Boxes and cylinders (dem_mesh.h).

        ! Makes the mesh of a box about the origin, with edges along the axes.
        function dem_box_mesh(vertices, triangles, edges, error) bind(c)
            import
            real(c_double), intent(inout), optional :: vertices(*)
            integer(c_int32_t), intent(inout), optional :: triangles(*)
            real(c_double), intent(in), optional :: edges(*)
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_box_mesh
        end function

        ! Tells how many facets a cylinder needs.
        function dem_cylinder_facets(facets, radius, sagitta, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: facets
            real(c_double), value :: radius
            real(c_double), value :: sagitta
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_cylinder_facets
        end function

        ! Makes the mesh of a cylinder about the z axis, from -`length` / 2 to `length` / 2: a right prism of the same
        ! volume.
        function dem_cylinder_mesh(vertices, vertex_capacity, triangles, triangle_capacity, radius, length, facets, &
                error) bind(c)
            import
            real(c_double), intent(inout), optional :: vertices(*)
            integer(c_size_t), value :: vertex_capacity
            integer(c_int32_t), intent(inout), optional :: triangles(*)
            integer(c_size_t), value :: triangle_capacity
            real(c_double), value :: radius
            real(c_double), value :: length
            integer(c_size_t), value :: facets
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_cylinder_mesh
        end function

        ! Defects of a shape (dem_mesh.h).

        ! Inspects a shape: counts of every defect, and the functions that work.
        function dem_shape_inspect(report, report_size, shape, options, scratch, scratch_size, error) bind(c)
            import
            type(dem_report), intent(inout), optional :: report
            integer(c_size_t), value :: report_size
            type(c_ptr), value :: shape
            type(dem_inspect_options), intent(in), optional :: options
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_inspect
        end function

        ! Inspects a shape, and lists its defects with their places: ordered by defect, then by item, then by side.
        function dem_shape_findings(findings, capacity, stride, count, shape, options, scratch, scratch_size, error) &
                bind(c)
            import
            type(dem_finding), intent(inout), optional :: findings(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(c_ptr), value :: shape
            type(dem_inspect_options), intent(in), optional :: options
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_findings
        end function

        ! Inspects a shape, and lists its connected components, ordered by their first triangle.
        function dem_shape_components(components, capacity, stride, count, shape, options, scratch, scratch_size, &
                error) bind(c)
            import
            type(dem_component), intent(inout), optional :: components(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(c_ptr), value :: shape
            type(dem_inspect_options), intent(in), optional :: options
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_components
        end function

        ! Where a shape crosses itself (dem_mesh.h).

        ! Finds all pairs of triangles of a shape that intersect each other, with the smaller id first, in ascending
        ! order.
        function dem_shape_self_intersections(pairs, capacity, count, shape, isa, scratch, scratch_size, error) bind(c)
            import
            integer(c_int32_t), intent(inout), optional :: pairs(2, *)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout), optional :: count
            type(c_ptr), value :: shape
            integer(c_int32_t), value :: isa
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_self_intersections
        end function

        ! Mass properties of a shape (dem_mesh.h).

        ! Computes mass, centre, inertia and principal axes of the body that a shape encloses, filled with one density,
        ! without halos.
        function dem_shape_mass(mass, mass_size, shape, density, scratch, scratch_size, error) bind(c)
            import
            type(dem_mass), intent(inout), optional :: mass
            integer(c_size_t), value :: mass_size
            type(c_ptr), value :: shape
            real(c_double), value :: density
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_mass
        end function

        ! Mass properties of bodies of any kind (dem_mesh.h).

        ! Computes mass, centre, inertia and principal axes of a body of any kind but a half-space, filled with one
        ! density, in the frame of its shape.
        function dem_placed_mass(mass, mass_size, body, density, columns, scratch, scratch_size, error) bind(c)
            import
            type(dem_mass), intent(inout), optional :: mass
            integer(c_size_t), value :: mass_size
            type(dem_placed), intent(in), optional :: body
            real(c_double), value :: density
            integer(c_int32_t), value :: columns
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_placed_mass
        end function

        ! Shapes that change (dem_mesh.h).

        ! Moves the vertices of a shape, changes its halos, or both: mesh, tree and cells.
        function dem_shape_refit(shape, size, desc, error) bind(c)
            import
            type(c_ptr), value :: shape
            integer(c_size_t), value :: size
            type(dem_refit_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_shape_refit
        end function

        ! Queries of two shapes (dem_mesh.h).

        ! Finds all pairs of triangles whose distance is at most the halo of A's triangle plus that of B's plus
        ! `margin`.
        function dem_pairs(pairs, capacity, stride, count, query, scratch, scratch_size, error) bind(c)
            import
            type(dem_triangle_pair), intent(inout), optional :: pairs(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(dem_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_pairs
        end function

        ! Finds the closest pair of triangles of two shapes, without halos.
        function dem_min_distance(pair, pair_size, query, scratch, scratch_size, error) bind(c)
            import
            type(dem_triangle_pair), intent(inout), optional :: pair
            integer(c_size_t), value :: pair_size
            type(dem_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_min_distance
        end function

        ! Tells whether any pair of triangles is within the threshold of `dem_pairs`.
        function dem_any_pair(any, query, scratch, scratch_size, error) bind(c)
            import
            integer(c_int32_t), intent(inout), optional :: any
            type(dem_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_any_pair
        end function

        ! Points and a shape (dem_mesh.h).

        ! Finds for each point the closest point of a shape, distance, signed distance and side.
        function dem_point_distance(results, query, scratch, scratch_size, error) bind(c)
            import
            type(dem_point_results), intent(in), optional :: results
            type(dem_point_query), intent(in), optional :: query
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_point_distance
        end function

        ! Computes generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung 2013): how often the surface of a
        ! shape goes around each point.
        function dem_point_winding(numbers, query, error) bind(c)
            import
            type(dem_output), intent(in), optional :: numbers
            type(dem_point_query), intent(in), optional :: query
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_point_winding
        end function

        ! Bodies as spheres (dem_broad.h).

        ! How much scratch `dem_near_moved` and `dem_near_refresh` need.
        function dem_near_scratch(scratch_size, bodies, pairs, capacity, stride, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: scratch_size
            integer(c_size_t), value :: bodies
            integer(c_size_t), value :: pairs
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_near_scratch
        end function

        ! Tells how far bodies have moved since a list of pairs was made, and so whether the list still contains all
        ! pairs of the current query.
        function dem_near_moved(moved, moved_size, then, now, scratch, scratch_size, error) bind(c)
            import
            type(dem_near_motion), intent(inout), optional :: moved
            integer(c_size_t), value :: moved_size
            type(dem_near_query), intent(in), optional :: then
            type(dem_near_query), intent(in), optional :: now
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_near_moved
        end function

        ! Finds the pairs of a list that are still near, in the order of the list.
        function dem_near_refresh(pairs, capacity, stride, count, list, list_count, then, now, scratch, scratch_size, &
                error) bind(c)
            import
            type(dem_near_pair), intent(inout), optional :: pairs(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(dem_near_pair), intent(in), optional :: list(*)
            integer(c_size_t), value :: list_count
            type(dem_near_query), intent(in), optional :: then
            type(dem_near_query), intent(in), optional :: now
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_near_refresh
        end function

        ! Pairs of spheres (dem_broad.h).

        ! How much memory a grid needs.
        function dem_grid_layout(size, align, desc, error) bind(c)
            import
            integer(c_size_t), intent(inout), optional :: size
            integer(c_size_t), intent(inout), optional :: align
            type(dem_grid_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_grid_layout
        end function

        ! Makes an empty grid.
        function dem_grid_init(memory, size, grid, desc, error) bind(c)
            import
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(inout), optional :: grid
            type(dem_grid_desc), intent(in), optional :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_grid_init
        end function

        ! Finds all pairs of spheres that are near, each once.
        function dem_grid_pairs(grid, pairs, capacity, stride, count, query, changed, changed_count, scratch, &
                scratch_size, error) bind(c)
            import
            type(c_ptr), value :: grid
            type(dem_near_pair), intent(inout), optional :: pairs(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(dem_near_query), intent(in), optional :: query
            integer(c_int32_t), intent(in), optional :: changed(*)
            integer(c_size_t), value :: changed_count
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_grid_pairs
        end function

        ! Tells what a grid has chosen: cell sizes, bodies on each level, and how many pairs of bodies in neighbouring
        ! cells it expected and tested.
        function dem_grid_describe(report, grid, error) bind(c)
            import
            type(dem_grid_report), intent(inout), optional :: report
            type(c_ptr), value :: grid
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_grid_describe
        end function

        ! Spheres near boxes (dem_broad.h).

        ! Finds all spheres that are near boxes, ordered by body.
        function dem_box_pairs(pairs, capacity, stride, count, query, boxes, scratch, scratch_size, error) bind(c)
            import
            type(dem_box_pair), intent(inout), optional :: pairs(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), value :: stride
            integer(c_size_t), intent(inout), optional :: count
            type(dem_near_query), intent(in), optional :: query
            type(dem_near_boxes), intent(in), optional :: boxes
            type(c_ptr), value :: scratch
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_box_pairs
        end function

        ! Distances of triangles (dem_papers.h).

        ! Computes distances and closest points of pairs of triangles.
        function dem_triangle_distance(results, a, b, pairs, options, error) bind(c)
            import
            type(dem_closest_points), intent(in), optional :: results
            type(dem_triangles), intent(in), optional :: a
            type(dem_triangles), intent(in), optional :: b
            type(dem_indices), intent(in), optional :: pairs
            type(dem_triangle_options), intent(in), optional :: options
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_triangle_distance
        end function

        ! Which triangles are in contact (dem_papers.h).

        ! Fills `options` for P0 Algorithm 3.1 as printed: the result of the search is used if it ends, and the exact
        ! kernel decides the rest.
        function dem_contact_options_paper(options, struct_size) bind(c)
            import
            type(dem_contact_options), intent(inout), optional :: options
            integer(c_size_t), value :: struct_size
            integer(c_int32_t) :: dem_contact_options_paper
        end function

        ! Decides which pairs of triangles are within their thresholds.
        function dem_triangle_contacts(results, statistics, statistics_size, a, b, pairs, options, error) bind(c)
            import
            type(dem_contact_results), intent(in), optional :: results
            type(dem_contact_statistics), intent(inout), optional :: statistics
            integer(c_size_t), value :: statistics_size
            type(dem_triangles), intent(in), optional :: a
            type(dem_triangles), intent(in), optional :: b
            type(dem_indices), intent(in), optional :: pairs
            type(dem_contact_options), intent(in), optional :: options
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_triangle_contacts
        end function

        ! Distances of points and segments (dem_papers.h).

        ! Computes distances and closest points of points, side A, and triangles, side B.
        function dem_point_triangle_distance(results, points, triangles, pairs, options, error) bind(c)
            import
            type(dem_closest_points), intent(in), optional :: results
            type(dem_array), intent(in), optional :: points
            type(dem_triangles), intent(in), optional :: triangles
            type(dem_indices), intent(in), optional :: pairs
            type(dem_triangle_options), intent(in), optional :: options
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_point_triangle_distance
        end function

        ! Computes distances and closest points of points, side A, and segments, side B.
        function dem_point_segment_distance(results, points, segments, pairs, options, error) bind(c)
            import
            type(dem_closest_points), intent(in), optional :: results
            type(dem_array), intent(in), optional :: points
            type(dem_segments), intent(in), optional :: segments
            type(dem_indices), intent(in), optional :: pairs
            type(dem_triangle_options), intent(in), optional :: options
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_point_segment_distance
        end function

        ! Computes distances and closest points of two segments.
        function dem_segment_distance(results, a, b, pairs, options, error) bind(c)
            import
            type(dem_closest_points), intent(in), optional :: results
            type(dem_segments), intent(in), optional :: a
            type(dem_segments), intent(in), optional :: b
            type(dem_indices), intent(in), optional :: pairs
            type(dem_triangle_options), intent(in), optional :: options
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: dem_segment_distance
        end function

    end interface

    ! Where the numbers of an input are: a(n), a(3,n), or a(n,3) with `items = 1`.
    interface dem_array_of
        procedure dem_array_of_f64_1, dem_array_of_f32_1, dem_array_of_i32_1, dem_array_of_i64_1
    end interface
    private :: dem_array_of_f64_1, dem_array_of_f32_1, dem_array_of_i32_1, dem_array_of_i64_1

    ! Where the numbers of an input are: a(n), a(3,n), or a(n,3) with `items = 1`.
    interface dem_array_of
        procedure dem_array_of_f64_2, dem_array_of_f32_2, dem_array_of_i32_2, dem_array_of_i64_2
    end interface
    private :: dem_array_of_f64_2, dem_array_of_f32_2, dem_array_of_i32_2, dem_array_of_i64_2

    ! Where the numbers of an output are to be, likewise.
    interface dem_output_of
        procedure dem_output_of_f64_1, dem_output_of_f32_1, dem_output_of_i32_1, dem_output_of_i64_1
    end interface
    private :: dem_output_of_f64_1, dem_output_of_f32_1, dem_output_of_i32_1, dem_output_of_i64_1

    ! Where the numbers of an output are to be, likewise.
    interface dem_output_of
        procedure dem_output_of_f64_2, dem_output_of_f32_2, dem_output_of_i32_2, dem_output_of_i64_2
    end interface
    private :: dem_output_of_f64_2, dem_output_of_f32_2, dem_output_of_i32_2, dem_output_of_i64_2

    ! Contact `i` of a view, from 1 on.
    interface dem_contact_at
        procedure dem_contact_at_i32, dem_contact_at_i64
    end interface
    private :: dem_contact_at_i32, dem_contact_at_i64

    ! Pair `i` of a view, from 1 on.
    interface dem_pair_at
        procedure dem_pair_at_i32, dem_pair_at_i64
    end interface
    private :: dem_pair_at_i32, dem_pair_at_i64

    ! The body in slot `i` of a view, from 1 on.
    interface dem_slot_body
        procedure dem_slot_body_i32, dem_slot_body_i64
    end interface
    private :: dem_slot_body_i32, dem_slot_body_i64

contains

    ! Ends the program with status 2 if a call has failed, with the library's message: for programs that do not handle
    ! errors.
    subroutine dem_must(error)
        type(dem_error), intent(in) :: error
        if (error%code >= 0) return
        write (error_unit, '(a)') dem_message(error)
        stop 2
    end subroutine

    ! The library's message about an error.
    function dem_message(error) result(message)
        type(dem_error), intent(in) :: error
        character(:), allocatable :: message
        character(kind=c_char) :: letters(DEM_ERROR_TEXT)
        integer :: i, length
        length = 0
        if (dem_error_format(letters, int(DEM_ERROR_TEXT, c_size_t), error=error) == DEM_OK) &
            length = findloc(letters, c_null_char, 1) - 1
        allocate (character(length) :: message)
        do i = 1, length
            message(i:i) = letters(i)
        end do
    end function

    ! Converts a string of C, such as that of dem_isa_name.
    function dem_string(text) result(string)
        type(c_ptr), intent(in) :: text
        character(:), allocatable :: string
        character(kind=c_char), pointer :: letters(:)
        integer :: i, length
        interface
            function strlen(text) bind(c)
                import :: c_size_t, c_ptr
                type(c_ptr), value :: text
                integer(c_size_t) :: strlen
            end function
        end interface
        length = 0
        if (c_associated(text)) length = int(strlen(text))
        allocate (character(length) :: string)
        if (length == 0) return
        call c_f_pointer(text, letters, [length])
        do i = 1, length
            string(i:i) = letters(i)
        end do
    end function

    ! How much scratch a call needs, from the error of the same call with c_null_ptr and 0 for scratch; 0 if it needs
    ! none, or failed for another reason.
    pure function dem_scratch_needed(error) result(needed)
        type(dem_error), intent(in) :: error
        integer(c_size_t) :: needed
        needed = 0
        if (error%code == DEM_ERROR_CAPACITY .and. error%argument == DEM_ARGUMENT_SCRATCH) needed = error%needed
    end function

    ! The first address in some memory where a block may start: at most DEM_ALIGN - 1 bytes after its begin.
    function dem_aligned(memory) result(place)
        integer(c_int8_t), intent(in), target :: memory(:)
        type(c_ptr) :: place
        place = c_loc(memory(1 + modulo(-transfer(c_loc(memory), 0_c_intptr_t), int(DEM_ALIGN, c_intptr_t))))
    end function

    ! An address plus a number of bytes.
    pure function moved(address, bytes) result(there)
        type(c_ptr), intent(in) :: address
        integer(c_intptr_t), intent(in) :: bytes
        type(c_ptr) :: there
        there = transfer(transfer(address, 0_c_intptr_t) + bytes, c_null_ptr)
    end function

    ! The `resize` of dem_heap. The address from malloc is stored before each block.
    function dem_heap_resize(context, old, old_size, size) result(start) bind(c, name='')
        type(c_ptr), value :: context, old
        integer(c_size_t), value :: old_size, size
        type(c_ptr) :: start, from
        type(c_ptr), pointer :: before
        integer(c_intptr_t), parameter :: pointer_size = c_sizeof(c_null_ptr), align = DEM_ALIGN
        integer(c_intptr_t) :: first
        interface
            function c_malloc(size) bind(c, name='malloc')
                import :: c_size_t, c_ptr
                integer(c_size_t), value :: size
                type(c_ptr) :: c_malloc
            end function
            subroutine c_free(memory) bind(c, name='free')
                import :: c_ptr
                type(c_ptr), value :: memory
            end subroutine
        end interface
        start = c_null_ptr
        ! No memory has such sizes, and blocks of dem_heap have no context.
        if (old_size < 0 .or. size < 0 .or. c_associated(context)) return
        if (size == 0) then
            if (.not. c_associated(old)) return
            call c_f_pointer(moved(old, -pointer_size), before)
            call c_free(before)
            return
        end if
        from = c_malloc(size + align + pointer_size)
        if (.not. c_associated(from)) return
        first = transfer(from, first) + pointer_size
        start = moved(from, pointer_size + modulo(-first, align))
        call c_f_pointer(moved(start, -pointer_size), before)
        before = from
    end function

    ! A block without memory, which the first call gets from malloc.
    function dem_heap() result(block)
        type(dem_block) :: block
        block%resize = c_funloc(dem_heap_resize)
    end function

    ! Gives the memory of a block back; the block may be used again.
    subroutine dem_free(block)
        type(dem_block), intent(inout) :: block
        procedure(dem_resize), pointer :: resize
        type(c_ptr) :: none
        if (c_associated(block%start) .and. c_associated(block%resize)) then
            call c_f_procpointer(block%resize, resize)
            none = resize(block%context, block%start, block%size, 0_c_size_t)
        end if
        block%start = c_null_ptr
        block%size = 0
    end subroutine

    ! A sphere about the origin. Set `pose` and `scale` of the result.
    pure function dem_placed_sphere(radius, halo) result(placed)
        real(c_double), intent(in) :: radius, halo
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_SPHERE
        placed%radius = radius
        placed%halo = halo
    end function

    ! A capsule: all points within `radius` of the segment from -half_length to half_length on the z axis.
    pure function dem_placed_capsule(half_length, radius, halo) result(placed)
        real(c_double), intent(in) :: half_length, radius, halo
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_CAPSULE
        placed%half_length = half_length
        placed%radius = radius
        placed%halo = halo
    end function

    ! The half-space z <= 0.
    pure function dem_placed_half_space(halo) result(placed)
        real(c_double), intent(in) :: halo
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_HALF_SPACE
        placed%halo = halo
    end function

    ! A shape that has cells, such as block%start; `solid` is 0 or 1.
    pure function dem_placed_mesh(shape, solid) result(placed)
        type(c_ptr), intent(in) :: shape
        integer, intent(in) :: solid
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_MESH
        placed%shape = shape
        placed%solid = int(solid, c_int32_t)
    end function

    ! A compound, which must exist while the body is used.
    function dem_placed_compound(compound) result(placed)
        type(dem_compound), intent(in), target :: compound
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_COMPOUND
        placed%shape = c_loc(compound)
    end function

    ! A body of a scene with its mesh: `placed` is its row in the table of shapes; `body` is its index, from 0.
    pure function dem_surface_of(placed, body, scale) result(surface)
        type(dem_placed), intent(in) :: placed
        integer, intent(in) :: body
        real(c_double), intent(in) :: scale
        type(dem_scene_surface) :: surface
        surface%shape = placed%shape
        surface%pose = placed%pose
        surface%scale = scale
        surface%body = int(body, c_int32_t)
    end function

    ! An elastic force alone, without damping, friction and cohesion: one of DEM_NORMAL_* and its stiffness.
    pure function dem_interaction_default(normal, stiffness) result(interaction)
        integer(c_int32_t), intent(in) :: normal
        real(c_double), intent(in) :: stiffness
        type(dem_interaction) :: interaction
        interaction%normal = normal
        interaction%stiffness = stiffness
    end function

    ! A shape of triangles: a(3,n) of vertices, a(3,m) of their numbers from 1 on, one halo for all; all else as by
    ! default.
    function dem_heap_mesh(shape, vertices, triangles, halo, error) result(status)
        type(dem_block), intent(inout) :: shape
        real(c_double), intent(in), target, contiguous :: vertices(:, :)
        integer(c_int32_t), intent(in), target, contiguous :: triangles(:, :)
        real(c_double), intent(in) :: halo
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        type(dem_shape_desc) :: desc
        desc%vertices = dem_array_of(vertices)
        desc%triangles = dem_indices_of(triangles)
        desc%halo = halo
        status = dem_shape_build(shape, desc, error)
    end function

    ! A shape that is a box about the origin.
    function dem_heap_box(shape, edges, halo, error) result(status)
        type(dem_block), intent(inout) :: shape
        real(c_double), intent(in) :: edges(3), halo
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status, triangles(3, 12)
        real(c_double) :: vertices(3, 8)
        status = dem_box_mesh(vertices, triangles, edges, error)
        if (status >= 0) status = dem_heap_mesh(shape, vertices, triangles + 1_c_int32_t, halo, error)
    end function

    ! A shape that is a room: the inside of a box about the origin, whose walls push bodies in it away from them. Place
    ! it as solid, so that a body that has gone through a wall is pushed back.
    function dem_heap_room(shape, edges, halo, error) result(status)
        type(dem_block), intent(inout) :: shape
        real(c_double), intent(in) :: edges(3), halo
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status, triangles(3, 12)
        real(c_double) :: vertices(3, 8)
        status = dem_box_mesh(vertices, triangles, edges, error)
        ! Its triangles look inward.
        if (status >= 0) status = dem_heap_mesh(shape, vertices, triangles([1, 3, 2], :) + 1_c_int32_t, halo, error)
    end function

    ! A shape that is a cylinder about the z axis. Its facets have no noticeable effect if both bodies have this halo,
    ! which is larger than 0. `facets`: their number.
    function dem_heap_cylinder(shape, facets, radius, length, halo, error) result(status)
        type(dem_block), intent(inout) :: shape
        integer(c_size_t), intent(inout), optional :: facets
        real(c_double), intent(in) :: radius, length, halo
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_size_t) :: count
        real(c_double), allocatable :: vertices(:, :)
        integer(c_int32_t), allocatable :: triangles(:, :)
        count = 0
        status = dem_cylinder_facets(count, radius, halo / 8, error)
        if (status < 0) return
        allocate (vertices(3, 2 * count + 2), triangles(3, 4 * count))
        status = dem_cylinder_mesh(vertices, 2 * count + 2, triangles, 4 * count, radius, length, count, error)
        if (status >= 0) status = dem_heap_mesh(shape, vertices, triangles + 1_c_int32_t, halo, error)
        if (status >= 0 .and. present(facets)) facets = count
    end function

    ! dem_shape_mass, with scratch that is allocated.
    function dem_heap_mass(mass, shape, density, error) result(status)
        type(dem_mass), intent(inout) :: mass
        type(c_ptr), intent(in) :: shape
        real(c_double), intent(in) :: density
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_error) :: need
        status = dem_shape_mass(mass, c_sizeof(mass), shape, density, c_null_ptr, 0_c_size_t, need)
        allocate (scratch(dem_scratch_needed(need) + 1))
        status = dem_shape_mass(mass, c_sizeof(mass), shape, density, c_loc(scratch), size(scratch, kind=c_size_t), &
            error)
    end function

    ! dem_placed_mass, with 128 columns for parts that overlap, and scratch that is allocated.
    function dem_heap_placed_mass(mass, body, density, error) result(status)
        type(dem_mass), intent(inout) :: mass
        type(dem_placed), intent(in) :: body
        real(c_double), intent(in) :: density
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_error) :: need
        status = dem_placed_mass(mass, c_sizeof(mass), body, density, 128_c_int32_t, c_null_ptr, 0_c_size_t, need)
        allocate (scratch(dem_scratch_needed(need) + 1))
        status = dem_placed_mass(mass, c_sizeof(mass), body, density, 128_c_int32_t, c_loc(scratch), &
            size(scratch, kind=c_size_t), error)
    end function

    ! Calls dem_scene_step, and then dem_scene_view for the contacts.
    function dem_heap_step(scene, found, query, error) result(status)
        type(dem_block), intent(inout) :: scene
        type(dem_scene_contacts), intent(inout) :: found
        type(dem_scene_query), intent(in) :: query
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        status = dem_scene_step(scene, counts_size=0_c_size_t, query=query, error=error)
        if (status >= 0) status = dem_scene_view(found, c_sizeof(found), scene%start, error)
    end function

    ! dem_scene_cast for all rays, with scratch that is allocated. `hits` is as long as `rays`.
    function dem_heap_cast(scene, hits, query, rays, error) result(status)
        type(dem_block), intent(in) :: scene
        type(dem_ray), intent(in), contiguous :: rays(:)
        type(dem_ray_hit), intent(inout) :: hits(size(rays))
        type(dem_scene_query), intent(in) :: query
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_error) :: need
        integer(c_size_t) :: count
        count = size(rays, kind=c_size_t)
        status = dem_scene_cast(scene%start, hits, query, rays, count, c_null_ptr, 0_c_size_t, need)
        allocate (scratch(dem_scratch_needed(need) + 1))
        status = dem_scene_cast(scene%start, hits, query, rays, count, c_loc(scratch), size(scratch, kind=c_size_t), &
            error)
    end function

    ! dem_world_cast for all rays, with scratch that is allocated. `hits` is as long as `rays`.
    function dem_heap_world_cast(world, hits, query, rays, error) result(status)
        type(dem_block), intent(in) :: world
        type(dem_ray), intent(in), contiguous :: rays(:)
        type(dem_ray_hit), intent(inout) :: hits(size(rays))
        type(dem_world_query), intent(in) :: query
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_error) :: need
        integer(c_size_t) :: count
        count = size(rays, kind=c_size_t)
        status = dem_world_cast(world%start, hits, query, rays, count, c_null_ptr, 0_c_size_t, need)
        allocate (scratch(dem_scratch_needed(need) + 1))
        status = dem_world_cast(world%start, hits, query, rays, count, c_loc(scratch), size(scratch, kind=c_size_t), &
            error)
    end function

    pure function as_output(array) result(output)
        type(dem_array), intent(in) :: array
        type(dem_output) :: output
        output = dem_output(array%data, array%count, array%stride, array%component_stride, array%type)
    end function

    function dem_array_of_f64_1(a) result(array)
        real(c_double), pointer, contiguous, intent(in) :: a(:)
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, kind=c_size_t), stride=number, type=DEM_F64)
        if (size(a) > 0) array%data = c_loc(a)
    end function

    function dem_array_of_f64_2(a, items) result(array)
        real(c_double), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, 2, c_size_t), stride=number * size(a, 1), type=DEM_F64)
        if (size(a) > 0) array%data = c_loc(a)
        if (.not. present(items)) return
        if (items == 2) return
        array%count = size(a, 1, c_size_t)
        array%stride = number
        array%component_stride = number * array%count
    end function

    function dem_output_of_f64_1(a) result(output)
        real(c_double), pointer, contiguous, intent(in) :: a(:)
        type(dem_output) :: output
        output = as_output(dem_array_of(a))
    end function

    function dem_output_of_f64_2(a, items) result(output)
        real(c_double), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_output) :: output
        output = as_output(dem_array_of(a, items))
    end function

    function dem_array_of_f32_1(a) result(array)
        real(c_float), pointer, contiguous, intent(in) :: a(:)
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, kind=c_size_t), stride=number, type=DEM_F32)
        if (size(a) > 0) array%data = c_loc(a)
    end function

    function dem_array_of_f32_2(a, items) result(array)
        real(c_float), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, 2, c_size_t), stride=number * size(a, 1), type=DEM_F32)
        if (size(a) > 0) array%data = c_loc(a)
        if (.not. present(items)) return
        if (items == 2) return
        array%count = size(a, 1, c_size_t)
        array%stride = number
        array%component_stride = number * array%count
    end function

    function dem_output_of_f32_1(a) result(output)
        real(c_float), pointer, contiguous, intent(in) :: a(:)
        type(dem_output) :: output
        output = as_output(dem_array_of(a))
    end function

    function dem_output_of_f32_2(a, items) result(output)
        real(c_float), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_output) :: output
        output = as_output(dem_array_of(a, items))
    end function

    function dem_array_of_i32_1(a) result(array)
        integer(c_int32_t), pointer, contiguous, intent(in) :: a(:)
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, kind=c_size_t), stride=number, type=DEM_I32)
        if (size(a) > 0) array%data = c_loc(a)
    end function

    function dem_array_of_i32_2(a, items) result(array)
        integer(c_int32_t), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, 2, c_size_t), stride=number * size(a, 1), type=DEM_I32)
        if (size(a) > 0) array%data = c_loc(a)
        if (.not. present(items)) return
        if (items == 2) return
        array%count = size(a, 1, c_size_t)
        array%stride = number
        array%component_stride = number * array%count
    end function

    function dem_output_of_i32_1(a) result(output)
        integer(c_int32_t), pointer, contiguous, intent(in) :: a(:)
        type(dem_output) :: output
        output = as_output(dem_array_of(a))
    end function

    function dem_output_of_i32_2(a, items) result(output)
        integer(c_int32_t), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_output) :: output
        output = as_output(dem_array_of(a, items))
    end function

    function dem_array_of_i64_1(a) result(array)
        integer(c_int64_t), pointer, contiguous, intent(in) :: a(:)
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, kind=c_size_t), stride=number, type=DEM_U64)
        if (size(a) > 0) array%data = c_loc(a)
    end function

    function dem_array_of_i64_2(a, items) result(array)
        integer(c_int64_t), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, 2, c_size_t), stride=number * size(a, 1), type=DEM_U64)
        if (size(a) > 0) array%data = c_loc(a)
        if (.not. present(items)) return
        if (items == 2) return
        array%count = size(a, 1, c_size_t)
        array%stride = number
        array%component_stride = number * array%count
    end function

    function dem_output_of_i64_1(a) result(output)
        integer(c_int64_t), pointer, contiguous, intent(in) :: a(:)
        type(dem_output) :: output
        output = as_output(dem_array_of(a))
    end function

    function dem_output_of_i64_2(a, items) result(output)
        integer(c_int64_t), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_output) :: output
        output = as_output(dem_array_of(a, items))
    end function

    ! Where the indices of triangles or pairs are: a(3,n), or a(n,3) with `items = 1`; they count from 1, or from `base`.
    function dem_indices_of(a, items, base) result(indices)
        integer(c_int32_t), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items, base
        type(dem_indices) :: indices
        type(dem_array) :: array
        array = dem_array_of(a, items)
        indices = dem_indices(array%data, array%count, array%stride, array%component_stride)
        if (present(base)) indices%base = int(base, c_int32_t)
    end function

    function dem_contact_at_i32(view, i) result(item)
        type(dem_scene_contacts), intent(in) :: view
        integer(c_int32_t), intent(in) :: i
        type(dem_contact), pointer :: item
        call c_f_pointer(moved(view%contacts, int(i - 1, c_intptr_t) * view%contact_stride), item)
    end function

    function dem_contact_at_i64(view, i) result(item)
        type(dem_scene_contacts), intent(in) :: view
        integer(c_int64_t), intent(in) :: i
        type(dem_contact), pointer :: item
        call c_f_pointer(moved(view%contacts, int(i - 1, c_intptr_t) * view%contact_stride), item)
    end function

    function dem_pair_at_i32(view, i) result(item)
        type(dem_scene_contacts), intent(in) :: view
        integer(c_int32_t), intent(in) :: i
        type(dem_scene_pair), pointer :: item
        call c_f_pointer(moved(view%pairs, int(i - 1, c_intptr_t) * view%pair_stride), item)
    end function

    function dem_pair_at_i64(view, i) result(item)
        type(dem_scene_contacts), intent(in) :: view
        integer(c_int64_t), intent(in) :: i
        type(dem_scene_pair), pointer :: item
        call c_f_pointer(moved(view%pairs, int(i - 1, c_intptr_t) * view%pair_stride), item)
    end function

    function dem_slot_body_i32(view, i) result(item)
        type(dem_world_slots), intent(in) :: view
        integer(c_int32_t), intent(in) :: i
        type(dem_body), pointer :: item
        call c_f_pointer(moved(view%bodies, int(i - 1, c_intptr_t) * view%body_stride), item)
    end function

    function dem_slot_body_i64(view, i) result(item)
        type(dem_world_slots), intent(in) :: view
        integer(c_int64_t), intent(in) :: i
        type(dem_body), pointer :: item
        call c_f_pointer(moved(view%bodies, int(i - 1, c_intptr_t) * view%body_stride), item)
    end function
end module
