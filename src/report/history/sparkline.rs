//! A series in one word: a bar a run, or one for a few runs that follow each other where there are many.

use crate::history::Series;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// So many bars at most.
const MOST: usize = 40;
/// A scale spans this ratio at least, so that nothing looks like something only where it is as large as this.
const LEAST: f64 = 1.1;

/// The series, from its smallest figure to its largest.
pub(super) fn of(series: &Series) -> String {
    let logs: Vec<f64> = series.points.iter().map(|point| point.value.ln()).collect();
    draw(&logs)
}

fn draw(logs: &[f64]) -> String {
    let each = logs.len().div_ceil(MOST).max(1);
    // From the end, so that the newest bar is made of as many runs as the others.
    let first = logs.len() % each;
    let (head, rest) = logs.split_at(first);
    let parts = [head].into_iter().filter(|part| !part.is_empty()).chain(rest.chunks(each));
    let means: Vec<f64> = parts.map(|part| part.iter().sum::<f64>() / part.len() as f64).collect();
    let low = means.iter().copied().fold(f64::INFINITY, f64::min);
    let high = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = (high - low).max(LEAST.ln());
    let low = f64::midpoint(low, high) - span / 2.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 7")]
    let bar = |mean: &f64| BARS[((mean - low) / span * 7.999).clamp(0.0, 7.0) as usize];
    means.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_span_the_series_but_never_less_than_ten_per_cent() {
        assert_eq!(draw(&[0.0, 0.5, 1.0]), "▁▄█");
        assert_eq!(draw(&[0.0, 0.001, 0.0]), "▄▅▄");
        assert_eq!(draw(&[0.0, 0.0]), "▄▄");
        assert_eq!(draw(&[]), "");
        assert_eq!(draw(&[7.0]), "▄");
    }

    #[test]
    fn many_runs_share_bars_and_the_newest_one_is_like_the_others() {
        let logs: Vec<f64> = (0..365).map(|run| if run < 355 { 0.0 } else { 1.0 }).collect();
        let text = draw(&logs);
        // Ten runs a bar, five in the first.
        assert_eq!(text.chars().count(), 37);
        assert!(text.ends_with("▁▁█"), "{text}");
    }
}
