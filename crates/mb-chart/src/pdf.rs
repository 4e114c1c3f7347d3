//! Pictures as PDF (ISO 32000-1): one page of the size of the picture, lines and text as such, no pixels.
//!
//! Text is set in Helvetica, which every reader has; letters beyond Latin-1 become question marks. A faint group is a
//! transparency group: its marks hide each other, and what they make up is seen through as one.

use crate::marks::{Anchor, Item, Matrix, Shape, product, read};
use std::fmt::Write as _;

/// A picture of this workspace, SVG of [`crate::Chart::svg`] or of mode shapes, as PDF.
pub fn pdf(svg: &str) -> Vec<u8> {
    let picture = read(svg);
    let mut states: Vec<[f64; 2]> = Vec::new();
    // y points down in SVG and up in PDF.
    let [width, height] = picture.size;
    let flip = [1.0, 0.0, 0.0, -1.0, 0.0, height];
    let mut content = String::from(CAPS);
    let mut forms: Vec<Vec<u8>> = Vec::new();
    let box_of = format!("[0 0 {} {}]", short(width), short(height));
    for together in picture.items.chunk_by(|a, b| a.faint.map(|f| f.group) == b.faint.map(|f| f.group)) {
        let Some(faint) = together[0].faint else {
            for item in together {
                draw(&mut content, item, flip, &mut states);
            }
            continue;
        };
        let mut inner = String::from(CAPS);
        for item in together {
            draw(&mut inner, item, flip, &mut states);
        }
        let state = state(&mut states, [faint.opacity; 2]);
        let _ = writeln!(content, "q /G{state} gs /X{} Do Q", forms.len());
        let head = format!(
            "/Type /XObject /Subtype /Form /BBox {box_of} /Resources {RESOURCES} 0 R /Group << /S /Transparency >>"
        );
        forms.push(stream(&head, &inner));
    }
    let mut resources = String::from("<< /Font << /F1 4 0 R /F2 5 0 R >> /ExtGState <<");
    for (k, [fill, stroke]) in states.iter().enumerate() {
        let _ = write!(resources, " /G{k} << /ca {} /CA {} >>", short(*fill), short(*stroke));
    }
    resources.push_str(" >> /XObject <<");
    for k in 0..forms.len() {
        let _ = write!(resources, " /X{k} {} 0 R", RESOURCES + 1 + k);
    }
    resources.push_str(" >> >>");
    let font = |name: &str| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>").into_bytes()
    };
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox {box_of} /Resources {RESOURCES} 0 R /Contents 6 0 R >>"
    );
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.into_bytes(),
        font("Helvetica"),
        font("Helvetica-Bold"),
        stream("", &content),
        resources.into_bytes(),
    ];
    objects.extend(forms);
    file(&objects)
}

/// Number of the object with the fonts, opacities and groups of the page; the groups come after it.
const RESOURCES: usize = 7;
/// Round ends and corners of lines.
const CAPS: &str = "1 J 1 j\n";

