/* The distributed engine of mb: eigenpairs and inertias of prepared matrices by SLEPc and MUMPS.
 *
 *   mpiexec -n N mb-engine-real FOLDER        undamped symmetric problems, real numbers
 *   mpiexec -n N mb-engine-complex FOLDER     all others
 *
 * FOLDER holds options.txt ("key value" lines), K.petsc, M.petsc and, for damped problems, C.petsc (PETSc binary). All of them are
 * of the saddle point: K = [K Phi^T; Phi 0], M = diag(M, 0). Written are, in FOLDER/results:
 *
 *   values.bin    numbers: the eigenvalues, two (re, im) each
 *   counts.bin    numbers: shift, negative eigenvalues, null pivots, relative residual of a solve; four each
 *   phases.bin    numbers: re, im of a point, ln |det|, arg det, smallest singular value, residual of a solve; six each
 *   right.bin     PETSc vectors, one for each value; left.bin those of the transposed problem
 *   status.txt    last of all, by a change of name: "code 0" or why there is no result, and what was used
 *
 * "Numbers" are 64-bit words of this machine: a mark, how many, the doubles. Nothing here is believed by the reader: it recomputes
 * residuals, error bounds and classes, and compares all counts with each other and with the eigenvalues.
 */
#include <slepceps.h>
#include <slepcpep.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#if defined(MB_REAL) && defined(PETSC_USE_COMPLEX) || defined(MB_COMPLEX) && !defined(PETSC_USE_COMPLEX)
#error "this SLEPc is of the other kind of numbers"
#endif

#define FORMAT 1
#define MARK 0x3130474e45424d00ULL
#define REPAIRS 5
#define MOVES 5
#define ROUNDS 6
#define MOST 100000
#define NEAR_ZERO 1e-5 /* values up to here may be zeros that rounding parted */

/* Codes of status.txt; the reader has a sentence for each. */
enum { OK = 0, BAD_FOLDER = 2, WRONG_FORMAT = 3, WRONG_SCALAR = 4, NO_MEMORY = 5, SINGULAR_SHIFT = 6, FAILED = 7, TOO_MANY = 8 };

typedef struct {
  char folder[PETSC_MAX_PATH_LEN - 64], package[64], search[16];
  int format, complex_scalars, symmetric, left, degree, lowest, count, points, slice, rank, want, reach, dof, check_mass;
  double shift[2], point[2], between[2], within, below_zero;
} Options;

typedef struct {
  double at, negative, null_pivots, residual;
} Count;

typedef struct {
  double re, im, size, phase, sigma_min, residual;
} Phase;

typedef struct {
  MPI_Comm comm;
  int me, ranks;
  Options o;
  Mat K, C, M;
  int found;
  PetscScalar *value;
  Vec *right, *left;
  int counted, phases;
  Count *count;
  Phase *phase;
  int factorizations, mass_negative;
  double circle[3];
  double seconds;
  const char *stage;
} Run;

static int code_of(PetscErrorCode ierr)
{
  if (ierr == PETSC_ERR_MEM) return NO_MEMORY;
  if (ierr == PETSC_ERR_MAT_LU_ZRPVT || ierr == PETSC_ERR_MAT_CH_ZRPVT) return SINGULAR_SHIFT;
  return FAILED;
}

static void path_of(const Run *r, const char *name, char *out)
{
  snprintf(out, PETSC_MAX_PATH_LEN, "%s/%s", r->o.folder, name);
}

/* FNV-1a of a result, as the reader computes it. */
static void checksum(const Run *r, const char *name, FILE *out)
{
  static unsigned char buffer[1 << 16];
  unsigned long long sum = 0xcbf29ce484222325ULL;
  char path[PETSC_MAX_PATH_LEN];
  size_t got, i;
  FILE *f;
  path_of(r, name, path);
  f = fopen(path, "rb");
  if (!f) return;
  while ((got = fread(buffer, 1, sizeof buffer, f)) > 0)
    for (i = 0; i < got; i++) sum = (sum ^ buffer[i]) * 0x100000001b3ULL;
  fclose(f);
  fprintf(out, "checksum %s %016llx\n", name, sum);
}

/* The last word of a run, by rank 0: whole or absent. */
static void tell(Run *r, int code, const char *words)
{
  char path[PETSC_MAX_PATH_LEN], whole[PETSC_MAX_PATH_LEN];
  FILE *f;
  struct rusage use;
  if (r->me) return;
  getrusage(RUSAGE_SELF, &use);
  path_of(r, "results/status.partial", path);
  path_of(r, "results/status.txt", whole);
  f = fopen(path, "w");
  if (!f) {
    fprintf(stderr, "mb-engine: cannot write %s\n", path);
    return;
  }
  fprintf(f, "format %d\npackage %s\ncode %d\nstage %s\n", FORMAT, r->o.package, code, r->stage);
  fprintf(f, "slepc %d.%d.%d\npetsc %d.%d.%d\nranks %d\n", SLEPC_VERSION_MAJOR, SLEPC_VERSION_MINOR, SLEPC_VERSION_SUBMINOR, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, r->ranks);
  fprintf(f, "found %d\ncounts %d\nphases %d\nfactorizations %d\n", r->found, r->counted, r->phases, r->factorizations);
  fprintf(f, "circle %.17g %.17g %.17g\nseconds %.3f\nmemory_kib %ld\n", r->circle[0], r->circle[1], r->circle[2], MPI_Wtime() - r->seconds, use.ru_maxrss);
  if (r->mass_negative >= 0) fprintf(f, "mass_negative %d\n", r->mass_negative);
  if (words) {
    fprintf(f, "words ");
    for (; *words; words++) fputc(*words == '\n' || *words == '\r' ? ' ' : *words, f);
    fprintf(f, "\n");
  }
  if (!code) {
    checksum(r, "results/values.bin", f);
    checksum(r, "results/counts.bin", f);
    checksum(r, "results/phases.bin", f);
    checksum(r, "results/right.bin", f);
    if (r->o.left) checksum(r, "results/left.bin", f);
  }
  fprintf(f, "end\n");
  if (fclose(f) || rename(path, whole)) fprintf(stderr, "mb-engine: cannot write %s\n", whole);
}

