//! Times of a solid block clamped by multipliers: model, blocks of the linearization, factorization.
//!
//! `solid_block 45 45 45` has about 300,000 unknowns. Times are by the clock; the assembly uses all cores, the
//! factorization as many as it likes.

#![expect(clippy::print_stdout, reason = "an example that reports")]

use mb_model::{Model, SolidData, SolidMaterial, SolidMesh};
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| words.get(k).and_then(|w| w.parse().ok()).unwrap_or(10);
    let elements = [number(0), number(1), number(2)];
    let factorize = words.get(3).is_none_or(|w| w != "assembly");

    let clock = Instant::now();
    let material = SolidMaterial { density: 7850.0, youngs_modulus: 2.1e11, poissons_ratio: 0.3 };
    let mesh = SolidMesh::block([1.0, 1.0, 1.0], elements);
    let mut model: Model = Model::new("block", [0.0, 0.0, -9.81]);
    let nodes = model.add_solid_nodes("block", &mesh);
    model.add_solid_elements("solid 'block'", &SolidData::new(material), &mesh, &nodes)?;
    for k in &mesh.sets["x-"] {
        model.hold_node(&format!("solid 'block' node {}", mesh.node_ids[*k]), nodes[*k], [true; 3]);
    }
    println!("{} unknowns and {} rows, model {:.2} s", model.nv(), model.nc(), clock.elapsed().as_secs_f64());

    let point = model.initial_point();
    for round in 0..2 {
        let clock = Instant::now();
        let r = model.residual(&point);
        let residual = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        let (k, phi_q) = model.static_blocks(&point);
        let statics = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        let blocks = model.blocks(&point);
        let all = clock.elapsed().as_secs_f64();
        let each = statics / mesh.elements.len() as f64;
        println!(
            "round {round}: residual {residual:.2} s, K and Phi_q {statics:.2} s, all blocks {all:.2} s"
        );
        println!("  {:.1} us of K an element, {} entries of K, {} of M", each * 1e6, k.nnz(), blocks.m.nnz());
        if round == 1 && factorize {
            let clock = Instant::now();
            let analysis = Arc::new(SaddleAnalysis::new(&k, &phi_q, &SaddleOptions::default())?);
            println!("analysis {:.2} s: {:?}", clock.elapsed().as_secs_f64(), analysis.estimate());
            let clock = Instant::now();
            let factor = SaddleFactor::new(&analysis, &k, &phi_q)?;
            println!("factorization {:.2} s", clock.elapsed().as_secs_f64());
            let clock = Instant::now();
            let load: Vec<f64> = r.iter().map(|r| -r).collect();
            let (x, _) = factor.solve(&load, &vec![0.0; model.nc()])?;
            let sag = x.iter().skip(2).step_by(3).fold(0.0_f64, |s, x| s.max(x.abs()));
            println!("one solution {:.2} s, sag {sag:.3e} m", clock.elapsed().as_secs_f64());
        }
    }
    Ok(())
}
