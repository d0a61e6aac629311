//! parry3d in f32 and f64: the nearest thing that it offers to each of our questions, in its fastest form.

macro_rules! parry {
    ($module:ident, $library:ident, $real:ty) => {
        /// With this number type.
        pub mod $module {
            use dem_core::pose::Pose;
            use dem_core::rays::Ray;
            use dem_tests::{Triangle, data};
            use $library::math::{Pose as Isometry, Rotation, Vector};
            use $library::query::details::closest_points_support_map_support_map_with_params;
            use $library::query::gjk::{GJKResult, VoronoiSimplex};
            use $library::query::{
                ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher,
                PointQuery, Ray as TheirRay, RayCast,
            };
            use $library::shape::{Shape, TriMesh, TriMeshFlags, Triangle as Shape3};

            fn vector(v: [f64; 3]) -> Vector {
                Vector::new(v[0] as $real, v[1] as $real, v[2] as $real)
            }

            /// A triangle of parry's.
            pub fn triangle(t: &Triangle) -> Shape3 {
                Shape3::new(vector(t[0]), vector(t[1]), vector(t[2]))
            }

            /// Distance and points of a pair; the distance is 0 and the points are the origin where it says "intersecting".
            pub type Found = ($real, Vector, Vector);

            /// Closest points of two triangles in one frame, by GJK without dispatch on the shapes: `closest_points` for
            /// support maps. Parry begins along the x axis when the frames agree; `HINTED` begins from one triangle to the
            /// other instead, which its own entries do not do.
            #[inline]
            pub fn closest<const HINTED: bool>(simplex: &mut VoronoiSimplex, a: &Shape3, b: &Shape3) -> Found {
                let (one, unlimited) = (Isometry::IDENTITY, <$real>::MAX);
                let start = HINTED.then(|| b.a - a.a);
                match closest_points_support_map_support_map_with_params(&one, a, b, unlimited, simplex, start) {
                    GJKResult::ClosestPoints(p, q, _) => ((q - p).length(), p, q),
                    _ => (0.0, Vector::ZERO, Vector::ZERO),
                }
            }

            /// All pairs in order.
            pub fn closest_all<const HINTED: bool>(pairs: &[[Shape3; 2]], out: &mut [Found]) {
                let mut simplex = VoronoiSimplex::new();
                for ([a, b], to) in pairs.iter().zip(out) {
                    *to = closest::<HINTED>(&mut simplex, a, b);
                }
            }

            /// Two meshes and what parry keeps between queries.
            pub struct Query {
                a: TriMesh,
                b: TriMesh,
                relative: Isometry,
                prediction: $real,
                manifolds: Vec<ContactManifold<(), ()>>,
                workspace: Option<ContactManifoldsWorkspace>,
            }

            /// A mesh with its tree of boxes.
            pub fn mesh(soup: &[Triangle]) -> TriMesh {
                let (vertices, triangles) = data::indexed(soup);
                mesh_of(&vertices, &triangles)
            }

            /// The same from vertices and indices: what is timed as building.
            pub fn mesh_of(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> TriMesh {
                let vertices = vertices.iter().map(|v| vector(*v)).collect();
                TriMesh::new(vertices, triangles.to_vec()).unwrap_or_else(|e| panic!("parry refuses the mesh: {e}"))
            }

            /// A mesh that knows on which side of it a point is: with normals of its edges and vertices.
            pub fn oriented(soup: &[Triangle]) -> TriMesh {
                let (vertices, triangles) = data::indexed(soup);
                let vertices = vertices.iter().map(|v| vector(*v)).collect();
                let mesh = TriMesh::with_flags(vertices, triangles, TriMeshFlags::ORIENTED);
                mesh.unwrap_or_else(|e| panic!("parry refuses the mesh: {e}"))
            }

            /// Signed distances of points, one after another.
            pub fn project(mesh: &TriMesh, points: &[[f64; 3]], out: &mut [$real]) {
                for (p, to) in points.iter().zip(out) {
                    let p = vector(*p);
                    let found = mesh.project_local_point(p, false);
                    let distance = (found.point - p).length();
                    *to = if found.is_inside { -distance } else { distance };
                }
            }

            /// Where rays first meet a surface, one after another; infinite where they do not.
            pub fn cast(mesh: &TriMesh, rays: &[Ray], out: &mut [$real]) {
                for (ray, to) in rays.iter().zip(out) {
                    let ray = TheirRay::new(vector(ray.origin), vector(ray.direction));
                    *to = mesh.cast_local_ray(&ray, <$real>::MAX, false).unwrap_or(<$real>::INFINITY);
                }
            }

            fn isometry(p: &Pose) -> Isometry {
                let [x, y, z, w] = p.orientation.map(|c| c as $real);
                Isometry::from_parts(vector(p.position), Rotation::from_xyzw(x, y, z, w))
            }

            impl Query {
                /// All pairs within `threshold`.
                pub fn new(a: TriMesh, b: TriMesh, threshold: f64) -> Self {
                    let (prediction, relative) = (threshold as $real, Isometry::IDENTITY);
                    Query { a, b, relative, prediction, manifolds: Vec::new(), workspace: None }
                }

                /// Where they are.
                pub fn pose(&mut self, a: &Pose, b: &Pose) {
                    self.relative = isometry(a).inv_mul(&isometry(b));
                }

                /// With nothing kept from before, as in the first query of two bodies that come close.
                pub fn cold(&mut self) {
                    (self.manifolds, self.workspace) = (Vec::new(), None);
                    self.warm();
                }

                /// With what the query before has kept.
                pub fn warm(&mut self) {
                    let (a, b): (&dyn Shape, &dyn Shape) = (&self.a, &self.b);
                    let (kept, memory) = (&mut self.manifolds, &mut self.workspace);
                    let done =
                        DefaultQueryDispatcher.contact_manifolds(&self.relative, a, b, self.prediction, kept, memory);
                    done.unwrap_or_else(|e| panic!("parry: {e}"));
                }

                /// Pairs of triangles that have a contact point.
                pub fn count(&self) -> usize {
                    self.manifolds.iter().filter(|m| !m.points.is_empty()).count()
                }
            }
        }
    };
}

parry!(single, parry3d, f32);
parry!(double, parry3d_f64, f64);
