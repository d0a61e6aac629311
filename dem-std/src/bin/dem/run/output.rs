//! What a run leaves: tables, a page, files for ParaView.

use super::scene::Scene;
use super::shapes::Loaded;
use super::vtk::{PolyData, series};
use crate::failure::Failure;
use dem_std::dem_core::error::What;
use dem_std::dem_core::world::{Report, WorldRef};
use dem_std::page::{self, Curve, Drawing, Mark, Page};
use dem_std::{Triangles, generate};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The first lines of both tables.
const NUMBERS: &str =
    "frame,time,bodies,contacts,kinetic,potential,contact_work,gravity_work,least_gap,approach,frequency_dt\n";
const BODIES: &str = "frame,time,id,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n";

/// Files of a run, in one folder.
pub struct Output<'s> {
    scene: &'s Scene,
    folder: PathBuf,
    /// What each place of the world's table of shapes looks like.
    drawn: Vec<Looks>,
    page: Page,
    drawings: Vec<Drawing>,
    kinetic: Vec<[f64; 2]>,
    potential: Vec<[f64; 2]>,
    shown: usize,
}

struct Looks {
    triangles: Option<Triangles>,
    ball: f64,
}

/// What a frame shows.
pub struct Frame<'f> {
    pub number: u64,
    pub report: &'f Report,
    /// Work of contacts and of gravity since the frame before.
    pub works: [f64; 2],
    pub view: &'f WorldRef<'f>,
}

impl<'s> Output<'s> {
    /// Into this folder, which is made. A run that goes on keeps of the tables what is up to its frame.
    pub fn new(scene: &'s Scene, folder: &Path, loaded: &[Loaded], resumed: Option<u64>) -> Result<Self, Failure> {
        let title = scene.title.as_deref().unwrap_or("dem run");
        let (mut page, mut drawn, mut drawings) = (Page::new(title), Vec::new(), Vec::new());
        for shape in loaded {
            for looks in looks(shape)? {
                drawings.push(match (&looks.triangles, looks.ball > 0.0) {
                    (_, true) => page.ball(),
                    (Some(triangles), false) => page.mesh(triangles),
                    (None, false) => page.plane(),
                });
                drawn.push(looks);
            }
        }
        let folder = folder.to_path_buf();
        let output =
            Output { scene, folder, drawn, page, drawings, kinetic: Vec::new(), potential: Vec::new(), shown: 0 };
        output.prepare(resumed)?;
        Ok(output)
    }

    fn prepare(&self, resumed: Option<u64>) -> Result<(), Failure> {
        make_folder(&self.folder)?;
        if self.scene.output.csv {
            for (name, head) in [("numbers.csv", NUMBERS), ("bodies.csv", BODIES)] {
                let path = self.folder.join(name);
                let before = match resumed {
                    Some(_) => fs::read_to_string(&path).unwrap_or_default(),
                    None => String::new(),
                };
                let early = |line: &&str| {
                    let frame = line.split(',').next().and_then(|word| word.parse::<u64>().ok());
                    // A line that a full disk has cut may begin as an early frame does.
                    line.ends_with('\n') && frame.is_some_and(|frame| resumed.is_some_and(|last| frame <= last))
                };
                let kept: String = before.split_inclusive('\n').filter(early).collect();
                write(&path, (head.to_string() + &kept).as_bytes())?;
            }
        }
        if self.scene.output.vtk {
            make_folder(&self.folder.join("vtk"))?;
            for (k, looks) in self.drawn.iter().enumerate() {
                if let Some(mesh) = &looks.triangles {
                    let data = PolyData::new(&mesh.vertices).triangles(&mesh.indices);
                    write(&self.folder.join(format!("vtk/shape_{k}.vtp")), data.to_xml().as_bytes())?;
                }
            }
        }
        Ok(())
    }

