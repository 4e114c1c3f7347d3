//! Long work: without the interpreter's lock, ended by Ctrl-C.
//!
//! The work runs on a thread of its own while the calling one checks for signals every [`TICK`]. An interrupt raises its
//! exception at once and asks the work to end, which it does at its next step ([`mb_algebra::interrupt`]). What it works on is
//! owned by it, so that nothing it reads can go away or change. Problems of a few milliseconds stay on the calling thread ([`run_sized`]).

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use mb_algebra::interrupt::{Stopped, Watch};
use pyo3::prelude::*;

use crate::{errors, fork};

/// Time between two checks for signals, s: KeyboardInterrupt comes within a fraction of 0.2 s.
const TICK: Duration = Duration::from_millis(40);

/// Stack of a worker, bytes: that of main threads, with room for deep recursions over elimination trees.
const STACK: usize = 64 << 20;

/// Jobs under way.
static BUSY: AtomicUsize = AtomicUsize::new(0);

type Job = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The idle worker of this thread with its process; starting one for every call costs more than small problems do.
    static WORKER: RefCell<Option<(u32, Sender<Job>)>> = const { RefCell::new(None) };
    /// Called with the steps that the work of this thread has done, at every check for signals.
    static PROGRESS: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

fn worker() -> std::io::Result<Sender<Job>> {
    match WORKER.take() {
        Some((process, idle)) if process == std::process::id() => return Ok(idle),
        // A worker of the process that this one was forked from; it is not here.
        Some(other) => std::mem::forget(other),
        None => {}
    }
    let (send, jobs) = channel::<Job>();
    let serve = move || jobs.into_iter().for_each(|job| job());
    std::thread::Builder::new().name("mb".into()).stack_size(STACK).spawn(serve)?;
    Ok(send)
}

/// What a job left: its value, that it was ended, or what it panicked with.
type Outcome<T> = Result<Result<T, Stopped>, Box<dyn Any + Send>>;

/// Counts a job as long as it lives.
struct UnderWay;

impl UnderWay {
    fn new() -> Self {
        BUSY.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        BUSY.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Jobs under way in all threads, those included that an interrupt has asked to end.
#[pyfunction]
pub(crate) fn busy() -> usize {
    BUSY.load(Ordering::Relaxed)
}

/// Sets what is called with the steps of long work of this thread; gives what was called before.
#[pyfunction]
#[pyo3(signature = (call))]
pub(crate) fn watch_progress(call: Option<Py<PyAny>>) -> Option<Py<PyAny>> {
    PROGRESS.replace(call)
}

/// Runs `work` without the interpreter's lock.
///
/// Errors: KeyboardInterrupt, or whatever a signal handler raises; `InternalError` for a panic.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run_watched(py, work, |_| Ok(()))
}

/// Unknowns up to which dense work takes a few milliseconds: handing it to another thread would be a good part of that.
const BRIEF: usize = 100;

/// As [`run`], of a problem with so many unknowns: a small one is solved on the calling thread, too soon over to be interrupted.
pub(crate) fn run_sized<T: Send + 'static>(
    py: Python<'_>,
    unknowns: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run_unless(py, unknowns <= BRIEF, work)
}

/// Entries of matrices that are gone through in a few milliseconds.
pub(crate) const BRIEF_PASS: usize = 1 << 20;

/// As [`run_sized`], of a few passes over so many entries of matrices.
pub(crate) fn run_over<T: Send + 'static>(
    py: Python<'_>,
    entries: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run_unless(py, entries <= BRIEF_PASS, work)
}

fn run_unless<T: Send + 'static>(
    py: Python<'_>,
    brief: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if !brief || fork::is_child() {
        return run(py, work);
    }
    let _under_way = UnderWay::new();
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|panic| errors::internal(py, &words(panic.as_ref())))
}

/// As [`run`]; `watch` is called at every check for signals, and an error of it ends the wait too.
pub(crate) fn run_watched<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    watch: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    run_under(py, &Watch::new(), work, watch)
}

/// As [`run_watched`], of work that knows what it looks at: where it opens scopes of its own, these have to look at `flag` too.
pub(crate) fn run_under<T: Send + 'static>(
    py: Python<'_>,
    flag: &Watch,
    work: impl FnOnce() -> T + Send + 'static,
    mut watch: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let (done, result) = channel::<Outcome<T>>();
    let own = flag.clone();
    let under_way = UnderWay::new();
    let pool = fork::is_child().then(|| fork::pool(STACK)).transpose();
    let pool = pool.map_err(|e| errors::internal(py, &format!("no threads could be started: {e}")))?;
    let job: Job = Box::new(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| match pool {
            Some(pool) => Ok(pool.install(work)),
            None => own.scope(work),
        }));
        drop(under_way);
        // Nobody listens any more after an interrupt.
        let _ = done.send(outcome);
    });
    let worker = worker().map_err(|e| errors::internal(py, &format!("no thread could be started: {e}")))?;
    worker.send(job).map_err(|_| errors::internal(py, "a worker ended early"))?;
    let outcome = wait(py, result, flag, &mut watch).inspect_err(|_| flag.set())?;
    WORKER.set(Some((std::process::id(), worker)));
    let done = outcome.map_err(|panic| errors::internal(py, &words(panic.as_ref())))?;
    done.map_err(|_| errors::internal(py, "work ended although nothing asked for it"))
}

/// Waits for the result; after an error the work is to be ended.
fn wait<T: Send>(
    py: Python<'_>,
    result: Receiver<Outcome<T>>,
    flag: &Watch,
    watch: &mut impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<Outcome<T>> {
    let mut result = result;
    loop {
        let (back, got) = py.detach(move || {
            let got = result.recv_timeout(TICK);
            (result, got)
        });
        result = back;
        match got {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                let call = PROGRESS.with_borrow(|call| call.as_ref().map(|call| call.clone_ref(py)));
                if let Some(call) = call {
                    call.call1(py, (flag.steps(),))?;
                }
                watch(py)?;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(errors::internal(py, "a worker ended early")),
        }
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned())
}