static int read_options(Run *r)
{
  char path[PETSC_MAX_PATH_LEN], line[512];
  Options *o = &r->o;
  FILE *f;
  path_of(r, "options.txt", path);
  f = fopen(path, "r");
  if (!f) return BAD_FOLDER;
  while (fgets(line, sizeof line, f)) {
    sscanf(line, "format %d", &o->format);
    sscanf(line, "package %63s", o->package);
    sscanf(line, "complex %d", &o->complex_scalars);
    sscanf(line, "search %15s", o->search);
    sscanf(line, "symmetric %d", &o->symmetric);
    sscanf(line, "left %d", &o->left);
    sscanf(line, "degree %d", &o->degree);
    sscanf(line, "lowest %d", &o->lowest);
    sscanf(line, "count %d", &o->count);
    sscanf(line, "points %d", &o->points);
    sscanf(line, "reach %d", &o->reach);
    sscanf(line, "check_mass %d", &o->check_mass);
    sscanf(line, "below_zero %lf", &o->below_zero);
    sscanf(line, "slice %d", &o->slice);
    sscanf(line, "rank %d", &o->rank);
    sscanf(line, "dof %d", &o->dof);
    sscanf(line, "want %d", &o->want);
    sscanf(line, "shift %lf %lf", &o->shift[0], &o->shift[1]);
    sscanf(line, "point %lf %lf", &o->point[0], &o->point[1]);
    sscanf(line, "between %lf %lf", &o->between[0], &o->between[1]);
    sscanf(line, "within %lf", &o->within);
  }
  fclose(f);
  if (o->format != FORMAT) return WRONG_FORMAT;
  return OK;
}

