//! Scripts without what a browser does not read: comments, indentation, blanks around signs.
//!
//! Names stay, so that what runs in the page is the source, line by line. Strings are left as they are; in texts between backticks
//! the indentation of a new line goes, which the shaders do not need. A slash is a division or begins a comment: regular expressions
//! are not known here, and the scripts have none.

/// Signs next to which a blank has no meaning.
const SIGNS: &str = "{}()[];,:?=<>*%&|^!~+-/.";
/// Signs after or before which a line goes on.
const OPEN: &str = "{([;,:?=<>*%&|^!~+-/.";
const CLOSE: &str = "})];,:?=*%&|^.";

/// The script without comments and blanks that have no meaning.
pub(crate) fn lean(script: &str) -> String {
    let mut out = String::with_capacity(script.len());
    let mut rest = script;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first.is_ascii_whitespace() {
            rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(rest.len())
        } else if matches!(first, '"' | '\'' | '`') {
            let length = quoted(rest, first);
            let lines = rest[..length].split('\n').enumerate();
            let trimmed = lines.map(|(k, line)| if k == 0 { line } else { line.trim_start() });
            out.push_str(&trimmed.collect::<Vec<_>>().join("\n"));
            rest = &rest[length..];
            continue;
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        let (gap, after) = rest.split_at(length);
        rest = after;
        blank(&mut out, gap, after);
    }
    out
}

/// Puts what a gap means: nothing, a blank or a new line.
fn blank(out: &mut String, gap: &str, after: &str) {
    if gap.starts_with("//") || gap.starts_with("/*") {
        return;
    }
    // A comment that follows is part of the gap.
    if after.starts_with("//") || after.starts_with("/*") {
        out.push(if gap.contains('\n') { '\n' } else { ' ' });
        return;
    }
    let whole = out.trim_end_matches([' ', '\n']).len();
    let line = gap.contains('\n') || out[whole..].contains('\n');
    out.truncate(whole);
    let (Some(before), Some(next)) = (out.chars().next_back(), after.chars().next()) else { return };
    let free = if line {
        OPEN.contains(before) || CLOSE.contains(next)
    } else {
        (SIGNS.contains(before) || SIGNS.contains(next)) && !(before == next && matches!(next, '+' | '-'))
    };
    if !free {
        out.push(if line { '\n' } else { ' ' });
    }
}

/// Length of the text in quotes that the script begins with; places of a template hold scripts of their own.
fn quoted(script: &str, quote: char) -> usize {
    let bytes = script.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'$' if quote == '`' && bytes.get(at + 1) == Some(&b'{') => {
                let mut depth = 1;
                at += 2;
                while at < bytes.len() && depth > 0 {
                    match bytes[at] {
                        b'{' => depth += 1,
                        b'}' => depth -= 1,
                        inner @ (b'"' | b'\'' | b'`') => at += quoted(&script[at..], char::from(inner)) - 1,
                        _ => {}
                    }
                    at += 1;
                }
            }
            byte if char::from(byte) == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::lean;

    #[test]
    fn comments_and_blanks_go_and_texts_stay() {
        for (script, expected) in [
            ("const a = [1, 2];  // two\nconst b = a + +a[0] - -1;\n", "const a=[1,2];const b=a+ +a[0]- -1;"),
            (
                "/// Says it.\nfunction f(x) {\n  return x ? \"a  // b\" : 'c /* d';\n}\nf(1)\n",
                "function f(x){return x?\"a  // b\":'c /* d';}\nf(1)",
            ),
            (
                "let s = `a\n  b ${c ? `{ ${d} }` : \"}\"}  e`;\n",
                "let s=`a\nb ${c ? `{ ${d} }` : \"}\"}  e`;",
            ),
            ("if (a) b()\n// then\n[c] = d\n", "if(a)b()\n[c]=d"),
            ("x\n  .map(f)\n  /* g */ .size", "x.map(f).size"),
            ("for (const x of [1]) if (x in y) typeof x;", "for(const x of[1])if(x in y)typeof x;"),
        ] {
            assert_eq!(lean(script), expected);
        }
    }
}
