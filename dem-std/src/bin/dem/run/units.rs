//! Warnings about numbers of a scene that suggest different units or another mistake.

use super::bodies::Bodies;
use super::scene::{LawName, Scene};
use crate::failure::Failure;
use dem_std::OwnedWorld;

/// Warnings about the numbers of a scene. `stored` is the energy of contacts at the start.
pub fn strange(scene: &Scene, bodies: &Bodies<'_>, world: &OwnedWorld, stored: f64) -> Result<Vec<String>, Failure> {
    let mut said = Vec::new();
    let names: Vec<_> = scene.shapes.keys().map(|name| name.get_ref().as_str()).collect();
    let sizes: Vec<_> = names.iter().zip(bodies.sizes()).filter_map(|(name, size)| Some((*name, size?))).collect();
    for (name, [size, halo]) in &sizes {
        if *halo > 0.5 * size {
            said.push(format!(
                "the halo of `{name}`, {halo:e}, is more than half of its radius, {size:.1e}: are both of one unit?"
            ));
        }
        if *halo < 1e-5 * size {
            said.push(format!("the halo of `{name}`, {halo:e}, is less than a hundred-thousandth of its radius, {size:.1e}: are both of one unit?"));
        }
    }
    let smallest = sizes.iter().min_by(|(_, [a, _]), (_, [b, _])| a.total_cmp(b));
    let largest = sizes.iter().max_by(|(_, [a, _]), (_, [b, _])| a.total_cmp(b));
    if let (Some((small, [least, _])), Some((large, [most, _]))) = (smallest, largest)
        && *most > 800.0 * least
    {
        let times = most / least;
        said.push(format!(
            "`{large}` is {times:.0} times as large as `{small}`: are both of one unit? `scale` of a shape changes it"
        ));
    }
    let gravity = scene.gravity.iter().map(|x| x * x).sum::<f64>().sqrt();
    let si = (9.5..=10.1).contains(&gravity);
    for (name, material) in &scene.materials {
        let (name, of) = (name.get_ref(), material.get_ref());
        if si && !(0.5..=25_000.0).contains(&of.density) {
            said.push(format!("gravity looks like metres and seconds, but the density of `{name}`, {:e}, is not that of a solid in kg/m3", of.density));
        }
    }
    // Compares the weight with the load that a layer carries: its area is that of a ball's halo, and the largest stress is the modulus.
    let view = world.view()?;
    let slots = view.bodies().iter().zip(view.shapes().iter().zip(view.scales())).zip(view.materials());
    let modulus = |material: u32| scene.materials.values().nth(material as usize).map(|m| m.get_ref().young);
    let sinks = slots.filter(|((body, _), _)| body.is_dynamic()).find_map(|((body, (shape, scale)), material)| {
        let [size, halo] = bodies.sizes().nth(*shape as usize / 2).flatten()?;
        let most = modulus(*material)? * 4.0 * size * halo * scale * scale;
        (body.mass * gravity > most).then_some(*shape as usize / 2)
    });
    if let (Some(shape), LawName::Pressure | LawName::Hertz) = (sinks, scene.law()) {
        let name = names.get(shape).copied().unwrap_or_default();
        said.push(format!("a `{name}` is so heavy that its halo does not bear it: is `young` of the same units as gravity and density?"));
    }
    // Bodies at rest store a small fraction of their weight times a halo.
    let weight = gravity * view.bodies().iter().filter(|body| body.is_dynamic()).map(|body| body.mass).sum::<f64>();
    let halo = sizes.iter().map(|(_, [_, halo])| *halo).fold(0.0, f64::max);
    if weight > 0.0 && stored > weight * 2.0 * halo {
        let height = stored / weight;
        said.push(format!("contacts have stored {stored:.1e} at the start, enough to lift all bodies by {height:.1e}: bodies press from the sum of both halos on; place them about that far apart, or they jump"));
    }
    Ok(said)
}
