//! Tests with correct and faulty executors: every chunk runs once, results have the same bytes, scratch is never shared.

extern crate std;
use super::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{thread, vec, vec::Vec};

/// An executor that calls, for each number, the threads that `fault` gives.
struct Threads {
    width: usize,
    threads: usize,
    fault: fn(usize, usize) -> Vec<usize>,
}

impl Executor for Threads {
    fn width(&self) -> usize {
        self.width
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        thread::scope(|scope| {
            for t in 0..self.threads {
                scope.spawn(move || (self.fault)(t, threads).into_iter().for_each(thread));
            }
        });
    }
}

const EXECUTORS: [(&str, Threads); 10] = [
    ("good", Threads { width: 4, threads: 4, fault: |t, n| if t < n { vec![t] } else { vec![] } }),
    ("does nothing", Threads { width: 4, threads: 0, fault: |_, _| vec![] }),
    ("only the last thread", Threads { width: 3, threads: 1, fault: |_, n| vec![n - 1] }),
    ("every thread on every thread", Threads { width: 3, threads: 3, fault: |_, n| (0..n).collect() }),
    ("one thread many times at once", Threads { width: 2, threads: 6, fault: |_, _| vec![1, 1] }),
    ("threads that do not exist", Threads { width: 2, threads: 3, fault: |t, n| vec![n + t, usize::MAX - t] }),
    ("too many, backwards", Threads { width: 3, threads: 1, fault: |_, n| (0..3 * n).rev().collect() }),
    ("no width", Threads { width: 0, threads: 2, fault: |t, _| vec![t] }),
    ("endless width", Threads { width: usize::MAX, threads: 2, fault: |t, n| vec![t, n / 2 + t] }),
    ("one thread", Threads { width: 1, threads: 1, fault: |t, _| vec![t] }),
];

/// Miri takes a minute for a thousand chunks.
const LENGTHS: &[usize] =
    if cfg!(miri) { &[0, 8, 7 * 64 + 1] } else { &[0, 1, 6, 7, 8, 7 * 64, 7 * 64 + 1, 2000, 70_000] };

/// A value that depends on the chunk, its items and their neighbours, so that a repeated or missing call changes it.
fn twist(chunk: usize, input: &[u64], output: &mut [u64]) {
    for (k, (x, y)) in input.iter().zip(output).enumerate() {
        *y = y.wrapping_mul(31).wrapping_add(x ^ (chunk as u64) << 32).wrapping_add(k as u64);
    }
}

#[test]
fn results_and_calls_do_not_depend_on_the_executor() {
    for &n in LENGTHS {
        let input: Vec<u64> = (0..n as u64).collect();
        let mut expected = vec![1; n];
        each(&Serial, (Cut(&input, 7), CutMut(&mut expected, 7)), |i, (x, y)| twist(i, x, y));
        for (i, chunk) in expected.chunks(7).enumerate() {
            let mut once = vec![1; chunk.len()];
            twist(i, &input[7 * i..][..chunk.len()], &mut once);
            assert_eq!(once, chunk, "serial, chunk {i} of {n} items");
        }
        for (name, exec) in &EXECUTORS {
            let (mut output, mut calls) = (vec![1; n], vec![0u8; n.div_ceil(7)]);
            let parts = (Cut(&input, 7), CutMut(&mut output, 7), CutMut(&mut calls, 1));
            each(exec, parts, |i, (x, y, calls)| {
                twist(i, x, y);
                calls[0] += 1;
            });
            assert!(output == expected, "{name}, {n} items");
            assert!(calls.iter().all(|&c| c == 1), "{name}, {n} items: {calls:?}");
        }
    }
}

#[test]
fn scratch_is_never_shared_and_results_are_the_same() {
    for &n in LENGTHS {
        for (name, exec) in &EXECUTORS {
            for &slots in if cfg!(miri) { &[2][..] } else { &[1, 2, 3, 100] } {
                let (mut output, mut scratch) = (vec![0u64; n], vec![u64::MAX; 5 * slots + 4]);
                each_with(exec, CutMut(&mut output, 7), CutMut(&mut scratch, 5), |i, y, scratch| {
                    // Scratch keeps what this chunk wrote only if no other thread uses it.
                    assert_eq!(scratch.len(), 5);
                    scratch.fill(i as u64);
                    thread::yield_now();
                    y.iter_mut().enumerate().for_each(|(k, y)| *y += scratch[k % 5] + k as u64);
                })
                .unwrap();
                let expected = (0..n).map(|j| (j / 7 + j % 7) as u64);
                assert!(output.into_iter().eq(expected), "{name}, {n} items, {slots} slots");
                assert_eq!(scratch[5 * slots..], [u64::MAX; 4], "beyond the whole pieces");
            }
        }
    }
}

#[test]
fn scratch_shorter_than_a_piece_is_refused_and_nothing_is_done() {
    let (mut output, mut scratch) = ([0; 9], [0u8; 4]);
    for (_, exec) in &EXECUTORS {
        let error = each_with(exec, CutMut(&mut output, 2), CutMut(&mut scratch, 5), |_, y, _| y.fill(1));
        assert_eq!(error, Err(Error::capacity(What::Scratch, 5, 4)));
    }
    assert_eq!(output, [0; 9]);
}

#[test]
fn a_piece_of_nothing_is_no_scratch_whatever_the_buffer() {
    for (name, exec) in &EXECUTORS {
        for len in [0, 3] {
            let (mut output, mut scratch) = ([0; 90], vec![0u8; len]);
            each_with(exec, CutMut(&mut output, 2), CutMut(&mut scratch, 0), |_, y, scratch| {
                assert!(scratch.is_empty(), "{name}");
                y.iter_mut().for_each(|y| *y += 1);
            })
            .unwrap();
            assert_eq!(output, [1; 90]);
        }
    }
}

