//! `dem run`: scenes of moving bodies.

mod bodies;
mod containers;
mod film;
mod laws;
mod output;
mod pace;
mod progress;
mod restart;
mod scene;
mod shapes;
mod shipped;
mod sources;
mod units;
mod vtk;
mod workers;

use crate::arguments::whole;
use crate::failure::Failure;
use bodies::Bodies;
use dem_std::OwnedWorld;
use dem_std::dem_core::body::Body;
use dem_std::dem_core::contact::shape::Shape;
use dem_std::dem_core::exec::{Serial, THREADS};
use dem_std::dem_core::force::Laws;
use dem_std::dem_core::world::{Report, Setup};
use indicatif::{ProgressBar, ProgressStyle};
use lexopt::Arg;
use output::{Frame, Output};
use pace::Pace;
use progress::{Extremes, Progress, Works, stored};
use scene::{LawName, Scene, Text, Times};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use toml::Spanned;
use workers::Workers;

pub const HELP: &str = "\
dem run: bodies that move

Usage: dem run SCENE.toml [OPTIONS]
       dem run NAME [OPTIONS]         a scene that the program brings along
       dem run --list                 which ones there are
       dem run --print NAME           the text of one, to begin with

  -o, --output DIR   where results go; the name of the scene without `.toml` if not given
  --check            look for mistakes, say what is in the scene, and stop
  --resume           go on from DIR/restart.dem, with the same bits as if the run had not ended
  --threads N        at most 64; by default 1 for few bodies, else up to the number of processors. Results are the same

Results: numbers.csv (energies, stress), bodies.csv, contacts.csv, page.html (a player), for ParaView bodies.pvd,
contacts.pvd, surfaces.pvd. The restart file is written at each frame. Ctrl-C ends a run after the frame that it is
at, with all results; a second time, at once.

