/* Part of mb_engine.c, which includes it. */

/* The determinant of P(s) around a circle: its phase counts the eigenvalues inside. */

/* Of the rule for steps along a circle, as in the reader: places at first, orders of the smooth part (less than half the places), share of
 * a step by which the slope is measured, and a little less than the eighth of a turn that the reader allows. */
#define FIRST 16
#define PARTS 7
#define AHEAD 1e-2
#define QUIET 0.78

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
