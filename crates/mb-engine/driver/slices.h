/* Part of mb_engine.c, which includes it. */

/* Slices of a band that are finished, kept until the whole run is:
 *
 *   results/slice-N.bin   vectors of the slice, and what rounding leaves of each
 *   results/slice-N.txt   its package, ends, values and which may be zeros, the checksum of the vectors and all inertias so far; last, by a change of name
 *
 * A run after one that was killed reads them in their order as long as they are whole and of its package, and goes on behind them, on any
 * number of ranks: where slices are cut depends on the inertias alone.
 */

static void slice_name(int number, const char *end, char *out)
{
  snprintf(out, 64, "results/slice-%d.%s", number, end);
}

/* Keeps a slice with what was found from a place on. */
static PetscErrorCode keep_slice(Run *r, int number, double from, double to, int first)
{
  char name[64], path[PETSC_MAX_PATH_LEN], whole[PETSC_MAX_PATH_LEN];
  FILE *f;
  int i, bad;
  PetscFunctionBeginUser;
  slice_name(number, "bin", name);
  PetscCall(vectors(r, name, first, r->right, r->low));
  if (r->me) PetscFunctionReturn(0);
  slice_name(number, "partial", name);
  path_of(r, name, path);
  f = fopen(path, "w");
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot write %s", path);
  fprintf(f, "format %d\npackage %s\nends %a %a\nfirst %d\nfound %d\ncounts %d\nmass_negative %d\n", FORMAT, r->o.package, from, to, first, r->found, r->counted, r->mass_negative);
  slice_name(number, "bin", name);
  fprintf(f, "checksum %016llx\n", sum_of(r, name));
  for (i = first; i < r->found; i++) fprintf(f, "value %a %d\n", (double)PetscRealPart(r->value[i]), r->still[i]);
  for (i = 0; i < r->counted; i++) fprintf(f, "count %a %a %a %a\n", r->count[i].at, r->count[i].negative, r->count[i].null_pivots, r->count[i].residual);
  fprintf(f, "end\n");
  bad = fclose(f);
  slice_name(number, "txt", name);
  path_of(r, name, whole);
  PetscCheck(!bad && !rename(path, whole), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot write %s", whole);
  PetscFunctionReturn(0);
}

/* What the text of a slice says, by rank 0; whether it is whole and the next one of this package. */
static int slice_text(Run *r, int number, double ends[2], int *found, int *counted)
{
  char name[64], path[PETSC_MAX_PATH_LEN], word[64], last[8] = "";
  unsigned long long sum;
  double value;
  int format, first, mass, still, i, good;
  FILE *f;
  slice_name(number, "txt", name);
  path_of(r, name, path);
  f = fopen(path, "r");
  if (!f) return 0;
  good = fscanf(f, "format %d package %63s ends %la %la first %d found %d counts %d mass_negative %d checksum %llx", &format, word, &ends[0], &ends[1], &first, found, counted, &mass, &sum) == 9;
  good = good && format == FORMAT && !strcmp(word, r->o.package) && first == r->found && *found >= first && *found <= MOST && *counted <= MOST;
  for (i = first; good && i < *found; i++) {
    good = fscanf(f, " value %la %d", &value, &still) == 2;
    r->value[i] = value;
    r->still[i] = good && still;
  }
  for (i = 0; good && i < *counted; i++) good = fscanf(f, " count %la %la %la %la", &r->count[i].at, &r->count[i].negative, &r->count[i].null_pivots, &r->count[i].residual) == 4;
  good = good && fscanf(f, " %7s", last) == 1 && !strcmp(last, "end");
  fclose(f);
  slice_name(number, "bin", name);
  if (good) r->mass_negative = mass;
  return good && sum == sum_of(r, name);
}

/* Takes the slices that a killed run has left. */
static PetscErrorCode resume(Run *r)
{
  char name[64], path[PETSC_MAX_PATH_LEN];
  PetscViewer viewer;
  double ends[2];
  int head[4], i;
  PetscFunctionBeginUser;
  r->stage = "reading the slices of a run before";
  for (;;) {
    if (!r->me) head[0] = slice_text(r, r->kept, ends, &head[1], &head[2]);
    if (!r->me) head[3] = r->mass_negative;
    PetscCallMPI(MPI_Bcast(head, 4, MPI_INT, 0, r->comm));
    if (!head[0]) break;
    PetscCallMPI(MPI_Bcast(ends, 2, MPI_DOUBLE, 0, r->comm));
    PetscCallMPI(MPI_Bcast(r->value, head[1], MPIU_SCALAR, 0, r->comm));
    PetscCallMPI(MPI_Bcast(r->still, head[1], MPI_CHAR, 0, r->comm));
    PetscCallMPI(MPI_Bcast(r->count, 4 * head[2], MPI_DOUBLE, 0, r->comm));
    slice_name(r->kept, "bin", name);
    path_of(r, name, path);
    PetscCall(PetscViewerBinaryOpen(r->comm, path, FILE_MODE_READ, &viewer));
    for (i = r->found; i < head[1]; i++) {
      PetscCall(MatCreateVecs(r->K, &r->right[i], &r->low[i]));
      PetscCall(VecLoad(r->right[i], viewer));
    }
    for (i = r->found; i < head[1]; i++) PetscCall(VecLoad(r->low[i], viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(forms(r, r->found, head[1]));
    r->end[r->kept][0] = ends[0];
    r->end[r->kept][1] = ends[1];
    r->found = head[1];
    r->counted = head[2];
    r->mass_negative = head[3];
    r->kept++;
  }
  PetscFunctionReturn(0);
}

/* Removes the slices of a run that has ended. */
static void drop_slices(Run *r)
{
  const char *end[] = {"bin", "txt", "partial"};
  char name[64], path[PETSC_MAX_PATH_LEN];
  int number, i;
  for (number = 0; !r->me && number < r->slices; number++)
    for (i = 0; i < 3; i++) {
      slice_name(number, end[i], name);
      path_of(r, name, path);
      remove(path);
    }
}
