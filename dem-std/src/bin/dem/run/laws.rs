//! The laws between the materials of a scene.

use super::scene::{AdhesionName, Between, DampingName, LawName, MaterialOf, Scene, Text};
use crate::failure::Failure;
use dem_std::dem_core::force::{
    Cohesion, Damping, Interaction, Material, Normal, dashpot, dashpot_with_tension, hunt_crossley,
};
use toml::Spanned;

/// The table of laws between all materials, in the order of their names.
pub fn laws(text: &Text<'_>, scene: &Scene) -> Result<Vec<Interaction>, Failure> {
    if let (Some(law), None) = (&scene.law, scene.size)
        && matches!(law.get_ref(), LawName::Linear | LawName::Spring)
    {
        return Err(
            text.at(law.span(), "the laws `linear` and `spring` multiply moduli by a length: `size` is missing")
        );
    }
    let solid = |m: &MaterialOf| Material {
        young: m.young,
        poisson: m.poisson,
        restitution: m.restitution,
        friction: m.friction,
        rolling: m.rolling,
        cohesion: m.cohesion,
    };
    let normal = normal_of(scene.law());
    let materials: Vec<_> = scene.materials.values().collect();
    let mut table = Vec::new();
    for (j, high) in materials.iter().enumerate() {
        let density = high.get_ref().density;
        if !(density > 0.0 && density.is_finite()) {
            return Err(text.at_key(high.span(), "density", "the density must be larger than 0"));
        }
        for low in materials.iter().take(j + 1) {
            let of = solid(low.get_ref()).with(&solid(high.get_ref()), normal, scene.size.unwrap_or(1.0));
            table.push(of.map_err(|e| {
                let wrong = if e.index == 0 { low } else { high };
                text.at_named(wrong.span(), &e.to_string().replace(&format!(" of item {}", e.index), ""))
            })?);
        }
    }
    let names = || scene.materials.keys().map(Spanned::get_ref);
    for between in &scene.interactions {
        let [a, b] = &between.get_ref().materials;
        let (a, b) = (text.find(a, "material", names())?, text.find(b, "material", names())?);
        let (low, high) = (a.min(b), a.max(b));
        if let Some(law) = table.get_mut(high * (high + 1) / 2 + low) {
            *law = changed(*law, scene, between.get_ref()).map_err(|message| text.at_named(between.span(), message))?;
            law.check(0).map_err(|e| text.at_named(between.span(), &e.to_string()))?;
        }
    }
    Ok(table)
}

fn normal_of(name: LawName) -> Normal {
    match name {
        LawName::Pressure => Normal::Pressure,
        LawName::Linear => Normal::Linear,
        LawName::Spring => Normal::Spring,
        LawName::Hertz => Normal::Hertz,
    }
}

/// A law in which measured values replace those that follow from both materials; or the name of a missing value.
fn changed(law: Interaction, scene: &Scene, by: &Between) -> Result<Interaction, &'static str> {
    let mut law = law;
    if let Some(name) = by.law {
        if name != scene.law() && by.stiffness.is_none() {
            return Err("a `law` of its own needs a `stiffness`, whose unit is another");
        }
        law.normal = normal_of(name) as u32;
    }
    if by.damping.is_some() && by.restitution.is_none() {
        return Err("`damping` says how a `restitution` is brought about, which is missing");
    }
    if by.speed.is_some() != (by.damping == Some(DampingName::HuntCrossley)) {
        return Err("`hunt-crossley` has its restitution at one `speed` of impact; the others have it at any");
    }
    law = match (by.restitution, by.damping.unwrap_or(DampingName::Dashpot), by.speed) {
        (None, ..) => law,
        (Some(e), ..) if e >= 1.0 => law.damped(Damping::None, 0.0),
        (Some(e), DampingName::Dashpot, _) => law.damped(Damping::Dashpot, dashpot(e)),
        (Some(e), DampingName::DashpotWithTension, _) => {
            law.damped(Damping::DashpotWithTension, dashpot_with_tension(e))
        }
        (Some(e), DampingName::HuntCrossley, speed) => {
            let damping = hunt_crossley(e, speed.unwrap_or_default());
            law.damped(Damping::HuntCrossley, damping)
        }
    };
    let adhesion = match by.adhesion.unwrap_or(AdhesionName::Area) {
        AdhesionName::Area => Cohesion::Area,
        AdhesionName::Dmt => Cohesion::Dmt,
    };
    if by.adhesion.is_some() && by.cohesion.is_none() {
        return Err("`adhesion` says what `cohesion` means, which is missing");
    }
    law = by.cohesion.map_or(law, |cohesion| law.sticky(adhesion, cohesion));
    Ok(Interaction {
        stiffness: by.stiffness.unwrap_or(law.stiffness),
        friction: by.friction.unwrap_or(law.friction),
        shear: by.shear.unwrap_or(law.shear),
        lag: by.lag.unwrap_or(law.lag),
        torsion: by.torsion.map_or(law.torsion, f64::from),
        rolling: by.rolling.unwrap_or(law.rolling),
        ..law
    })
}
