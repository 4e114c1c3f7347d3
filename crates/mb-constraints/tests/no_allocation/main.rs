//! The steps of the explicit integrator take no memory: an allocator that counts.

#![expect(unsafe_code, reason = "an allocator that counts must implement the unsafe trait of allocators")]

use mb_constraints::ConstraintMethod;
use mb_constraints::simulate::{Integrator, Progress, SimulationOptions, StepControl, simulate};
use mb_gallery::models::{FourBar, SpatialFourBar};
use mb_model::Model;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNT: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the rules of this trait, which are the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules of this trait, which are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let plane = FourBar { loops: 3, damping: 0.5, ..FourBar::default() };
    let plane = plane.spec().and_then(|s| s.build()).expect("a model of the gallery");
    let space = SpatialFourBar::default().spec().and_then(|s| s.build()).expect("a model of the gallery");
    for (model, until) in [(plane, 3.0), (space, 1.0)] {
        check(&model, until);
    }
}

/// Counts in every method, with and without fresh starts.
fn check(model: &Model, until: f64) {
    for restart in [false, true] {
        for method in ConstraintMethod::all() {
            let name = method.to_string();
            let integrator = Integrator::DormandPrince { method, control: StepControl::default(), restart };
            let options = SimulationOptions { until, every: 0.02, integrator, ..Default::default() };
            let mut seen = Vec::with_capacity(100_000);
            let mut count = |p: &Progress| {
                seen.push((p.steps, COUNT.load(Ordering::Relaxed)));
                ControlFlow::Continue(())
            };
            let v = model.initial_velocity();
            let motion =
                simulate(model, 0.0, model.initial(), v, &options, &mut count).expect("the linkage moves");
            assert!(motion.len() > 50);
            // The first step may still fill buffers; after it nothing is taken until the end.
            let (first, last) = (seen[1].1, seen[seen.len() - 1].1);
            assert_eq!(last - first, 0, "{name}: {} allocations in {} steps", last - first, seen.len());
            assert!(seen.len() > 10);
        }
    }
}
