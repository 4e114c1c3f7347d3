/* Part of mb_engine.c, which includes it. */

/* Eigenpairs of symmetric problems to the rounding of the matrices: vectors x + y, where y is what rounding leaves of x, and residuals in
 * double-double precision, each rank its own rows.
 *
 *   P(s) = K + c_1(s) A_1 + c_2(s) A_2            K - s M (real numbers), K + s M or K + s C + s^2 M (complex ones)
 *   r = P(s) (x + y),   s <- s - x.r / x.P'(s) x,   P(z) d = r,   x + y <- x + y - d
 *
 * The factor at z needs a few right digits alone. The share of another eigenvector x_i in the error comes out of a solve wrong by
 * (s - z) / (s_i - z); for those known it is taken from the residual: x_i.(P(s) - P(s_i)) d = x_i.r.
 */

/* Steps at most, what a step must leave of a residual to be followed by another, the relative residual at which no more is gained that is
 * used, that above which an eigenpair gets a factor of its own, and how far from its value that is, relative. */
#define STEPS 12
#define GAIN 0.7
#define ENOUGH 1e-13
#define POOR 1e-12
#define BESIDE 5e-4
/* A value that moves by more than this share of it has left its eigenvalue, as zeros do that rounding parted. */
#define AWAY 0.5
/* Gap of two eigenvalues, relative, below which their vectors are not distinguished by their residuals. */
#define CLOSE 1e-3
/* What is left of the terms of x.K x in what may be a zero, as in the reader: a dozen roundings of an entry. Chains of zeros, which problems
 * with complex numbers have, part by roots of rounding: of them all that are small may be. */
#if defined(PETSC_USE_COMPLEX)
#define STILL 2.0
#else
#define STILL (16.0 * PETSC_MACHINE_EPSILON)
#endif

/* The coefficients c of P(s) and those of P'(s). */
static void coefficients(PetscScalar s, PetscScalar c[TERMS], PetscScalar slope[TERMS])
{
  c[0] = 1.0;
  slope[0] = 0.0;
#if defined(PETSC_USE_COMPLEX)
  c[1] = s;
  slope[1] = 1.0;
  c[2] = s * s;
  slope[2] = 2.0 * s;
#else
  c[1] = -s;
  slope[1] = -1.0;
  c[2] = slope[2] = 0.0;
#endif
}

/* The own rows of a matrix: columns of this rank, those of others, and where their numbers come from. */
static PetscErrorCode rows_of(Mat A, Rows *out)
{
  PetscBool shared;
  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &shared));
  *out = (Rows){A, NULL, NULL, NULL, NULL};
  if (shared) {
    const PetscInt *columns;
    PetscInt count;
    IS from;
    Vec x;
    PetscCall(MatMPIAIJGetSeqAIJ(A, &out->inner, &out->outer, &columns));
    PetscCall(MatGetSize(out->outer, NULL, &count));
    PetscCall(MatCreateVecs(A, &x, NULL));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, count, &out->theirs));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, columns, PETSC_COPY_VALUES, &from));
    PetscCall(VecScatterCreate(x, from, out->theirs, NULL, &out->fetch));
    PetscCall(ISDestroy(&from));
    PetscCall(VecDestroy(&x));
  }
  PetscFunctionReturn(0);
}

/* sum + rest += a x by error-free transformations (the matrices are real). */
static inline void add(double *sum, double *rest, double a, double x)
{
  double product = a * x, total = *sum + product, back = total - *sum;
  *rest += fma(a, x, -product) + ((*sum - (total - back)) + (product - back));
  *sum = total;
}

/* What a product adds up: A x in double-double precision, A y of the low part once, |A| |x|. */
typedef enum { HIGH, LOW, SIZES } Which;

/* sum + rest += A x for some columns of the own rows, or into rest alone what counts once. */
static PetscErrorCode add_columns(Mat A, Vec x, Which which, double *sum, double *rest)
{
  const PetscInt *start, *column;
  const PetscScalar *value, *entry;
  PetscInt rows, i, k;
  PetscBool done;
  PetscFunctionBeginUser;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "rows of a matrix cannot be read");
  PetscCall(MatSeqAIJGetArrayRead(A, &value));
  PetscCall(VecGetArrayRead(x, &entry));
  for (i = 0; i < rows; i++) {
    for (k = start[i]; k < start[i + 1]; k++) {
      const double *part = (const double *)&entry[column[k]];
      double a = PetscRealPart(value[k]);
      int p;
      for (p = 0; p < PARTS_OF_NUMBER; p++) {
        if (which == LOW) rest[PARTS_OF_NUMBER * i + p] += a * part[p];
        else if (which == SIZES) rest[PARTS_OF_NUMBER * i + p] += fabs(a * part[p]);
        else add(&sum[PARTS_OF_NUMBER * i + p], &rest[PARTS_OF_NUMBER * i + p], a, part[p]);
      }
    }
  }
  PetscCall(VecRestoreArrayRead(x, &entry));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &value));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &done));
  PetscFunctionReturn(0);
}

