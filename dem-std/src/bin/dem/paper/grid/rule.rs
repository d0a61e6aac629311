//! Rules for cell sizes, and the best number of levels of each rule.

use crate::failure::Failure;
use dem_std::Memory;
use dem_std::dem_core::broad::Dimensions;
use dem_std::dem_core::broad::levels::{
    Direction, Model, PowerLaw, constant_ratio, expected, exponential, linear, optimal, optimal_exactly,
    optimal_scratch,
};

/// A rule for cell sizes (P1 section 5).
#[derive(Clone, Copy, PartialEq)]
pub enum Rule {
    Linear,
    Exponential,
    Ratio(f64),
    Optimal,
}

/// Radii and bodies.
pub struct Scene {
    pub radii: PowerLaw,
    pub model: Model,
}

impl Scene {
    pub fn new(
        dimensions: Dimensions,
        [omega, alpha, packing]: [f64; 3],
        direction: Direction,
    ) -> Result<Scene, Failure> {
        let radii = PowerLaw::new(1.0, omega, alpha)?;
        let model = Model::packed(&radii, dimensions, direction, packing, Model::PUBLISHED_ACCESS)?;
        Ok(Scene { radii, model })
    }

    /// The scenes of P1 section 5.
    pub fn published(omega: f64, alpha: f64, direction: Direction) -> Result<Scene, Failure> {
        Scene::new(Dimensions::Three, [omega, alpha, 0.7], direction)
    }

    pub fn time(&self, sizes: &[f64]) -> Result<f64, Failure> {
        Ok(expected(&self.radii, &self.model, sizes)?.time)
    }

    /// Sizes by a rule, exactly this many.
    pub fn sizes(&self, rule: Rule, levels: usize) -> Result<Vec<f64>, Failure> {
        let mut sizes = vec![0.0; levels];
        match rule {
            Rule::Linear => linear(&self.radii, &mut sizes)?,
            Rule::Exponential => exponential(&self.radii, &mut sizes)?,
            Rule::Ratio(q) => constant_ratio(&self.radii, &self.model, q, &mut sizes)?,
            Rule::Optimal => {
                let mut scratch = Memory::new(optimal_scratch(levels)?)?;
                optimal_exactly(&self.radii, &self.model, &mut sizes, &mut scratch)?;
            }
        }
        Ok(sizes)
    }

    /// Sizes by a rule, in the best number.
    pub fn best(&self, rule: Rule) -> Result<Vec<f64>, Failure> {
        if rule == Rule::Optimal {
            let mut sizes = vec![0.0; 64];
            let mut scratch = Memory::new(optimal_scratch(sizes.len())?)?;
            let found = optimal(&self.radii, &self.model, &mut sizes, &mut scratch)?;
            sizes.truncate(found.levels);
            return Ok(sizes);
        }
        // Stops some levels after the cost begins to rise. With q < 1 the cost is nearly constant over many levels.
        let mut best = self.sizes(rule, 1)?;
        let mut least = self.time(&best)?;
        for levels in 2..=100 {
            let sizes = self.sizes(rule, levels)?;
            let time = self.time(&sizes)?;
            if time < least * (1.0 - 1e-6) {
                (best, least) = (sizes, time);
            } else if levels > 2 * best.len() + 4 {
                break;
            }
        }
        Ok(best)
    }
}