/// A stream of content with further entries of its dictionary.
fn stream(head: &str, content: &str) -> Vec<u8> {
    let mut out = format!("<< {head} /Length {} >>\nstream\n", content.chars().count()).into_bytes();
    // One byte for each letter of Latin-1; the rest of the content is ASCII.
    out.extend(content.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')));
    out.extend(b"\nendstream");
    out
}

/// The number of a state with these opacities of fill and stroke.
fn state(states: &mut Vec<[f64; 2]>, opacity: [f64; 2]) -> usize {
    let same = |s: &[f64; 2]| s.iter().zip(&opacity).all(|(a, b)| a.total_cmp(b).is_eq());
    states.iter().position(same).unwrap_or_else(|| {
        states.push(opacity);
        states.len() - 1
    })
}

/// Objects numbered from one, with the table of their places.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = Vec::new();
    for (k, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n", k + 1).into_bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let (start, count) = (out.len(), objects.len() + 1);
    let mut table = format!("xref\n0 {count}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(table, "{place:010} 00000 n ");
    }
    let _ = write!(table, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    out.extend(table.into_bytes());
    out
}

fn draw(content: &mut String, item: &Item, flip: Matrix, states: &mut Vec<[f64; 2]>) {
    let state = state(states, item.opacity);
    let _ = writeln!(content, "q /G{state} gs");
    let set = |content: &mut String, colour: Option<[f64; 3]>, operator: &str| {
        if let Some([r, g, b]) = colour {
            let _ = writeln!(content, "{} {} {} {operator}", short(r), short(g), short(b));
        }
    };
    set(content, item.fill, "rg");
    let whole = product(flip, item.at);
    match &item.shape {
        Shape::Path(commands) => {
            set(content, item.stroke, "RG");
            let dashes: Vec<String> = item.dashes.iter().map(|x| short(*x)).collect();
            let _ =
                writeln!(content, "{} w [{}] 0 d {} cm", short(item.width), dashes.join(" "), list(&whole));
            for (command, numbers) in commands {
                let operator = match command {
                    'M' => "m",
                    'L' => "l",
                    'C' => "c",
                    _ => "h",
                };
                let _ = writeln!(content, "{} {operator}", list(numbers));
            }
            let paint = match (item.fill, item.stroke) {
                (Some(_), Some(_)) => "B",
                (Some(_), None) => "f",
                (None, Some(_)) => "S",
                (None, None) => "n",
            };
            content.push_str(paint);
        }
        Shape::Words { text, from, size, bold, anchor } => {
            let share = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => 0.5,
                Anchor::End => 1.0,
            };
            let x = from[0] - share * size * length(text);
            // Letters stand upright where y points down.
            let at = product(whole, [1.0, 0.0, 0.0, -1.0, x, from[1]]);
            let font = if *bold { "F2" } else { "F1" };
            let _ =
                write!(content, "BT /{font} {} Tf {} Tm ({}) Tj ET", short(*size), list(&at), string(text));
        }
    }
    content.push_str("\nQ\n");
}

/// Words within parentheses.
fn string(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '\\' => out.extend(['\\', c]),
            ' '..='~' | '\u{a0}'..='\u{ff}' => out.push(c),
            _ => out.push('?'),
        }
    }
    out
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|x| short(*x)).collect::<Vec<_>>().join(" ")
}

/// A number to a thousandth, which PDF wants without exponent.
fn short(x: f64) -> String {
    let rounded = (x * 1000.0).round() / 1000.0 + 0.0;
    format!("{rounded}")
}

