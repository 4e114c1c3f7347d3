//! The steps of the integrators take no memory, explicit and implicit, in small and large models: an allocator that counts.

#![expect(unsafe_code, reason = "an allocator that counts must implement the unsafe trait of allocators")]

use mb_constraints::ConstraintMethod;
use mb_constraints::simulate::{
    GeneralizedAlpha, Integrator, Progress, SimulationOptions, StepControl, simulate,
};
use mb_gallery::models::{FourBar, SpatialFourBar, spatial_chain};
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
    let loops = |loops| FourBar { loops, damping: 0.5, ..FourBar::default() };
    let plane = |n| loops(n).spec().and_then(|s| s.build()).expect("a model of the gallery");
    let space = SpatialFourBar::default().spec().and_then(|s| s.build()).expect("a model of the gallery");
    for (model, until) in [(&plane(3), 3.0), (&space, 1.0)] {
        for restart in [false, true] {
            for method in ConstraintMethod::all() {
                check(model, until, 0.02, explicit(method, restart), 1);
            }
        }
        for stabilized in [false, true] {
            check(model, 0.4, 0.02, implicit(stabilized, 2e-3), 1);
        }
    }
    // Large ones, by sparse factors: open chains in space and closed ones in the plane.
    for links in [45, 90] {
        let mut chain = spatial_chain(links).and_then(|s| s.build()).expect("a model of the gallery");
        // Out of balance.
        chain.gravity = [1.0, 2.0, -9.81];
        large(&chain);
    }
    large(&plane(105));
}

fn large(model: &Model) {
    for method in ConstraintMethod::all() {
        check(model, 0.05, 1e-3, explicit(method, false), 5);
    }
    for stabilized in [false, true] {
        check(model, 0.3, 0.01, implicit(stabilized, 3e-3), 50);
    }
}

fn explicit(method: ConstraintMethod, restart: bool) -> Integrator {
    Integrator::DormandPrince { method, control: StepControl::default(), restart }
}

fn implicit(stabilized: bool, step: f64) -> Integrator {
    Integrator::GeneralizedAlpha(GeneralizedAlpha { step, stabilized, ..GeneralizedAlpha::default() })
}

/// Counts from the step `from` on: before it buffers may still be filled, and factors be made for the first time.
fn check(model: &Model, until: f64, every: f64, integrator: Integrator, from: usize) {
    let name = format!("{} with {} velocities", integrator.method_name(), model.nv());
    let options = SimulationOptions { until, every, integrator, ..Default::default() };
    let mut seen = Vec::with_capacity(100_000);
    let mut count = |p: &Progress| {
        seen.push(COUNT.load(Ordering::Relaxed));
        assert!(p.time <= until);
        ControlFlow::Continue(())
    };
    let v = model.initial_velocity();
    let motion = simulate(model, 0.0, model.initial(), v, &options, &mut count).expect("the linkage moves");
    assert!(motion.len() > 19 && seen.len() > 9, "{name}: {} steps, {:?}", seen.len(), motion.end);
    let (first, last) = (seen[from], seen[seen.len() - 1]);
    let s = motion.statistics;
    assert_eq!(last - first, 0, "{name}: {} allocations in {} steps, {s:?}", last - first, seen.len() - from);
}
