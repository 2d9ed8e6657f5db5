//! What charts draw on: lines, dots and texts as SVG, every text escaped, every text with room for it.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

use super::super::escape;

/// The width of every chart.
pub(super) const WIDTH: f64 = 420.0;

/// A drawing as it grows.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    body: String,
}

/// Which end of a text its place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    /// A straight line.
    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.path(class, &format!("M{} {}L{} {}", num(x1), num(y1), num(x2), num(y2)));
    }

    /// Lines through points; a point that is not known is a gap, and one between gaps a dot.
    pub(super) fn lines(&mut self, class: &str, points: impl Iterator<Item = Option<(f64, f64)>>) {
        let (mut path, mut is_begun) = (String::new(), false);
        for point in points {
            if let Some((x, y)) = point {
                path.push(if is_begun { 'L' } else { 'M' });
                let _ = write!(path, "{} {}", num(x), num(y));
                if !is_begun {
                    // So that a point alone is seen.
                    path.push_str("h0");
                }
            }
            is_begun = point.is_some();
        }
        self.path(class, &path);
    }

    /// Dots, as wide as the class says.
    pub(super) fn dots(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let path = points.fold(String::new(), |mut path, (x, y)| {
            let _ = write!(path, "M{} {}h0", num(x), num(y));
            path
        });
        self.path(class, &path);
    }

    /// An arrow to the right.
    pub(super) fn arrow(&mut self, class: &str, (x, y): (f64, f64), length: f64) {
        let path = format!("M{} {}h{}m-5 -4l5 4l-5 4", num(x), num(y), num(length));
        self.path(class, &path);
    }

    /// An arrow upwards.
    pub(super) fn arrow_up(&mut self, class: &str, (x, y): (f64, f64), length: f64) {
        let path = format!("M{} {}v-{}m-4 5l4 -5l4 5", num(x), num(y), num(length));
        self.path(class, &path);
    }

    /// A path in the words of SVG.
    pub(super) fn path(&mut self, class: &str, path: &str) {
        if !path.is_empty() {
            let _ = write!(self.body, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }

    /// A circle.
    pub(super) fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let (x, y, radius) = (num(x), num(y), num(radius));
        let _ =
            write!(self.body, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
    }

    /// A text, as it is.
    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let (x, y, text) = (num(x), num(y), escape::markup(text));
        let _ = write!(self.body, "<text{class} x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>");
    }

    /// Begins what belongs together, with what is told of it where somebody points there.
    pub(super) fn open(&mut self, class: &str, title: &str) {
        let title = escape::markup(title);
        let _ = write!(self.body, "<g class=\"row {class}\"><title>{title}</title>");
    }

    /// Ends it.
    pub(super) fn close(&mut self) {
        self.body.push_str("</g>");
    }

    /// All that was drawn.
    pub(super) fn finish(self) -> String {
        self.body
    }
}

/// A coordinate, to a tenth; one that is no number, as of figures beyond all measure, is 0.
pub(super) fn num(value: f64) -> String {
    let value = if value.is_finite() { value } else { 0.0 };
    let rounded = (value * 10.0).round() / 10.0;
    // No minus before nothing.
    format!("{}", rounded + 0.0)
}

/// A text as it fits into a width; what is too long loses its middle, as beginning and end tell names apart.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    let text = escape::plain(text);
    if width_of(&text, size) <= room {
        return text;
    }
    let letters: Vec<f64> = text.chars().map(|letter| advance(letter) * size).collect();
    let room = room - advance('…') * size;
    let (mut head, mut tail, mut used) = (0, 0, 0.0);
    // From both ends in turn, as long as there is room.
    while head + tail < letters.len() {
        let is_at_head = head <= tail;
        let next = if is_at_head { letters[head] } else { letters[letters.len() - 1 - tail] };
        used += next;
        if used > room {
            break;
        }
        if is_at_head { head += 1 } else { tail += 1 }
    }
    let head: String = text.chars().take(head).collect();
    let tail: String = text.chars().skip(letters.len() - tail).collect();
    format!("{head}…{tail}")
}

/// A text in lines that fit into a width, so many at most; the last one ends in dots where more was said.
pub(super) fn wrap(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in escape::plain(text).split(' ') {
        let word = fit(word, size, room);
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(&word);
        } else if width_of(line, size) + width_of(" ", size) + width_of(&word, size) <= room {
            line.extend([" ", &word]);
        } else {
            lines.push(word);
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = fit(&format!("{last} …"), size, room);
        }
    }
    lines
}

/// The width of a text, at most.
pub(super) fn width(text: &str, size: f64) -> f64 {
    width_of(&escape::plain(text), size)
}

fn width_of(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// The width of a letter as a share of the size of its type: rather too much, as the reader's fonts are not known. That of
/// `DejaVu` Sans, which is wider than most.
fn advance(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '/' | '\\' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '·' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' | '—' => 1.0,
        'A'..='Z' => 0.72,
        other => match other.width() {
            Some(0) => 0.0,
            Some(1) => 0.64,
            _ => 1.05,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_is_well_formed_whatever_it_is_called() {
        let mut canvas = Canvas::default();
        let name = "</text><script>alert(1)</script>\u{202e}\n\"'&";
        canvas.open("k0", name);
        canvas.text("m", (1.04, -0.01), Anchor::End, name);
        canvas.lines("l", [Some((1.0, 2.0)), None, Some((3.0, 4.0)), Some((5.0, 6.0))].into_iter());
        canvas.close();
        let escaped =
            "&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}\\u{a}&quot;&#39;&amp;";
        assert_eq!(
            canvas.finish(),
            format!(
                "<g class=\"row k0\"><title>{escaped}</title>\
                 <text class=\"m\" x=\"1\" y=\"0\" text-anchor=\"end\">{escaped}</text>\
                 <path class=\"l\" d=\"M1 2h0M3 4h0L5 6\"/></g>"
            )
        );
    }

    #[test]
    fn a_name_that_is_too_long_keeps_its_beginning_and_its_end() {
        assert_eq!(fit("go/net-http", 10.0, 100.0), "go/net-http");
        let long = format!("go/{}+one-core", "x".repeat(200));
        let short = fit(&long, 10.0, 100.0);
        assert!(short.starts_with("go/") && short.ends_with("core"), "{short}");
        assert!((10..=17).contains(&short.chars().count()), "{short}");
        let wide = fit(&"漢".repeat(50), 10.0, 100.0);
        assert!((7..=10).contains(&wide.chars().count()), "{wide}");
        assert_eq!(fit("", 10.0, 0.0), "");
        assert_eq!(fit("ab", 10.0, 0.0), "…");
    }

    #[test]
    fn a_long_text_goes_on_in_further_lines_and_ends_in_dots() {
        assert_eq!(wrap("one two three", 10.0, 60.0, 3), ["one two", "three"]);
        let cut = wrap("one two three four", 10.0, 60.0, 1);
        assert!(cut.len() == 1 && cut[0].ends_with(" …"), "{cut:?}");
        let word = wrap(&"x".repeat(300), 10.0, 50.0, 2);
        assert_eq!(word.len(), 1);
        assert!(word[0].chars().count() < 10, "{word:?}");
    }
}
