//! Command lines that mean nothing: each is refused with the option, what is wrong, and what to do; nothing is ignored in silence.

use crate::faults::mb_in;
use crate::support::right;

const TWO: &str = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n";

/// Command lines of a rod pendulum `@p`, an arm on springs `@a`, a cart with a pendulum `@c` and matrices `@M`, `@K`, with words of the answer.
const REFUSED: [(&str, &[&str]); 49] = [
    // Numbers out of their range.
    ("equilibrium @p --find-all 0", &["--find-all", "a whole number, at least 1"]),
    (
        "track @a --parameter k --from 8 --to 9 --samples 1",
        &["--samples", "at least 2", "both ends of the path"],
    ),
    ("track @a --parameter k --from 8 --to 9 --samples 0", &["--samples", "at least 2"]),
    ("modes @p --at P.x=1e300", &["--at P.x: `1e300` is too large", "below 1e100"]),
    ("track @a --parameter k --from 1e200 --to 9", &["--from k: `1e200` is too large"]),
    ("simulate @p --until 1 --beta nan", &["--beta", "a positive number"]),
    ("simulate @p --until 1 --omega -1", &["--omega", "a positive number"]),
    ("simulate @p --until 1 --mu -1", &["--mu", "zero or a positive number"]),
    ("simulate @p --until 1 --iterate-to -1", &["--iterate-to", "a positive number"]),
    ("simulate @p --until 1 --most-iterations 0", &["--most-iterations", "at least 1"]),
    (
        "simulate @p --until 1 --step 1e-300 --integrator generalized-alpha",
        &["--step is 1e-300", "at least 1e-12"],
    ),
    (
        "simulate @c --until 1 --velocity cart.x=1e101",
        &["--velocity cart.x: `1e101` is too large", "below 1e100"],
    ),
    (
        "simulate @c --until 1 --stop position=1e101",
        &["--stop position: `1e101` is too large", "below 1e100"],
    ),
    (
        "simulate @p --until 1 --at P.x=1e99 --start keep",
        &["violation of rod 'rod' (length) at t = 0 s is so large", "--> "],
    ),
    ("track @a --parameter k --from 8 --to 9 --order 1000", &["The order is 1000; it is at most 255."]),
    ("simulate @p --until 1 --step 1e-300", &["--step is 1e-300", "at least 1e-12"]),
    ("orbit @p --period 1 --steps 100000000000", &["--steps is 100000000000", "at most --most-steps"]),
    ("orbit @p --period 1 --parts 1000000", &["--parts is 1000000", "half of --most-steps"]),
    ("floquet @p --period 1 --parts 5000", &["--parts is 5000", "half of --most-steps"]),
    ("floquet @p --period 1 --most-steps 1000000000000", &["--most-steps", "at most 100000000 steps"]),
    ("orbit @p --period 1 --settle 1e300", &["--settle", "between 1e-100 and 1e100"]),
    ("response @c --from F --to position --band 0 1e308", &["--band HI is 1e308", "at most 1e100 Hz"]),
    ("response @c --from F --to position --at-hz 1e308", &["--at-hz is 1e308", "at most 1e100 Hz"]),
    (
        "parametric @a --parameters k --accuracy 1e-9 --region k=-5%",
        &["--region k=-5%: the share is negative"],
    ),
    (
        "parametric @a --parameters k --accuracy 1e-9 --region k=5..1",
        &["--region k=5..1: it ends below its begin"],
    ),
    ("parametric @a --parameters k --tolerance k=-1", &["--tolerance is -1", "zero or positive"]),
    ("modes @p --near -3", &["--near is -3", "--near 0 gives the lowest modes"]),
    ("modes @p --band -1 4", &["--band LO is -1", "--band 0 50 is from"]),
    ("simulate @p --until -1", &["--until is -1", "--until 5 ends"]),
    ("simulate @p --until 1 --every -1", &["--every is -1", "--every 0.01 reports"]),
    // Lists and names.
    ("track @a --parameter k --from 8 --to 9 --group 1", &["--group 1: a group has at least two modes"]),
    ("track @a --parameter k --from 8 --to 9 --group 98,99", &["--group 98,99: there are 5 modes"]),
    ("track @a --parameter k --from 8 --to 9 --modes 99", &["--modes 99: there are 5 modes"]),
    ("modes @p --spin axle=1", &["'axle' does not exist", "--spin JOINT=SPEED"]),
    (
        "track @a --parameter spin:axle --from 1 --to 2 --campbell",
        &["'axle' does not exist", "'hub'", "spin:JOINT"],
    ),
    ("modes @p --frame rotor --moving", &["no body 'rotor'", "the model has no bodies", "--frame"]),
    // Options that have no meaning beside others.
    ("modes @p --count 3", &["--count"]),
    ("modes @p --alpha -1", &["--alpha belongs to the unconstrained formulation", "leave --alpha out"]),
    ("modes @p --alpha -1 --formulation all", &["--alpha is -1, but it must be a positive number"]),
    ("modes @p --xi 1 --formulation redundant", &["--xi belongs to", "--formulation unconstrained"]),
    ("modes @p --basis svd --formulation redundant", &["--basis belongs to the minimal formulation"]),
    ("modes @p --transferred both", &["--transferred belongs to the redundant formulation"]),
    ("modes @p --lowest 2 --count 3", &["--lowest", "--count"]),
    ("modes --mass @M --stiffness @K --energy", &["--energy belongs to a model", "leave it out"]),
    ("modes --mass @M --stiffness @K --plot x.svg", &["--plot belongs to a model"]),
    ("modes --mass @M --stiffness @K --at x=1", &["--at belongs to a model"]),
    ("modes --mass @M --stiffness @K --set x=1", &["--set belongs to a model"]),
    ("modes --descriptor @M @K --moving", &["--moving belongs to a model"]),
    ("modes --descriptor @M @K --formulation redundant", &["--formulation belongs to a model"]),
];