#[test]
fn pieces_follow_their_ends() {
    for (name, exec) in &EXECUTORS {
        let mut ends: Vec<u64> = (0..300).map(|i| i * i % 7).collect();
        let total = super::ends(&mut ends);
        let mut out = vec![u64::MAX; total as usize + 3];
        each(exec, pieces(&mut out, &ends), |i, part| {
            assert_eq!(part.len() as u64, (i * i % 7) as u64);
            part.fill(i as u64);
        });
        let expected = (0..300).flat_map(|i| vec![i; (i * i % 7) as usize]).chain([u64::MAX; 3]);
        assert!(out.iter().copied().eq(expected), "{name}");
    }
}

#[test]
fn damaged_ends_shorten_chunks_and_reach_nothing() {
    let ends: [u64; 8] = [2, 2, 1, 4, 0, u64::MAX, 5, 7];
    for (name, exec) in &EXECUTORS {
        let (mut out, mut lengths) = ([0u8; 6], [9; 8]);
        each(exec, (pieces(&mut out, &ends), CutMut(&mut lengths, 1)), |_, (part, length)| {
            part.iter_mut().for_each(|x| *x += 1);
            length[0] = part.len();
        });
        assert_eq!((out, lengths), ([1; 6], [2, 0, 0, 2, 0, 2, 0, 0]), "{name}");
    }
    let mut counts = [u64::MAX, 5, 1];
    assert_eq!(super::ends(&mut counts), u64::MAX);
    assert_eq!(counts, [u64::MAX; 3]);
}

#[test]
fn the_longest_part_counts_and_zero_is_one() {
    let (a, mut b, mut rows) = ([1u8; 10], [0u8; 3], [[0u16; 6]; 2]);
    let calls = AtomicUsize::new(0);
    let [row0, row1] = &mut rows;
    let parts = (Cut(&a, 0), CutMut(&mut b, 2), [CutMut(row0, 4), CutMut(row1, 4)]);
    each(&EXECUTORS[0].1, parts, |i, (a, b, [row0, row1])| {
        calls.fetch_add(1, Relaxed);
        assert_eq!((a.len(), b.len()), (1, [2, 1].get(i).copied().unwrap_or(0)));
        row0.fill(i as u16 + 1);
        row1.fill(i as u16 + 10);
    });
    assert_eq!(calls.into_inner(), 10);
    assert_eq!(rows, [[1, 1, 1, 1, 2, 2], [10, 10, 10, 10, 11, 11]]);
}

/// A thread first takes its own contiguous chunks.
#[test]
fn one_lane_alone_gets_the_chunks_in_order() {
    let order = std::sync::Mutex::new(Vec::new());
    let alone = Threads { width: 2, threads: 1, fault: |_, _| vec![0] };
    each(&alone, Cut(&[(); 640], 1), |i, _| order.lock().unwrap().push(i));
    let order = order.into_inner().unwrap();
    assert!(order[..320].iter().copied().eq(0..320), "own range first, forwards");
    assert!(order[320..360].iter().copied().eq(600..640), "then the last piece of the other thread");
}

#[test]
fn a_panic_comes_through_and_leaves_no_lock_behind() {
    let mut done = vec![0u8; 1000];
    let outcome = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        each(&EXECUTORS[0].1, CutMut(&mut done, 1), |i, done| {
            if i == 500 {
                panic!("a defect");
            }
            done[0] += 1;
        });
    }));
    assert!(outcome.is_err());
    assert!(done.iter().all(|&d| d <= 1) && done[500] == 0);
}

#[test]
fn lanes_append_to_a_pool_and_find_everything_again() {
    for (name, exec) in &EXECUTORS {
        let mut items = vec![[0u64; 3]; 5000];
        // Miri takes a minute for a thousand chunks, and there are ten executors.
        let mut places = vec![[0u32; 2]; if cfg!(miri) { 90 } else { 900 }];
        let pool = Pool::new(&mut items);
        each(exec, CutMut(&mut places, 1), |i, place| {
            let own: Vec<[u64; 3]> = (0..i % 11).map(|k| [i as u64, k as u64, !(i as u64)]).collect();
            place[0] = [pool.put(&own), own.len() as u32];
        });
        for (i, [first, count]) in places.iter().enumerate() {
            assert_eq!(*count as usize, i % 11);
            for k in 0..*count {
                assert_eq!(items[(first + k) as usize], [i as u64, u64::from(k), !(i as u64)], "{name}");
            }
        }
    }
    // Items without room are counted, and nothing is written beyond the end.
    let mut items = [[7u64; 3]; 4];
    let pool = Pool::new(&mut items[..3]);
    assert_eq!([pool.put(&[[1; 3]; 2]), pool.put(&[[2; 3]; 2]), pool.put(&[])], [0, 2, 4]);
    assert_eq!(items, [[1; 3], [1; 3], [7; 3], [7; 3]]);
}

/// An executor whose `enter` calls the work this many times, which may be 0.
struct Entered(usize, AtomicUsize);

impl Executor for Entered {
    fn width(&self) -> usize {
        2
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        Serial.run(threads, thread);
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        self.1.fetch_add(1, Relaxed);
        (0..self.0).for_each(|_| work());
    }
}

#[test]
fn work_within_an_executor_is_done_once() {
    for (times, phases) in [(0, true), (1, true), (2, true), (1, false)] {
        let (exec, mut calls) = (Entered(times, AtomicUsize::new(0)), 0);
        let given = within(&exec, phases, || {
            calls += 1;
            7
        });
        assert_eq!((given, calls, exec.1.into_inner()), (7, 1, usize::from(phases)));
    }
    assert_eq!(within(&Serial, true, || 7), 7);
}
