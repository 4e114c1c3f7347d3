/* Part of mb_engine.c, which includes it. */

/* Undamped symmetric problems: K x = w M x. */

static PetscErrorCode approach(Run *r, Mat F, PetscScalar beside, int j, Work *w)
{
  (void)r, (void)F, (void)beside, (void)j, (void)w;
  return 0;
}

static PetscErrorCode forget(Run *r)
{
  PetscFunctionBeginUser;
  for (; r->found; r->found--) {
    PetscCall(VecDestroy(&r->right[r->found - 1]));
    PetscCall(VecDestroy(&r->low[r->found - 1]));
  }
  PetscFunctionReturn(0);
}

/* Inertia at a shift. */
static PetscErrorCode count_at(Run *r, double sigma, double *negative)
{
  Mat T, F;
  PetscInt n = 0, nulls = 0;
  PetscReal residual = 1.0;
  int i;
  PetscFunctionBeginUser;
  for (i = 0; i < r->counted; i++)
    if (r->count[i].at == sigma) {
      if (negative) *negative = r->count[i].negative - r->o.rank;
      PetscFunctionReturn(0);
    }
  PetscCheck(r->counted < MOST, r->comm, PETSC_ERR_ARG_SIZ, "too many counts");
  r->stage = "counting";
  PetscCall(polynomial(r, sigma, &T));
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

/* A vector without its shares of the modes known, which a solve makes larger where they are nearer to the shift, and of mass one; the
 * square of its length before. */
static PetscErrorCode beside_known(Run *r, Vec x, Vec b, PetscScalar *length)
{
  PetscScalar *share;
  int j;
  PetscFunctionBeginUser;
  PetscCall(MatMult(r->M, x, b));
  if (r->found) {
    PetscCall(PetscMalloc1((size_t)r->found, &share));
    PetscCall(VecMDot(b, r->found, r->right, share));
    for (j = 0; j < r->found; j++) share[j] = -share[j];
    PetscCall(VecMAXPY(x, r->found, share, r->right));
    PetscCall(PetscFree(share));
    PetscCall(MatMult(r->M, x, b));
  }
  PetscCall(VecDot(b, x, length));
  if (*length > 0.0 && isfinite(*length)) PetscCall(VecScale(x, 1.0 / sqrt(*length)));
  PetscFunctionReturn(0);
}

/* Eigenvalues nearest to a shift in addition to those known, refined with its factor. */
static PetscErrorCode search(Run *r, double sigma, int want)
{
  EPS eps;
  ST st;
  Mat F;
  Vec x, b, kept;
  PetscInt have = 0, i, ncv, size, left = r->o.most - r->found;
  PetscScalar w, length = 1.0;
  int last, from = r->found;
  PetscFunctionBeginUser;
  r->stage = "searching";
  r->factorizations++;
  if (want > left) want = left;
  if (want < 1) PetscFunctionReturn(0);
  PetscCall(MatGetSize(r->K, &size, NULL));
  /* A basis larger than the space of modes cannot be made, and SLEPc wants one larger than what it returns. */
  last = want == left && left < size;
  PetscCall(MatCreateVecs(r->K, &x, &b));
  PetscCall(EPSCreate(r->comm, &eps));
  PetscCall(EPSSetOperators(eps, r->K, r->M));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  PetscCall(EPSSetTarget(eps, sigma));
  ncv = 2 * want + 20;
  if (ncv > size) ncv = size;
  if (left < size && ncv > left) ncv = left > 2 ? left : 2;
  PetscCall(EPSSetDimensions(eps, last && want > 1 ? want - 1 : want, ncv, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, 1e-11, 300));
  PetscCall(EPSSetConvergenceTest(eps, EPS_CONV_REL));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetType(st, STSINVERT));
  PetscCall(STSetShift(st, sigma));
  PetscCall(mumps_in(st, PETSC_TRUE));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSetUp(eps));
  PetscCall(factor_in(r, st, &F));
  /* A start in the range of the operator. */
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(r->M, x, b));
  PetscCall(MatSolve(F, b, x));
  PetscCall(EPSSetInitialSpace(eps, 1, &x));
  /* Known vectors after the basis has its size, which SLEPc cannot change once it has them. */
  if (r->found) PetscCall(EPSSetDeflationSpace(eps, r->found, r->right));
  if (!last || want > 1) {
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &have));
  }
  for (i = 0; i < have; i++) {
    /* Beyond the finite eigenvalues there is nothing but rounding. */
    if (r->found >= r->o.most) break;
    PetscCall(EPSGetEigenpair(eps, i, &w, NULL, x, NULL));
    if (!isfinite(w) || w == sigma) continue;
    PetscCall(VecDuplicate(x, &kept));
    PetscCall(VecCopy(x, kept));
    PetscCall(beside_known(r, kept, b, &length));
    if (length > 0.0 && isfinite(length)) PetscCall(keep(r, w, kept, NULL));
    else PetscCall(VecDestroy(&kept));
  }
  if (last && r->found == r->o.most - 1) {
    /* The last of all modes: what inverse iteration leaves beside the others. */
    PetscScalar theta = 0.0;
    length = 1.0;
    PetscCall(VecDuplicate(x, &kept));
    PetscCall(VecSetRandom(kept, NULL));
    for (i = 0; i < 4 && length > 0.0 && isfinite(length); i++) {
      PetscCall(MatMult(r->M, kept, b));
      PetscCall(MatSolve(F, b, x));
      PetscCall(VecDot(b, x, &theta));
      PetscCall(VecCopy(x, kept));
      PetscCall(beside_known(r, kept, b, &length));
    }
    if (length > 0.0 && isfinite(length) && theta != 0.0 && isfinite(1.0 / theta)) PetscCall(keep(r, sigma + 1.0 / theta, kept, NULL));
    else PetscCall(VecDestroy(&kept));
  }
  r->zero = r->o.zeros ? CLOSE * fabs(sigma) : 0.0;
  PetscCall(refine_all(r, F, from));
  PetscCall(EPSDestroy(&eps));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
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
    /* A shift far from the lowest modes is moved to them. */
    for (i = 0; i < r->found; i++) {
      double w = fabs(r->value[i]);
      if (w > 1e-2 * fabs(sigma) && w < next) next = w;
    }
    if (!(next < HUGE_VAL) || fabs(sigma) <= 0.3 * next || 0.03 * next >= 0.5 * fabs(sigma)) break;
    sigma = -0.03 * next;
    PetscCall(forget(r));
  }
  for (round = 0; round < ROUNDS; round++) {
    if (gap_behind(r, want, &one, &two) || r->found >= r->o.most) break;
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
  int number, first = r->found;
  PetscFunctionBeginUser;
  if (count <= 0) PetscFunctionReturn(0);
  if (count > r->o.slice && depth < 40) {
    double half;
    PetscCall(count_at(r, middle, &half));
    PetscCall(slices(r, from, below, middle, half, depth + 1));
    PetscCall(slices(r, middle, half, to, above, depth + 1));
    PetscFunctionReturn(0);
  }
  number = r->slices++;
  if (number < r->kept) {
    PetscCheck(r->end[number][0] == from && r->end[number][1] == to, r->comm, PETSC_ERR_FILE_UNEXPECTED, "the slices that a run before left in the folder are others: remove its folder `results`");
    PetscFunctionReturn(0);
  }
  PetscCall(search(r, middle, count + 1));
  PetscCall(complete(r, from, to, count, middle));
  PetscCall(keep_slice(r, number, from, to, first));
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
  if (!strcmp(r->o.search, "between")) PetscCall(resume(r));
  if (r->o.check_mass && r->o.count && r->mass_negative < 0) PetscCall(check_mass(r));
  if (!strcmp(r->o.search, "between")) PetscCall(band(r));
  else PetscCall(nearest(r));
  PetscFunctionReturn(0);
}
