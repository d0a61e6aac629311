//! The types of the Fortran modules of `examples-c`, which users copy, agree with the header.

mod c_common;

use c_common::{root, run, scratch};
use std::fmt::Write;
use std::process::Command;

/// The first module of an example alone, and its name.
fn module(example: &str) -> (String, String) {
    let example = std::fs::read_to_string(root().join("examples-c").join(example)).unwrap();
    let name = example.lines().find_map(|line| line.strip_prefix("module ")).unwrap().to_string();
    let end = "end module\n";
    (example[..example.find(end).unwrap() + end.len()].to_string(), name)
}

/// Stops with the first size or offset that is not what it should be.
const PROCEDURES: &str = "contains
    subroutine same(what, found, expected)
        character(*), intent(in) :: what
        integer(c_size_t), intent(in) :: found
        integer, intent(in) :: expected
        if (found == expected) return
        print '(2a, i0, a, i0)', what, ': ', found, ' bytes instead of ', expected
        stop 1
    end subroutine
    function before(field, whole) result(bytes)
        type(c_ptr), intent(in) :: field, whole
        integer(c_size_t) :: bytes
        bytes = transfer(field, bytes) - transfer(whole, bytes)
    end function
end program
";

/// A program that compares the types of a module with the library's.
fn comparison(module: &str, module_name: &str) -> String {
    let types: Vec<&str> = module.lines().filter_map(|l| l.trim().strip_prefix("type, bind(c), public :: ")).collect();
    assert!(types.len() >= 10, "{types:?}");
    let (mut variables, mut checks) = (String::new(), String::new());
    for name in types {
        let layout = dem::structs::all().iter().find(|l| l.name == name).unwrap();
        writeln!(variables, "type({name}), target :: v_{name}").unwrap();
        writeln!(checks, "call same('{name}', c_sizeof(v_{name}), {})", layout.size).unwrap();
        for field in layout.fields {
            let whole = format!("v_{name}");
            let part = format!("{whole}%{}", field.name.trim_start_matches("r#"));
            writeln!(checks, "call same('{part}', c_sizeof({part}), {})", field.size).unwrap();
            writeln!(checks, "call same('before {part}', before(c_loc({part}), c_loc({whole})), {})", field.offset)
                .unwrap();
        }
    }
    format!("{module}program layouts\nuse {module_name}\nimplicit none\n{variables}{checks}{PROCEDURES}")
}

#[test]
fn structs_have_the_same_layout_in_fortran() {
    let compiler = std::env::var_os("FC").unwrap_or("gfortran".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        println!("skipped: no Fortran compiler ({})", compiler.display());
        return;
    }
    let folder = scratch("c_fortran");
    let (file, program) = (folder.join("layouts.f90"), folder.join("layouts"));
    for example in ["06_host.f90", "14_scene.f90", "20_world.f90"] {
        let (module, name) = module(example);
        std::fs::write(&file, comparison(&module, &name)).unwrap();
        let mut build = Command::new(&compiler);
        build.args(["-ffree-line-length-none", "-J"]).arg(&folder).arg(&file).arg("-o").arg(&program);
        run(&mut build);
        run(&mut Command::new(&program));
    }
}
