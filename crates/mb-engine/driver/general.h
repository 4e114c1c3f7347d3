/* Part of mb_engine.c, which includes it. */

/* Problems of any kind: (K + s C + s^2 M) x = 0, or (K + tau M) x = 0 with degree one. */

#include "contour.h"

/* What is left of an eigenpair's terms above which the search left it far from solved: a hundred times its tolerance; what rounding leaves,
 * hundreds of units; and how far from its value a better one may be and still be of the same eigenvalue. */
#define UNSOLVED 1e-9
#define ROUNDED 1e-13
#define NEARBY 1e-3
/* Values up to here may be zeros that rounding parted. */
#define NEAR_ZERO 1e-5

/* |P(s) x| relative to the terms it is the sum of. */
static PetscErrorCode left_of(Run *r, PetscScalar s, PetscBool transposed, Vec x, Vec rest, Vec y, PetscReal *out)
{
  PetscScalar c[TERMS], slope[TERMS];
  PetscReal terms = 0.0, term;
  int k;
  PetscFunctionBeginUser;
  coefficients(s, c, slope);
  PetscCall(VecZeroEntries(rest));
  for (k = 0; k < r->terms; k++) {
    Mat A = r->rows[k].whole;
    PetscCall(transposed ? MatMultTranspose(A, x, y) : MatMult(A, x, y));
    PetscCall(VecAXPY(rest, c[k], y));
    PetscCall(VecNorm(y, NORM_2, &term));
    terms += term * PetscAbsScalar(c[k]);
  }
  PetscCall(VecNorm(rest, NORM_2, out));
  if (terms > 0.0) *out /= terms;
  PetscFunctionReturn(0);
}

/* Whether the search left an eigenpair far from solved, as those many powers of ten further from the shift than others are. */
static PetscErrorCode is_unsolved(Run *r, PetscBool transposed, PetscScalar s, Vec x, Vec rest, Vec y, PetscReal *left, PetscBool *out)
{
  PetscReal k, length;
  PetscFunctionBeginUser;
  PetscCall(left_of(r, s, transposed, x, rest, y, left));
  PetscCall(MatNorm(r->K, NORM_INFINITY, &k));
  PetscCall(VecNorm(rest, NORM_2, &length));
  /* Rounding of K x leaves as much of vectors of length one, whose terms cancel in slow modes. */
  *out = *left > UNSOLVED && PetscAbsScalar(s) > NEAR_ZERO && length > ROUNDED * k ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* Steps x <- P(z)^-1 P'(z) x with a factor at z next to an eigenvalue, s = z - |x|^2 / (x . P(z)^-1 P'(z) x). */