/* The same for all columns. */
static PetscErrorCode add_rows(Rows *a, Vec x, Which which, double *sum, double *rest)
{
  PetscFunctionBeginUser;
  if (a->fetch) {
    PetscCall(VecScatterBegin(a->fetch, x, a->theirs, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(a->fetch, x, a->theirs, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(add_columns(a->outer, a->theirs, which, sum, rest));
  }
  PetscCall(add_columns(a->fetch ? a->inner : a->whole, x, which, sum, rest));
  PetscFunctionReturn(0);
}

/* A (x + y) in double-double precision, rounded at the end; with no y, |A| |x| by parts of numbers. */
static PetscErrorCode product(Rows *a, Vec x, Vec y, Vec out)
{
  PetscScalar *to;
  double *sum, *rest;
  PetscInt rows, i;
  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(out, &rows));
  rows *= PARTS_OF_NUMBER;
  PetscCall(PetscCalloc2((size_t)rows, &sum, (size_t)rows, &rest));
  PetscCall(add_rows(a, x, y ? HIGH : SIZES, sum, rest));
  if (y) PetscCall(add_rows(a, y, LOW, sum, rest));
  PetscCall(VecGetArrayWrite(out, &to));
  for (i = 0; i < rows; i++) ((double *)to)[i] = sum[i] + rest[i];
  PetscCall(VecRestoreArrayWrite(out, &to));
  PetscCall(PetscFree2(sum, rest));
  PetscFunctionReturn(0);
}

/* x + y <- x + y - d. */
static PetscErrorCode subtract(Vec x, Vec y, Vec d)
{
  const PetscScalar *step;
  PetscScalar *high, *low;
  PetscInt n, i;
  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &high));
  PetscCall(VecGetArray(y, &low));
  PetscCall(VecGetArrayRead(d, &step));
  for (i = 0; i < PARTS_OF_NUMBER * n; i++) {
    double *h = (double *)high + i, *l = (double *)low + i, sum = *h, rest = *l;
    add(&sum, &rest, -1.0, ((const double *)step)[i]);
    *h = sum + rest;
    *l = rest - (*h - sum);
  }
  PetscCall(VecRestoreArrayRead(d, &step));
  PetscCall(VecRestoreArray(y, &low));
  PetscCall(VecRestoreArray(x, &high));
  PetscFunctionReturn(0);
}

/* sum of |x_i| |r_i|. */
static PetscErrorCode weighted(Run *r, Vec x, Vec rest, PetscReal *out)
{
  const PetscScalar *a, *b;
  PetscReal own = 0.0;
  PetscInt n, i;
  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(rest, &b));
  for (i = 0; i < n; i++) own += PetscAbsScalar(a[i]) * PetscAbsScalar(b[i]);
  PetscCall(VecRestoreArrayRead(rest, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPI_Allreduce(&own, out, 1, MPI_DOUBLE, MPI_SUM, r->comm));
  PetscFunctionReturn(0);
}

/* Vectors that the steps work with. */
struct Work {
  Vec image[TERMS], rest, d, x, y;
};

