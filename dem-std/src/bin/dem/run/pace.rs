//! Progress of a run, for runs without a terminal.

/// The least number of seconds between two lines.
const SECONDS: f64 = 10.0;

/// Decides when a line is due: about once for each tenth of a run.
pub struct Pace {
    frames: u64,
    /// Frame and seconds at the start; `last`: at the last line.
    start: u64,
    last: (u64, f64),
}

impl Pace {
    pub fn new(frames: u64, start: u64) -> Self {
        Pace { frames, start, last: (start, 0.0) }
    }

    /// The line after this frame, if one is due: the fraction that is done, and about how many seconds are left.
    pub fn line(&mut self, frame: u64, seconds: f64) -> Option<String> {
        let (last, then) = self.last;
        let tenth = (frame - last) * 10 >= self.frames;
        if !tenth || seconds - then < SECONDS || frame >= self.frames {
            return None;
        }
        self.last = (frame, seconds);
        let left = seconds / (frame - self.start) as f64 * (self.frames - frame) as f64;
        let percent = 100 * frame / self.frames;
        Some(format!("{percent} % done, frame {frame} of {}, {seconds:.0} s, about {left:.0} s to go", self.frames))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_ten_lines_and_not_too_often() {
        // With one second per frame: a line every 10 frames, and none at the end.
        let mut pace = Pace::new(100, 0);
        let lines: Vec<_> = (1..=100).filter_map(|frame| pace.line(frame, frame as f64)).collect();
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[2], "30 % done, frame 30 of 100, 30 s, about 70 s to go");
        // A short run has no lines.
        let mut pace = Pace::new(100, 0);
        assert!((1..=100).all(|frame| pace.line(frame, 0.09 * frame as f64).is_none()));
        // A resumed run estimates the rest from its own speed.
        let mut pace = Pace::new(100, 50);
        let lines: Vec<_> = (51..=100).filter_map(|frame| pace.line(frame, 60.0 * (frame - 50) as f64)).collect();
        assert_eq!(lines[0], "60 % done, frame 60 of 100, 600 s, about 2400 s to go");
        assert_eq!(lines.len(), 4);
    }
}
