//! One window of each row: answers, CPU and memory over its time.

use super::super::middle::{middle, middle_by_goodput};
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, WIDTH, fit};
use super::rows::{Row, Table, tick_of_bytes, tick_of_number};
use super::{Chart, Name};
use crate::record::measured::Measured;
use crate::units::write_duration;

/// The three plots of a row.
const PLOTS: [(f64, f64); 3] = [(6.0, 136.0), (146.0, 276.0), (286.0, 416.0)];
const TOP: f64 = 36.0;
const ROW: f64 = 58.0;
/// The height of a plot, and where it begins in its row.
const HEIGHT: f64 = 34.0;
const BELOW_NAME: f64 = 18.0;
/// The length of a step of the series.
const STEP: f64 = 0.1;
/// Points of a line at most; more are averaged.
const POINTS: usize = 60;

/// One window, drawn.
struct Window<'s> {
    row: &'s Row<'s>,
    round: u32,
    seconds: f64,
    /// Answers per second at a time, cores, bytes.
    lines: [Vec<(f64, f64)>; 3],
    /// When something was wrong or lost.
    bad: Vec<f64>,
}

pub(super) fn chart(table: &Table<'_>) -> Option<Chart> {
    let windows: Vec<Window<'_>> = table.measured().filter_map(|row| window(table, row)).collect();
    let seconds = windows.iter().map(|window| window.seconds).fold(0.0, f64::max);
    if windows.iter().all(|window| window.lines.iter().all(Vec::is_empty)) || seconds <= 0.0 {
        return None;
    }
    let highest = |place: usize| {
        let values = windows.iter().flat_map(|window| &window.lines[place]);
        values.map(|(_, value)| *value).fold(0.0, f64::max)
    };
    let highest = [highest(0), highest(1), highest(2)];
    let mut canvas = Canvas::default();
    heads(&mut canvas, highest);
    let mut y = TOP;
    for window in &windows {
        draw(&mut canvas, window, y, seconds, highest);
        y += ROW;
    }
    let length = std::time::Duration::from_secs_f64(seconds.min(1e6));
    for (from, to) in PLOTS {
        canvas.text("m s", (from, y + 8.0), Anchor::Start, "0");
        canvas.text("m s", (to, y + 8.0), Anchor::End, &write_duration(length));
    }
    Some(Chart {
        name: Name::Window,
        title: "Over the time of a window".to_owned(),
        about: "One trial of each row: the one whose figure is the median of its rounds, or the lower of the two in the \
                middle; its round is named. All rows share the scales at the top. Red: answers that were wrong or lost."
            .to_owned(),
        height: y + 14.0,
        body: canvas.finish(),
    })
}

/// The trial in the middle by the figure that ranks the table; by right answers where no trial has that.
fn window<'s>(table: &Table<'_>, row: &'s Row<'s>) -> Option<Window<'s>> {
    let by_goodput = || middle_by_goodput(&row.trials);
    let (trial, measured) = if table.is_by_goodput() {
        by_goodput()?
    } else {
        middle(&row.trials, |trial, _| table.point(trial)).or_else(by_goodput)?
    };
    let round = trial.round;
    let times = |samples: &dyn Fn(&Measured) -> Vec<(f64, f64)>| averaged(samples(measured));
    Some(Window {
        row,
        round,
        seconds: measured.window_seconds,
        lines: [times(&answers), times(&cores), times(&memory)],
        bad: (0..)
            .zip(&measured.series)
            .filter(|(_, step)| step.bad > 0)
            .map(|(index, _)| (f64::from(index) + 0.5) * STEP)
            .collect(),
    })
}

/// Right answers per second, in the middle of each step; a last step that is cut short is taken for as long as it was.
fn answers(measured: &Measured) -> Vec<(f64, f64)> {
    (0..)
        .zip(&measured.series)
        .filter_map(|(index, step)| {
            let begin = f64::from(index) * STEP;
            let length = (measured.window_seconds - begin).min(STEP);
            // Of a sliver nothing follows.
            (length > STEP / 4.0).then(|| (begin + length / 2.0, step.good as f64 / length))
        })
        .collect()
}

/// Cores used between two readings, at both ends of that time; what the whole window used is the last reading.
fn cores(measured: &Measured) -> Vec<(f64, f64)> {
    let Some(server) = &measured.server else { return Vec::new() };
    let seconds = |micros: u64| micros as f64 / 1e6;
    let samples = server.samples.iter();
    let samples = samples.filter_map(|it| Some((it.at_ms as f64 / 1e3, seconds(it.cpu_us?))));
    let whole = server.cpu_us.map(|micros| (measured.window_seconds, seconds(micros)));
    let readings: Vec<(f64, f64)> = [(0.0, 0.0)].into_iter().chain(samples).chain(whole).collect();
    readings
        .windows(2)
        // Of two readings right after each other nothing follows.
        .filter(|pair| pair[1].0 - pair[0].0 > STEP / 2.0)
        .flat_map(|pair| {
            let ((t0, c0), (t1, c1)) = (pair[0], pair[1]);
            let cores = (c1 - c0).max(0.0) / (t1 - t0);
            [(t0, cores), (t1, cores)]
        })
        .collect()
}

