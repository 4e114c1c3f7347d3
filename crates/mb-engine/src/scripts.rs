//! Scripts that run the driver in a folder: by hand, and by Slurm.

/// A script for plain `mpiexec`; ranks and launcher may be given from outside.
pub(crate) fn run(driver: &str, ranks: usize) -> String {
    format!(
        "#!/bin/sh\n\
         # Runs the distributed engine of mb in this folder. After it was killed it is run again as it is.\n\
         #   RANKS     number of processes, {ranks} where not given\n\
         #   LAUNCHER  what starts them, mpiexec -n RANKS where not given\n\
         #   MB_ENGINE_DIR  folder of the driver, the search path where not given\n\
         cd \"$(dirname \"$0\")\" || exit 1\n\
         ranks=\"${{RANKS:-{ranks}}}\"\n\
         engine=\"${{MB_ENGINE_DIR:+$MB_ENGINE_DIR/}}{driver}\"\n\
         OMP_NUM_THREADS=\"${{OMP_NUM_THREADS:-1}}\"\n\
         export OMP_NUM_THREADS\n\
         exec ${{LAUNCHER:-mpiexec -n $ranks}} \"$engine\" .\n"
    )
}

/// A script for `sbatch`.
pub(crate) fn slurm(driver: &str, ranks: usize) -> String {
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=mb-engine\n\
         #SBATCH --ntasks={ranks}\n\
         #SBATCH --cpus-per-task=1\n\
         # Submit from this folder: sbatch slurm.sh; options given to sbatch take precedence over those above.\n\
         cd \"${{SLURM_SUBMIT_DIR:-.}}\" || exit 1\n\
         OMP_NUM_THREADS=\"${{SLURM_CPUS_PER_TASK:-1}}\"\n\
         export OMP_NUM_THREADS\n\
         exec srun \"${{MB_ENGINE_DIR:+$MB_ENGINE_DIR/}}{driver}\" .\n"
    )
}
