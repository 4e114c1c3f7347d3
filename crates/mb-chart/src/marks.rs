//! The marks of an SVG picture of this workspace: what is drawn, where, in which colours.
//!
//! The pictures hold rectangles, circles, paths of M, L, C and Z, text, groups that are moved and a style sheet of classes;
//! nothing else is read.

/// A transformation (x, y) -> (a x + c y + e, b x + d y + f), as [a, b, c, d, e, f].
pub(crate) type Matrix = [f64; 6];

/// One mark.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) shape: Shape,
    pub(crate) at: Matrix,
    pub(crate) fill: Option<[f64; 3]>,
    pub(crate) stroke: Option<[f64; 3]>,
    pub(crate) width: f64,
    pub(crate) dashes: Vec<f64>,
    /// Opacity of the fill and of the stroke, without that of the groups around.
    pub(crate) opacity: [f64; 2],
    /// The faint group that it belongs to.
    pub(crate) faint: Option<Faint>,
}

/// A group of marks that are seen through as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Faint {
    /// Which group of the picture.
    pub(crate) group: usize,
    pub(crate) opacity: f64,
}

/// What a mark is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Commands M, L, C and Z with their numbers.
    Path(Vec<(char, Vec<f64>)>),
    /// A line of words from a point on.
    Words { text: String, from: [f64; 2], size: f64, bold: bool, anchor: Anchor },
}

impl Default for Shape {
    fn default() -> Self {
        Self::Path(Vec::new())
    }
}

/// Which part of the words is at the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture: its size and its marks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Marks {
    pub(crate) size: [f64; 2],
    pub(crate) items: Vec<Item>,
}

type Properties = Vec<(String, String)>;

/// A rule of the style sheet: the last class or name of an element, a class of a group around it, the declarations.
struct Rule {
    inside: Option<String>,
    target: String,
    declarations: Properties,
}

impl Rule {
    /// More of it wins.
    fn weight(&self) -> usize {
        let class = |s: &str| usize::from(s.starts_with('.'));
        2 * (class(&self.target) + self.inside.as_deref().map_or(0, class))
            + usize::from(!self.target.starts_with('.') && self.target != "*")
    }
    fn holds(&self, element: &str, classes: &str, groups: &[Group]) -> bool {
        let has = |classes: &str, one: &str| classes.split(' ').any(|c| c == one);
        let target = match self.target.strip_prefix('.') {
            Some(class) => has(classes, class),
            None => self.target == "*" || self.target == element,
        };
        let inside = self
            .inside
            .as_deref()
            .is_none_or(|s| groups.iter().any(|g| has(&g.classes, s.trim_start_matches('.'))));
        target && inside
    }
}

/// A group that is open.
struct Group {
    classes: String,
    at: Matrix,
    properties: Properties,
    faint: Option<Faint>,
}

/// Reads a picture.
pub(crate) fn read(svg: &str) -> Marks {
    let mut out = Marks { size: [100.0, 100.0], items: Vec::new() };
    let mut rules: Vec<Rule> = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut faint_groups = 0;
    for piece in svg.split('<').skip(1) {
        let Some((tag, text)) = piece.split_once('>') else { continue };
        let tag = tag.trim_end_matches('/');
        let name = tag.split_whitespace().next().unwrap_or_default();
        let given = attributes(tag);
        let get = |key: &str| given.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
        let classes = get("class").unwrap_or_default().to_owned();
        match name {
            "/g" => drop(groups.pop()),
            "style" => {
                rules = sheet(text);
                rules.sort_by_key(Rule::weight);
            }
            "title" => {}
            _ => {
                let around = groups.last().map_or([1.0, 0.0, 0.0, 1.0, 0.0, 0.0], |g| g.at);
                let at = product(around, moved(get("transform").unwrap_or_default()));
                // Later ones win: what the groups pass on, own attributes, the style sheet.
                let inherited = groups.last().map(|g| g.properties.clone()).unwrap_or_default();
                let mut properties: Properties = inherited.into_iter().chain(given.clone()).collect();
                let fitting = rules.iter().filter(|r| r.holds(name, &classes, &groups));
                properties.extend(fitting.flat_map(|r| r.declarations.clone()));
                let own =
                    |key: &str| properties.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
                let faint = groups.last().and_then(|g| g.faint);
                match name {
                    "svg" => {
                        let list = numbers(get("viewBox").unwrap_or_default());
                        if let [_, _, w, h] = list[..] {
                            out.size = [w, h];
                        }
                        let kept = given.iter().filter(|(k, _)| k.starts_with("font")).cloned().collect();
                        groups.push(Group { classes, at, properties: kept, faint: None });
                    }
                    "g" => {
                        let through = |opacity: f64| {
                            faint_groups += 1;
                            let around = faint.map_or(1.0, |f| f.opacity);
                            Faint { group: faint_groups, opacity: opacity * around }
                        };
                        let faint = own("opacity").map(number).map(through).or(faint);
                        let kept = properties.iter().filter(|(k, _)| passes_on(k)).cloned().collect();
                        groups.push(Group { classes, at, properties: kept, faint });
                    }
                    _ => {
                        let mut item = look(&own);
                        (item.at, item.faint) = (at, faint);
                        if let Some(shape) = shape(name, &own, text, out.size) {
                            item.shape = shape;
                            out.items.push(item);
                        }
                    }
                }
            }
        }
    }
    out
}

