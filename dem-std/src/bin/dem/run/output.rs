//! The outputs of a run: tables, a page, files for ParaView.

use super::film::{self, ENERGIES, Shot};
use super::progress::{Works, stored};
use super::scene::Scene;
use super::shapes::Loaded;
use super::vtk::{PolyData, series};
use crate::failure::Failure;
use dem_std::dem_core::error::What;
use dem_std::dem_core::mesh::MassProperties;
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::world::{Report, WorldRef};
use dem_std::page::{self, Curve, Drawing, Page};
use dem_std::{Triangles, generate};
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The header lines of tables. New columns are added at the end, so that a resumed run can continue a table of an earlier version.
const NUMBERS: &str = "frame,time,bodies,contacts,kinetic,potential,stored_normal,stored_tangential,contact_work,gravity_work,damped,rubbed,spurious,least_gap,approach,frequency_dt,driven_work,coordination,virial_xx,virial_xy,virial_xz,virial_yx,virial_yy,virial_yz,virial_zx,virial_zy,virial_zz,largest_frequency_dt\n";
const BODIES: &str =
    "frame,time,id,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,fx,fy,fz,tx,ty,tz,mass,scale,shape,material,motion\n";

const CONTACTS: &str = "frame,time,a,b,x,y,z,nx,ny,nz,fx,fy,fz,tx,ty,tz,area,gap,status\n";

/// The frames of the page, for a resumed run.
const FILM: &str = "page.frames";

/// The names of shapes, by the numbers in the table of bodies.
const SHAPES: &str = "shapes.csv";

/// The state of the last frame.
pub const RESTART: &str = "restart.dem";

/// All outputs of a run outside of the folder `vtk`.
const RESULTS: [&str; 10] = [
    "numbers.csv",
    "bodies.csv",
    "contacts.csv",
    SHAPES,
    "page.html",
    FILM,
    "bodies.pvd",
    "contacts.pvd",
    "surfaces.pvd",
    RESTART,
];

/// The files of a run, in one folder.
pub struct Output<'s> {
    scene: &'s Scene,
    folder: PathBuf,
    /// The appearance of each shape in the world's table.
    drawn: Vec<Looks>,
    page: Page,
    /// Number of columns of the table of numbers.
    columns: usize,
    drawings: Vec<Drawing>,
    /// The place of each body on the page, by its id.
    places: HashMap<u64, usize>,
    curves: [Vec<[f64; 2]>; ENERGIES],
    contacts: Vec<[f64; 2]>,
    bodies: Vec<[f64; 2]>,
}

#[derive(Default)]
struct Looks {
    triangles: Option<Triangles>,
    ball: f64,
}

/// The data of a frame.
pub struct Frame<'f> {
    pub number: u64,
    pub report: &'f Report,
    /// Transferred since the previous frame.
    pub works: Works,
    /// Transferred since the first frame.
    pub all: Works,
    /// The largest product of frequency and step since the previous frame.
    pub stiffest: f64,
    pub view: &'f WorldRef<'f>,
}

impl<'s> Output<'s> {
    /// Outputs in this folder, which is created. A resumed run keeps the tables up to its frame.
    pub fn new(scene: &'s Scene, folder: &Path, loaded: &[Loaded], resumed: Option<u64>) -> Result<Self, Failure> {
        let title = scene.title.as_deref().unwrap_or("dem run");
        let (mut page, mut drawn, mut drawings) = (Page::new(title), Vec::new(), Vec::new());
        for (shape, of) in loaded.iter().zip(scene.shapes.values()) {
            for looks in looks(loaded, shape)? {
                drawings.push(match (&looks.triangles, looks.ball > 0.0) {
                    (_, true) => page.ball(),
                    (Some(triangles), false) => page.mesh(triangles),
                    (None, false) => page.plane(),
                });
                if let (true, Some(drawing)) = (of.get_ref().glass, drawings.last()) {
                    page.glass(*drawing);
                }
                drawn.push(looks);
            }
        }
        let folder = folder.to_path_buf();
        let mut output = Output {
            scene,
            folder,
            drawn,
            page,
            columns: 0,
            drawings,
            places: HashMap::new(),
            curves: Default::default(),
            contacts: Vec::new(),
            bodies: Vec::new(),
        };
        output.columns = output.prepare(resumed)?;
        if scene.output.html {
            let film = output.folder.join(FILM);
            if resumed.is_none() {
                write(&film, &[])?;
            }
            for shot in film::shots_up_to(&film, resumed.unwrap_or(0))? {
                output.show(&shot);
            }
        }
        Ok(output)
    }