static PetscErrorCode inverse_steps(Run *r, Mat F, PetscScalar beside, PetscBool transposed, PetscReal left, PetscScalar *s, Vec x, Vec u, Vec rest, Vec y)
{
  PetscScalar c[TERMS], slope[TERMS], ratio, better, from = *s;
  PetscReal now, length;
  int step, k;
  PetscFunctionBeginUser;
  coefficients(beside, c, slope);
  for (step = 0; step < 3; step++) {
    PetscCall(VecZeroEntries(rest));
    for (k = 1; k < r->terms; k++) {
      Mat A = r->rows[k].whole;
      PetscCall(transposed ? MatMultTranspose(A, x, y) : MatMult(A, x, y));
      PetscCall(VecAXPY(rest, slope[k], y));
    }
    PetscCall(transposed ? MatSolveTranspose(F, rest, u) : MatSolve(F, rest, u));
    PetscCall(VecDot(u, x, &ratio)); /* x . u, of vectors of length one the inverse of the way to the eigenvalue */
    PetscCall(VecNorm(u, NORM_2, &length));
    if (!(length > 0.0) || !isfinite(length) || ratio == 0.0) break;
    better = beside - 1.0 / ratio;
    PetscCall(VecScale(u, 1.0 / length));
    PetscCall(left_of(r, better, transposed, u, rest, y, &now));
    if (!(now < left) || PetscAbsScalar(better - from) > NEARBY * PetscAbsScalar(from)) break;
    left = now;
    *s = better;
    PetscCall(VecCopy(u, x));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode approach(Run *r, Mat F, PetscScalar beside, int j, Work *w)
{
  PetscReal left;
  PetscBool unsolved;
  PetscFunctionBeginUser;
  PetscCall(is_unsolved(r, PETSC_FALSE, r->value[j], r->right[j], w->rest, w->d, &left, &unsolved));
  if (!unsolved) PetscFunctionReturn(0);
  PetscCall(VecZeroEntries(r->low[j]));
  PetscCall(inverse_steps(r, F, beside, PETSC_FALSE, left, &r->value[j], r->right[j], w->x, w->rest, w->d));
  PetscFunctionReturn(0);
}

/* Vectors of an unsymmetric problem, of its transpose, or of what may be zeros, cleaned by x <- -(s - s_0) P(s_0)^-1 (C + (s + s_0) M) x, whose fixed points are the
 * eigenvectors; those far from solved with a factor of their own. */
static PetscErrorCode clean(Run *r, PetscScalar shift, PetscBool transposed, int have, PetscScalar *value, Vec *vector)
{
  Mat P, F;
  Vec x, b, d, rest, y;
  PetscReal left, length, now;
  PetscBool unsolved;
  int i, step;
  PetscFunctionBeginUser;
  r->stage = "refining";
  PetscCall(MatCreateVecs(r->K, &x, &b));
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecDuplicate(x, &rest));
  PetscCall(VecDuplicate(x, &y));
  /* With a factor of its own: that of the transform is of a scaled problem. */
  PetscCall(polynomial(r, shift, &P));
  PetscCall(factor(r, P, PETSC_FALSE, &F));
  for (i = 0; i < have; i++) {
    PetscScalar s = value[i];
    PetscCall(left_of(r, s, transposed, vector[i], rest, y, &left));
    for (step = 0; step < 2; step++) {
      PetscCall(transposed ? MatMultTranspose(r->M, vector[i], b) : MatMult(r->M, vector[i], b));
      if (r->o.degree == 2) {
        PetscCall(VecScale(b, s + shift));
        PetscCall(transposed ? MatMultTranspose(r->C, vector[i], y) : MatMult(r->C, vector[i], y));
        PetscCall(VecAXPY(b, 1.0, y));
      }
      PetscCall(VecScale(b, shift - s));
      PetscCall(transposed ? MatSolveTranspose(F, b, x) : MatSolve(F, b, x));
      PetscCall(transposed ? MatMultTranspose(P, x, rest) : MatMult(P, x, rest));
      PetscCall(VecAYPX(rest, -1.0, b));
      PetscCall(transposed ? MatSolveTranspose(F, rest, d) : MatSolve(F, rest, d));
      PetscCall(VecAXPY(x, 1.0, d));
      PetscCall(VecNorm(x, NORM_2, &length));
      if (!(length > 0.0) || !isfinite(length)) break;
      PetscCall(VecScale(x, 1.0 / length));
      /* A solve makes shares of eigenvectors nearer to the shift larger: where they outgrow what it takes away, it is left out. */
      PetscCall(left_of(r, s, transposed, x, rest, y, &now));
      if (!(now < left)) break;
      left = now;
      PetscCall(VecCopy(x, vector[i]));
    }
  }
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&P));
  for (i = 0; i < have; i++) {
    PetscScalar beside = value[i] * (1.0 + BESIDE);
    PetscCall(is_unsolved(r, transposed, value[i], vector[i], rest, y, &left, &unsolved));
    if (!unsolved) continue;
    PetscCall(polynomial(r, beside, &P));
    PetscCall(factor(r, P, PETSC_FALSE, &F));
    PetscCall(inverse_steps(r, F, beside, transposed, left, &value[i], vector[i], x, rest, y));
    PetscCall(MatDestroy(&F));
    PetscCall(MatDestroy(&P));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&rest));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