/// Properties that marks take from their group.
fn passes_on(key: &str) -> bool {
    key.starts_with("font") || key.starts_with("stroke") || key.starts_with("fill") || key == "text-anchor"
}

/// Colours, widths and dashes.
fn look<'a>(own: &impl Fn(&str) -> Option<&'a str>) -> Item {
    let share = |key: &str| own(key).map_or(1.0, number);
    let opacity = share("opacity");
    Item {
        fill: own("fill").map_or(Some([0.0; 3]), colour),
        stroke: own("stroke").and_then(colour),
        width: own("stroke-width").map_or(1.0, number),
        dashes: own("stroke-dasharray").map(numbers).unwrap_or_default(),
        opacity: [opacity * share("fill-opacity"), opacity * share("stroke-opacity")],
        ..Item::default()
    }
}

fn shape<'a>(
    name: &str,
    own: &impl Fn(&str) -> Option<&'a str>,
    text: &str,
    size: [f64; 2],
) -> Option<Shape> {
    let place = |key: &str, whole: f64| {
        own(key).map_or(0.0, |v| v.strip_suffix('%').map_or_else(|| number(v), |p| 0.01 * number(p) * whole))
    };
    match name {
        "path" => Some(Shape::Path(commands(own("d").unwrap_or_default()))),
        "line" => {
            let [a, b] = [["x1", "y1"], ["x2", "y2"]].map(|k| [place(k[0], size[0]), place(k[1], size[1])]);
            Some(Shape::Path(vec![('M', a.to_vec()), ('L', b.to_vec())]))
        }
        "rect" => {
            let [x, y] = [place("x", size[0]), place("y", size[1])];
            let [w, h] = [place("width", size[0]), place("height", size[1])];
            let round = place("rx", size[0]).clamp(0.0, 0.5 * w.min(h).max(0.0));
            Some(Shape::Path(if round > 0.0 {
                rounded([x, y], [w, h], round)
            } else {
                let corners = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
                let command = |(k, p): (usize, &[f64; 2])| (if k == 0 { 'M' } else { 'L' }, p.to_vec());
                corners.iter().enumerate().map(command).chain([('Z', Vec::new())]).collect()
            }))
        }
        "circle" => {
            Some(Shape::Path(circle([place("cx", size[0]), place("cy", size[1])], place("r", size[0]))))
        }
        "text" => Some(Shape::Words {
            text: plain(text),
            from: [place("x", size[0]), place("y", size[1])],
            size: own("font-size").map_or(16.0, |s| number(s.trim_end_matches("px"))),
            bold: own("font-weight").is_some_and(|w| number(w) >= 600.0 || w == "bold"),
            anchor: match own("text-anchor") {
                Some("middle") => Anchor::Middle,
                Some("end") => Anchor::End,
                _ => Anchor::Start,
            },
        }),
        _ => None,
    }
}

/// Directions of the ends of the quarters of a circle.
const TURNS: [[f64; 2]; 5] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];

/// A quarter of a circle from the direction p to the direction q as a cubic piece, off it by less than 3e-4 of its radius:
/// handles of 4 (sqrt 2 - 1) / 3.
fn quarter([x, y]: [f64; 2], r: f64, [px, py]: [f64; 2], [qx, qy]: [f64; 2]) -> (char, Vec<f64>) {
    let k = r * 4.0 * (std::f64::consts::SQRT_2 - 1.0) / 3.0;
    let list = [px * r + qx * k, py * r + qy * k, qx * r + px * k, qy * r + py * k, qx * r, qy * r];
    ('C', list.iter().enumerate().map(|(i, v)| v + if i % 2 == 0 { x } else { y }).collect())
}