static PetscErrorCode work_for(Run *r, Work *w)
{
  Vec *all[] = {&w->image[0], &w->image[1], &w->image[2], &w->rest, &w->d, &w->x, &w->y};
  size_t i;
  PetscFunctionBeginUser;
  for (i = 0; i < sizeof all / sizeof *all; i++) PetscCall(MatCreateVecs(r->K, all[i], NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode work_done(Work *w)
{
  Vec *all[] = {&w->image[0], &w->image[1], &w->image[2], &w->rest, &w->d, &w->x, &w->y};
  size_t i;
  PetscFunctionBeginUser;
  for (i = 0; i < sizeof all / sizeof *all; i++) PetscCall(VecDestroy(all[i]));
  PetscFunctionReturn(0);
}

/* The residual of an eigenpair, its value corrected, and what is left relative to s x.P'(s) x. */
static PetscErrorCode rest_of(Run *r, int j, Work *w, PetscReal *out)
{
  PetscScalar c[TERMS], slope[TERMS], first, d = 0.0, step, change[TERMS] = {0.0, 0.0, 0.0}, s = r->value[j];
  int k;
  PetscFunctionBeginUser;
  coefficients(s, c, slope);
  PetscCall(VecZeroEntries(w->rest));
  for (k = 0; k < r->terms; k++) {
    PetscCall(product(&r->rows[k], r->right[j], r->low[j], w->image[k]));
    if (!k && r->of_K) PetscCall(MatMultAdd(r->of_K, r->right[j], w->image[k], w->image[k]));
    PetscCall(VecTDot(w->image[k], r->right[j], &r->form[j][k]));
    PetscCall(VecAXPY(w->rest, c[k], w->image[k]));
    d += slope[k] * r->form[j][k];
  }
  PetscCall(VecTDot(w->rest, r->right[j], &first));
  if (r->still[j]) {
    /* What may be a zero is left where it is: its quotient is rounding. */
    PetscCall(weighted(r, r->right[j], w->rest, out));
    *out /= r->zero * PetscAbsScalar(r->form[j][r->terms - 1]);
    PetscFunctionReturn(0);
  }
  step = -first / d;
  if (r->terms > 2) step -= step * step * r->form[j][2] / d;
  r->value[j] = s + step;
  /* c(s + step) - c(s) without cancellation. */
  change[1] = slope[1] * step;
  change[2] = step * (2.0 * s + step);
  for (k = 1; k < r->terms; k++) PetscCall(VecAXPY(w->rest, change[k], w->image[k]));
  PetscCall(weighted(r, r->right[j], w->rest, out));
  *out /= PetscAbsScalar(r->value[j] * d);
  PetscFunctionReturn(0);
}

/* The shares of all eigenvectors known in a correction of eigenpair j as the residual says; that of x_j itself is none. */
static PetscErrorCode shares(Run *r, int j, Work *w)
{
  PetscScalar *dot[TERMS], *share, c[TERMS], slope[TERMS];
  int i, k, zeros;
  PetscFunctionBeginUser;
  for (k = 0; k < r->terms; k++) PetscCall(PetscMalloc1((size_t)r->found, &dot[k]));
  PetscCall(PetscMalloc1((size_t)r->found, &share));
  PetscCall(VecMTDot(w->rest, r->found, r->right, dot[0]));
  for (k = 1; k < r->terms; k++) {
    PetscCall(MatMult(r->rows[k].whole, w->d, w->image[k]));
    PetscCall(VecMTDot(w->image[k], r->found, r->right, dot[k]));
  }
  coefficients(r->value[j], c, slope);
  for (i = 0; i < r->found; i++) {
    PetscScalar other[TERMS], unused[TERMS], gap = 0.0, wrong = 0.0;
    PetscReal size = 0.0;
    coefficients(r->value[i], other, unused);
    for (k = 1; k < r->terms; k++) {
      PetscScalar by = i == j ? slope[k] : c[k] - other[k];
      gap += by * r->form[i][k];
      wrong += by * dot[k][i];
      size += (PetscAbsScalar(c[k]) + PetscAbsScalar(other[k])) * PetscAbsScalar(r->form[i][k]);
    }
    zeros = r->still[i] && r->still[j];
    if (i != j && !zeros && PetscAbsScalar(gap) > CLOSE * size) wrong -= dot[0][i];
    else if (i != j || zeros) {
      gap = r->form[i][r->terms - 1];
      wrong = dot[r->terms - 1][i];
    }
    share[i] = -wrong / gap;
    if (!isfinite(PetscRealPart(share[i])) || !isfinite(PetscImaginaryPart(share[i]))) share[i] = 0.0;
  }
  PetscCall(VecMAXPY(w->d, r->found, share, r->right));
  PetscCall(PetscFree(share));
  for (k = 0; k < r->terms; k++) PetscCall(PetscFree(dot[k]));
  PetscFunctionReturn(0);
}

/* The steps of one eigenpair with a factor; the relative residual that it ends with. */
static PetscErrorCode refine(Run *r, Mat F, int j, Work *w, PetscReal *out)
{
  PetscReal before = HUGE_VAL, now;
  PetscScalar start = r->value[j], s = start;
  int step;
  PetscFunctionBeginUser;
  r->stage = "refining";
  for (step = 0;; step++) {
    PetscCall(rest_of(r, j, w, &now));
    if (!(now < before) || !(PetscAbsScalar(r->value[j] - start) <= AWAY * PetscAbsScalar(start))) {
      /* As good as it got. */
      if (step) {
        PetscCall(VecCopy(w->x, r->right[j]));
        PetscCall(VecCopy(w->y, r->low[j]));
      } else r->still[j] = 1;
      r->value[j] = s;
      break;
    }
    s = r->value[j];
    if (now <= ENOUGH || now > GAIN * before || step == STEPS) {
      before = now;
      break;
    }
    before = now;
    PetscCall(VecCopy(r->right[j], w->x));
    PetscCall(VecCopy(r->low[j], w->y));
    PetscCall(MatSolve(F, w->rest, w->d));
    PetscCall(shares(r, j, w));
    PetscCall(subtract(r->right[j], r->low[j], w->d));
  }
  *out = before;
  PetscFunctionReturn(0);
}

/* P(s). */
static PetscErrorCode polynomial(Run *r, PetscScalar s, Mat *P)
{
  PetscScalar c[TERMS], slope[TERMS];
  int k;
  PetscFunctionBeginUser;
  coefficients(s, c, slope);
  PetscCall(MatDuplicate(r->K, MAT_COPY_VALUES, P));
  for (k = 1; k < r->terms; k++) PetscCall(MatAXPY(*P, c[k], r->rows[k].whole, DIFFERENT_NONZERO_PATTERN));
  if (r->o.symmetric) PetscCall(MatSetOption(*P, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* Separates eigenvectors of nearly equal values, which few digits leave mixed and corrections by differences of values do not: turns of two
 * at a time, by the forms of the matrices on them. */
static PetscErrorCode untangle(Run *r, int from, Work *w)
{
  int i, j, sweep;
  PetscFunctionBeginUser;
#if !defined(PETSC_USE_COMPLEX)
  for (sweep = 0; sweep < 3; sweep++)
    for (i = from; i < r->found; i++)
      for (j = i + 1; j < r->found; j++) {
        PetscReal a = r->value[i], b = r->value[j], unused, mixed, angle;
        if (r->still[i] && r->still[j]) continue;
        if (PetscAbsReal(a - b) > CLOSE * PetscMax(PetscAbsReal(a), PetscAbsReal(b))) continue;
        PetscCall(rest_of(r, i, w, &unused));
        PetscCall(VecTDot(w->rest, r->right[j], &mixed));
        PetscCall(rest_of(r, j, w, &unused));
        angle = 0.5 * atan2(2.0 * mixed, r->value[i] - r->value[j]);
        if (!isfinite(angle)) continue;
        /* The smaller of the turns that part them. */
        if (angle > 0.25 * PETSC_PI) angle -= 0.5 * PETSC_PI;
        if (angle < -0.25 * PETSC_PI) angle += 0.5 * PETSC_PI;
        PetscCall(VecCopy(r->right[i], w->x));
        PetscCall(VecAXPBY(r->right[i], sin(angle), cos(angle), r->right[j]));
        PetscCall(VecAXPBY(r->right[j], -sin(angle), cos(angle), w->x));
      }
#else
  (void)r, (void)from, (void)w, (void)i, (void)j, (void)sweep;
#endif
  PetscFunctionReturn(0);
}

/* x.A x of some of those found, which the shares need. */
static PetscErrorCode forms(Run *r, int from, int to)
{
  Vec image;
  int j, k;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(r->K, &image, NULL));
  for (j = from; j < to; j++)
    for (k = 1; k < r->terms; k++) {
      PetscCall(MatMult(r->rows[k].whole, r->right[j], image));
      PetscCall(VecTDot(image, r->right[j], &r->form[j][k]));
    }
  PetscCall(VecDestroy(&image));
  PetscFunctionReturn(0);
}

/* Which of some of those found may be zeros. */
static PetscErrorCode zeros_among(Run *r, int from, int to)
{
  Vec image;
  PetscScalar form;
  PetscReal terms;
  int j;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(r->K, &image, NULL));
  for (j = from; j < to; j++) {
    if (PetscAbsScalar(r->value[j]) > r->zero) continue;
    PetscCall(product(&r->rows[0], r->right[j], r->low[j], image));
    PetscCall(VecTDot(image, r->right[j], &form));
    PetscCall(product(&r->rows[0], r->right[j], NULL, image));
    PetscCall(weighted(r, r->right[j], image, &terms));
    r->still[j] = PetscAbsScalar(form) <= STILL * terms;
  }
  PetscCall(VecDestroy(&image));
  PetscFunctionReturn(0);
}

/* Refines what was found from a place on, with a factor of the search and, where that does not do, one of its own for each, which what may
 * be a zero has not. */
static PetscErrorCode refine_all(Run *r, Mat F, int from)
{
  PetscReal left;
  Mat P, own;
  Work w;
  int j;
  PetscFunctionBeginUser;
  r->stage = "refining";
  PetscCall(work_for(r, &w));
  PetscCall(forms(r, from, r->found));
  PetscCall(zeros_among(r, from, r->found));
  PetscCall(untangle(r, from, &w));
  for (j = from; j < r->found; j++) {
    PetscCall(refine(r, F, j, &w, &left));
    if (left <= POOR || r->still[j]) continue;
    PetscCall(polynomial(r, r->value[j] * (1.0 + BESIDE), &P));
    PetscCall(factor(r, P, PETSC_FALSE, &own));
    PetscCall(approach(r, own, r->value[j] * (1.0 + BESIDE), j, &w));
    PetscCall(refine(r, own, j, &w, &left));
    PetscCall(MatDestroy(&own));
    PetscCall(MatDestroy(&P));
  }
  PetscCall(work_done(&w));
  PetscFunctionReturn(0);
}
