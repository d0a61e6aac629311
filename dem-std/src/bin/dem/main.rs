//! The `dem` program: inspects and generates meshes, finds the contacts of two meshes, and runs scenes of many bodies.

mod arguments;
mod contact_list;
mod contacts;
mod failure;
mod generate;
mod inspect;
mod json;
mod lacking;
mod paper;
mod query;
mod run;

use failure::Failure;
use std::process::ExitCode;

const HELP: &str = "\
dem: contacts of bodies of any shape, and their motion

Usage: dem COMMAND [ARGUMENTS]

  contacts A B --halo H    contacts of two meshes, their triangle pairs within a distance, and their distance
  inspect FILE             what a mesh is, every defect it has, what still works, mass properties
  generate SHAPE -o FILE   make a mesh file: spheres, boxes, plates, hulls, bumpy bodies
  run SCENE.toml           bodies that move: a scene, its results as tables, a page, files for ParaView
  paper NUMBER TABLE       tables and figures of the papers 000, 001, 004, our numbers beside the printed ones

  help [COMMAND]           this text, or that of a command; also: dem COMMAND --help
  --version

Mesh files are STL (binary or ASCII), OBJ and PLY; the name tells which. Triangle ids are file order, from 0.
Exit status: 0 done, 1 the data is at fault (the message says where), 2 the arguments are.

Start here:
  dem run rocks
  dem generate bumpy --level 3 --seed 1 -o rock.stl
  dem inspect rock.stl
  dem contacts rock.stl rock.stl --halo 0.01 --pose-b 2.1,0,0 --pairs
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run() -> Result<(), Failure> {
    let mut arguments = lexopt::Parser::from_env();
    match arguments.next()? {
        Some(lexopt::Arg::Value(command)) => match command.to_str() {
            Some("help") => help(&mut arguments),
            Some("inspect") => inspect::run(arguments),
            Some("contacts") => contacts::run(arguments),
            Some("generate") => generate::run(arguments),
            Some("paper") => paper::run(arguments),
            Some("run") => run::run(arguments),
            _ => Err(Failure::usage(format!("{command:?} is no command; see `dem --help`"))),
        },
        Some(lexopt::Arg::Short('h') | lexopt::Arg::Long("help")) => print(HELP),
        Some(lexopt::Arg::Short('V') | lexopt::Arg::Long("version")) => {
            print(concat!("dem ", env!("CARGO_PKG_VERSION"), "\n"))
        }
        Some(other) => Err(other.unexpected().into()),
        None => Err(Failure::usage("a command is missing; see `dem --help`")),
    }
}

fn help(arguments: &mut lexopt::Parser) -> Result<(), Failure> {
    match arguments.next()? {
        None => print(HELP),
        Some(lexopt::Arg::Value(command)) if command == "inspect" => print(inspect::HELP),
        Some(lexopt::Arg::Value(command)) if command == "contacts" => print(contacts::HELP),
        Some(lexopt::Arg::Value(command)) if command == "generate" => print(generate::HELP),
        Some(lexopt::Arg::Value(command)) if command == "paper" => print(paper::HELP),
        Some(lexopt::Arg::Value(command)) if command == "run" => print(run::HELP),
        Some(other) => Err(Failure::usage(format!("there is no help on {other:?}; see `dem --help`"))),
    }
}

/// Writes to standard output; a reader that closes it early (`dem ... | head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    std::io::stdout().write_all(text.as_bytes()).map_err(Failure::from_output)
}
