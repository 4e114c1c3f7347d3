//! Parts of directed graphs, which are lists of the nodes that each node leads to.

/// The strongly connected parts of a graph: the nodes of a part lead to each other. Parts stand in the order of their first nodes, and nodes in
/// increasing order.
pub fn strong_parts(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let n = next.len();
    let mut before = vec![Vec::new(); n];
    for (i, list) in next.iter().enumerate() {
        for j in list {
            before[*j].push(i);
        }
    }
    let mut placed = vec![false; n];
    let mut out = Vec::new();
    for i in 0..n {
        if placed[i] {
            continue;
        }
        let [to, from] = [next, &before].map(|graph| reached(i, graph));
        let part: Vec<usize> = (i..n).filter(|&j| to[j] && from[j]).collect();
        for &j in &part {
            placed[j] = true;
        }
        out.push(part);
    }
    out
}

/// The nodes that a node leads to, itself among them.
fn reached(from: usize, next: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut open = vec![from];
    seen[from] = true;
    while let Some(i) = open.pop() {
        for &j in &next[i] {
            if !std::mem::replace(&mut seen[j], true) {
                open.push(j);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_part_lead_to_each_other() {
        // 0 <-> 3, 3 -> 1, 1 -> 2.
        let next = [vec![3], vec![2], vec![], vec![0, 1]];
        assert_eq!(strong_parts(&next), [vec![0, 3], vec![1], vec![2]]);
        assert!(strong_parts(&[]).is_empty());
    }
}