#[test]
fn what_has_no_meaning_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    file("p", &right(&["generate", "rod-pendulum"]));
    file("a", &right(&["generate", "spring-arm"]));
    file("c", &right(&["generate", "cart-pendulum"]));
    file("M", TWO);
    file("K", TWO);
    for (line, words) in REFUSED {
        let args: Vec<&str> = line.split(' ').collect();
        let run = mb_in(folder.path(), &args);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{line}: {run:?}");
        for word in words {
            assert!(run.err.contains(word), "{line}: no {word:?} in {}", run.err);
        }
    }
    // With what they belong to they are taken.
    for line in
        ["modes @p --near 2 --count 3", "modes @p --near-point 0,3 --count 3", "modes @p --count 2 --near 1"]
    {
        let run = mb_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{line}");
    }
}

/// A body on a joint in the plane or in space, and what refers to that joint.
fn on_a_joint(body: &str, joint: &str, rest: &str) -> String {
    format!(
        "units = \"SI\"\nname = \"x\"\ngravity = [0, 0, -9.81]\n{body}\n[[joint]]\nname = \"pin\"\n{joint}\nb = \"ground\"\n{rest}\n"
    )
}

#[test]
fn what_refers_to_a_wrong_joint_is_not_judged() {
    let body = "[[spatial-body]]\nname = \"rod\"\nmass = 1\ninertia = [1, 1, 1]\nat = [0, 0, -1]\nmarkers = { top = [0, 0, 1] }";
    let spring = "[[torsion-spring]]\nname = \"s\"\njoint = \"pin\"\nstiffness = 3\n";
    let others = "[[drive]]\nname = \"d\"\nquantity = \"angle\"\nof = \"pin\"\nlaw = \"t\"\n[[output]]\nname = \"y\"\nquantity = \"angle\"\nof = \"pin\"\n";
    let problems = |text: &str| -> Vec<String> {
        let run = crate::support::mb_with(&["check", "-", "--json"], text);
        assert_eq!(run.code, 1, "{run:?}");
        let error: serde_json::Value = serde_json::from_str(&run.err).unwrap();
        let list = error["error"]["problems"].as_array().unwrap();
        let whole = |p: &serde_json::Value| format!("{} {}", p["message"].as_str().unwrap(), p["help"]);
        list.iter().map(whole).collect()
    };
    let wrong = "type = \"revolute\"\naxis = [0, 0, 1]\na = \"rod.topp\"";
    let found = problems(&on_a_joint(body, wrong, &format!("{spring}{others}")));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("no marker `topp`"), "{found:?}");
    // A joint that is right and has no such motion, one in the plane, and one that is not there.
    let fixed = "type = \"fixed\"\na = \"rod.top\"";
    let found = problems(&on_a_joint(body, fixed, spring));
    assert!(found.len() == 1 && found[0].contains("no joint in space with a free rotation"), "{found:?}");
    assert!(found[0].contains("revolute, cylindrical"), "{found:?}");
    let plane = "[[body]]\nname = \"rod\"\nmass = 1\ninertia = 1\nat = [0, -1]\nmarkers = { top = [0, 1] }";
    let pin = "type = \"revolute\"\na = \"rod.top\"";
    let found = problems(&on_a_joint(plane, pin, spring).replace("[0, 0, -9.81]", "[0, -9.81]"));
    assert!(found.len() == 1 && found[0].contains("name the two ends as `a` and `b`"), "{found:?}");
    let found = problems(&on_a_joint(
        body,
        "type = \"revolute\"\naxis = [0, 0, 1]\na = \"rod.top\"",
        &spring.replace("\"pin\"", "\"pim\""),
    ));
    assert!(
        found.len() == 1 && found[0].contains("no joint `pim`") && found[0].contains("did you mean `pin`"),
        "{found:?}"
    );
}

#[test]
fn ends_of_a_family_are_whole_numbers() {
    let family = |to: &str| {
        format!(
            "units = \"SI\"\nname = \"x\"\nparameters = {{ N = 2.5 }}\n[[repeat]]\nindex = \"i\"\nfrom = 0\nto = {to}\n\
             [[repeat.point]]\nname = \"p{{i}}\"\nat = [\"i\", 0]\nmass = 1\n"
        )
    };
    for (to, words) in [
        ("1.5", "the value is 1.5, but a whole number must stand here"),
        ("\"2*N/2\"", "the value is `2*N/2` = 2.5, but a whole number must stand here"),
        ("1e9", "has 1000000001 members; the most is 2000000"),
    ] {
        let run = crate::support::mb_with(&["check", "-"], &family(to));
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        for word in [words, "repeat over 'i'", "<stdin>:7:", "= help: "] {
            assert!(run.err.contains(word), "no {word:?} in {}", run.err);
        }
    }
}