A scene:

  gravity = [0, 0, -9.81]
  halo = 0.01                       # of all shapes that have none of their own
  law = \"pressure\"                  # linear, spring (both with `size`), hertz
  time = { end = 2, step = 1e-4, frame = 0.02 }
  output = { csv = true, html = true, vtk = false, surfaces = false }

  [shapes]
  rock = { make = \"bumpy\", level = 1, eta = 1.3, scale = 0.1 }      # or file = \"rock.stl\"
  grain = { make = \"ball\", radius = 0.05 }
  floor = { make = \"plane\" }

  [materials]
  stone = { density = 2600, young = 1e6, restitution = 0.4, friction = 0.5 }

  [[bodies]]
  shape = \"floor\"
  material = \"stone\"
  motion = \"static\"                 # kinematic: moves by velocity, spin, swing = { amplitude = [..], frequency = .. }

  [[sources]]                       # bodies that come where there is room
  shapes = [\"rock\", \"grain\"]
  material = \"stone\"
  count = 100
  rate = 50                         # in a unit of time; all at once if not given
  low = [-0.5, -0.5, 0.3]
  high = [0.5, 0.5, 1]
  sizes = { uniform = [0.8, 1.2] }  # normal = [mean, deviation], lognormal = [median, factor]
";

struct Arguments {
    scene: PathBuf,
    folder: PathBuf,
    check: bool,
    resume: bool,
    threads: usize,
}

pub fn run(arguments: lexopt::Parser) -> Result<(), Failure> {
    let Some(arguments) = parsed(arguments)? else { return Ok(()) };
    let path = &arguments.scene;
    let text = match shipped::named(path) {
        Some(text) => text.to_string(),
        None => std::fs::read_to_string(path).map_err(|e| Failure::Data(format!("{}: {e}", path.display())))?,
    };
    let text = Text { path, text: &text };
    let scene = text.parse()?;
    let frames = frames(&text, &scene)?;
    let loaded = shapes::load(&text, &scene)?;
    let surfaces = shapes::surfaces(&loaded)?;
    let parts = shapes::parts(&loaded, &surfaces)?;
    let table = shapes::table(&loaded, &surfaces, &parts);
    let interactions = laws::laws(&text, &scene)?;
    let run = Run {
        scene: &scene,
        bodies: Bodies::new(&text, &scene, &loaded)?,
        table: &table,
        laws: Laws::new(&interactions)?,
        print: restart::print(&text, &loaded)?,
        text: text.text,
        restart: arguments.folder.join(output::RESTART),
        workers: Workers::new(arguments.threads)?,
    };
    let exec = Box::new(run.workers.clone());

    let (mut progress, mut world) = match arguments.resume {
        true => restart::load(&run.restart, (run.print, text.text), exec)?,
        false => (Progress::default(), OwnedWorld::with_executor(exec)),
    };
    // With energies, the energy stored in contacts is exact.
    world.settings.energy = true;
    if !arguments.resume {
        world.set_up(&Setup { gravity: scene.gravity, periods: scene.periods, ..Setup::default() })?;
        run.bodies.place(&text, &mut world)?;
        progress = Progress::new(&world.report()?, scene.sources.len());
        let outward = containers::outward(&text, &scene, &run.bodies, &world)?;
        run.bodies.insert(&mut progress, 0.0, &mut world)?;
        run.workers.suit(run.bodies.moving(&world)?)?;
        run.overlaps(&text, &mut world, &outward)?;
        outward.iter().chain(&run.bodies.doubts()).for_each(|at| eprintln!("dem: warning: {at}"));
        for (source, [due, come, _]) in run.bodies.counts(&progress, 0.0).enumerate() {
            if due > 0 && come == 0 {
                eprintln!(
                    "dem: warning: no body of source {} finds room at the start; later frames try again",
                    source + 1
                );
            }
        }
        progress.first[0] = run.stored_at_first(&mut world)?;
        units::strange(&scene, &run.bodies, &world, progress.first[0])?
            .iter()
            .for_each(|at| eprintln!("dem: warning: {at}"));
    }
    if arguments.check {
        let (count, kinds) = (world.view().map_or(0, |view| view.count()), scene.shapes.len());
        return crate::print(&format!(
            "{}: {count} bodies at first, {kinds} shapes, {frames} frames\n",
            path.display()
        ));
    }
    let _lock = output::lock(&arguments.folder)?;
    let resumed = arguments.resume.then_some(progress.frame);
    if resumed.is_none() && run.restart.is_file() {
        eprintln!("dem: note: this replaces the results in {}", arguments.folder.display());
    }
    let output = Output::new(&scene, &arguments.folder, &loaded, resumed)?;
    run.all((progress, resumed.is_some()), frames, &mut world, output)
}

/// The number of threads that the user has given, if a run can use so many.
fn threads_of(told: usize) -> Result<usize, Failure> {
    match told {
        0..=THREADS => Ok(told),
        _ => Err(Failure::usage(format!(
            "--threads: at most {THREADS} threads can work at once, not {told}; results are the same with fewer"
        ))),
    }
}

/// None if a message has said everything.
fn parsed(mut arguments: lexopt::Parser) -> Result<Option<Arguments>, Failure> {
    let (mut scene, mut folder, mut check, mut resume, mut threads) = (None, None, false, false, 0);
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return crate::print(HELP).map(|()| None),
            Arg::Short('o') | Arg::Long("output") => folder = Some(PathBuf::from(arguments.value()?)),
            Arg::Long("list") => return crate::print(&shipped::list()).map(|()| None),
            Arg::Long("print") => return crate::print(shipped::text(&arguments.value()?)?).map(|()| None),
            Arg::Long("check") => check = true,
            Arg::Long("resume") => resume = true,
            Arg::Long("threads") => threads = threads_of(whole("--threads", arguments.value()?)?)?,
            Arg::Value(name) if scene.is_none() => scene = Some(PathBuf::from(name)),
            other => return Err(Failure::usage(format!("{}; see `dem run --help`", other.unexpected()))),
        }
    }
    let scene = scene.ok_or_else(|| Failure::usage("a scene is missing; see `dem run --help`"))?;
    let folder = folder.unwrap_or_else(|| scene.with_extension(""));
    if folder == scene && shipped::named(&scene).is_none() {
        if !scene.exists() {
            // There is neither a file nor a shipped scene with this name; the message names the nearest scene.
            shipped::text(scene.as_os_str())?;
        }
        return Err(Failure::usage(match scene.is_dir() {
            true => format!("{} is a folder, and no scene", scene.display()),
            false => "-o DIR is missing: the scene has no ending to leave away".to_string(),
        }));
    }
    Ok(Some(Arguments { scene, folder, check, resume, threads }))
}

/// Number of frames.
fn frames(text: &Text<'_>, scene: &Scene) -> Result<u64, Failure> {
    let Times { end, step, frame } = &scene.time;
    let wrong = |of: &Spanned<f64>, message: &str| Err(text.at(of.span(), message));
    for of in [end, step, frame] {
        if !(*of.get_ref() > 0.0 && of.get_ref().is_finite()) {
            return wrong(of, "`end`, `step` and `frame` are larger than 0");
        }
    }
    if step.get_ref() > frame.get_ref() {
        return wrong(frame, "a frame is at least a step long");
    }
    let frames = (end.get_ref() / frame.get_ref()).round();
    if !(1.0..=1e6).contains(&frames) {
        return wrong(end, "there are 1 to 1,000,000 frames: `end` over `frame`");
    }
    let ends = frames * frame.get_ref();
    if (ends - end.get_ref()).abs() > 1e-6 * frame.get_ref() {
        eprintln!("dem: warning: `end` = {} is no whole number of frames: the run ends at {ends}", end.get_ref());
    }
    Ok(frames as u64)
}

struct Run<'r> {
    scene: &'r Scene,
    bodies: Bodies<'r>,
    table: &'r [Shape<'r>],
    laws: Laws<'r>,
    print: u64,
    text: &'r str,
    restart: PathBuf,
    workers: Workers,
}