    /// Writes what files have of this frame.
    pub fn frame(&mut self, frame: &Frame<'_>) -> Result<(), Failure> {
        let Frame { number, report, works: [work, gravity], view } = frame;
        let time = *number as f64 * self.scene.time.get_ref().frame;
        if self.scene.output.csv {
            let (kinetic, potential) = (report.totals.kinetic(), report.potential);
            let [gap, approach, frequency] = [report.least_gap, report.approach, report.frequency * report.dt];
            let (count, contacts) = (view.count(), report.contacts);
            let line = format!(
                "{number},{time:?},{count},{contacts},{kinetic:?},{potential:?},{work:?},{gravity:?},{gap:?},{approach:?},{frequency:?}\n"
            );
            append(&self.folder.join("numbers.csv"), &line)?;
            let mut rows = String::new();
            for (body, id) in view.bodies().iter().zip(view.ids()) {
                rows += &format!("{number},{time:?},{id}");
                let all = body.position.iter().chain(&body.orientation).chain(&body.velocity);
                all.chain(&body.angular_velocity).for_each(|x| rows += &format!(",{x:?}"));
                rows.push('\n');
            }
            append(&self.folder.join("bodies.csv"), &rows)?;
        }
        if self.scene.output.html {
            self.show(time, report, view);
        }
        if self.scene.output.vtk {
            self.vtk(*number, view)?;
        }
        Ok(())
    }

    fn show(&mut self, time: f64, report: &Report, view: &WorldRef<'_>) {
        for (shape, scale) in view.shapes().iter().zip(view.scales()).skip(self.shown) {
            let (Some(drawing), Some(looks)) = (self.drawings.get(*shape as usize), self.drawn.get(*shape as usize))
            else {
                continue;
            };
            let size = if looks.ball > 0.0 { looks.ball } else { 1.0 };
            self.page.body(page::Body { drawing: *drawing, scale: size * scale });
            self.shown += 1;
        }
        let scene = view.scene();
        let marks = scene.now().contacts().iter().zip(view.acts()).map(|(c, act)| Mark {
            position: c.position,
            normal: c.normal,
            area: c.area,
            value: act.force.iter().map(|x| x * x).sum::<f64>().sqrt(),
        });
        self.page.frame(time, view.bodies().iter().map(|body| body.pose()), marks);
        self.kinetic.push([time, report.totals.kinetic()]);
        self.potential.push([time, report.potential]);
    }

    fn vtk(&self, number: u64, view: &WorldRef<'_>) -> Result<(), Failure> {
        let bodies = view.bodies();
        let positions: Vec<_> = bodies.iter().map(|body| body.position).collect();
        let data = PolyData::new(&positions)
            .whole("id", view.ids().iter().copied())
            .whole("shape", view.shapes().iter().map(|&shape| u64::from(shape)))
            .whole("material", view.materials().iter().map(|&material| u64::from(material)))
            .numbers("scale", view.scales().iter().map(|scale| [*scale]))
            .numbers("velocity", bodies.iter().map(|body| body.velocity))
            .numbers("angular_velocity", bodies.iter().map(|body| body.angular_velocity))
            .numbers("contact_force", view.wrenches().iter().map(|wrench| wrench.force))
            // As VTK has quaternions: w first.
            .numbers(
                "orientation",
                bodies.iter().map(|body| {
                    let [x, y, z, w] = body.orientation;
                    [w, x, y, z]
                }),
            );
        self.write_vtk("bodies", number, &data)?;

        let scene = view.scene();
        let step = scene.now();
        let contacts = step.contacts();
        let positions: Vec<_> = contacts.iter().map(|c| c.position).collect();
        let pairs = || (0..contacts.len()).map(|c| step.pair_of(c).map_or([0; 2], |pair| pair.ids));
        let data = PolyData::new(&positions)
            .numbers("normal", contacts.iter().map(|c| c.normal))
            .numbers("force", view.acts().iter().map(|act| act.force))
            .numbers("torque", view.acts().iter().map(|act| act.torque))
            .numbers("area", contacts.iter().map(|c| [c.area]))
            .numbers("gap", contacts.iter().map(|c| [c.gap]))
            .whole("a", pairs().map(|[a, _]| a))
            .whole("b", pairs().map(|[_, b]| b));
        self.write_vtk("contacts", number, &data)?;

        // All surfaces as one mesh, for those who want no glyphs.
        let (mut points, mut triangles, mut ids, mut velocities) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let slots = bodies.iter().zip(view.ids()).zip(view.shapes().iter().zip(view.scales()));
        for ((body, id), (shape, scale)) in slots {
            let Some(mesh) = self.drawn.get(*shape as usize).and_then(|looks| looks.triangles.as_ref()) else {
                continue;
            };
            let frame = body.pose().transform(What::Pose)?;
            let first = points.len() as u32;
            points.extend(mesh.vertices.iter().map(|v| frame.apply(v.map(|x| x * scale))));
            triangles.extend(mesh.indices.iter().map(|t| t.map(|v| v + first)));
            ids.extend(mesh.vertices.iter().map(|_| *id));
            velocities.extend(mesh.vertices.iter().map(|_| body.velocity));
        }
        let data = PolyData::new(&points)
            .triangles(&triangles)
            .whole("id", ids.into_iter())
            .numbers("velocity", velocities.into_iter());
        self.write_vtk("surfaces", number, &data)
    }

