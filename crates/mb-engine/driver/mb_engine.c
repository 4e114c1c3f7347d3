/* The distributed engine of mb: eigenpairs and inertias of prepared matrices by SLEPc and MUMPS.
 *
 *   mpiexec -n N mb-engine-real FOLDER        undamped symmetric problems, real numbers
 *   mpiexec -n N mb-engine-complex FOLDER     all others
 *
 * FOLDER holds options.txt ("key value" lines), K.petsc, M.petsc, for damped problems C.petsc, and K_low.petsc where it is known what
 * rounding left of K (PETSc binary). All of them are of the saddle point: K = [K Phi^T; Phi 0], M = diag(M, 0). Written are, in
 * FOLDER/results:
 *
 *   values.bin    numbers: the eigenvalues, two (re, im) each
 *   counts.bin    numbers: shift, negative eigenvalues, null pivots, relative residual of a solve; four each
 *   phases.bin    numbers: re, im of a point, ln |det|, arg det, smallest singular value, residual of a solve; six each
 *   right.bin     PETSc vectors, one for each value; left.bin those of the transposed problem
 *   low.bin       of symmetric problems, what rounding leaves of each of right.bin
 *   slice-N.*     while a band is searched, its slices that are finished: a run that is repeated goes on behind them
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

#define FORMAT 3
#define MARK 0x3130474e45424d00ULL
#define REPAIRS 5
#define MOVES 5
#define ROUNDS 6
#define MOST 100000
#define TERMS 3 /* matrices of a problem at most */
#if defined(PETSC_USE_COMPLEX)
#define PARTS_OF_NUMBER 2
#else
#define PARTS_OF_NUMBER 1
#endif

/* Codes of status.txt; the reader has a sentence for each. */
enum { OK = 0, BAD_FOLDER = 2, WRONG_FORMAT = 3, WRONG_SCALAR = 4, NO_MEMORY = 5, SINGULAR_SHIFT = 6, FAILED = 7, TOO_MANY = 8 };

typedef struct {
  char folder[PETSC_MAX_PATH_LEN - 64], package[64], search[16];
  int format, complex_scalars, symmetric, left, degree, lowest, count, points, slice, rank, want, reach, most, zeros, check_mass, sum;
  double shift[2], point[2], between[2], within, below_zero;
} Options;

typedef struct {
  double at, negative, null_pivots, residual;
} Count;

typedef struct {
  double re, im, size, phase, sigma_min, residual;
} Phase;

typedef struct {
  Mat whole, inner, outer;
  Vec theirs;
  VecScatter fetch;
} Rows;

