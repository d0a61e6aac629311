//! Tests that the fast method finds the same neighbours as the method that handles copies.

use super::super::edges::{with_copies, without_copies};
use super::*;
use std::vec;

#[test]
fn both_ways_give_the_same_neighbours() {
    let mut random = Random(3);
    let mut without = 0;
    for round in 0..400 {
        let mut soup = icosphere(1.0, 1);
        for _ in 0..random.below(12) {
            // Fins, holes, reversed triangles, and copies in every second round.
            let at = random.below(soup.triangles.len() as u32) as usize;
            match random.below(3) {
                0 => soup.triangles.push([random.below(42), random.below(42), random.below(42)]),
                1 => _ = soup.triangles.remove(at),
                _ if round % 2 == 0 => soup.triangles.push(soup.triangles[at]),
                _ => soup.triangles[at].swap(0, 1),
            }
        }
        let mut built = soup.built();
        let mesh = built.mesh();
        let n = mesh.len();
        let mut records = vec![[0; 2]; 3 * n];
        let (mut quick, mut any) = (vec![[NONE; 3]; n], vec![[NONE; 3]; n]);
        with_copies(mesh, &mut any, &mut records);
        let mut copied = 0;
        copies(mesh, &mut records, |_| copied += 1);
        let found = without_copies(mesh, &mut quick, &mut records).is_some();
        assert_eq!(found, copied == 0, "{round}");
        assert!(!found || quick == any, "{round}");
        assert!(mesh.neighbour.iter().eq(&any), "{round}");
        without += usize::from(found);
    }
    assert!((100..350).contains(&without), "{without} of 400 have no copies");
}