    /// Prepares the folder. Gives the number of columns of the table of numbers.
    fn prepare(&self, resumed: Option<u64>) -> Result<usize, Failure> {
        make_folder(&self.folder)?;
        // No output has been written yet, so a failure here leaves nothing behind.
        let trial = self.folder.join("restart.part");
        fs::write(&trial, []).and_then(|()| fs::remove_file(&trial)).map_err(|e| {
            let folder = self.folder.display();
            Failure::Data(format!("{folder}: the folder cannot be written: {e}; `-o DIR` names another"))
        })?;
        if resumed.is_none() && self.folder.join(RESTART).is_file() {
            self.clear()?;
        }
        let mut columns = 0;
        if self.scene.output.csv {
            for (name, head) in [("bodies.csv", BODIES), ("contacts.csv", CONTACTS), ("numbers.csv", NUMBERS)] {
                columns = self.table(name, head, resumed)?;
            }
            let mut rows = String::from("shape,name,frame\n");
            for (k, name) in self.scene.shapes.keys().enumerate() {
                let name = name.get_ref().replace('"', "\"\"");
                let name = if name.contains([',', '"', '\n']) { format!("\"{name}\"") } else { name };
                rows += &format!("{},{name},file\n{},{name},principal\n", 2 * k, 2 * k + 1);
            }
            write(&self.folder.join(SHAPES), rows.as_bytes())?;
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
        Ok(columns)
    }

    /// Begins a table, or keeps its rows up to the frame of a resumed run. Gives its number of columns: a table of an earlier version has only the
    /// first ones. Errors: other columns.
    fn table(&self, name: &str, head: &str, resumed: Option<u64>) -> Result<usize, Failure> {
        let path = self.folder.join(name);
        let before = match resumed {
            Some(_) => fs::read_to_string(&path).unwrap_or_default(),
            None => String::new(),
        };
        let early = |line: &&str| {
            let frame = line.split(',').next().and_then(|word| word.parse::<u64>().ok());
            // A line that was truncated by a full disk may look like one of an earlier frame.
            line.ends_with('\n') && frame.is_some_and(|frame| resumed.is_some_and(|last| frame <= last))
        };
        let own = before.lines().next().filter(|_| before.contains('\n')).unwrap_or(head.trim_end());
        let is_front = head.strip_prefix(own).is_some_and(|rest| rest.starts_with([',', '\n']));
        if !is_front || (own.len() + 1 < head.len() && name != "numbers.csv") {
            return Err(Failure::Data(format!(
                "{}: the columns are those of another version of the program, so --resume cannot add rows: move the file away, and --resume begins a new one",
                path.display()
            )));
        }
        let kept: String = before.split_inclusive('\n').filter(early).collect();
        write(&path, format!("{own}\n{kept}").as_bytes())?;
        Ok(own.split(',').count())
    }

    /// Deletes the outputs of an earlier run, by the names that this program gives. The restart file identifies a run, so it is the last to be
    /// deleted.
    fn clear(&self) -> Result<(), Failure> {
        let vtk = self.folder.join("vtk");
        let entries = fs::read_dir(&vtk).into_iter().flatten().filter_map(Result::ok);
        let frames = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_frame)).map(|entry| entry.path());
        let tables = RESULTS.map(|name| self.folder.join(name));
        for path in frames.chain(tables).filter(|path| path.is_file()) {
            fs::remove_file(&path).map_err(|e| {
                Failure::Data(format!(
                    "{}: of an earlier run, and cannot be deleted: {e}; `-o DIR` names another folder",
                    path.display()
                ))
            })?;
        }
        // The folder may contain other files, so an error is ignored.
        _ = fs::remove_dir(vtk);
        Ok(())
    }

    /// Writes the outputs of this frame.
    pub fn frame(&mut self, frame: &Frame<'_>) -> Result<(), Failure> {
        let Frame { number, report, works, all, stiffest, view } = frame;
        let time = *number as f64 * self.scene.frame();
        let (kinetic, potential) = (report.totals.kinetic(), report.potential);
        if self.scene.output.csv {
            let [gap, approach, frequency] = [report.least_gap, report.approach, report.frequency * report.dt];
            let Works { contacts, gravity, damped, rubbed, driven, spurious, .. } = *works;
            let energies = [kinetic, potential, report.stored_normal, report.stored_tangential];
            let rest = [contacts, gravity, damped, rubbed, spurious, gap, approach, frequency, driven];
            let mut words = vec![number.to_string(), format!("{time:?}")];
            words.extend([view.count().to_string(), report.contacts.to_string()]);
            let stress = [&report.coordination].into_iter().chain(report.virial.iter().flatten()).chain([stiffest]);
            words.extend(energies.iter().chain(&rest).chain(stress).map(|x| format!("{x:?}")));
            words.truncate(self.columns);
            append(&self.folder.join("numbers.csv"), &(words.join(",") + "\n"))?;
            append(&self.folder.join("bodies.csv"), &rows_of(*number, time, view))?;
            append(&self.folder.join("contacts.csv"), &contact_rows(*number, time, view))?;
        }
        if self.scene.output.html {
            let Works { damped, rubbed, driven, spurious, .. } = *all;
            let energies = [kinetic, potential, stored(report), damped, rubbed, driven, spurious];
            let shot = Shot::new(*number, time, energies, view);
            film::append(&self.folder.join(FILM), &shot)?;
            self.show(&shot);
        }
        if self.scene.output.vtk {
            self.vtk(*number, view)?;
        }
        Ok(())
    }

    fn show(&mut self, shot: &Shot) {
        for seen in &shot.bodies {
            let kind = seen.shape as usize;
            let (Some(drawing), Some(looks)) = (self.drawings.get(kind), self.drawn.get(kind)) else { continue };
            let next = self.places.len();
            self.places.entry(seen.id).or_insert_with(|| {
                let size = if looks.ball > 0.0 { looks.ball } else { 1.0 };
                self.page.body(page::Body { drawing: *drawing, scale: size * seen.scale });
                next
            });
        }
        // Bodies that have left have no position.
        let mut poses = vec![Pose { position: [f64::NAN; 3], ..Pose::IDENTITY }; self.places.len()];
        for seen in &shot.bodies {
            if let Some(pose) = self.places.get(&seen.id).and_then(|place| poses.get_mut(*place)) {
                *pose = seen.pose;
            }
        }
        self.page.frame(shot.time, poses, shot.marks.iter().copied());
        for (curve, energy) in self.curves.iter_mut().zip(shot.energies) {
            curve.push([shot.time, energy]);
        }
        self.contacts.push([shot.time, shot.marks.len() as f64]);
        self.bodies.push([shot.time, shot.bodies.len() as f64]);
    }

    fn vtk(&self, number: u64, view: &WorldRef<'_>) -> Result<(), Failure> {
        let bodies = || there(view, view.bodies().iter()).map(|(_, body)| body);
        let whole = |all: &'_ [u32]| there(view, all.iter()).map(|(_, x)| u64::from(*x)).collect::<Vec<_>>();
        let positions: Vec<_> = bodies().map(|body| body.position).collect();
        let data = PolyData::new(&positions)
            .whole("id", there(view, view.ids().iter()).map(|(_, id)| *id))
            .whole("shape", whole(view.shapes()).into_iter())
            .whole("material", whole(view.materials()).into_iter())
            .numbers("scale", there(view, view.scales().iter()).map(|(_, scale)| [*scale]))
            .numbers("velocity", bodies().map(|body| body.velocity))
            .numbers("angular_velocity", bodies().map(|body| body.angular_velocity))
            .numbers("contact_force", there(view, view.wrenches().iter()).map(|(_, wrench)| wrench.force))
            // VTK stores quaternions with w first.
            .numbers(
                "orientation",
                bodies().map(|body| {
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

        if !self.scene.output.surfaces {
            return Ok(());
        }
        // All surfaces as one mesh, for viewers without glyphs.
        let (mut points, mut triangles, mut ids, mut velocities) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let slots = view.bodies().iter().zip(view.ids()).zip(view.shapes().iter().zip(view.scales()));
        for (_, ((body, id), (shape, scale))) in there(view, slots) {
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
        let time = |k: u64| k as f64 * self.scene.frame();
        let frames: Vec<_> = (0..=number).map(|k| (time(k), format!("vtk/{name}_{k:06}.vtp"))).collect();
        write(&self.folder.join(format!("{name}.pvd")), series(&frames).as_bytes())
    }

    /// Writes the page.
    pub fn finish(mut self) -> Result<(), Failure> {
        if !self.scene.output.html {
            return Ok(());
        }
        let [kinetic, potential, stored, damped, rubbed, driven, spurious] = &self.curves;
        let curve = |name, points| Curve { name, points };
        self.page.plot("Energy", "", [curve("kinetic", kinetic), curve("stored in contacts", stored)]);
        self.page.plot("Potential energy", "", [curve("potential", potential)]);
        self.page.plot("Energy that went into", "", [curve("damping", damped), curve("friction", rubbed)]);
        let come = [curve("driven bodies", driven), curve("nowhere, by errors of the step", spurious)];
        self.page.plot("Energy that came from", "", come);
        self.page.plot("Contacts", "", [curve("contacts", &self.contacts), curve("bodies", &self.bodies)]);
        write(&self.folder.join("page.html"), self.page.to_html().as_bytes())
    }
}

/// Whether a file in the folder `vtk` has a name that this program gives. Names of incomplete files end in `part`.
fn is_frame(name: &str) -> bool {
    let number = |digits: &str, least: usize| digits.len() >= least && digits.bytes().all(|b| b.is_ascii_digit());
    let Some((kind, digits)) =
        name.strip_suffix(".vtp").or(name.strip_suffix(".part")).and_then(|stem| stem.split_once('_'))
    else {
        return false;
    };
    match kind {
        "bodies" | "contacts" | "surfaces" => number(digits, 6),
        "shape" => number(digits, 1),
        _ => false,
    }
}

/// Of items listed by slots, those of existing bodies.
fn there<'v, T>(view: &'v WorldRef<'v>, all: impl Iterator<Item = T> + 'v) -> impl Iterator<Item = (usize, T)> + 'v {
    all.enumerate().filter(|(slot, _)| view.handle(*slot).is_some())
}

/// The rows of all bodies in a frame.
fn rows_of(number: u64, time: f64, view: &WorldRef<'_>) -> String {
    let mut rows = String::new();
    let looks = view.scales().iter().zip(view.shapes()).zip(view.materials());
    let all = view.bodies().iter().zip(view.ids()).zip(view.wrenches()).zip(looks);
    for (_, (((body, id), wrench), ((scale, shape), material))) in there(view, all) {
        rows += &format!("{number},{time:?},{id}");
        let moves = body.position.iter().chain(&body.orientation).chain(&body.velocity).chain(&body.angular_velocity);
        let bears = wrench.force.iter().chain(&wrench.torque).chain([&body.mass, scale]);
        moves.chain(bears).for_each(|x| rows += &format!(",{x:?}"));
        rows += &format!(",{shape},{material},{}\n", body.motion);
    }
    rows
}

/// The rows of all contacts in a frame, from its last step.
fn contact_rows(number: u64, time: f64, view: &WorldRef<'_>) -> String {
    let (scene, mut rows) = (view.scene(), String::new());
    let step = scene.now();
    for (place, (contact, act)) in step.contacts().iter().zip(view.acts()).enumerate() {
        let [a, b] = step.pair_of(place).map_or([0; 2], |pair| pair.ids);
        rows += &format!("{number},{time:?},{a},{b}");
        let vectors = [&contact.position, &contact.normal, &act.force, &act.torque];
        vectors.into_iter().flatten().chain([&contact.area, &contact.gap]).for_each(|x| rows += &format!(",{x:?}"));
        rows += &format!(",{}\n", contact.status);
    }
    rows
}

/// The appearance of a shape in the frame of its file, and in the frame of dynamic bodies.
fn looks(loaded: &[Loaded], shape: &Loaded) -> Result<[Looks; 2], Failure> {
    Ok(match shape {
        Loaded::Plane { .. } => [0, 1].map(|_| Looks { triangles: None, ball: 0.0 }),
        Loaded::Ball { radius, .. } => {
            let round = generate::icosphere(2)?.scaled([*radius; 3]);
            [round.clone(), round].map(|round| Looks { triangles: Some(round), ball: *radius })
        }
        Loaded::Capsule { half_length, radius, .. } => {
            let round = generate::capsule(*half_length, *radius, 24)?;
            [round.clone(), round].map(|round| Looks { triangles: Some(round), ball: 0.0 })
        }
        Loaded::Mesh(mesh) => in_frames(mesh.triangles.clone(), &mesh.mass)?,
        Loaded::Compound(compound) => {
            let mut all = Triangles::default();
            for part in &compound.parts {
                let [own, _] = loaded.get(part.shape).map(|of| looks(loaded, of)).transpose()?.unwrap_or_default();
                let frame = part.pose.transform(What::Pose)?;
                let first = all.vertices.len() as u32;
                let Triangles { vertices, indices } = own.triangles.unwrap_or_default();
                all.vertices.extend(vertices.iter().map(|v| frame.apply(v.map(|x| x * part.scale))));
                all.indices.extend(indices.iter().map(|corners| corners.map(|v| v + first)));
            }
            in_frames(all, &compound.mass)?
        }
    })
}

/// A mesh in the frame of its file, and in the frame of dynamic bodies.
fn in_frames(own: Triangles, mass: &MassProperties) -> Result<[Looks; 2], Failure> {
    let frame = mass.part_pose().transform(What::Pose)?;
    let mut turned = own.clone();
    turned.vertices.iter_mut().for_each(|v| *v = frame.apply(*v));
    Ok([own, turned].map(|mesh| Looks { triangles: Some(mesh), ball: 0.0 }))
}

pub fn failed(path: &Path, error: &std::io::Error) -> Failure {
    let own =
        path.parent().map(|folder| if folder.ends_with("vtk") { folder.parent().unwrap_or(folder) } else { folder });
    let goes_on = own.is_some_and(|folder| folder.join(RESTART).is_file());
    let next = if goes_on { "; the restart file of the frame before stays, and --resume goes on from it" } else { "" };
    Failure::Data(format!("{}: {error}{next}", path.display()))
}

/// Keeps other runs from writing to a folder, as long as the file is open. None where a system cannot lock folders.
///
/// Errors: another run writes to it.
pub fn lock(folder: &Path) -> Result<Option<File>, Failure> {
    make_folder(folder)?;
    let Ok(file) = File::open(folder) else { return Ok(None) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Failure::Data(format!(
            "{}: another run writes to this folder; `-o DIR` names another",
            folder.display()
        ))),
        _ => Ok(Some(file)),
    }
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|e| {
        let why = if path.is_file() { "a file of this name is there".to_string() } else { e.to_string() };
        Failure::Data(format!(
            "{}: the folder of results cannot be made: {why}; `-o DIR` names another",
            path.display()
        ))
    })
}

/// Writes a file completely, or leaves the old one unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let beside = path.with_extension("part");
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    written.map_err(|e| {
        // The incomplete file is useless. If its removal fails too, the first error is the one to report.
        _ = fs::remove_file(&beside);
        failed(path, &e)
    })
}

fn append(path: &Path, text: &str) -> Result<(), Failure> {
    let file = fs::OpenOptions::new().append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|e| failed(path, &e))
}
