//! Nested dissection by METIS: Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998).

use std::sync::Mutex;

use super::pattern::Csr;

/// METIS draws its random numbers from one generator of the process: a lock keeps orders repeatable.
static TURN: Mutex<()> = Mutex::new(());

/// Vertices in the order of elimination; `None` when METIS refuses or the graph is too large for it.
pub(super) fn nested_dissection(graph: &Csr) -> Option<Vec<u32>> {
    let (start, index) = graph.parts();
    let mut count = i32::try_from(graph.len()).ok()?;
    let mut start: Vec<i32> = start.iter().map(|&x| i32::try_from(x).ok()).collect::<Option<_>>()?;
    let mut index: Vec<i32> = index.iter().map(|&x| i32::try_from(x).ok()).collect::<Option<_>>()?;
    if count == 0 {
        return Some(Vec::new());
    }
    let mut order = vec![0_i32; graph.len()];
    let mut place = vec![0_i32; graph.len()];
    let mut options = [0_i32; metis_sys::METIS_NOPTIONS as usize];
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    #[expect(unsafe_code, reason = "METIS is a C library")]
    // SAFETY: `start` has `count` + 1 ascending offsets into `index`, whose entries are below `count` ([`Csr`] of
    // a graph); `order` and `place` have `count` entries and `options` the length METIS asks for. METIS keeps no
    // pointer after it returns, and no other call runs meanwhile.
    let status = unsafe {
        metis_sys::METIS_SetDefaultOptions(options.as_mut_ptr());
        // Equal columns are one vertex already.
        options[metis_sys::moptions_et_METIS_OPTION_COMPRESS as usize] = 0;
        metis_sys::METIS_NodeND(
            &raw mut count,
            start.as_mut_ptr(),
            index.as_mut_ptr(),
            std::ptr::null_mut(),
            options.as_mut_ptr(),
            order.as_mut_ptr(),
            place.as_mut_ptr(),
        )
    };
    if status != metis_sys::rstatus_et_METIS_OK {
        return None;
    }
    order.into_iter().map(|v| u32::try_from(v).ok()).collect()
}
