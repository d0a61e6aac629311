//! The Fortran module `include/dem.f90`: its types are laid out and filled as the library's, and its procedures do what they say.
#![cfg(target_os = "linux")]

mod c_common;

use c_common::{library, root, run, scratch};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Stops with the first number or byte that is not what it should be.
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
    subroutine same_bytes(what, found, expected, count)
        character(*), intent(in) :: what
        type(c_ptr), intent(in) :: found, expected
        integer(c_size_t), intent(in) :: count
        integer(c_int8_t), pointer :: a(:), b(:)
        call c_f_pointer(found, a, [count])
        call c_f_pointer(expected, b, [count])
        if (all(a == b)) return
        print '(2a, i0)', what, ': another byte by default at ', findloc(a == b, .false., 1) - 1
        stop 1
    end subroutine
end program
";

/// A program that compares all types of the module with the library's.
fn comparison() -> String {
    let (mut variables, mut checks) = (String::new(), String::new());
    let defaults = std::fs::read_to_string(root().join("dem-capi/src/defaults.rs")).unwrap();
    let mut filled = 0;
    for layout in dem::structs::all() {
        let name = layout.name;
        writeln!(variables, "type({name}), target :: v_{name}").unwrap();
        writeln!(checks, "call same('{name}', c_sizeof(v_{name}), {})", layout.size).unwrap();
        for field in layout.fields {
            let whole = format!("v_{name}");
            let part = format!("{whole}%{}", field.name.trim_start_matches("r#"));
            writeln!(checks, "call same('{part}', c_sizeof({part}), {})", field.size).unwrap();
            writeln!(checks, "call same('before {part}', before(c_loc({part}), c_loc({whole})), {})", field.offset)
                .unwrap();
        }
        let which = name.to_uppercase().replace("DEM_", "DEM_DEFAULT_");
        if !defaults.contains(&format!("const {which}:")) {
            continue;
        }
        filled += 1;
        writeln!(variables, "type({name}), target :: d_{name}").unwrap();
        writeln!(checks, "if (dem_defaults(c_loc(v_{name}), c_sizeof(v_{name}), {which}) /= DEM_OK) stop 2").unwrap();
        if name == "dem_shape_desc" {
            // Indices count from 1 in Fortran.
            writeln!(checks, "v_{name}%triangles = dem_indices()").unwrap();
        }
        writeln!(checks, "call same_bytes('{name}', c_loc(d_{name}), c_loc(v_{name}), c_sizeof(v_{name}))").unwrap();
    }
    assert!(filled > 20);
    format!("program layouts\nuse dem\nimplicit none\n{variables}{checks}{PROCEDURES}")
}

/// Strictly the standard.
const STANDARD: [&str; 1] = ["-std=f2018"];

/// Builds a program with the module, in a folder of its own, and runs it, where there is a compiler.
fn built_and_run(name: &str, program: &Path, flags: &[&str]) -> Option<String> {
    let compiler = std::env::var_os("FC").unwrap_or("gfortran".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        println!("skipped: no Fortran compiler ({})", compiler.display());
        return None;
    }
    let folder = scratch(name);
    let library = library(name);
    let mut build = Command::new(&compiler);
    build.args(flags).args(["-ffree-line-length-none", "-Wall", "-Wextra", "-Werror"]);
    build.args(["-fcheck=all", "-O1", "-J"]).arg(&folder);
    build.arg(root().join("include/dem.f90")).arg(program).arg(&library).arg("-o").arg(folder.join("program"));
    run(build.arg(format!("-Wl,-rpath,{}", folder.display())));
    let said = run(&mut Command::new(folder.join("program")));
    Some(String::from_utf8(said.stdout).unwrap())
}

#[test]
fn structs_have_the_same_layout_and_defaults_in_fortran() {
    let file = scratch("c_fortran").join("layouts.f90");
    std::fs::write(&file, comparison()).unwrap();
    built_and_run("c_fortran", &file, &STANDARD);
}

#[test]
fn procedures_of_the_module_do_what_they_say() {
    built_and_run("c_fortran_procedures", &root().join("tests/c/module.f90"), &STANDARD);
}

/// Programs have the extensions of their compiler, too, and some have integers of 64 bits by default.
#[test]
fn procedures_of_the_module_do_so_with_the_flags_of_other_programs() {
    let program = root().join("tests/c/module.f90");
    built_and_run("c_fortran_extensions", &program, &["-std=gnu"]);
    built_and_run("c_fortran_wide", &program, &["-fdefault-integer-8"]);
}

#[test]
fn the_program_of_the_readme_runs() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let program = readme.split_once("```fortran\n").unwrap().1.split_once("```").unwrap().0;
    let file = scratch("c_fortran_readme").join("falling_ball.f90");
    std::fs::write(&file, program).unwrap();
    let Some(said) = built_and_run("c_fortran_readme", &file, &STANDARD) else { return };
    let height: f64 = said.trim().rsplit(' ').next().unwrap().parse().unwrap();
    // Radius and both halos, less what the spring gives way under the weight.
    let expected = 0.52 - 1000.0 * std::f64::consts::PI / 6.0 * 9.81 / 1e7;
    assert!((height - expected).abs() < 1e-4, "{said} {expected}");
}
