//! Scenes that keep a neighbour list, compared with a scene that rebuilds it in every step.

use dem_core::detect::{Bodies, Detected, List, SceneRef};
use dem_core::memory::hash_items;
use dem_core::simd::Isa;
use dem_std::{OwnedScene, Threads};

/// All results of a step, except how candidates were found.
#[derive(Debug, PartialEq)]
pub struct Said {
    /// Counts of the step, without those of the neighbour list.
    pub found: Detected,
    hashes: [u64; 4],
}

/// The results of a scene after a step with these counts.
pub fn said(view: &SceneRef<'_>, found: Detected) -> Said {
    let now = view.now();
    let hashes = [
        hash_items(0, now.contacts()),
        hash_items(0, now.pairs()),
        hash_items(0, view.links()),
        hash_items(0, view.all_touches()),
    ];
    Said { found: Detected { list: List::default(), ..found }, hashes }
}

/// A scene that rebuilds its list in every step, and scenes that keep it.
pub struct Both {
    /// The scene that rebuilds its list in every step.
    pub anew: OwnedScene,
    /// The scenes that keep their lists.
    pub kept: Vec<OwnedScene>,
    /// All lists that were used.
    pub lists: Vec<List>,
    /// Steps that failed.
    pub errors: usize,
}

impl Both {
    /// Scenes with these skins, with several numbers of threads and instruction sets.
    pub fn new(skins: &[f64]) -> Self {
        let scene = |k: usize, skin| {
            let mut scene = OwnedScene::new(Threads::new([1, 2, 3, 8][k % 4]).unwrap_or_else(|e| panic!("{e}")));
            (scene.settings.skin, scene.settings.bound) = (skin, 0.3);
            scene.isa = Isa::list()[k % Isa::list().len()];
            scene
        };
        let kept = skins.iter().enumerate().map(|(k, skin)| scene(k, *skin)).collect();
        Both { anew: scene(1, 0.0), kept, lists: Vec::new(), errors: 0 }
    }

    /// One step of all scenes; asserts that results are equal.
    pub fn step(&mut self, bodies: &Bodies<'_>, periods: [f64; 3], case: &str) {
        self.anew.settings.periods = periods;
        // Fails before the first step, when there is nothing to forget.
        _ = self.anew.forget_list();
        let expected = self.anew.detect(bodies);
        self.errors += usize::from(expected.is_err());
        if let Ok(found) = expected {
            assert_eq!(found.list.age, 0);
        }
        for scene in &mut self.kept {
            scene.settings.periods = periods;
            let found = scene.detect(bodies);
            let case = format!("{case}, skin {}", scene.settings.skin);
            match (found, expected) {
                (Ok(found), Ok(expected)) => {
                    let expected = said(&self.anew.view().unwrap_or_else(|e| panic!("{e}")), expected);
                    assert_eq!(
                        said(&scene.view().unwrap_or_else(|e| panic!("{e}")), found),
                        expected,
                        "{case}: {found:?}"
                    );
                    assert!(found.list.candidates >= found.candidates, "{case}");
                    self.lists.push(found.list);
                }
                (found, expected) => assert_eq!(found, expected, "{case}"),
            }
        }
    }

    /// Number of steps that used a list of an earlier step.
    pub fn kept(&self) -> usize {
        self.lists.iter().filter(|list| list.age > 0).count()
    }
}