typedef struct {
  MPI_Comm comm;
  int me, ranks;
  Options o;
  Mat K, C, M, of_K; /* of_K: what rounding left of K, where that is known */
  int terms; /* K, then M or C and M, by their rows */
  Rows rows[TERMS];
  int found;
  PetscScalar *value, (*form)[TERMS];
  char *still; /* which may be zeros that rounding parted */
  Vec *right, *low, *left;
  int counted, phases;
  Count *count;
  Phase *phase;
  int factorizations, mass_negative;
  double (*end)[2];
  int slices, kept; /* slices of a band so far, and those that a killed run has left */
  double circle[3], zero; /* values up to there are looked at as zeros */
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

/* FNV-1a of a result, as the reader computes it; zero where there is no such file. */
static unsigned long long sum_of(const Run *r, const char *name)
{
  static unsigned char buffer[1 << 16];
  unsigned long long sum = 0xcbf29ce484222325ULL;
  char path[PETSC_MAX_PATH_LEN];
  size_t got, i;
  FILE *f;
  path_of(r, name, path);
  f = fopen(path, "rb");
  if (!f) return 0;
  while ((got = fread(buffer, 1, sizeof buffer, f)) > 0)
    for (i = 0; i < got; i++) sum = (sum ^ buffer[i]) * 0x100000001b3ULL;
  fclose(f);
  return sum;
}

static void checksum(const Run *r, const char *name, FILE *out)
{
  fprintf(out, "checksum %s %016llx\n", name, sum_of(r, name));
}

/* The last word of a run: whole or absent. By rank 0, or of what failed by whoever met it, for others may wait for that one. */
static void tell(Run *r, int code, const char *words)
{
  char path[PETSC_MAX_PATH_LEN], whole[PETSC_MAX_PATH_LEN], partial[64];
  FILE *f;
  struct rusage use;
  if (r->me && !code) return;
  getrusage(RUSAGE_SELF, &use);
  snprintf(partial, sizeof partial, "results/status.%d.partial", r->me);
  path_of(r, partial, path);
  path_of(r, "results/status.txt", whole);
  f = fopen(path, "w");
  if (!f) {
    fprintf(stderr, "mb-engine: cannot write %s\n", path);
    return;
  }
  fprintf(f, "format %d\nof_folder %d\npackage %s\ncode %d\nstage %s\n", FORMAT, r->o.format, r->o.package, code, r->stage);
  fprintf(f, "slepc %d.%d.%d\npetsc %d.%d.%d\nranks %d\n", SLEPC_VERSION_MAJOR, SLEPC_VERSION_MINOR, SLEPC_VERSION_SUBMINOR, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, r->ranks);
  fprintf(f, "found %d\ncounts %d\nphases %d\nfactorizations %d\n", r->found, r->counted, r->phases, r->factorizations);
  fprintf(f, "circle %.17g %.17g %.17g\nseconds %.3f\nmemory_kib %ld\n", r->circle[0], r->circle[1], r->circle[2], MPI_Wtime() - r->seconds, use.ru_maxrss);
  if (r->kept) fprintf(f, "resumed %d\n", r->kept);
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
    if (r->o.symmetric) checksum(r, "results/low.bin", f);
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
    sscanf(line, "sum %d", &o->sum);
    sscanf(line, "below_zero %lf", &o->below_zero);
    sscanf(line, "slice %d", &o->slice);
    sscanf(line, "rank %d", &o->rank);
    sscanf(line, "most %d", &o->most);
    sscanf(line, "zeros %d", &o->zeros);
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

/* Whether a factor is one. */
static PetscErrorCode usable(Run *r, Mat F)
{
  MatFactorError error;
  PetscFunctionBeginUser;
  PetscCall(MatFactorGetError(F, &error));
  PetscCheck(error != MAT_FACTOR_OUTMEMORY, r->comm, PETSC_ERR_MEM, "MUMPS has too little memory");
  PetscCheck(error == MAT_FACTOR_NOERROR, r->comm, PETSC_ERR_MAT_LU_ZRPVT, "MUMPS finds the matrix singular");
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(Run *r, Mat T, PetscBool determinant, Mat *F)
{
  MatFactorInfo info;
  MatFactorType type = r->o.symmetric ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU;
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
  PetscCall(usable(r, *F));
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
  r->still[r->found] = 0;
  PetscCall(VecDuplicate(right, &r->low[r->found]));
  PetscCall(VecZeroEntries(r->low[r->found]));
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

/* The factor that a transform works with. */
static PetscErrorCode factor_in(Run *r, ST st, Mat *F)
{
  KSP ksp;
  PC pc;
  PetscFunctionBeginUser;
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCFactorGetMatrix(pc, F));
  PetscCall(usable(r, *F));
  PetscFunctionReturn(0);
}

/* Vectors x, those from a place on, and y behind them, where there are such. */
static PetscErrorCode vectors(Run *r, const char *name, int from, Vec *x, Vec *y)
{
  char path[PETSC_MAX_PATH_LEN];
  PetscViewer viewer;
  int i;
  PetscFunctionBeginUser;
  path_of(r, name, path);
  PetscCall(PetscViewerBinaryOpen(r->comm, path, FILE_MODE_WRITE, &viewer));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  for (i = from; i < r->found; i++) PetscCall(VecView(x[i], viewer));
  for (i = from; y && i < r->found; i++) PetscCall(VecView(y[i], viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(0);
}

/* What is done with a factor next to an eigenvalue before its pair is refined. */
typedef struct Work Work;
static PetscErrorCode approach(Run *r, Mat F, PetscScalar beside, int j, Work *w);

#include "refine.h"
#if defined(PETSC_USE_COMPLEX)
#include "general.h"
#else
#include "slices.h"
#include "undamped.h"
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
  PetscCall(vectors(r, "results/right.bin", 0, r->right, NULL));
  if (r->o.symmetric) PetscCall(vectors(r, "results/low.bin", 0, r->low, NULL));
  if (r->o.left) PetscCall(vectors(r, "results/left.bin", 0, r->left, NULL));
  PetscFunctionReturn(0);
}

/* OpenBLAS asks without end for the memory of its buffer where there is none: the first product takes it, when there is. */
static PetscErrorCode take_buffer(void)
{
  enum { BUFFER = 160 << 20, SIDE = 128 };
  Mat A, square;
  char *room;
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(BUFFER, &room));
  PetscCall(PetscFree(room));
  /* Through PETSc, for which products are linked. */
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, SIDE, SIDE, NULL, &A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &square));
  PetscCall(MatDestroy(&square));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

static PetscErrorCode all(Run *r)
{
  PetscFunctionBeginUser;
  PetscCall(take_buffer());
  r->stage = "loading";
  PetscCall(load(r, "K.petsc", &r->K));
  PetscCall(load(r, "M.petsc", &r->M));
  if (r->o.degree == 2) PetscCall(load(r, "C.petsc", &r->C));
  if (r->o.sum) PetscCall(load(r, "K_low.petsc", &r->of_K));
  PetscCall(rows_of(r->K, &r->rows[r->terms++]));
  if (r->C) PetscCall(rows_of(r->C, &r->rows[r->terms++]));
  PetscCall(rows_of(r->M, &r->rows[r->terms++]));
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
  r->low = (Vec *)calloc(MOST, sizeof(Vec));
  r->left = (Vec *)calloc(MOST, sizeof(Vec));
  r->form = calloc(MOST, sizeof *r->form);
  r->still = calloc(MOST, 1);
  r->end = calloc(MOST, sizeof *r->end);
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
#if !defined(PETSC_USE_COMPLEX)
  drop_slices(r);
#endif
  SlepcFinalize();
  return OK;
}
