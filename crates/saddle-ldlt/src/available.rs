//! How much memory there is, where the system says (Linux).

/// Needs below this are met without asking the system, which takes longer than the factors of a small matrix.
const SURELY_AVAILABLE: u64 = 64 << 20;

/// Bytes that `needed` has to fit in: the limit, else what the system has; `None` when it need not be known.
pub fn memory_for(needed: u64, limit: Option<u64>) -> Option<u64> {
    limit.or_else(|| if needed < SURELY_AVAILABLE { None } else { available_memory() })
}

/// Bytes that this process may still take: those that the system has available, or what its control group or its address space leaves,
/// where that is less. None where the system does not say.
pub fn available_memory() -> Option<u64> {
    let address_space = address_space().map(|(used, most)| most.saturating_sub(used));
    [of_system(), of_control_group(), address_space].into_iter().flatten().min()
}

/// Bytes of address space in use, and the most of it where it is limited (`ulimit -v`).
pub fn address_space() -> Option<(u64, u64)> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    let most = line.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some((1024 * number(&status, "VmSize:")?, most))
}

fn of_system() -> Option<u64> {
    Some(1024 * number(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?)
}

/// Files that were read and may be dropped count as available.
fn of_control_group() -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let most: u64 = read("memory.max")?.trim().parse().ok()?;
    let used: u64 = read("memory.current")?.trim().parse().ok()?;
    let files = number(&read("memory.stat")?, "inactive_file ").unwrap_or(0);
    Some(most.saturating_sub(used.saturating_sub(files)))
}

/// The number after a word that begins a line.
fn number(text: &str, word: &str) -> Option<u64> {
    let rest = text.lines().find_map(|l| l.strip_prefix(word))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_word_that_begins_their_line() {
        let text = "MemTotal:       100 kB\nMemAvailable:   77 kB\n";
        assert_eq!((number(text, "MemAvailable:"), number(text, "Swap:")), (Some(77), None));
    }
}