fn circle([x, y]: [f64; 2], r: f64) -> Vec<(char, Vec<f64>)> {
    let mut out = vec![('M', vec![x + r, y])];
    out.extend(TURNS.windows(2).map(|t| quarter([x, y], r, t[0], t[1])));
    out.push(('Z', Vec::new()));
    out
}

/// A rectangle whose corners are quarters of circles of radius r.
fn rounded([x, y]: [f64; 2], [w, h]: [f64; 2], r: f64) -> Vec<(char, Vec<f64>)> {
    // Centres of the corners below right, below left, above left, above right, where y points down.
    let centres = [[x + w - r, y + h - r], [x + r, y + h - r], [x + r, y + r], [x + w - r, y + r]];
    let mut out = Vec::new();
    for (k, centre) in centres.into_iter().enumerate() {
        let [from, to] = [TURNS[k], TURNS[k + 1]];
        let start = vec![centre[0] + r * from[0], centre[1] + r * from[1]];
        out.push((if k == 0 { 'M' } else { 'L' }, start));
        out.push(quarter(centre, r, from, to));
    }
    out.push(('Z', Vec::new()));
    out
}

fn commands(d: &str) -> Vec<(char, Vec<f64>)> {
    let mut out: Vec<(char, String)> = Vec::new();
    for c in d.chars() {
        match (c, out.last_mut()) {
            ('M' | 'L' | 'C' | 'Z', _) => out.push((c, String::new())),
            (c, Some(last)) => last.1.push(c),
            _ => {}
        }
    }
    out.into_iter().map(|(c, list)| (c, numbers(&list))).collect()
}

/// `translate(x y)` or `rotate(degrees x y)`.
fn moved(text: &str) -> Matrix {
    let inside = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(list, _)| list);
    match (text.split('(').next().unwrap_or_default().trim(), &numbers(inside)[..]) {
        ("translate", [x, y]) => [1.0, 0.0, 0.0, 1.0, *x, *y],
        ("rotate", [angle, x, y]) => {
            let (sin, cos) = angle.to_radians().sin_cos();
            [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y]
        }
        _ => [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    }
}

/// First n, then m.
pub(crate) fn product(m: Matrix, n: Matrix) -> Matrix {
    let at = |x: f64, y: f64| [m[0] * x + m[2] * y, m[1] * x + m[3] * y];
    let ([a, b], [c, d], [e, f]) = (at(n[0], n[1]), at(n[2], n[3]), at(n[4], n[5]));
    [a, b, c, d, e + m[4], f + m[5]]
}

fn sheet(text: &str) -> Vec<Rule> {
    let mut out = Vec::new();
    for rule in text.split('}') {
        let Some((selectors, body)) = rule.split_once('{') else { continue };
        let declarations: Properties = body
            .split(';')
            .filter_map(|d| d.split_once(':'))
            .map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned()))
            .collect();
        for selector in selectors.split(',') {
            let mut words: Vec<&str> = selector.split_whitespace().collect();
            let Some(target) = words.pop() else { continue };
            let (target, inside) = (target.to_owned(), words.pop().map(str::to_owned));
            out.push(Rule { inside, target, declarations: declarations.clone() });
        }
    }
    out
}

fn attributes(tag: &str) -> Properties {
    let mut out = Vec::new();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once("=\"") {
        let Some((value, next)) = after.split_once('"') else { break };
        let key = before.split_whitespace().next_back().unwrap_or_default();
        out.push((key.to_owned(), plain(value)));
        rest = next;
    }
    out
}

fn plain(text: &str) -> String {
    text.trim_end_matches('\n')
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

fn number(text: &str) -> f64 {
    text.trim().trim_end_matches("px").parse().ok().filter(|x: &f64| x.is_finite()).unwrap_or(0.0)
}

fn numbers(text: &str) -> Vec<f64> {
    text.split([' ', ',']).filter(|w| !w.is_empty()).map(number).collect()
}

/// `#rgb`, `#rrggbb`, a few names; none for `none`.
fn colour(text: &str) -> Option<[f64; 3]> {
    let digits: Vec<u32> =
        text.strip_prefix('#').unwrap_or_default().chars().filter_map(|c| c.to_digit(16)).collect();
    let part = |high: u32, low: u32| f64::from(16 * high + low) / 255.0;
    match (text, &digits[..]) {
        ("none" | "transparent", _) => None,
        ("white", _) => Some([1.0; 3]),
        (_, [r, g, b]) => Some([r, g, b].map(|d| part(*d, *d))),
        (_, [a, b, c, d, e, f]) => Some([part(*a, *b), part(*c, *d), part(*e, *f)]),
        _ => Some([0.0; 3]),
    }
}
