//! Axes: where a value stands between two edges, straight or by its logarithm, and which values are written beside.

/// One axis of a chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    /// The values at both ends.
    low: f64,
    high: f64,
    /// Where these stand, in units of the drawing.
    from: f64,
    to: f64,
    is_log: bool,
}

impl Axis {
    /// From nothing to a little more than the largest value; `None` if no value is above 0.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let high = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        (high > 0.0).then_some(Self { low: 0.0, high: high * 1.02, from, to, is_log: false })
    }

    /// By the logarithm, from a little less than the smallest value above 0 to a little more than the largest; `None` if there
    /// is no such value.
    pub(super) fn log(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|value| value.is_finite() && *value > 0.0) {
            (low, high) = (low.min(value), high.max(value));
        }
        // Room at both ends, and at least some height where all values are alike.
        let room = (high / low).powf(0.04).max(1.02);
        let wide = (1.2 / (high / low)).sqrt().max(1.0);
        let (low, high) = (low / room / wide, high * room * wide);
        (high > 0.0 && low > 0.0 && high.is_finite()).then_some(Self {
            low,
            high,
            from,
            to,
            is_log: true,
        })
    }

    /// Between two values, straight.
    pub(super) fn between(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self { low, high: if high > low { high } else { low + 1.0 }, from, to, is_log: false }
    }

    /// Where a value stands; one beyond an end stands at that end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Whether a value lies beyond the far end.
    pub(super) fn is_beyond(&self, value: f64) -> bool {
        value > self.high
    }

    /// Round values between the ends, in order: in `most` steps at most.
    pub(super) fn ticks(&self, most: usize) -> Vec<f64> {
        if self.is_log && self.high / self.low >= 8.0 {
            for steps in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
                let ticks = self.powers(steps, 1);
                if ticks.len() <= most {
                    return ticks;
                }
            }
            return (2..=400)
                .map(|each| self.powers(&[1.0], each))
                .find(|it| it.len() <= most)
                .unwrap_or_default();
        }
        self.even(most)
    }

    /// Powers of ten, each times these, of every so many powers.
    #[expect(clippy::cast_possible_truncation, reason = "the logarithms of finite numbers")]
    fn powers(&self, steps: &[f64], each: i32) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let powers = (first..=last).filter(|power| power.rem_euclid(each) == 0);
        powers
            .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }

    /// Even steps of 1, 2 or 5 times a power of ten.
    fn even(&self, most: usize) -> Vec<f64> {
        let least = (self.high - self.low) / most.max(1) as f64;
        let power = 10f64.powf(least.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|it| it * power).into_iter().find(|it| *it >= least);
        let step = step.unwrap_or(10.0 * power);
        let first = (self.low / step).ceil();
        (0..=most)
            .map(|index| (first + index as f64) * step)
            .take_while(|tick| *tick <= self.high)
            .collect()
    }
}

/// Places for labels, as near as can be to those that are wanted, in the same order, at least a gap apart, between two ends as
/// far as there is room.
///
/// Labels that would touch are a block, whose middle stands where its labels want it on average.
pub(super) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    struct Block {
        /// Where its first label would stand, added up over its labels.
        sum: f64,
        count: usize,
        low: f64,
        high: f64,
        gap: f64,
    }
    impl Block {
        fn first(&self) -> f64 {
            let last = self.high - (self.count - 1) as f64 * self.gap;
            (self.sum / self.count as f64).min(last).max(self.low)
        }
        fn end(&self) -> f64 {
            self.first() + self.count as f64 * self.gap
        }
    }
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut blocks: Vec<Block> = Vec::new();
    for index in &order {
        let mut block = Block { sum: wanted[*index], count: 1, low, high, gap };
        while let Some(before) = blocks.pop_if(|before| before.end() > block.first()) {
            let offset = before.count as f64 * gap * block.count as f64;
            block.sum += before.sum - offset;
            block.count += before.count;
        }
        blocks.push(block);
    }
    let places = blocks.iter().flat_map(|block| {
        let first = block.first();
        (0..block.count).map(move |place| first + place as f64 * gap)
    });
    let mut spread = wanted.to_vec();
    for (index, place) in order.iter().zip(places) {
        spread[*index] = place;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_between_the_edges_and_none_beyond_them() {
        let axis = Axis::from_zero([50.0, 100.0].into_iter(), 10.0, 110.0).expect("values");
        assert!((axis.at(0.0) - 10.0).abs() < 1e-9 && axis.at(100.0) < 110.0);
        assert!((axis.at(1e9) - 110.0).abs() < 1e-9 && axis.is_beyond(1e9));
        let log = Axis::log([1.0, 100.0].into_iter(), 100.0, 0.0).expect("values");
        assert!((log.at(10.0) - 50.0).abs() < 1e-9, "{}", log.at(10.0));
        assert!(log.at(0.0) <= 100.0 && log.at(f64::MAX) >= 0.0);
        assert_eq!(Axis::from_zero([0.0, f64::NAN].into_iter(), 0.0, 1.0), None);
        assert_eq!(Axis::log([0.0, -1.0].into_iter(), 0.0, 1.0), None);
        let alike = Axis::log([7.0, 7.0].into_iter(), 0.0, 100.0).expect("values");
        assert!((alike.at(7.0) - 50.0).abs() < 1e-9, "{}", alike.at(7.0));
    }

    #[test]
    fn ticks_are_round_few_and_between_the_ends() {
        for (low, high, is_log, most, expected) in [
            (0.0, 182_000.0, false, 5, &[0.0, 50_000.0, 100_000.0, 150_000.0][..]),
            (0.0, 1.0, false, 4, &[0.0, 0.5, 1.0]),
            (0.9, 120.0, true, 8, &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]),
            (0.9, 120.0, true, 6, &[1.0, 3.0, 10.0, 30.0, 100.0]),
            (0.9, 1.2e6, true, 4, &[1.0, 100.0, 10_000.0, 1_000_000.0]),
            (90.0, 130.0, true, 4, &[90.0, 100.0, 110.0, 120.0, 130.0]),
        ] {
            let axis = Axis { low, high, from: 0.0, to: 1.0, is_log };
            assert_eq!(axis.ticks(most), expected, "{low} {high}");
        }
    }

    #[test]
    fn labels_keep_their_order_and_their_distance() {
        assert_eq!(spread(&[10.0, 50.0], 12.0, 0.0, 100.0), [10.0, 50.0]);
        assert_eq!(spread(&[50.0, 50.0, 53.0], 12.0, 0.0, 100.0), [39.0, 51.0, 63.0]);
        assert_eq!(spread(&[99.0, 98.0], 12.0, 0.0, 100.0), [100.0, 88.0]);
        assert_eq!(spread(&[-5.0], 12.0, 0.0, 100.0), [0.0]);
        let crowd: Vec<f64> = (0..20).map(|it| 90.0 + f64::from(it) / 10.0).collect();
        let places = spread(&crowd, 5.0, 0.0, 100.0);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 5.0 - 1e-9), "{places:?}");
        assert!(places.iter().all(|place| (0.0..=100.0).contains(place)), "{places:?}");
    }
}
