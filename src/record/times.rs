//! A distribution of times: its figures, and the whole histogram that they come from.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A distribution of times, in microseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Times {
    /// How many were recorded; the other fields are absent if none was.
    pub count: u64,
    /// The shortest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The arithmetic mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The standard deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdev: Option<f64>,
    /// The median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50: Option<f64>,
    /// The quantile 0.9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90: Option<f64>,
    /// The quantile 0.95.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95: Option<f64>,
    /// The quantile 0.99.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// The quantile 0.999.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p999: Option<f64>,
    /// The quantile 0.9999; absent also from records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p9999: Option<f64>,
    /// The longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The whole histogram in nanoseconds: `HdrHistogram` V2, deflated, in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hdr: Option<String>,
}

impl Times {
    /// What a histogram of nanoseconds says.
    pub fn of(histogram: &Histogram<u64>) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        let micros = |nanos: f64| Some((nanos / 10.0).round() / 100.0);
        let quantile = |q: f64| micros(histogram.value_at_quantile(q) as f64);
        Self {
            count: histogram.len(),
            min: micros(histogram.min() as f64),
            mean: micros(histogram.mean()),
            stdev: micros(histogram.stdev()),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p999: quantile(0.999),
            p9999: quantile(0.9999),
            max: micros(histogram.max() as f64),
            hdr: Some(write_histogram(histogram)),
        }
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The quantile 0.9999, of older records out of their histogram.
    pub fn p9999(&self) -> Option<f64> {
        let read = || Some(self.histogram()?.value_at_quantile(0.9999) as f64 / 1e3);
        self.p9999.or_else(read)
    }

    /// Drops the histogram, after what only it may know was read out of it.
    pub fn forget_histogram(&mut self) {
        self.p9999 = self.p9999();
        self.hdr = None;
    }

    /// The histogram in nanoseconds; `None` if there is none or it cannot be read.
    pub fn histogram(&self) -> Option<Histogram<u64>> {
        let bytes = BASE64.decode(self.hdr.as_ref()?).ok()?;
        Deserializer::new().deserialize(&mut bytes.as_slice()).ok()
    }
}

fn write_histogram(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(histogram, &mut bytes)
        .expect("a histogram is written to memory");
    BASE64.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_the_whole_histogram() {
        let mut histogram = Histogram::<u64>::new(3).unwrap();
        for nanos in 1..=1000 {
            histogram.record(nanos * 1000).unwrap();
        }
        let times = Times::of(&histogram);
        assert_eq!(times.count, 1000);
        for (seen, truth) in [(times.p50, 500.0), (times.p99, 990.0), (times.max, 1000.0)] {
            assert!((seen.unwrap() / truth - 1.0).abs() < 0.002, "{seen:?} {truth}");
        }
        assert_eq!(times.histogram().unwrap().len(), 1000);
        // Older records have the histogram only.
        let older = Times { p9999: None, ..times.clone() };
        assert!(times.p9999.is_some_and(|it| (it / 1000.0 - 1.0).abs() < 0.002));
        assert!((older.p9999().unwrap() / 1000.0 - 1.0).abs() < 0.002);
        let mut without = older;
        without.forget_histogram();
        assert_eq!((without.histogram().is_none(), without.p9999.is_some()), (true, true));
        assert!(Times::of(&Histogram::<u64>::new(3).unwrap()).is_empty());
    }
}