/// Widths of the letters from space to `~` in thousandths of the size (Adobe's metrics of Helvetica).
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Length of words of size one.
fn length(text: &str) -> f64 {
    let width = |c: char| {
        let place = u32::from(c).checked_sub(32).and_then(|k| WIDTHS.get(k as usize));
        f64::from(place.copied().unwrap_or(556))
    };
    text.chars().map(width).sum::<f64>() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chart, Curve, Panel, Scale};

    fn text(svg: &str) -> String {
        pdf(svg).into_iter().map(char::from).collect()
    }

    #[test]
    fn the_table_of_places_leads_to_every_object() {
        let curves = vec![Curve::line("a (1) ± b", 0, vec![[0.0, 1.0], [1.0, 2.0]])];
        let panels = vec![Panel { ordinate: "x, m".into(), scale: Scale::Linear, curves }];
        let chart = Chart { title: "t".into(), abscissa: "time, s".into(), panels, equal: false };
        let found = text(&chart.svg());
        let start: usize =
            found.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
        let chars: Vec<char> = found.chars().collect();
        let from = |at: usize| chars[at..].iter().collect::<String>();
        assert!(from(start).starts_with("xref\n0 8\n"));
        for (k, line) in from(start).lines().skip(3).take(7).enumerate() {
            let place: usize = line[..10].parse().unwrap();
            assert!(from(place).starts_with(&format!("{} 0 obj", k + 1)), "{line}");
        }
        // The stream is as long as it says.
        let (head, rest) = found.split_once("stream\n").unwrap();
        let length: usize =
            head.rsplit("/Length ").next().unwrap().split(' ').next().unwrap().parse().unwrap();
        assert_eq!(rest.find("\nendstream").map(|at| rest[..at].chars().count()), Some(length));
        assert!(found.contains("(a \\(1\\) \u{b1} b) Tj") && !found.contains("NaN"), "{found}");
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "numbers that are read as they are written")]
    fn classes_and_groups_say_how_marks_look() {
        let svg = "<svg viewBox=\"0 0 10 20\"><style>.moved *{fill:none;stroke:#ff0000;stroke-width:2}.moved .dot{fill:#00f;stroke:none}\
                   .faint{opacity:.5}</style><g transform=\"translate(1 2)\"><g class=\"moved faint\"><path d=\"M0 0L3 4Z\"/>\
                   <circle cx=\"1\" cy=\"1\" r=\"1\" class=\"dot\"/></g></g></svg>";
        let marks = read(svg);
        assert_eq!(marks.size, [10.0, 20.0]);
        let [path, dot] = &marks.items[..] else { panic!("{marks:?}") };
        assert_eq!((path.fill, path.stroke, path.width), (None, Some([1.0, 0.0, 0.0]), 2.0));
        assert_eq!((dot.fill, dot.stroke, dot.opacity), (Some([0.0, 0.0, 1.0]), None, [1.0, 1.0]));
        assert!(path.faint == dot.faint && dot.faint.is_some_and(|f| f.opacity == 0.5), "{marks:?}");
        assert_eq!(path.at, [1.0, 0.0, 0.0, 1.0, 1.0, 2.0]);
        let page = text(svg);
        // (1, 2) from above is (1, 18) from below.
        assert!(page.contains("1 0 0 -1 1 18 cm\n0 0 m\n3 4 l\n h\nS"), "{page}");
    }

    /// The marks of the group are opaque, the group is not.
    #[test]
    fn a_faint_group_is_seen_through_as_one() {
        let rect = "<rect x=\"2\" y=\"2\" width=\"8\" height=\"8\"/>";
        let svg = format!("<svg viewBox=\"0 0 20 20\">{rect}<g opacity=\"0.2\">{rect}{rect}</g>{rect}</svg>");
        let page = text(&svg);
        assert!(page.contains("/G0 << /ca 1 /CA 1 >> /G1 << /ca 0.2 /CA 0.2 >>"), "{page}");
        let form = page.split("8 0 obj").nth(1).unwrap().split("endobj").next().unwrap();
        assert!(form.contains("/S /Transparency") && form.matches("q /G0 gs\n").count() == 2, "{form}");
        let content = page.split("6 0 obj").nth(1).unwrap().split("endobj").next().unwrap();
        let order: Vec<&str> = content.lines().filter(|l| l.starts_with("q /G")).collect();
        assert_eq!(order, ["q /G0 gs", "q /G1 gs /X0 Do Q", "q /G0 gs"]);
    }

    #[test]
    fn words_end_where_they_shall() {
        // "Hi" is 722 + 222 thousandths long.
        let svg = "<svg viewBox=\"0 0 100 100\"><text x=\"50\" y=\"10\" font-size=\"10\" text-anchor=\"end\">Hi</text></svg>";
        assert!(text(svg).contains("1 0 0 1 40.56 90 Tm (Hi) Tj"), "{}", text(svg));
        // Turned by a quarter about its place it reads upwards.
        let svg = "<svg viewBox=\"0 0 100 100\"><text x=\"5\" y=\"10\" transform=\"rotate(-90 5 10)\">i</text></svg>";
        assert!(text(svg).contains("0 1 -1 0 5 90 Tm (i) Tj"), "{}", text(svg));
    }
}
