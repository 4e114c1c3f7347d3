/* Part of mb_engine.c, which includes it. */

/* Problems of any kind: (K + s C + s^2 M) x = 0, or (K + tau M) x = 0 with degree one. */

/* Of the rule for steps along a circle, as in the reader: places at first, orders of the smooth part (less than half the places), share of
 * a step by which the slope is measured, and a little less than the eighth of a turn that the reader allows. */
#define FIRST 16
#define PARTS 7
#define AHEAD 1e-2
#define QUIET 0.78
/* What is left of an eigenpair's terms above which it gets a factor of its own: a hundred times the tolerance of the search; what rounding
 * leaves, hundreds of units; how far beside its value the factor is, relative; and how far from it the better value may be and still be of
 * the same eigenvalue. */
#define ROUNDED 1e-13
#define POOR 1e-9
#define BESIDE 1e-6
#define NEARBY 1e-3

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

/* |P(s) x| relative to the terms it is the sum of. */
static PetscErrorCode left_of(Run *r, PetscScalar s, PetscBool transposed, Vec x, Vec rest, Vec y, PetscReal *out)
{
  Mat A[3] = {r->K, r->o.degree == 2 ? r->C : r->M, r->M};
  PetscScalar by = 1.0;
  PetscReal terms = 0.0, term;
  int i;
  PetscFunctionBeginUser;
  PetscCall(VecZeroEntries(rest));
  for (i = 0; i <= r->o.degree; i++, by *= s) {
    PetscCall(transposed ? MatMultTranspose(A[i], x, y) : MatMult(A[i], x, y));
    PetscCall(VecAXPY(rest, by, y));
    PetscCall(VecNorm(y, NORM_2, &term));
    terms += term * PetscAbsScalar(by);
  }
  PetscCall(VecNorm(rest, NORM_2, out));
  if (terms > 0.0) *out /= terms;
  PetscFunctionReturn(0);
}

/* An eigenpair that the search left far from solved, as eigenvalues many powers of ten further from the shift than others are: steps
 * x <- P(z)^-1 P'(z) x next to it, s = z - |x|^2 / (x . P(z)^-1 P'(z) x). */
static PetscErrorCode by_own_factor(Run *r, PetscBool transposed, PetscScalar *s, Vec x, Vec b, Vec u, Vec rest, Vec y)
{
  PetscReal k, left, now, length, far = PetscAbsScalar(*s);
  PetscScalar beside = *s * (1.0 + BESIDE), ratio, better;
  Mat P, F;
  int step;
  PetscFunctionBeginUser;
  PetscCall(left_of(r, *s, transposed, x, rest, y, &left));
  if (left <= POOR || far <= NEAR_ZERO) PetscFunctionReturn(0);
  PetscCall(MatNorm(r->K, NORM_INFINITY, &k));
  PetscCall(VecNorm(rest, NORM_2, &length));
  /* Rounding of K x leaves as much of vectors of length one, whose terms cancel in slow modes. */
  if (length <= ROUNDED * k) PetscFunctionReturn(0);
  PetscCall(polynomial(r, beside, &P));
  PetscCall(factor(r, P, PETSC_FALSE, &F));
  for (step = 0; step < 3; step++) {
    Mat A = r->o.degree == 2 ? r->C : r->M;
    PetscCall(transposed ? MatMultTranspose(A, x, b) : MatMult(A, x, b));
    if (r->o.degree == 2) {
      PetscCall(transposed ? MatMultTranspose(r->M, x, y) : MatMult(r->M, x, y));
      PetscCall(VecAXPY(b, 2.0 * beside, y));
    }
    PetscCall(transposed ? MatSolveTranspose(F, b, u) : MatSolve(F, b, u));
    PetscCall(VecDot(u, x, &ratio)); /* x . u, of vectors of length one the inverse of the way to the eigenvalue */
    PetscCall(VecNorm(u, NORM_2, &length));
    if (!(length > 0.0) || !isfinite(length) || ratio == 0.0) break;
    better = beside - 1.0 / ratio;
    PetscCall(VecScale(u, 1.0 / length));
    PetscCall(left_of(r, better, transposed, u, rest, y, &now));
    if (!(now < left) || PetscAbsScalar(better - *s) > NEARBY * far) break;
    left = now;
    *s = better;
    PetscCall(VecCopy(u, x));
  }
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(0);
}

/* Eigenvalues nearest to a shift, of the problem or of its transpose, each vector cleaned by
 * x <- -(s - s_0) P(s_0)^-1 (C + (s + s_0) M) x, whose fixed points are the eigenvectors. */