/* Eigenvalues nearest to a shift, of the problem or of its transpose. */
static PetscErrorCode search(Run *r, PetscScalar shift, int want, PetscBool transposed, int *have, PetscScalar *value, Vec *vector)
{
  PEP pep = NULL;
  EPS eps = NULL;
  ST st;
  Mat A[3], F, negative = NULL;
  Vec x;
  PetscInt i, converged, ncv, size;
  PetscFunctionBeginUser;
  r->stage = "searching";
  r->factorizations++;
  A[0] = r->K;
  A[1] = r->o.degree == 2 ? r->C : r->M;
  A[2] = r->M;
  for (i = 0; i <= r->o.degree && transposed; i++) PetscCall(MatTranspose(A[i], MAT_INITIAL_MATRIX, &A[i]));
  PetscCall(MatGetSize(r->K, &size, NULL));
  ncv = 2 * want + 20;
  if (ncv > size * r->o.degree) ncv = size * r->o.degree;
  if (r->o.degree == 1) {
    /* K x = tau (-M) x */
    PetscCall(MatDuplicate(A[1], MAT_COPY_VALUES, &negative));
    PetscCall(MatScale(negative, -1.0));
    PetscCall(EPSCreate(r->comm, &eps));
    PetscCall(EPSSetOperators(eps, A[0], negative));
    PetscCall(EPSSetProblemType(eps, EPS_GNHEP));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSSetTarget(eps, shift));
    PetscCall(EPSSetDimensions(eps, want, ncv, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(eps, 1e-11, 300));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(STSetShift(st, shift));
    PetscCall(mumps_in(st, PETSC_FALSE));
    PetscCall(EPSSetFromOptions(eps));
    PetscCall(EPSSetUp(eps));
    PetscCall(factor_in(r, st, &F));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &converged));
  } else {
    PetscCall(PEPCreate(r->comm, &pep));
    PetscCall(PEPSetOperators(pep, r->o.degree + 1, A));
    PetscCall(PEPSetProblemType(pep, PEP_GENERAL));
    PetscCall(PEPSetType(pep, PEPTOAR));
    PetscCall(PEPSetWhichEigenpairs(pep, PEP_TARGET_MAGNITUDE));
    PetscCall(PEPSetTarget(pep, shift));
    PetscCall(PEPSetDimensions(pep, want, ncv, PETSC_DEFAULT));
    PetscCall(PEPSetTolerances(pep, 1e-11, 300));
    PetscCall(PEPGetST(pep, &st));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(STSetShift(st, shift));
    PetscCall(mumps_in(st, r->o.symmetric && !transposed));
    PetscCall(PEPSetFromOptions(pep));
    PetscCall(PEPSetUp(pep));
    PetscCall(factor_in(r, st, &F));
    PetscCall(PEPSolve(pep));
    PetscCall(PEPGetConverged(pep, &converged));
  }
  PetscCall(MatCreateVecs(r->K, &x, NULL));
  if (converged > *have) converged = *have;
  /* Beyond the finite eigenvalues there is nothing but rounding. */
  if (converged > r->o.most) converged = r->o.most;
  *have = 0;
  for (i = 0; i < converged; i++) {
    if (eps) PetscCall(EPSGetEigenpair(eps, i, &value[*have], NULL, x, NULL));
    else PetscCall(PEPGetEigenpair(pep, i, &value[*have], NULL, x, NULL));
    if (!isfinite(PetscRealPart(value[*have])) || !isfinite(PetscImaginaryPart(value[*have]))) continue;
    PetscCall(VecDuplicate(x, &vector[*have]));
    PetscCall(VecCopy(x, vector[*have]));
    (*have)++;
  }
  PetscCall(PEPDestroy(&pep));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&negative));
  for (i = 0; i <= r->o.degree && transposed; i++) PetscCall(MatDestroy(&A[i]));
  if (!r->o.symmetric) PetscCall(clean(r, shift, transposed, *have, value, vector));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(0);
}

/* The eigenvalues to look for: more of them, or from a better shift, until what was asked for is there. */
static PetscErrorCode rights(Run *r, PetscScalar *shift)
{
  PetscScalar *value;
  int want = r->o.want, most = r->o.most, i, have, move = 0;
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

/* Exchanges two of those found. */
static void swap(Run *r, int i, int j)
{
  PetscScalar value = r->value[i];
  Vec right = r->right[i];
  r->value[i] = r->value[j];
  r->right[i] = r->right[j];
  r->value[j] = value;
  r->right[j] = right;
}

static PetscErrorCode work(Run *r)
{
  PetscScalar shift = PetscCMPLX(r->o.shift[0], r->o.shift[1]);
  int want = r->o.want, i, j, from;
  double *d, last = 0.0, next = 0.0;
  Mat P, F;
  PetscFunctionBeginUser;
  if (r->o.within > 0.0 && want < 12) r->o.want = want = 12 < r->o.most ? 12 : r->o.most;
  r->zero = r->o.zeros ? NEAR_ZERO : 0.0;
  PetscCall(rights(r, &shift));
  if (r->o.symmetric && r->found) {
    PetscCall(polynomial(r, shift, &P));
    PetscCall(factor(r, P, PETSC_FALSE, &F));
    /* Zeros come first: their residuals at values that are rounding say nothing. */
    for (i = j = 0; i < r->found; i++)
      if (PetscAbsScalar(r->value[i]) <= r->zero) swap(r, i, j++);
    if (j) PetscCall(clean(r, shift, PETSC_FALSE, j, r->value, r->right));
    PetscCall(forms(r, 0, j));
    PetscCall(zeros_among(r, 0, j));
    PetscCall(refine_all(r, F, j));
    PetscCall(MatDestroy(&F));
    PetscCall(MatDestroy(&P));
  }
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
  else if (r->found == r->o.most) r->circle[2] = 1.5 * d[r->found - 1]; /* all there are */
  free(d);
  if (r->o.count && r->o.points >= 2 * FIRST && r->circle[2] > 0.0) PetscCall(contour(r));
  PetscFunctionReturn(0);
}
