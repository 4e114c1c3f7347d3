//! `mb track --campbell`: steady motions and their modes over a speed, with critical speeds and ranges of growth.

use crate::Answer;
use crate::args::{StartArgs, TrackArgs};
use crate::checkpoint;
use crate::failure::{Failure, NUMERICS, RequestError};
use crate::flow::campbell::{Campbell, CampbellOptions, ModePoint, SpeedOf, Unstable, campbell};
use crate::flow::moving::whirl_word;
use crate::history;
use crate::json;
use crate::npz::{self, Array};
use crate::outfile;
use crate::parametric::quantity::{Quantity, quantity};
use crate::picture;
use crate::progress::Progress;
use crate::render::{Column, Style, Table, six, summary, tiny};
use crate::source::{Loaded, Text, load};
use mb_analysis::checkpoint::{Checkpoint, Run};
use mb_chart::{Chart, Curve, Panel, Scale};
use mb_linear::FrameChoice;
use mb_parametric::Variable;
use std::fmt::Write as _;
use std::io::Write as _;

/// What a variable that is the speed of a joint begins with.
const SPIN: &str = "spin:";

/// Everything the command found.
#[derive(Debug)]
pub struct CampbellDiagram {
    /// The model as its file has it.
    pub loaded: Loaded,
    /// What the speed is, as it was written.
    pub speed: String,
    /// The diagram.
    pub found: Campbell,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics at a speed.
pub fn run(text: &Text, args: &TrackArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let format = args.output.as_deref().map(history::format_of).transpose()?;
    let drawn = args.campbell.as_deref().filter(|p| p.as_os_str() != "-");
    picture::check_file("--campbell", drawn)?;
    let (diagram, checkpoint) = kept(text, args, progress)?;
    crate::guard::work_is_done();
    if let (Some(path), Some(format)) = (&args.output, format) {
        let columns = diagram.columns();
        let bytes = match format {
            history::Format::Csv => history::csv(&columns),
            history::Format::Json => json::campbell::document(&diagram).into_bytes(),
            history::Format::Npz => {
                let array = |(name, x): (String, Vec<f64>)| Array::real(&name, &[x.len()], x);
                npz::archive(&columns.into_iter().map(array).collect::<Vec<_>>())
            }
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = drawn {
        picture::write(path, &diagram.chart(&args.lines).svg())?;
    }
    checkpoint.end(diagram.found.early.is_none())?;
    let mut answer =
        Answer::right(if args.json { json::campbell::document(&diagram) } else { diagram.render(style) });
    if let Some(words) = diagram.ended() {
        let advice = checkpoint::advice(args.checkpoint.as_deref());
        answer.complaint = format!("The diagram is a part: {words}; {advice}.\n");
        answer.code = NUMERICS;
    }
    Ok(answer)
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &TrackArgs, progress: Progress) -> Result<CampbellDiagram, Failure> {
    kept(text, args, progress).map(|(diagram, _)| diagram)
}

/// The analysis, with the file of its steps.
fn kept(text: &Text, args: &TrackArgs, progress: Progress) -> Result<(CampbellDiagram, Checkpoint), Failure> {
    let stage = progress.stage("reading the model");
    let loaded = load(text, &args.model)?;
    let name = args.parameter.clone().unwrap_or_default();
    let speed = speed_of(&loaded, &name)?;
    let end = |option, text: &Option<String>| {
        crate::start::finite(option, &name, text.as_deref().unwrap_or_default())
    };
    let (from, to) = (end("--from", &args.from)?, end("--to", &args.to)?);
    if from.total_cmp(&to).is_eq() {
        return Err(RequestError::EmptyRange { option: "--to", value: to }.into());
    }
    if let Some(line) = args.lines.iter().find(|x| !(x.is_finite() && **x > 0.0)) {
        let (option, value, range) = ("lines", *line, "a positive number");
        return Err(RequestError::OutOfRange { option, value, range }.into());
    }
    drop(stage);
    let _stage = progress.stage("following the steady motion and its modes");
    let start = StartArgs {
        at: args.at.clone(),
        no_solve: false,
        strategy: args.centre.strategy,
        time: args.centre.time,
        input: Vec::new(),
    };
    let options = CampbellOptions {
        samples: args.samples,
        modes: args.lowest,
        lines: args.lines.clone(),
        frame: FrameChoice::named(args.centre.frame.as_deref()),
        start: crate::start::options(&loaded.model, &start)?,
    };
    let run = Run::new("campbell", &loaded.spec, &(args.options(), &options));
    let mut checkpoint = Checkpoint::open(args.checkpoint.as_deref(), &run)?;
    let found =
        progress.unless_ended(|| campbell(&loaded.spec, &speed, [from, to], &options, &mut checkpoint));
    let found = found.map_err(Failure::Stopped)??;
    if found.turns.iter().all(|w| *w == 0.0) {
        return Err(RequestError::NothingTurns { name }.into());
    }
    Ok((CampbellDiagram { loaded, speed: name, found }, checkpoint))
}

/// What a name on the command line means.
fn speed_of(loaded: &Loaded, name: &str) -> Result<SpeedOf, Failure> {
    if let Some(joint) = name.strip_prefix(SPIN) {
        return Ok(SpeedOf::Joint(joint.to_owned()));
    }
    match quantity(loaded, "--parameter", name)? {
        Quantity::Variable(Variable::Parameter(name)) => Ok(SpeedOf::Parameter(name)),
        Quantity::Variable(Variable::Speed(i)) => Ok(SpeedOf::Velocity(i)),
        _ => Err(RequestError::NoSpeed { name: name.to_owned() }.into()),
    }
}

impl CampbellDiagram {
    fn point(&self, mode: usize, k: usize) -> Option<&ModePoint> {
        self.found.modes[mode][k].as_ref()
    }
    /// Everything over the speed by name.
    pub fn columns(&self) -> Vec<history::Column> {
        let mut out = vec![
            (self.speed.clone(), self.found.speeds.clone()),
            ("turn".to_owned(), self.found.turns.clone()),
        ];
        for mode in 0..self.found.modes.len() {
            let mut put = |what: &str, of: &dyn Fn(&ModePoint) -> f64| {
                let list = (0..self.found.speeds.len()).map(|k| self.point(mode, k).map_or(f64::NAN, of));
                out.push((format!("mode {} {what}", mode + 1), list.collect()));
            };
            put("re", &|m| m.s.re);
            put("im", &|m| m.s.im);
            put("error", &|m| m.error);
            put("frequency_hz", &ModePoint::frequency_hz);
            put("whirl", &|m| m.whirl.unwrap_or(f64::NAN));
        }
        out
    }
    /// Frequencies and real parts over the speed, with the lines of so many per revolution and what was solved for.
    pub fn chart(&self, lines: &[f64]) -> Chart {
        let found = &self.found;
        let curve = |mode: usize, of: &dyn Fn(&ModePoint) -> f64| -> Vec<[f64; 2]> {
            let one = |(k, w): (usize, &f64)| [*w, self.point(mode, k).map_or(f64::NAN, of)];
            found.speeds.iter().enumerate().map(one).collect()
        };
        let modes = 0..found.modes.len();
        let name = |mode: usize| format!("{} {}", mode + 1, self.sense(mode)).trim_end().to_owned();
        let mut frequencies: Vec<Curve> =
            modes.clone().map(|m| Curve::line(&name(m), m, curve(m, &ModePoint::frequency_hz))).collect();
        let highest = frequencies.iter().flat_map(|c| &c.points).map(|p| p[1]).fold(0.0, f64::max);
        for line in lines {
            let at = |(w, turn): (&f64, &f64)| [*w, line * turn / std::f64::consts::TAU];
            let inside = |p: [f64; 2]| if p[1] <= highest { p } else { [p[0], f64::NAN] };
            let points = found.speeds.iter().zip(&found.turns).map(at).map(inside).collect();
            frequencies.push(Curve::dashes(&format!("{}x", six_short(*line)), 0, points).named_at_end());
        }
        // The legend says once what the broken lines are.
        if !lines.is_empty() {
            frequencies.push(Curve::dashes("times per revolution", 0, Vec::new()));
        }
        let critical = found.critical.iter().map(|c| [c.speed, c.frequency_hz]).collect();
        frequencies.push(Curve::dots("critical speeds", 4, critical));
        let mut growth: Vec<Curve> = modes.map(|m| Curve::line("", m, curve(m, &|m| m.s.re))).collect();
        let ends = |u: &Unstable| u.from.into_iter().chain(u.to).map(|[w, _]| [w, 0.0]).collect::<Vec<_>>();
        growth.push(Curve::dots("ends of growth", 4, found.unstable.iter().flat_map(ends).collect()));
        let frame = found.frame.as_ref().map_or_else(String::new, |f| format!(", seen from {f}"));
        let panel =
            |ordinate: &str, curves| Panel { ordinate: ordinate.to_owned(), scale: Scale::Linear, curves };
        let panels = vec![panel("frequency, Hz", frequencies), panel("real part, 1/s", growth)];
        let part = self.found.early.as_ref().map(|early| {
            let (reached, asked) = (found.speeds.len(), early.samples);
            format!("; a part, {reached} of {asked} speeds: {}", early.why)
        });
        let title = format!("{}{frame}{}", self.loaded.model.name, part.unwrap_or_default());
        Chart { title, abscissa: format!("{}, rad/s", self.speed), panels, equal: false }
    }
    /// Why it is a part of what was asked for, and which, in words.
    pub fn ended(&self) -> Option<String> {
        let early = self.found.early.as_ref()?;
        let (reached, why) = (self.found.speeds.len(), super::parametric::ended(early.why));
        let part = if reached < early.samples {
            let speeds = &self.found.speeds;
            let (first, last) = (six(speeds[0]), six(speeds[reached - 1]));
            let reach = if reached == 1 { format!("at {last}") } else { format!("from {first} to {last}") };
            format!("{reached} of {} speeds, {reach}", early.samples)
        } else {
            "all speeds, but not all that is solved for between them".to_owned()
        };
        Some(format!("{part}: {why}"))
    }
    /// Critical speeds and ranges of growth in words.
    pub fn sentence(&self) -> String {
        let sentence = self.found.summary();
        match self.ended() {
            Some(words) => format!("{sentence} The diagram is a part: {words}."),
            None => sentence,
        }
    }
    /// The sense of a mode at the last speed.
    fn sense(&self, mode: usize) -> &'static str {
        let last = self.found.modes[mode].iter().rev().flatten().find_map(|m| m.whirl);
        whirl_word(last)
    }
    fn render(&self, style: Style) -> String {
        let found = &self.found;
        let mut out = style.bold(&self.loaded.model.name);
        let _ = writeln!(out, " {}", style.dim(&format!("({})", self.loaded.file)));
        let (first, last) = (0, found.speeds.len() - 1);
        let frame = found.frame.as_ref().map_or_else(String::new, |f| format!(", seen from {f}"));
        let range =
            format!("{} from {} to {}", self.speed, six(found.speeds[first]), six(found.speeds[last]));
        let _ = writeln!(out, "\n{}", style.bold(&format!("Campbell diagram over {range}{frame}")));
        let heads = [
            ("f at start", "Hz"),
            ("middle", "Hz"),
            ("end", "Hz"),
            ("largest re", "1/s"),
            ("error", "rad/s"),
        ];
        let mut columns = vec![Column::number("mode", ""), Column::words("whirl")];
        columns.extend(heads.map(|(head, unit)| Column::number(head, unit)));
        let mut table = Table::new(columns);
        for mode in 0..found.modes.len() {
            let points = || found.modes[mode].iter().flatten();
            let f = |k: usize| self.point(mode, k).map_or_else(|| "-".to_owned(), |m| six(shown(m)));
            let growth = points().max_by(|a, b| a.s.re.total_cmp(&b.s.re));
            let re = growth.map_or(f64::NAN, |m| if m.s.re.abs() <= m.error { 0.0 } else { m.s.re });
            let error = points().map(|m| m.error).fold(0.0, f64::max);
            table.row(vec![
                (mode + 1).to_string(),
                self.sense(mode).to_owned(),
                f(first),
                f(found.speeds.len() / 2),
                f(last),
                six(re),
                tiny(error),
            ]);
        }
        out.push_str(&table.render(style));
        out.push_str(&critical(found, style));
        out.push_str(&ranges(found, style));
        out.push_str(&summary::notes(&self.notes(), style));
        out
    }
    /// What has to be said in addition to the tables.
    pub fn notes(&self) -> Vec<String> {
        let found = &self.found;
        let mut notes = Vec::new();
        if let Some(words) = self.ended() {
            notes.push(format!("the diagram is a part: {words}"));
            notes.push(
                "ends of ranges of growth that were not solved for lie between neighbouring speeds; their errors say so"
                    .to_owned(),
            );
        }
        notes.extend(found.notes(&self.speed, 1).into_iter().map(|note| note.words));
        notes
    }
}

/// Frequency as shown, without what its error bound hides.
fn shown(m: &ModePoint) -> f64 {
    if m.s.im.abs() <= m.error { 0.0 } else { m.frequency_hz() }
}

fn six_short(x: f64) -> String {
    let text = format!("{x:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn critical(found: &Campbell, style: Style) -> String {
    if found.critical.is_empty() {
        return format!("\n{}\n", found.critical_in_words());
    }
    let mut table = Table::new(vec![
        Column::number("critical speed", ""),
        Column::number("error", ""),
        Column::number("per rev", ""),
        Column::number("mode", ""),
        Column::words("whirl"),
        Column::number("f", "Hz"),
        Column::number("re", "1/s"),
    ]);
    for c in &found.critical {
        table.row(vec![
            format!("{:.9}", c.speed),
            tiny(c.error),
            six_short(c.order),
            (c.mode + 1).to_string(),
            whirl_word(c.whirl).to_owned(),
            six(c.frequency_hz),
            six(c.growth),
        ]);
    }
    format!("\n{}", table.render(style))
}

fn ranges(found: &Campbell, style: Style) -> String {
    if found.unstable.is_empty() {
        return format!("\n{}\n", found.growth_in_words());
    }
    let mut table = Table::new(vec![
        Column::number("grows from", ""),
        Column::number("error", ""),
        Column::number("to", ""),
        Column::number("error", ""),
        Column::number("mode", ""),
        Column::number("largest re", "1/s"),
        Column::number("at", ""),
        Column::words("as"),
    ]);
    for u in &found.unstable {
        let place = |end: &Option<[f64; 2]>| match end {
            Some([w, error]) => [format!("{w:.9}"), tiny(*error)],
            None => ["beyond".to_owned(), "-".to_owned()],
        };
        let ([from, from_error], [to, to_error]) = (place(&u.from), place(&u.to));
        table.row(vec![
            from,
            from_error,
            to,
            to_error,
            u.mode.map_or_else(|| "-".to_owned(), |mode| (mode + 1).to_string()),
            six(u.growth),
            six(u.at),
            if u.divergence { "divergence" } else { "oscillation" }.to_owned(),
        ]);
    }
    format!("\n{}", table.render(style))
}