fn memory(measured: &Measured) -> Vec<(f64, f64)> {
    let samples = measured.server.iter().flat_map(|server| &server.samples);
    samples.map(|it| (it.at_ms as f64 / 1e3, it.rss_bytes as f64)).collect()
}

fn averaged(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let each = points.len().div_ceil(POINTS).max(1);
    let mean = |points: &[(f64, f64)]| {
        let sum = points.iter().fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        (sum.0 / points.len() as f64, sum.1 / points.len() as f64)
    };
    if each == 1 { points } else { points.chunks(each).map(mean).collect() }
}

fn heads(canvas: &mut Canvas, highest: [f64; 3]) {
    let up_to = [
        format!("0 to {}", tick_of_number(nice(highest[0]))),
        format!("0 to {}", tick_of_number(nice(highest[1]))),
        format!("0 to {}", tick_of_bytes(nice(highest[2]))),
    ];
    let heads = ["right answers/s", "cores used", "memory"];
    for ((head, up_to), (highest, (from, _))) in
        heads.iter().zip(&up_to).zip(highest.iter().zip(PLOTS))
    {
        canvas.text("b s", (from, 11.0), Anchor::Start, head);
        let up_to = if *highest > 0.0 { up_to } else { "not known" };
        canvas.text("m s", (from, 25.0), Anchor::Start, up_to);
    }
}

/// The next round number.
fn nice(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let step = steps.into_iter().find(|step| step * power >= value * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

fn draw(canvas: &mut Canvas, window: &Window<'_>, y: f64, seconds: f64, highest: [f64; 3]) {
    let Window { row, round, lines, bad, .. } = window;
    // Each has a place of its own, and needs no dashes.
    let colour = row.classes.split(' ').next().unwrap_or_default();
    canvas.open(colour, &row.cell.target);
    canvas.text("b", (PLOTS[0].0, y + 12.0), Anchor::Start, &fit(&row.cell.target, 12.5, 320.0));
    canvas.text("m s", (WIDTH - 4.0, y + 12.0), Anchor::End, &format!("round {round}"));
    let (top, bottom) = (y + BELOW_NAME, y + BELOW_NAME + HEIGHT);
    for ((from, to), (points, highest)) in PLOTS.iter().zip(lines.iter().zip(highest)) {
        canvas.line("g", (*from, bottom), (*to, bottom));
        canvas.line("g", (*from, top), (*to, top));
        let along = Axis::between(0.0, seconds, *from, *to);
        let up = Axis::between(0.0, nice(highest), bottom, top);
        canvas.lines("l", points.iter().map(|(t, value)| Some((along.at(*t), up.at(*value)))));
    }
    let along = Axis::between(0.0, seconds, PLOTS[0].0, PLOTS[0].1);
    let ticks = bad.iter().fold(String::new(), |mut ticks, time| {
        let x = super::canvas::num(along.at(*time));
        ticks.extend(["M", &x, " ", &super::canvas::num(bottom), "v-6"]);
        ticks
    });
    canvas.path("x", &ticks);
    canvas.close();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::measured::{Sample, ServerUsage, Step};

    #[test]
    fn answers_are_per_second_and_a_last_step_that_was_cut_short_is_no_dip() {
        let series = [100, 100, 50].map(|good| Step { good, ..Step::default() });
        let measured = |window_seconds| Measured {
            window_seconds,
            series: series.to_vec(),
            ..Measured::default()
        };
        let rates = |window_seconds| -> Vec<i64> {
            let points = answers(&measured(window_seconds));
            #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
            points.iter().map(|(_, rate)| rate.round() as i64).collect()
        };
        assert_eq!(rates(0.3), [1000, 1000, 500]);
        assert_eq!(rates(0.25), [1000, 1000, 1000]);
        assert_eq!(rates(0.201), [1000, 1000]);
    }

    #[test]
    fn cores_are_what_was_used_between_two_readings() {
        let sample = |at_ms, cpu_us| Sample {
            at_ms,
            cpu_us: Some(cpu_us),
            rss_bytes: 1,
            virtual_bytes: 1,
            processes: 1,
            threads: Some(1),
            open_files: None,
        };
        let samples = vec![sample(0, 0), sample(500, 250_000), sample(1000, 750_000)];
        let server = ServerUsage { samples, cpu_us: Some(1_500_000), ..ServerUsage::default() };
        let measured =
            Measured { server: Some(server), window_seconds: 1.5, ..Measured::default() };
        let expected = [(0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0), (1.0, 1.5), (1.5, 1.5)];
        assert_eq!(cores(&measured), expected);
        assert_eq!(cores(&Measured::default()), []);
    }

    #[test]
    fn long_windows_are_averaged_and_scales_end_at_round_numbers() {
        let points: Vec<(f64, f64)> = (0..600).map(|it| (f64::from(it), 2.0)).collect();
        let drawn = averaged(points);
        assert_eq!((drawn.len(), drawn[0]), (POINTS, (4.5, 2.0)));
        for (value, expected) in [(0.0, 1.0), (1.0, 1.0), (181_000.0, 200_000.0), (9.5, 10.0)] {
            assert!((nice(value) - expected).abs() < 1e-6, "{value}");
        }
    }
}