static PetscErrorCode load(Run *r, const char *name, Mat *A)
{
  char path[PETSC_MAX_PATH_LEN];
  PetscViewer viewer;
  PetscFunctionBeginUser;
  path_of(r, name, path);
  PetscCall(PetscViewerBinaryOpen(r->comm, path, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(r->comm, A));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  if (r->o.symmetric) {
    PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscFunctionReturn(0);
}

/* What every factor of MUMPS is made with. */
static PetscErrorCode settings(Mat F, PetscBool determinant)
{
  PetscFunctionBeginUser;
  PetscCall(MatMumpsSetIcntl(F, 13, 1)); /* the root not by ScaLAPACK, whose part of the inertia is not counted */
  PetscCall(MatMumpsSetIcntl(F, 24, 1)); /* null pivots are found, not divided by */
  PetscCall(MatMumpsSetIcntl(F, 14, 60)); /* room for delayed pivots, percent */
  if (determinant) PetscCall(MatMumpsSetIcntl(F, 33, 1));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(Run *r, Mat T, PetscBool determinant, Mat *F)
{
  MatFactorInfo info;
  MatFactorType type = r->o.symmetric ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU;
  MatFactorError error;
  PetscFunctionBeginUser;
  r->factorizations++;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(T, MATSOLVERMUMPS, type, F));
  PetscCall(settings(*F, determinant));
  if (r->o.symmetric) {
    PetscCall(MatCholeskyFactorSymbolic(*F, T, NULL, &info));
    PetscCall(MatCholeskyFactorNumeric(*F, T, &info));
  } else {
    PetscCall(MatLUFactorSymbolic(*F, T, NULL, NULL, &info));
    PetscCall(MatLUFactorNumeric(*F, T, &info));
  }
  PetscCall(MatFactorGetError(*F, &error));
  PetscCheck(error != MAT_FACTOR_OUTMEMORY, r->comm, PETSC_ERR_MEM, "MUMPS has too little memory");
  PetscCheck(error == MAT_FACTOR_NOERROR, r->comm, PETSC_ERR_MAT_LU_ZRPVT, "MUMPS finds the matrix singular");
  PetscFunctionReturn(0);
}

/* |b - T x| / (|T| |x| + |b|) of a system with a random solution. */
static PetscErrorCode residual_of(Mat T, Mat F, PetscReal *out)
{
  Vec x, b, y;
  PetscReal size, rest, norm, given;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(T, &x, &b));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(T, x, b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(MatMult(T, x, y));
  PetscCall(VecAXPY(y, -1.0, b));
  PetscCall(MatNorm(T, NORM_INFINITY, &norm));
  PetscCall(VecNorm(x, NORM_INFINITY, &size));
  PetscCall(VecNorm(b, NORM_INFINITY, &given));
  PetscCall(VecNorm(y, NORM_INFINITY, &rest));
  *out = rest / (norm * size + given);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

static PetscErrorCode keep(Run *r, PetscScalar value, Vec right, Vec left)
{
  PetscFunctionBeginUser;
  PetscCheck(r->found < MOST, r->comm, PETSC_ERR_ARG_SIZ, "too many eigenvalues");
  r->value[r->found] = value;
  r->right[r->found] = right;
  r->left[r->found] = left;
  r->found++;
  PetscFunctionReturn(0);
}

static PetscErrorCode mumps_in(ST st, PetscBool symmetric)
{
  KSP ksp;
  PC pc;
  PetscFunctionBeginUser;
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscFunctionReturn(0);
}

#if !defined(PETSC_USE_COMPLEX)
/* Undamped symmetric problems: K x = w M x. */

typedef struct {
  Mat K, M;
  Vec work;
  double sigma;
} Pencil;

static PetscErrorCode shifted(void *context, Vec x, Vec y)
{
  Pencil *p = (Pencil *)context;
  PetscFunctionBeginUser;
  PetscCall(MatMult(p->K, x, y));
  PetscCall(MatMult(p->M, x, p->work));
  PetscCall(VecAXPY(y, -p->sigma, p->work));
  PetscFunctionReturn(0);
}

/* A x = b with the factor of a spectral transform, refined once. */
static PetscErrorCode solve_well(KSP ksp, PetscErrorCode (*product)(void *, Vec, Vec), void *context, Vec b, Vec x, Vec r, Vec d)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(product(context, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(KSPSolve(ksp, r, d));
  PetscCall(VecAXPY(x, 1.0, d));
  PetscFunctionReturn(0);
}

/* Inertia at a shift. */
static PetscErrorCode count_at(Run *r, double sigma, double *negative)
{
  Mat T, F;
  PetscInt n = 0, nulls = 0;
  PetscReal residual = 1.0;
  PetscFunctionBeginUser;
  PetscCheck(r->counted < MOST, r->comm, PETSC_ERR_ARG_SIZ, "too many counts");
  r->stage = "counting";
  PetscCall(MatDuplicate(r->K, MAT_COPY_VALUES, &T));
  PetscCall(MatAXPY(T, -sigma, r->M, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatSetOption(T, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(factor(r, T, PETSC_FALSE, &F));
  PetscCall(MatMumpsGetInfog(F, 12, &n));
  PetscCall(MatMumpsGetInfog(F, 28, &nulls));
  PetscCall(residual_of(T, F, &residual));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&T));
  r->count[r->counted++] = (Count){sigma, (double)n, (double)nulls, residual};
  if (negative) *negative = (double)(n - r->o.rank);
  PetscFunctionReturn(0);
}

/* Negative eigenvalues of M with its diagonal a trifle larger, and ones where a row is empty. */
static PetscErrorCode check_mass(Run *r)
{
  Mat T, F;
  Vec d;
  PetscScalar *x;
  PetscInt n = 0, i, local;
  PetscFunctionBeginUser;
  r->stage = "looking at the mass matrix";
  PetscCall(MatCreateVecs(r->M, &d, NULL));
  PetscCall(MatGetDiagonal(r->M, d));
  PetscCall(VecGetLocalSize(d, &local));
  PetscCall(VecGetArray(d, &x));
  for (i = 0; i < local; i++) x[i] = x[i] == 0.0 ? 1.0 : x[i] * (1.0 + 1e-12);
  PetscCall(VecRestoreArray(d, &x));
  PetscCall(MatDuplicate(r->M, MAT_COPY_VALUES, &T));
  PetscCall(MatDiagonalSet(T, d, INSERT_VALUES));
  PetscCall(MatSetOption(T, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(factor(r, T, PETSC_FALSE, &F));
  PetscCall(MatMumpsGetInfog(F, 12, &n));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&T));
  PetscCall(VecDestroy(&d));
  r->mass_negative = (int)n;
  PetscFunctionReturn(0);
}

/* Eigenvalues nearest to a shift beside those known, with vectors that one more solve cleans. */
static PetscErrorCode search(Run *r, double sigma, int want)
{
  EPS eps;
  ST st;
  KSP ksp;
  Vec x, b, d, rest;
  PetscInt have, i, ncv, size;
  Pencil p = {r->K, r->M, NULL, sigma};
  PetscFunctionBeginUser;
  r->stage = "searching";
  r->factorizations++;
  if (want > r->o.dof - r->found) want = r->o.dof - r->found;
  if (want < 1) PetscFunctionReturn(0);
  PetscCall(MatGetSize(r->K, &size, NULL));
  PetscCall(MatCreateVecs(r->K, &x, &b));
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecDuplicate(x, &rest));
  PetscCall(VecDuplicate(x, &p.work));
  PetscCall(EPSCreate(r->comm, &eps));
  PetscCall(EPSSetOperators(eps, r->K, r->M));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  PetscCall(EPSSetTarget(eps, sigma));
  ncv = 2 * want + 20;
  if (ncv > size) ncv = size;
  PetscCall(EPSSetDimensions(eps, want, ncv, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, 1e-11, 300));
  PetscCall(EPSSetConvergenceTest(eps, EPS_CONV_REL));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetType(st, STSINVERT));
  PetscCall(STSetShift(st, sigma));
  PetscCall(mumps_in(st, PETSC_TRUE));
  if (r->found) PetscCall(EPSSetDeflationSpace(eps, r->found, r->right));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSetUp(eps));
  PetscCall(STGetKSP(st, &ksp));
  /* A start in the range of the operator. */
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(r->M, x, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(EPSSetInitialSpace(eps, 1, &x));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &have));
  r->stage = "refining";
  for (i = 0; i < have; i++) {
    PetscScalar w, length;
    Vec kept;
    /* Beyond the degrees of freedom there is nothing but rounding. */
    if (r->found >= r->o.dof) break;
    PetscCall(EPSGetEigenpair(eps, i, &w, NULL, x, NULL));
    if (!isfinite(w) || w == sigma) continue;
    PetscCall(MatMult(r->M, x, b));
    PetscCall(VecScale(b, w - sigma));
    PetscCall(VecDuplicate(x, &kept));
    PetscCall(solve_well(ksp, shifted, &p, b, kept, rest, d));
    PetscCall(MatMult(r->M, kept, b));
    PetscCall(VecDot(b, kept, &length));
    if (!(length > 0.0) || !isfinite(length)) {
      PetscCall(VecDestroy(&kept));
      continue;
    }
    PetscCall(VecScale(kept, 1.0 / sqrt(length)));
    PetscCall(keep(r, w, kept, NULL));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&rest));
  PetscCall(VecDestroy(&p.work));
  PetscFunctionReturn(0);
}