/// If more of the energies than this is unaccounted for, in percent, the time step is too long.
const TOO_MUCH: f64 = 10.0;

/// Advice for laws with which a shorter step may not help.
const NO_ENERGY: &str = "; by `hertz`, `linear` and `spring`, only single balls have an energy, and a shorter step may not help others: take `pressure`";

const SHORTER: &str = ": take a shorter `step`; if that does not help, bodies are pressed too deep into each other: take a larger `young`";

/// Whether the run should end after the current frame.
static STOP: AtomicBool = AtomicBool::new(false);

/// The first interrupt asks the run to end, and the second one ends the program. If no handler can be set, an interrupt ends the program; the
/// restart file of the last frame exists.
fn listen() {
    _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

impl Run<'_> {
    fn all(
        &self,
        (mut progress, resumed): (Progress, bool),
        frames: u64,
        world: &mut OwnedWorld,
        mut output: Output<'_>,
    ) -> Result<(), Failure> {
        listen();
        let started = Instant::now();
        let bar = ProgressBar::new(frames).with_position(progress.frame);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {elapsed} of {duration}  {msg}") {
            bar.set_style(style);
        }
        let mut pace = Pace::new(frames, progress.frame);
        // Without a terminal there is no progress bar.
        let plain = !std::io::stderr().is_terminal();
        let length = self.scene.frame();
        // A run that goes on has frame 0 already, even if it has no other.
        if !resumed {
            let (view, report) = (world.view()?, world.report()?);
            let report = Report { stored_normal: progress.first[0], ..report };
            let none = Works::default();
            output.frame(&Frame { number: 0, report: &report, works: none, all: none, stiffest: 0.0, view: &view })?;
            restart::save(&self.restart, (self.print, self.text), &progress, world)?;
        }
        while progress.frame < frames && !STOP.load(Ordering::Relaxed) {
            self.workers.suit(self.bodies.moving(world)?)?;
            let (works, extremes) = self.advance(&mut progress, world)?;
            let report = world.report()?;
            progress.frame += 1;
            progress.works = progress.works.and(&works);
            progress.add(&extremes);
            let frequency = extremes.stiffest;
            if frequency > 0.5 && !progress.warned {
                progress.warned = true;
                let better = 0.2 * extremes.at / frequency;
                let at = format!(
                    "the step times the frequency of contacts is {frequency:.2} (accurate up to 0.2, stable below 2): step = {better:.1e} would do"
                );
                bar.suspend(|| eprintln!("dem: warning: {at}"));
            }
            let number = progress.frame;
            self.bodies.insert(&mut progress, number as f64 * length, world)?;
            let view = world.view()?;
            output.frame(&Frame {
                number,
                report: &report,
                works,
                all: progress.works,
                stiffest: frequency,
                view: &view,
            })?;
            bar.set_message(format!("kinetic {:.2e}, {} contacts", report.totals.kinetic(), report.contacts));
            restart::save(&self.restart, (self.print, self.text), &progress, world)?;
            bar.set_position(number);
            if let (true, Some(line)) = (plain, pace.line(number, started.elapsed().as_secs_f64())) {
                eprintln!("dem: {line}");
            }
        }
        bar.finish_and_clear();
        output.finish()?;
        self.summary(&progress, started.elapsed().as_secs_f64(), world)?;
        if progress.frame < frames {
            return Err(Failure::Stopped(format!(
                "stopped at frame {} of {frames}; the same with --resume goes on from there",
                progress.frame
            )));
        }
        self.came(&progress)
    }

    fn counts(&self, progress: &Progress) -> Vec<[u32; 3]> {
        let time = progress.frame as f64 * self.scene.frame();
        self.bodies.counts(progress, time).collect()
    }

    /// A message about bodies of sources that have not come, and why.
    fn late(&self, progress: &Progress) -> String {
        let counts = self.counts(progress);
        let sum = |of: fn(&[u32; 3]) -> u32| counts.iter().map(|count| u64::from(of(count))).sum::<u64>();
        let [crowded, later, all] = [sum(|[due, come, _]| due - come), sum(|[due, _, all]| all - due), sum(|c| c[2])];
        let mut said = String::new();
        if crowded > 0 {
            said += &format!("; {crowded} of {all} bodies of sources found no room");
        }
        if later > 0 {
            said += &format!("; {later} of {all} bodies of sources would come later");
        }
        said
    }

    /// Errors: a source none of whose bodies has found room.
    fn came(&self, progress: &Progress) -> Result<(), Failure> {
        let counts = self.counts(progress);
        let Some((source, [due, ..])) = counts.iter().enumerate().find(|(_, [due, come, _])| *due > 0 && *come == 0)
        else {
            return Ok(());
        };
        Err(Failure::Data(format!(
            "none of the {due} bodies of source {} found room: its box (`low`, `high`, for centres of bodies) is too near to walls, planes or other bodies, or inside of a solid",
            source + 1
        )))
    }

    fn summary(&self, progress: &Progress, took: f64, world: &OwnedWorld) -> Result<(), Failure> {
        let (view, report) = (world.view()?, world.report()?);
        let (count, steps) = (view.count(), view.steps());
        let late = self.late(progress);
        let left = if progress.left > 0 { format!(", {} have left", progress.left) } else { String::new() };
        let Works { gravity, damped, rubbed, driven, spurious, .. } = progress.works;
        let kinetic = report.totals.kinetic();
        let Progress { brought, fastest, stiffest, first, .. } = progress;
        let kept =
            [first.iter().sum::<f64>(), *brought, kinetic].into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let part = 100.0 * spurious.abs() / progress.works.size().max(kept).max(f64::MIN_POSITIVE);
        let law = if self.scene.law() == LawName::Pressure { "" } else { NO_ENERGY };
        let advice = match part > TOO_MUCH {
            true if self.bodies.fixed_meshes(world)?.is_empty() => format!("{SHORTER}{law}"),
            true => format!("{SHORTER}{law}; a container whose triangles look outward needs `inward = true`"),
            false => String::new(),
        };
        let deepest = match progress.deepest.is_finite() {
            true => format!("deepest gap {:.3e}", progress.deepest),
            false => "no contacts".to_string(),
        };
        let unstable = if *stiffest > 2.0 { " (above 2 a step is unstable: take a shorter one)" } else { "" };
        let looked = match progress.sampled {
            true => "in the last steps of frames with many balls, and all steps of others",
            false => "in all steps",
        };
        crate::print(&format!(
            "time {:.6}: {count} bodies{left}, {} contacts, {steps} steps, {took:.1} s{late}\n\
             energy at first {:.6e}, brought by bodies that came or left {brought:.6e}, by gravity {gravity:.6e}, by driven bodies {driven:.6e}\n\
             taken by damping {damped:.6e}, by friction {rubbed:.6e}; from nowhere, by errors of the step, {spurious:.6e}, {part:.2} % of the largest{advice}\n\
             energy now: kinetic {kinetic:.6e}, stored in contacts {:.6e}, potential {:.6e}\n\
             {looked}: {deepest}, fastest approach {fastest:.3} halos a step, largest frequency times step {stiffest:.3}{unstable}\n\
             state {:016x}\n",
            report.time,
            report.contacts,
            first.iter().sum::<f64>(),
            stored(&report),
            report.potential,
            view.state_hash()
        ))
    }

    /// Advances from a frame to the next. Gives the energies that were transferred, and the extremes of the steps.
    fn advance(&self, progress: &mut Progress, world: &mut OwnedWorld) -> Result<(Works, Extremes), Failure> {
        let frame = progress.frame;
        let (step, length) = (self.scene.step(), self.scene.frame());
        let swinging = self.scene.bodies.iter().any(|body| body.get_ref().swing.is_some());
        // A duration slightly above a whole number of steps counts as that number.
        let parts = if swinging { ((length / step) * (1.0 - 1e-9)).ceil().max(1.0) as u64 } else { 1 };
        let part = length / parts as f64;
        let before = if frame == 0 { progress.first[0] } else { stored(&world.report()?) };
        let mut works = Works { stored: -before, ..Works::default() };
        let mut extremes = Extremes::NONE;
        // With many balls, most steps have no records of contacts, and report no contact data.
        let all = self.bodies.few_balls(world)?;
        progress.sampled |= !(all || swinging);
        for k in 0..parts {
            if swinging {
                self.swing([frame as f64 * length + k as f64 * part, part], world)?;
            }
            let mut complete = false;
            while !complete {
                let done = match all {
                    true => world.advance_step(part, step, self.table, &self.laws).map(|step| step.complete),
                    false => world.advance(part, step, self.table, &self.laws).map(|()| true),
                };
                complete = done.map_err(|e| {
                    let time = world.view().map_or(0.0, |view| view.time());
                    Failure::Data(format!("at the time {time:.6}: {e}"))
                })?;
                extremes.add(&world.report()?);
            }
            let report = world.report()?;
            let Report { work: contacts, gravity_work: gravity, damped, rubbed, driven_work: driven, spurious, .. } =
                report;
            works = works.and(&Works { contacts, gravity, damped, rubbed, stored: 0.0, driven, spurious });
        }
        works.stored += stored(&world.report()?);
        Ok((works, extremes))
    }

    /// Gives swinging bodies their mean velocity over a time that begins at `start`.
    fn swing(&self, [start, length]: [f64; 2], world: &mut OwnedWorld) -> Result<(), Failure> {
        for (id, of) in self.bodies.at_first() {
            let Some(swing) = of.swing else { continue };
            let view = world.view()?;
            let Some(slot) = view.ids().iter().position(|own| *own == id) else { continue };
            let (Some(handle), Some(now)) = (view.handle(slot), view.bodies().get(slot).copied()) else { continue };
            let sine = |time: f64| libm::sin(2.0 * core::f64::consts::PI * swing.frequency * time);
            let rate = (sine(start + length) - sine(start)) / length;
            let [x, y, z] = of.velocity;
            let [a, b, c] = swing.amplitude.map(|a| a * rate);
            world.set_body(handle, &Body { velocity: [x + a, y + b, z + c], ..now })?;
        }
        Ok(())
    }

    /// The energy stored in contacts before the first step: the report of a step that a copy of the world makes.
    fn stored_at_first(&self, world: &mut OwnedWorld) -> Result<f64, Failure> {
        let mut copy = OwnedWorld::load(world.save()?, Box::new(Serial))?;
        copy.settings = world.settings;
        let step = self.scene.step();
        // If the first step fails, the run reports the error when it makes that step.
        let stepped = copy.advance(step, step, self.table, &self.laws);
        Ok(if stepped.is_ok() { stored(&copy.report()?) } else { 0.0 })
    }

    /// Errors if bodies overlap at the start, with their names and depths.
    fn overlaps(&self, text: &Text<'_>, world: &mut OwnedWorld, outward: &[String]) -> Result<(), Failure> {
        let pairs = world.overlaps(self.table, &self.laws)?;
        if pairs.is_empty() {
            return Ok(());
        }
        let mut told = format!("bodies overlap at the start, pairs: {}; the deepest:", pairs.len());
        for pair in pairs.iter().take(MOST_TOLD) {
            let [a, b] = pair.ids.map(|id| self.bodies.name(id));
            let [first, second] = pair.ids;
            told += &format!("\n  by {:.3e}: {a} and {b}", -pair.least_gap);
            let lines: Vec<_> =
                pair.ids.iter().filter_map(|id| self.bodies.span(*id)).map(|span| text.line(span)).collect();
            told += &match lines[..] {
                [a, b] if a != b => format!(", lines {} and {}", a + 1, b + 1),
                [a, ..] => format!(", line {}", a + 1),
                [] => String::new(),
            };
            told += &format!(" (ids {first} and {second} of `bodies.csv`)");
        }
        told +=
            "\nmove them apart; bodies that are farther apart than the sum of their halos do not press on each other";
        outward.iter().for_each(|at| told += &format!("\n  {at}"));
        Err(Failure::Data(told))
    }
}

/// The most overlaps that are listed one by one.
const MOST_TOLD: usize = 5;
