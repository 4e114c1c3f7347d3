//! Files of meshes: what they may say, and what is said of those that are wrong.

use mb_model::SolidMesh;

const CUBE: &str = "\
# one element
nodes
10 0 0 0
20 1 0 0
30 1 1 0
40 0 1 0
50 0 0 1
60 1 0 1
70 1 1 1
80 0 1 1   # the last
elements
7 10 20 30 40 50 60 70 80
set foot
10 20
30 40
";

#[test]
fn a_file_gives_the_block_of_the_generator() {
    let (mesh, block) = (SolidMesh::parse(CUBE).unwrap(), SolidMesh::block([1.0; 3], [1, 1, 1]));
    // The generator numbers the nodes of a face by lines, the file round it.
    let at = |mesh: &SolidMesh| mesh.elements[0].map(|k| mesh.nodes[k]);
    assert_eq!(at(&mesh), at(&block));
    assert_eq!((mesh.element_ids.as_slice(), mesh.node_ids[7]), (&[7][..], 80));
    assert_eq!(mesh.sets["foot"], [0, 1, 2, 3]);
    assert_eq!(mesh.sets["all"].len(), 8);
    assert_eq!(mesh.outer_faces().len(), 6);
}

fn message(from: &str, to: &str) -> String {
    assert!(CUBE.contains(from), "{from}");
    SolidMesh::parse(&CUBE.replacen(from, to, 1)).map_or_else(|e| e.to_string(), |_| String::new())
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let cases = [
        ("10 20 30 40 50 60 70 80", "10 20 30 40 50 60 70 81", "line 12: there is no node 81"),
        ("10 20\n30", "10 25\n30", "line 14: there is no node 25"),
        ("20 1 0 0", "10 1 0 0", "line 4: node 10 stands in line 3 already"),
        (
            "60 70 80\n",
            "60 70 80\n7 20 10 30 40 50 60 70 80\n",
            "line 13: element 7 stands in line 12 already",
        ),
        ("50 60 70 80", "50 60 70", "line 12: an element has 9 numbers, but 8 stand here"),
        ("30 1 1 0", "30 1 1", "line 5: a node has 4 numbers, but 3 stand here"),
        ("30 1 1 0", "30 1 nan 0", "line 5: `nan` is not a finite coordinate"),
        ("30 1 1 0", "30 1 1e999 0", "line 5: `1e999` is not a finite coordinate"),
        ("30 1 1 0", "30 1 one 0", "line 5: `one` is not a finite coordinate"),
        ("30 1 1 0", "-3 1 1 0", "line 5: `-3` is not the number of a node or an element"),
        ("nodes\n", "", "line 2: `10` stands before the first section"),
        ("elements", "element", "line 11: `element` is neither a number nor a section"),
        ("set foot", "set", "line 13: a set is written `set NAME`"),
        ("30 40\n", "30 40\nset foot\n", "line 16: there is a set `foot` already"),
        ("60 70 80\n", "60 70 70\n", "line 12: element 7 has node 70 more than once"),
        ("80 0 1 1", "80 0 1 1\n90 2 2 2", "line 11: node 90 belongs to no element"),
        ("elements\n7 10 20 30 40 50 60 70 80\n", "", "line 13: the file has no elements"),
        ("7 10 20 30 40 50 60 70 80", "7 50 60 70 80 10 20 30 40", "line 12: element 7 is inside out"),
    ];
    for (from, to, expected) in cases {
        let found = message(from, to);
        assert!(found.starts_with(expected), "{found}\nin place of {expected}");
    }
}