static PetscErrorCode search(Run *r, PetscScalar shift, int want, PetscBool transposed, int *have, PetscScalar *value, Vec *vector)
{
  PEP pep = NULL;
  EPS eps = NULL;
  ST st;
  Mat A[3], P, F, negative = NULL;
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
    PetscCall(PEPSolve(pep));
    PetscCall(PEPGetConverged(pep, &converged));
  }
  PetscCall(MatCreateVecs(r->K, &x, &b));
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecDuplicate(x, &rest));
  PetscCall(VecDuplicate(x, &y));
  r->stage = "refining";
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
  /* With a factor of its own: that of the transform is of a scaled problem. */
  PetscCall(polynomial(r, shift, &P));
  PetscCall(factor(r, P, PETSC_FALSE, &F));
  p.P = P;
  p.transposed = transposed;
  for (i = 0; i < *have; i++) {
    PetscScalar s = value[i];
    PetscReal left;
    PetscCall(left_of(r, s, transposed, vector[i], rest, y, &left));
    for (step = 0; step < 2; step++) {
      PetscReal length, now;
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
  for (i = 0; i < *have; i++) PetscCall(by_own_factor(r, transposed, &value[i], vector[i], b, x, rest, y));
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

static PetscScalar on_circle(const Run *r, double angle)
{
  return PetscCMPLX(r->circle[0] + r->circle[2] * cos(angle), r->circle[1] + r->circle[2] * sin(angle));
}

/* A place on the circle: the logarithm there and its change with the angle, less the part that is smooth. */
typedef struct {
  double angle;
  PetscScalar at, slope;
} Node;

/* The determinant at an angle, and ahead of it by a share of the step. */
static PetscErrorCode node_at(Run *r, double angle, double step, int measured, Node *out)
{
  double size[2], phase[2], by = AHEAD * step;
  int i;
  PetscFunctionBeginUser;
  for (i = 0; i < 2; i++) {
    Phase *p = &r->phase[r->phases];
    PetscCall(phase_at(r, on_circle(r, angle + i * by), measured && !i, p));
    reduced(r, p, &size[i], &phase[i]);
    r->phases++;
  }
  out->angle = angle;
  out->at = PetscCMPLX(size[0], phase[0]);
  out->slope = PetscCMPLX((size[1] - size[0]) / by, remainder(phase[1] - phase[0], 2.0 * PETSC_PI) / by);
  PetscFunctionReturn(0);
}

static void less_smooth(const PetscScalar *part, Node *n)
{
  int m;
  for (m = 1; m <= PARTS; m++) {
    PetscScalar value = part[m - 1] * PetscCMPLX(cos(m * n->angle), sin(m * n->angle));
    n->at -= value;
    n->slope -= PetscCMPLX(0.0, m) * value;
  }
}

static int is_quiet(PetscScalar z)
{
  return fabs(PetscRealPart(z)) <= QUIET && fabs(PetscImaginaryPart(z)) <= QUIET;
}

/* Whether a step leaves no doubt: quiet by its ends and by the slopes there, and short where a value known is near. */
static int clear_step(const Run *r, const Node *a, const Node *b)
{
  double length = b->angle - a->angle, nearest = HUGE_VAL;
  PetscScalar across = b->at - a->at;
  int i;
  across = PetscCMPLX(PetscRealPart(across), remainder(PetscImaginaryPart(across), 2.0 * PETSC_PI));
  if (!is_quiet(across) || !is_quiet(a->slope * length) || !is_quiet(b->slope * length)) return 0;
  for (i = 0; i < r->found; i++) {
    double x = PetscRealPart(r->value[i]) - r->circle[0], y = PetscImaginaryPart(r->value[i]) - r->circle[1];
    double ahead = fmod(atan2(y, x) - a->angle + 6.0 * PETSC_PI, 2.0 * PETSC_PI), off = fabs(hypot(x, y) - r->circle[2]);
    if (ahead > length) {
      double one = PetscAbsScalar(r->value[i] - on_circle(r, a->angle)), two = PetscAbsScalar(r->value[i] - on_circle(r, b->angle));
      off = one < two ? one : two;
    }
    if (off < nearest) nearest = off;
  }
  return length * r->circle[2] <= 1.9 * nearest;
}

/* The determinant around the circle: places at equal distances, whose slopes give the smooth part, then cuts until all steps are clear. */
static PetscErrorCode contour(Run *r)
{
  Node *node = (Node *)malloc(sizeof(Node) * (size_t)(r->o.points + 2));
  PetscScalar part[PARTS];
  int nodes, i, j, m, again = 1;
  PetscFunctionBeginUser;
  for (nodes = 0; nodes < FIRST; nodes++) PetscCall(node_at(r, 0.05 + 2.0 * PETSC_PI * nodes / FIRST, 2.0 * PETSC_PI / FIRST, nodes % 3 == 0, &node[nodes]));
  for (m = 1; m <= PARTS; m++) {
    part[m - 1] = 0.0;
    for (i = 0; i < FIRST; i++) part[m - 1] += node[i].slope * PetscCMPLX(cos(m * node[i].angle), -sin(m * node[i].angle));
    part[m - 1] /= PetscCMPLX(0.0, (double)m * FIRST);
  }
  for (i = 0; i < FIRST; i++) less_smooth(part, &node[i]);
  while (again && r->phases + 1 < r->o.points) {
    again = 0;
    for (i = 0; i < nodes && r->phases + 1 < r->o.points; i++) {
      Node to = node[(i + 1) % nodes], made;
      double length;
      if (i + 1 == nodes) to.angle += 2.0 * PETSC_PI;
      if (clear_step(r, &node[i], &to)) continue;
      length = to.angle - node[i].angle;
      PetscCall(node_at(r, node[i].angle + 0.381966011250105 * length, length, 0, &made));
      less_smooth(part, &made);
      for (j = nodes; j > i + 1; j--) node[j] = node[j - 1];
      node[i + 1] = made;
      nodes++;
      again = 1;
      i++;
    }
  }
  free(node);
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

static PetscErrorCode work(Run *r)
{
  PetscScalar shift = PetscCMPLX(r->o.shift[0], r->o.shift[1]);
  int want = r->o.want, i, j, from;
  double *d, last = 0.0, next = 0.0;
  PetscFunctionBeginUser;
  if (r->o.within > 0.0 && want < 12) r->o.want = want = 12 < r->o.most ? 12 : r->o.most;
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
  else if (r->found == r->o.most) r->circle[2] = 1.5 * d[r->found - 1]; /* all there are */
  free(d);
  if (r->o.count && r->o.points >= 2 * FIRST && r->circle[2] > 0.0) PetscCall(contour(r));
  PetscFunctionReturn(0);
}