    fn write_vtk(&self, name: &str, number: u64, data: &PolyData) -> Result<(), Failure> {
        write(&self.folder.join(format!("vtk/{name}_{number:06}.vtp")), data.to_xml().as_bytes())?;
        let time = |k: u64| k as f64 * self.scene.time.get_ref().frame;
        let frames: Vec<_> = (0..=number).map(|k| (time(k), format!("vtk/{name}_{k:06}.vtp"))).collect();
        write(&self.folder.join(format!("{name}.pvd")), series(&frames).as_bytes())
    }

    /// Writes the page.
    pub fn finish(mut self) -> Result<(), Failure> {
        if !self.scene.output.html {
            return Ok(());
        }
        let curves =
            [Curve { name: "kinetic", points: &self.kinetic }, Curve { name: "potential", points: &self.potential }];
        self.page.plot("Energy", "", curves);
        write(&self.folder.join("page.html"), self.page.to_html().as_bytes())
    }
}

/// What a shape looks like in the frame of its file, and in that of bodies that forces move.
fn looks(shape: &Loaded) -> Result<[Looks; 2], Failure> {
    Ok(match shape {
        Loaded::Plane { .. } => [0, 1].map(|_| Looks { triangles: None, ball: 0.0 }),
        Loaded::Ball { radius, .. } => {
            let round = generate::icosphere(2)?.scaled([*radius; 3]);
            [round.clone(), round].map(|round| Looks { triangles: Some(round), ball: *radius })
        }
        Loaded::Mesh(mesh) => {
            let own = mesh.triangles.clone();
            let frame = mesh.mass.part_pose().transform(What::Pose)?;
            let mut turned = own.clone();
            turned.vertices.iter_mut().for_each(|v| *v = frame.apply(*v));
            [own, turned].map(|mesh| Looks { triangles: Some(mesh), ball: 0.0 })
        }
    })
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Data(format!(
        "{}: {error}; the restart file of the frame before stays, and --resume goes on from it",
        path.display()
    ))
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|e| Failure::Data(format!("{}: {e}", path.display())))
}

/// Writes a file that is whole or as it was before.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let beside = path.with_extension("part");
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    written.map_err(|e| {
        // What is left of it is of no use; a second error would say no more.
        _ = fs::remove_file(&beside);
        failed(path, &e)
    })
}

fn append(path: &Path, text: &str) -> Result<(), Failure> {
    let file = fs::OpenOptions::new().append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|e| failed(path, &e))
}