/* Distance of the nearer root of a mode, s = +-sqrt(-w), from the point. */
static double distance(const Run *r, double w)
{
  double a = fabs(r->o.point[0]), b = fabs(r->o.point[1]);
  return w >= 0.0 ? hypot(a, sqrt(w) - b) : hypot(b, sqrt(-w) - a);
}

/* The w of all modes with a root as near to the point as rho. */
static void reaching(const Run *r, double rho, double *low, double *high)
{
  double a = fabs(r->o.point[0]), b = fabs(r->o.point[1]), half, near;
  *low = HUGE_VAL;
  *high = -HUGE_VAL;
  if (rho >= a) {
    half = sqrt((rho - a) * (rho + a));
    near = b - half > 0.0 ? b - half : 0.0;
    *low = near * near;
    *high = (b + half) * (b + half);
  }
  if (rho >= b) {
    half = sqrt((rho - b) * (rho + b));
    near = a - half > 0.0 ? a - half : 0.0;
    *low = -(a + half) * (a + half);
    if (-near * near > *high) *high = -near * near;
  }
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int inside(const Run *r, double from, double to)
{
  int i, n = 0;
  for (i = 0; i < r->found; i++) n += r->value[i] > from && r->value[i] < to;
  return n;
}

/* Radii in the gap behind the modes wanted; whether there is one. */
static int gap_behind(const Run *r, int want, double *one, double *two)
{
  double *d = (double *)malloc(sizeof(double) * (size_t)(r->found + 1)), last, next = 0.0;
  int i, known = 0;
  for (i = 0; i < r->found; i++) d[i] = distance(r, r->value[i]);
  qsort(d, (size_t)r->found, sizeof(double), by_size);
  if (want > r->found) want = r->found;
  last = want ? d[want - 1] : 0.0;
  for (i = want; i < r->found; i++) {
    if (d[i] > last * (1.0 + 1e-5)) {
      next = d[i];
      known = 1;
      break;
    }
    last = d[i];
  }
  free(d);
  if (!known) next = last * (1.0 + 2e-3);
  *one = last + 0.4 * (next - last);
  *two = last + 0.6 * (next - last);
  return known;
}

/* Modes in an interval until as many are there as the inertia says. */
static PetscErrorCode complete(Run *r, double from, double to, int counted, double sigma)
{
  int round;
  PetscFunctionBeginUser;
  for (round = 0; round < REPAIRS && inside(r, from, to) < counted; round++) {
    int before = r->found;
    PetscCall(search(r, sigma, counted - inside(r, from, to) + 1));
    if (r->found == before) break;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode nearest(Run *r)
{
  double sigma = r->o.shift[0], one, two, low, high, below, above = 0.0;
  int want = r->o.want, move, round, i, all;
  PetscFunctionBeginUser;
  for (move = 0; move <= MOVES; move++) {
    double next = HUGE_VAL;
    PetscCall(search(r, sigma, want + 1));
    if (!r->o.lowest || move == MOVES) break;
    /* A shift far beside the lowest modes is moved to them. */
    for (i = 0; i < r->found; i++) {
      double w = fabs(r->value[i]);
      if (w > 1e-2 * fabs(sigma) && w < next) next = w;
    }
    if (!(next < HUGE_VAL) || fabs(sigma) <= 0.3 * next || 0.03 * next >= 0.5 * fabs(sigma)) break;
    sigma = -0.03 * next;
    for (i = 0; i < r->found; i++) PetscCall(VecDestroy(&r->right[i]));
    r->found = 0;
  }
  for (round = 0; round < ROUNDS; round++) {
    if (gap_behind(r, want, &one, &two) || r->found >= r->o.dof) break;
    i = r->found;
    PetscCall(search(r, sigma, want / 2 + 2));
    if (r->found == i) break;
  }
  r->circle[0] = sigma;
  if (!r->o.count) PetscFunctionReturn(0);
  if (!r->o.lowest) PetscCall(count_at(r, r->o.below_zero, NULL));
  for (round = 0; round < REPAIRS; round++) {
    int before = r->found, low_count, missing;
    gap_behind(r, want, &one, &two);
    reaching(r, one, &low, &high);
    PetscCall(count_at(r, high, &above));
    /* Where all below the upper end are known, those below anything lower are. */
    all = inside(r, -HUGE_VAL, high);
    low_count = inside(r, -HUGE_VAL, low);
    below = low_count;
    if ((int)above != all) PetscCall(count_at(r, low, &below));
    missing = (int)(above - below) - inside(r, low, high);
    if (missing > 0) {
      PetscCall(complete(r, low, high, (int)(above - below), sigma));
      if (r->found > before) continue;
    }
    reaching(r, two, &low, &high);
    PetscCall(count_at(r, high, &above));
    if ((int)above != inside(r, -HUGE_VAL, high)) PetscCall(count_at(r, low, &below));
    break;
  }
  PetscFunctionReturn(0);
}

/* All modes between two ends: slices that hold few. */
static PetscErrorCode slices(Run *r, double from, double below, double to, double above, int depth)
{
  int count = (int)(above - below);
  double middle = 0.5 * (from + to);
  PetscFunctionBeginUser;
  if (count <= 0) PetscFunctionReturn(0);
  if (count > r->o.slice && depth < 40) {
    double half;
    PetscCall(count_at(r, middle, &half));
    PetscCall(slices(r, from, below, middle, half, depth + 1));
    PetscCall(slices(r, middle, half, to, above, depth + 1));
    PetscFunctionReturn(0);
  }
  PetscCall(search(r, middle, count + 1));
  PetscCall(complete(r, from, to, count, middle));
  PetscFunctionReturn(0);
}

static PetscErrorCode band(Run *r)
{
  double from = r->o.between[0], to = r->o.between[1], margin = 1e-3 * (to - from), low, high;
  double ends[4], at[4];
  int i;
  PetscFunctionBeginUser;
  ends[0] = from - margin;
  ends[1] = from;
  ends[2] = to;
  ends[3] = to + margin;
  for (i = 0; i < 4; i++) PetscCall(count_at(r, ends[i], &at[i]));
  if (from > 0.0) PetscCall(count_at(r, r->o.below_zero, NULL));
  low = at[0];
  high = at[3];
  PetscCall(slices(r, ends[0], low, ends[3], high, 0));
  r->circle[0] = 0.5 * (from + to);
  PetscFunctionReturn(0);
}

static PetscErrorCode work(Run *r)
{
  PetscFunctionBeginUser;
  r->stage = "searching";
  if (r->o.check_mass && r->o.count) PetscCall(check_mass(r));
  if (!strcmp(r->o.search, "between")) PetscCall(band(r));
  else PetscCall(nearest(r));
  PetscFunctionReturn(0);
}
#else
/* Problems of any kind: (K + s C + s^2 M) x = 0, or (K + tau M) x = 0 with degree one. */

typedef struct {
  Mat P;
  PetscBool transposed;
} Point;

static PetscErrorCode at_point(void *context, Vec x, Vec y)
{
  Point *p = (Point *)context;
  PetscFunctionBeginUser;
  PetscCall(p->transposed ? MatMultTranspose(p->P, x, y) : MatMult(p->P, x, y));
  PetscFunctionReturn(0);
}

static PetscErrorCode polynomial(Run *r, PetscScalar s, Mat *P)
{
  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(r->K, MAT_COPY_VALUES, P));
  if (r->o.degree == 2) {
    PetscCall(MatAXPY(*P, s, r->C, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatAXPY(*P, s * s, r->M, DIFFERENT_NONZERO_PATTERN));
  } else PetscCall(MatAXPY(*P, s, r->M, DIFFERENT_NONZERO_PATTERN));
  if (r->o.symmetric) PetscCall(MatSetOption(*P, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* Eigenvalues nearest to a shift, of the problem or of its transpose, each vector cleaned by
 * x <- -(s - s_0) P(s_0)^-1 (C + (s + s_0) M) x, whose fixed points are the eigenvectors. */
static PetscErrorCode search(Run *r, PetscScalar shift, int want, PetscBool transposed, int *have, PetscScalar *value, Vec *vector)
{
  PEP pep;
  ST st;
  Mat A[3], P, F;
  Vec x, b, d, rest, y;
  PetscInt i, step, converged, ncv, size;
  Point p;
  PetscFunctionBeginUser;
  r->stage = "searching";
  r->factorizations++;
  A[0] = r->K;
  A[1] = r->o.degree == 2 ? r->C : r->M;
  A[2] = r->M;
  for (i = 0; i <= r->o.degree && transposed; i++) PetscCall(MatTranspose(A[i], MAT_INITIAL_MATRIX, &A[i]));
  PetscCall(MatGetSize(r->K, &size, NULL));
  PetscCall(PEPCreate(r->comm, &pep));
  PetscCall(PEPSetOperators(pep, r->o.degree + 1, A));
  PetscCall(PEPSetProblemType(pep, PEP_GENERAL));
  PetscCall(PEPSetType(pep, PEPTOAR));
  PetscCall(PEPSetWhichEigenpairs(pep, PEP_TARGET_MAGNITUDE));
  PetscCall(PEPSetTarget(pep, shift));
  ncv = 2 * want + 20;
  if (ncv > size * r->o.degree) ncv = size * r->o.degree;
  PetscCall(PEPSetDimensions(pep, want, ncv, PETSC_DEFAULT));
  PetscCall(PEPSetTolerances(pep, 1e-11, 300));
  PetscCall(PEPGetST(pep, &st));
  PetscCall(STSetType(st, STSINVERT));
  PetscCall(STSetShift(st, shift));
  PetscCall(mumps_in(st, r->o.symmetric && !transposed));
  PetscCall(PEPSetFromOptions(pep));
  PetscCall(PEPSolve(pep));
  PetscCall(PEPGetConverged(pep, &converged));
  PetscCall(MatCreateVecs(r->K, &x, &b));
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecDuplicate(x, &rest));
  PetscCall(VecDuplicate(x, &y));
  r->stage = "refining";
  if (converged > *have) converged = *have;
  /* Beyond the degrees of freedom there is nothing but rounding. */
  if (converged > r->o.degree * r->o.dof) converged = r->o.degree * r->o.dof;
  *have = 0;
  for (i = 0; i < converged; i++) {
    PetscCall(PEPGetEigenpair(pep, i, &value[*have], NULL, x, NULL));
    if (!isfinite(PetscRealPart(value[*have])) || !isfinite(PetscImaginaryPart(value[*have]))) continue;
    PetscCall(VecDuplicate(x, &vector[*have]));
    PetscCall(VecCopy(x, vector[*have]));
    (*have)++;
  }
  PetscCall(PEPDestroy(&pep));
  for (i = 0; i <= r->o.degree && transposed; i++) PetscCall(MatDestroy(&A[i]));
  /* With a factor of its own: that of the transform is of a scaled problem. */
  PetscCall(polynomial(r, shift, &P));
  PetscCall(factor(r, P, PETSC_FALSE, &F));
  p.P = P;
  p.transposed = transposed;
  for (i = 0; i < *have; i++) {
    PetscScalar s = value[i];
    for (step = 0; step < 2; step++) {
      PetscReal length;
      PetscCall(transposed ? MatMultTranspose(r->M, vector[i], b) : MatMult(r->M, vector[i], b));
      if (r->o.degree == 2) {
        PetscCall(VecScale(b, s + shift));
        PetscCall(transposed ? MatMultTranspose(r->C, vector[i], y) : MatMult(r->C, vector[i], y));
        PetscCall(VecAXPY(b, 1.0, y));
      }
      PetscCall(VecScale(b, shift - s));
      PetscCall(transposed ? MatSolveTranspose(F, b, x) : MatSolve(F, b, x));
      PetscCall(at_point(&p, x, rest));
      PetscCall(VecAYPX(rest, -1.0, b));
      PetscCall(transposed ? MatSolveTranspose(F, rest, d) : MatSolve(F, rest, d));
      PetscCall(VecAXPY(x, 1.0, d));
      PetscCall(VecNorm(x, NORM_2, &length));
      if (!(length > 0.0) || !isfinite(length)) break;
      PetscCall(VecCopy(x, vector[i]));
      PetscCall(VecScale(vector[i], 1.0 / length));
    }
  }
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&P));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&rest));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

/* The determinant at a point, the smallest singular value there and the residual of a solve. */
static PetscErrorCode phase_at(Run *r, PetscScalar s, int measured, Phase *out)
{
  Mat P, F;
  PetscReal re, im, residual = 1.0, length = 1.0;
  PetscInt exponent, nulls = 0;
  Vec x, y;
  int i;
  PetscFunctionBeginUser;
  r->stage = "counting";
  PetscCall(polynomial(r, s, &P));
  PetscCall(factor(r, P, PETSC_TRUE, &F));
  PetscCall(MatMumpsGetRinfog(F, 12, &re));
  PetscCall(MatMumpsGetRinfog(F, 13, &im));
  PetscCall(MatMumpsGetInfog(F, 34, &exponent));
  PetscCall(MatMumpsGetInfog(F, 28, &nulls));
  PetscCall(residual_of(P, F, &residual));
  if (nulls) residual = 1.0; /* a determinant without some of its factors */
  *out = (Phase){PetscRealPart(s), PetscImaginaryPart(s), log(hypot(re, im)) + exponent * log(2.0), atan2(im, re), 0.0, residual};
  if (measured) {
    PetscCall(MatCreateVecs(P, &x, &y));
    PetscCall(VecSetRandom(x, NULL));
    PetscCall(VecNormalize(x, NULL));
    for (i = 0; i < 3; i++) {
      PetscCall(MatSolve(F, x, y));
      /* With the adjoint: the conjugate of the transposed system of the conjugate. */
      PetscCall(VecConjugate(y));
      PetscCall(r->o.symmetric ? MatSolve(F, y, x) : MatSolveTranspose(F, y, x));
      PetscCall(VecConjugate(x));
      PetscCall(VecNormalize(x, &length));
    }
    /* length is |P^-H P^-1 x| of a unit x. */
    out->sigma_min = length > 0.0 && isfinite(length) ? 1.0 / sqrt(length) : 0.0;
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
  }
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(0);
}

/* ln det less the logarithms of the distances of the eigenvalues known. */
static void reduced(const Run *r, const Phase *p, double *size, double *phase)
{
  int i;
  *size = p->size;
  *phase = p->phase;
  for (i = 0; i < r->found; i++) {
    double x = p->re - PetscRealPart(r->value[i]), y = p->im - PetscImaginaryPart(r->value[i]);
    *size -= log(hypot(x, y));
    *phase -= atan2(y, x);
  }
}

static int quiet(const Run *r, const Phase *a, const Phase *b)
{
  double s[2], p[2], turn;
  reduced(r, a, &s[0], &p[0]);
  reduced(r, b, &s[1], &p[1]);
  turn = remainder(p[1] - p[0], 2.0 * PETSC_PI);
  return fabs(turn) <= 0.7 && fabs(s[1] - s[0]) <= 0.7;
}

static PetscScalar on_circle(const Run *r, double angle)
{
  return PetscCMPLX(r->circle[0] + r->circle[2] * cos(angle), r->circle[1] + r->circle[2] * sin(angle));
}

/* The determinant around the circle: twelve steps in two uneven parts each, then a cut of every step until all are quiet. */
static PetscErrorCode contour(Run *r)
{
  double *angle = (double *)malloc(sizeof(double) * (size_t)(r->o.points + 2));
  int first = 24, i, again = 1;
  PetscFunctionBeginUser;
  for (i = 0; i < first; i++) {
    double share = (i / 2 + (i % 2 ? 0.381966011250105 : 0.0)) / (first / 2);
    angle[i] = 0.05 + 2.0 * PETSC_PI * share;
    PetscCall(phase_at(r, on_circle(r, angle[i]), i % 4 == 0, &r->phase[i]));
    r->phases++;
  }
  while (again && r->phases < r->o.points) {
    again = 0;
    for (i = 0; i < r->phases && r->phases < r->o.points; i++) {
      int next = (i + 1) % r->phases, j;
      double from = angle[i], to = next ? angle[next] : angle[0] + 2.0 * PETSC_PI, cut;
      Phase made;
      if (quiet(r, &r->phase[i], &r->phase[next])) continue;
      cut = from + 0.381966011250105 * (to - from);
      PetscCall(phase_at(r, on_circle(r, cut), 0, &made));
      for (j = r->phases; j > i + 1; j--) {
        r->phase[j] = r->phase[j - 1];
        angle[j] = angle[j - 1];
      }
      r->phase[i + 1] = made;
      angle[i + 1] = cut;
      r->phases++;
      again = 1;
      i++;
    }
  }
  free(angle);
  PetscFunctionReturn(0);
}

/* The eigenvalues to look for: more of them, or from a better shift, until what was asked for is there. */
static PetscErrorCode rights(Run *r, PetscScalar *shift)
{
  PetscScalar *value;
  int want = r->o.want, most = r->o.degree * r->o.dof, i, have, move = 0;
  Vec *vector;
  PetscFunctionBeginUser;
  for (;;) {
    double reach = 0.0, next = HUGE_VAL, far = PetscAbsScalar(*shift);
    int zeros = 0;
    have = 4 * want + 64;
    PetscCall(PetscMalloc1((size_t)have, &value));
    PetscCall(PetscMalloc1((size_t)have, &vector));
    PetscCall(search(r, *shift, want, PETSC_FALSE, &have, value, vector));
    for (i = 0; i < have; i++) {
      double size = PetscAbsScalar(value[i]);
      if (PetscAbsScalar(value[i] - *shift) > reach) reach = PetscAbsScalar(value[i] - *shift);
      zeros += size <= NEAR_ZERO;
      if (size > 1e-2 * far && size > NEAR_ZERO && size < next) next = size;
    }
    if (r->o.within > 0.0 && reach <= 1.001 * r->o.within && want < most && have >= want) want = 2 * want < most ? 2 * want : most;
    else if (r->o.lowest && zeros && far < 0.3 * next && next < HUGE_VAL && move++ < MOVES) *shift = 0.5 * next; /* away from their chains */
    else if (r->o.lowest && !zeros && move++ < MOVES && next < HUGE_VAL && far > 0.3 * next && 0.03 * next < 0.5 * far) *shift = 0.03 * next;
    else break;
    for (i = 0; i < have; i++) PetscCall(VecDestroy(&vector[i]));
    PetscCall(PetscFree(value));
    PetscCall(PetscFree(vector));
  }
  for (i = 0; i < have; i++) PetscCall(keep(r, value[i], vector[i], NULL));
  PetscCall(PetscFree(value));
  PetscCall(PetscFree(vector));
  PetscFunctionReturn(0);
}

static PetscErrorCode work(Run *r)
{
  PetscScalar shift = PetscCMPLX(r->o.shift[0], r->o.shift[1]);
  int want = r->o.want, i, j, from;
  double *d, last = 0.0, next = 0.0;
  PetscFunctionBeginUser;
  if (r->o.within > 0.0 && want < 12) r->o.want = want = 12 < r->o.degree * r->o.dof ? 12 : r->o.degree * r->o.dof;
  PetscCall(rights(r, &shift));
  if (r->o.left && r->found) {
    int lefts = 4 * r->found + 64;
    PetscScalar *other;
    Vec *theirs;
    PetscCall(PetscMalloc1((size_t)lefts, &other));
    PetscCall(PetscMalloc1((size_t)lefts, &theirs));
    PetscCall(search(r, shift, r->found + 2, PETSC_TRUE, &lefts, other, theirs));
    for (i = 0; i < r->found; i++) {
      int best = -1;
      for (j = 0; j < lefts; j++)
        if (theirs[j] && (best < 0 || PetscAbsScalar(other[j] - r->value[i]) < PetscAbsScalar(other[best] - r->value[i]))) best = j;
      if (best >= 0 && PetscAbsScalar(other[best] - r->value[i]) <= 1e-6 * PetscAbsScalar(r->value[i] - shift)) {
        r->left[i] = theirs[best];
        theirs[best] = NULL;
      }
    }
    /* One without a partner is left out, the reader then says that one is missing. */
    for (i = j = 0; i < r->found; i++) {
      if (!r->left[i]) continue;
      r->value[j] = r->value[i];
      r->right[j] = r->right[i];
      r->left[j++] = r->left[i];
    }
    r->found = j;
  }
  /* The circle goes through the widest gap behind the eigenvalues that were to be reached. */
  d = (double *)malloc(sizeof(double) * (size_t)(r->found + 1));
  for (i = 0; i < r->found; i++) d[i] = PetscAbsScalar(r->value[i] - shift);
  for (i = 1; i < r->found; i++)
    for (j = i; j > 0 && d[j] < d[j - 1]; j--) {
      double t = d[j];
      d[j] = d[j - 1];
      d[j - 1] = t;
    }
  r->circle[0] = PetscRealPart(shift);
  r->circle[1] = PetscImaginaryPart(shift);
  from = r->o.reach < 1 ? 0 : r->o.reach - 1;
  if (r->o.within > 0.0)
    for (from = -1; from + 1 < r->found && d[from + 1] <= r->o.within; from++) continue;
  for (i = from; i + 1 < r->found; i++) {
    double near = i < 0 ? r->o.within : d[i];
    if (r->o.within > near) near = r->o.within;
    if (d[i + 1] > near * (1.0 + 1e-3) && (next == 0.0 || d[i + 1] - near > 4.0 * (next - last))) {
      last = near;
      next = d[i + 1];
    }
  }
  if (next > 0.0) r->circle[2] = 0.5 * (last + next);
  else if (r->found == r->o.degree * r->o.dof) r->circle[2] = 1.5 * d[r->found - 1]; /* all there are */
  free(d);
  if (r->o.count && r->o.points > 24 && r->circle[2] > 0.0) PetscCall(contour(r));
  PetscFunctionReturn(0);
}
#endif

static int numbers(Run *r, const char *name, const double *x, size_t n)
{
  char path[PETSC_MAX_PATH_LEN];
  unsigned long long head[2] = {MARK, n};
  FILE *f;
  int bad;
  if (r->me) return 0;
  path_of(r, name, path);
  f = fopen(path, "wb");
  if (!f) return 1;
  bad = fwrite(head, sizeof head, 1, f) != 1 || (n && fwrite(x, sizeof(double), n, f) != n);
  return fclose(f) || bad;
}

static PetscErrorCode vectors(Run *r, const char *name, Vec *x)
{
  char path[PETSC_MAX_PATH_LEN];
  PetscViewer viewer;
  int i;
  PetscFunctionBeginUser;
  path_of(r, name, path);
  PetscCall(PetscViewerBinaryOpen(r->comm, path, FILE_MODE_WRITE, &viewer));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  for (i = 0; i < r->found; i++) PetscCall(VecView(x[i], viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(0);
}

static PetscErrorCode write_all(Run *r)
{
  double *values = (double *)malloc(sizeof(double) * 2 * (size_t)(r->found + 1));
  int i, bad;
  PetscFunctionBeginUser;
  r->stage = "writing";
  for (i = 0; i < r->found; i++) {
    values[2 * i] = PetscRealPart(r->value[i]);
    values[2 * i + 1] = PetscImaginaryPart(r->value[i]);
  }
  bad = numbers(r, "results/values.bin", values, 2 * (size_t)r->found);
  bad |= numbers(r, "results/counts.bin", (const double *)r->count, 4 * (size_t)r->counted);
  bad |= numbers(r, "results/phases.bin", (const double *)r->phase, 6 * (size_t)r->phases);
  free(values);
  PetscCheck(!bad, r->comm, PETSC_ERR_FILE_WRITE, "cannot write the results");
  PetscCall(vectors(r, "results/right.bin", r->right));
  if (r->o.left) PetscCall(vectors(r, "results/left.bin", r->left));
  PetscFunctionReturn(0);
}

static PetscErrorCode all(Run *r)
{
  PetscFunctionBeginUser;
  r->stage = "loading";
  PetscCall(load(r, "K.petsc", &r->K));
  PetscCall(load(r, "M.petsc", &r->M));
  if (r->o.degree == 2) PetscCall(load(r, "C.petsc", &r->C));
  PetscCall(work(r));
  PetscCall(write_all(r));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  static Run run;
  Run *r = &run;
  PetscErrorCode ierr;
  char path[PETSC_MAX_PATH_LEN];
  const char *text = NULL;
  char *words = NULL;
  int code, scalars = 0;
  if (argc < 2) {
    fprintf(stderr, "usage: mpiexec -n RANKS %s FOLDER\n", argv[0]);
    return BAD_FOLDER;
  }
  if (!strcmp(argv[1], "--version")) {
    printf("mb-engine format %d slepc %d.%d.%d\n", FORMAT, SLEPC_VERSION_MAJOR, SLEPC_VERSION_MINOR, SLEPC_VERSION_SUBMINOR);
    return 0;
  }
  ierr = SlepcInitialize(&argc, &argv, NULL, NULL);
  if (ierr) return FAILED;
  r->comm = PETSC_COMM_WORLD;
  r->mass_negative = -1;
  r->stage = "starting";
  r->seconds = MPI_Wtime();
  MPI_Comm_rank(r->comm, &r->me);
  MPI_Comm_size(r->comm, &r->ranks);
  snprintf(r->o.folder, sizeof r->o.folder, "%s", argv[1]);
  strcpy(r->o.package, "none");
  r->value = (PetscScalar *)calloc(MOST, sizeof(PetscScalar));
  r->right = (Vec *)calloc(MOST, sizeof(Vec));
  r->left = (Vec *)calloc(MOST, sizeof(Vec));
  r->count = (Count *)calloc(MOST, sizeof(Count));
  r->phase = (Phase *)calloc(MOST, sizeof(Phase));
  path_of(r, "results", path);
  if (!r->me) mkdir(path, 0777);
  path_of(r, "results/status.txt", path);
  if (!r->me) remove(path);
  MPI_Barrier(r->comm);
  code = read_options(r);
#if defined(PETSC_USE_COMPLEX)
  scalars = 1;
#endif
  if (!code && scalars != r->o.complex_scalars) code = WRONG_SCALAR;
  if (code) {
    tell(r, code, NULL);
    SlepcFinalize();
    return code;
  }
  /* Room for delayed pivots of the factors that the transforms make. */
  PetscOptionsSetValue(NULL, "-st_mat_mumps_icntl_14", "60");
  PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  ierr = all(r);
  PetscPopErrorHandler();
  if (ierr) {
    PetscErrorMessage(ierr, &text, &words);
    code = code_of(ierr);
    tell(r, code, words && *words ? words : text);
    /* Other ranks may wait for this one. */
    MPI_Abort(r->comm, code);
  }
  tell(r, OK, NULL);
  SlepcFinalize();
  return OK;
}
