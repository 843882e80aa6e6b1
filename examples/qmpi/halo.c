/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Solves the Poisson equation -u_xx - u_yy = f on the unit square, u = 0 on its border, by the
 * method of conjugate gradients. The square is split over a two-dimensional grid of processes,
 * which exchange the border values of their parts with their four neighbors in every step.
 *
 * The exact solution is u(x,y) = g(x) h(y) with g(x) = x (1 - x) exp(x) and
 * h(y) = y (1 - y) exp(2 y), so the program checks its result.
 *
 * Ordinary MPI; contains nothing for tools. */

#include <mpi.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
enum { FILE_NAME_SIZE = 1024 };

/* Read from the command line by rank 0 and broadcast. */
typedef struct {
    int exit_code;              /* -1: compute; otherwise exit with it */
    int points;                 /* inner grid points in each direction */
    int max_steps;
    double tolerance;           /* of the residual, relative to the initial one */
    char file_name[FILE_NAME_SIZE];     /* empty: no output file */
} parameters_t;

/* The part of the square that this process computes: nx by ny points, surrounded by one layer of
 * points of the neighbors or of the border. x is contiguous in memory. */
typedef struct {
    MPI_Comm comm;
    int rank, size;
    int dims[2], coords[2];     /* [0] is y, [1] is x */
    int west, east, south, north;
    int nx, ny;
    int x0, y0;                 /* index of the first point in the whole grid, from 1 */
    double h;                   /* distance between points */
    MPI_Datatype row, column;
} grid_t;

#define AT(grid, x, y) ((size_t) (y) * ((size_t) (grid)->nx + 2) + (size_t) (x))

/* ---- parameters ---- */

static void usage(FILE * out)
{
    fprintf(out, "usage: halo [-n POINTS] [-s STEPS] [-t TOLERANCE] [-o FILE]\n"
            "  -n POINTS     inner grid points in each direction (256)\n"
            "  -s STEPS      maximum number of steps (20000)\n"
            "  -t TOLERANCE  required reduction of the residual, between 0 and 1 (1e-10)\n"
            "  -o FILE       write the solution to FILE, one line for each grid line\n");
}

static int read_int(const char *option, const char *text, int least, int most, int *value)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < least || number > most) {
        fprintf(stderr, "halo: %s \"%s\": must be an integer from %d to %d\n", option, text,
                least, most);
        return 0;
    }
    *value = (int) number;
    return 1;
}

static int read_tolerance(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || *end || !(number > 0.0 && number < 1.0)) {
        fprintf(stderr, "halo: -t \"%s\": must be a number between 0 and 1\n", text);
        return 0;
    }
    *value = number;
    return 1;
}

static int read_file_name(const char *text, char *file_name)
{
    if (!*text || strlen(text) >= FILE_NAME_SIZE) {
        fprintf(stderr, "halo: -o: the file name must have 1 to %d characters\n",
                FILE_NAME_SIZE - 1);
        return 0;
    }
    strcpy(file_name, text);
    return 1;
}

static int read_option(const char *option, const char *value, parameters_t * parameters)
{
    if (!strcmp(option, "-n"))
        return read_int(option, value, 1, 30000, &parameters->points);
    if (!strcmp(option, "-s"))
        return read_int(option, value, 1, INT_MAX, &parameters->max_steps);
    if (!strcmp(option, "-t"))
        return read_tolerance(value, &parameters->tolerance);
    return read_file_name(value, parameters->file_name);
}

static void read_arguments(int argc, char **argv, parameters_t * parameters)
{
    int i;

    parameters->exit_code = -1;
    for (i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
            usage(stdout);
            parameters->exit_code = EXIT_OK;
            return;
        }
        if (strlen(argv[i]) != 2 || argv[i][0] != '-' || !strchr("nsto", argv[i][1])) {
            fprintf(stderr, "halo: unknown argument \"%s\" (see halo -h)\n", argv[i]);
            parameters->exit_code = EXIT_USAGE;
            return;
        }
        if (i + 1 == argc) {
            fprintf(stderr, "halo: %s needs a value\n", argv[i]);
            parameters->exit_code = EXIT_USAGE;
            return;
        }
        if (!read_option(argv[i], argv[i + 1], parameters)) {
            parameters->exit_code = EXIT_USAGE;
            return;
        }
    }
}

/* Three broadcasts: numbers with a derived datatype, length of the name, characters of the name. */
static void broadcast_parameters(parameters_t * parameters)
{
    int lengths[2] = { 3, 1 };
    MPI_Aint displacements[2] = { offsetof(parameters_t, exit_code),
        offsetof(parameters_t, tolerance)
    };
    MPI_Datatype types[2] = { MPI_INT, MPI_DOUBLE };
    MPI_Datatype numbers;
    int length = (int) strlen(parameters->file_name) + 1;

    MPI_Type_create_struct(2, lengths, displacements, types, &numbers);
    MPI_Type_commit(&numbers);
    MPI_Bcast(parameters, 1, numbers, 0, MPI_COMM_WORLD);
    MPI_Type_free(&numbers);
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(parameters->file_name, length, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* ---- the grid ---- */

/* Number of points of a part, as even as possible, and the index of its first point. */
static int split(int points, int parts, int part, int *first)
{
    int least = points / parts, rest = points % parts;

    *first = 1 + part * least + (part < rest ? part : rest);
    return least + (part < rest);
}

static int make_grid(int points, grid_t * grid)
{
    int periods[2] = { 0, 0 };

    MPI_Comm_size(MPI_COMM_WORLD, &grid->size);
    grid->dims[0] = grid->dims[1] = 0;
    MPI_Dims_create(grid->size, 2, grid->dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, grid->dims, periods, 0, &grid->comm);
    MPI_Comm_rank(grid->comm, &grid->rank);
    if (grid->dims[0] > points || grid->dims[1] > points) {
        if (grid->rank == 0)
            fprintf(stderr, "halo: too few points (%d in each direction) for %d x %d processes\n",
                    points, grid->dims[1], grid->dims[0]);
        MPI_Comm_free(&grid->comm);
        return 0;
    }
    MPI_Cart_coords(grid->comm, grid->rank, 2, grid->coords);
    MPI_Cart_shift(grid->comm, 0, 1, &grid->south, &grid->north);
    MPI_Cart_shift(grid->comm, 1, 1, &grid->west, &grid->east);
    grid->ny = split(points, grid->dims[0], grid->coords[0], &grid->y0);
    grid->nx = split(points, grid->dims[1], grid->coords[1], &grid->x0);
    grid->h = 1.0 / (points + 1);

    MPI_Type_contiguous(grid->nx, MPI_DOUBLE, &grid->row);
    MPI_Type_vector(grid->ny, 1, grid->nx + 2, MPI_DOUBLE, &grid->column);
    MPI_Type_commit(&grid->row);
    MPI_Type_commit(&grid->column);
    return 1;
}

static void free_grid(grid_t * grid)
{
    MPI_Type_free(&grid->row);
    MPI_Type_free(&grid->column);
    MPI_Comm_free(&grid->comm);
}

static double *new_field(const grid_t * grid)
{
    double *field = calloc(((size_t) grid->nx + 2) * ((size_t) grid->ny + 2), sizeof(double));

    if (!field) {
        fprintf(stderr, "halo: not enough memory for %d x %d points on rank %d\n", grid->nx,
                grid->ny, grid->rank);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    }
    return field;
}

/* Neighbors outside the border are MPI_PROC_NULL; the zeros there stay. */
static void exchange_halo(const grid_t * grid, double *field)
{
    enum { TO_WEST, TO_EAST, TO_SOUTH, TO_NORTH };
    const int nx = grid->nx, ny = grid->ny;
    MPI_Request requests[8];
    MPI_Status statuses[8];
    MPI_Comm comm = grid->comm;

    MPI_Irecv(&field[AT(grid, 0, 1)], 1, grid->column, grid->west, TO_EAST, comm, &requests[0]);
    MPI_Irecv(&field[AT(grid, nx + 1, 1)], 1, grid->column, grid->east, TO_WEST, comm,
              &requests[1]);
    MPI_Irecv(&field[AT(grid, 1, 0)], 1, grid->row, grid->south, TO_NORTH, comm, &requests[2]);
    MPI_Irecv(&field[AT(grid, 1, ny + 1)], 1, grid->row, grid->north, TO_SOUTH, comm, &requests[3]);
    MPI_Isend(&field[AT(grid, 1, 1)], 1, grid->column, grid->west, TO_WEST, comm, &requests[4]);
    MPI_Isend(&field[AT(grid, nx, 1)], 1, grid->column, grid->east, TO_EAST, comm, &requests[5]);
    MPI_Isend(&field[AT(grid, 1, 1)], 1, grid->row, grid->south, TO_SOUTH, comm, &requests[6]);
    MPI_Isend(&field[AT(grid, 1, ny)], 1, grid->row, grid->north, TO_NORTH, comm, &requests[7]);
    MPI_Waitall(8, requests, statuses);
}

/* ---- the equation ---- */

static double exact_solution(double x, double y)
{
    return x * (1 - x) * exp(x) * y * (1 - y) * exp(2 * y);
}

static double right_hand_side(double x, double y)
{
    double g = x * (1 - x) * exp(x), g_xx = -x * (x + 3) * exp(x);
    double h = y * (1 - y) * exp(2 * y), h_yy = (2 - 4 * y - 4 * y * y) * exp(2 * y);

    return -(g_xx * h + g * h_yy);
}

/* a := h * h * f, so that the elements of the matrix are 4 and -1 */
static void fill_right_hand_side(const grid_t * grid, double *a)
{
    int x, y;

    for (y = 1; y <= grid->ny; y++)
        for (x = 1; x <= grid->nx; x++)
            a[AT(grid, x, y)] = grid->h * grid->h *
                right_hand_side((grid->x0 + x - 1) * grid->h, (grid->y0 + y - 1) * grid->h);
}

/* result := matrix * p; updates the halo of p */
static void apply_matrix(const grid_t * grid, double *p, double *result)
{
    int x, y;

    exchange_halo(grid, p);
    for (y = 1; y <= grid->ny; y++)
        for (x = 1; x <= grid->nx; x++)
            result[AT(grid, x, y)] = 4.0 * p[AT(grid, x, y)]
                - p[AT(grid, x - 1, y)] - p[AT(grid, x + 1, y)]
                - p[AT(grid, x, y - 1)] - p[AT(grid, x, y + 1)];
}

static double dot(const grid_t * grid, const double *a, const double *b)
{
    double local = 0.0, sum;
    int x, y;

    for (y = 1; y <= grid->ny; y++)
        for (x = 1; x <= grid->nx; x++)
            local += a[AT(grid, x, y)] * b[AT(grid, x, y)];
    MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, grid->comm);
    return sum;
}

/* a := a + factor * b, or with `reverse` a := b + factor * a */
static void add(const grid_t * grid, double *a, double factor, const double *b, int reverse)
{
    int x, y;

    for (y = 1; y <= grid->ny; y++)
        for (x = 1; x <= grid->nx; x++) {
            size_t i = AT(grid, x, y);
            a[i] = reverse ? b[i] + factor * a[i] : a[i] + factor * b[i];
        }
}

/* Conjugate gradients from u = 0; returns the number of steps, and the norm of the residual
 * relative to the initial one. */
static int solve(const grid_t * grid, const parameters_t * parameters, double *u,
                 double *relative_residual)
{
    double *r = new_field(grid), *p = new_field(grid), *q = new_field(grid);
    double rr, first, before;
    int step = 0;

    fill_right_hand_side(grid, r);
    add(grid, p, 1.0, r, 0);
    rr = first = dot(grid, r, r);
    while (sqrt(rr / first) > parameters->tolerance && step < parameters->max_steps) {
        double alpha;

        apply_matrix(grid, p, q);
        alpha = rr / dot(grid, p, q);
        add(grid, u, alpha, p, 0);
        add(grid, r, -alpha, q, 0);
        before = rr;
        rr = dot(grid, r, r);
        add(grid, p, rr / before, r, 1);
        step++;
    }
    free(r);
    free(p);
    free(q);
    *relative_residual = sqrt(rr / first);
    return step;
}

/* ---- the result ---- */

static double largest_error(const grid_t * grid, const double *u)
{
    double local = 0.0, largest;
    int x, y;

    for (y = 1; y <= grid->ny; y++)
        for (x = 1; x <= grid->nx; x++) {
            double error = fabs(u[AT(grid, x, y)] -
                                exact_solution((grid->x0 + x - 1) * grid->h,
                                               (grid->y0 + y - 1) * grid->h));
            if (!(error <= local))      /* also for a NaN */
                local = error;
        }
    MPI_Allreduce(&local, &largest, 1, MPI_DOUBLE, MPI_MAX, grid->comm);
    return largest;
}

/* FNV-1a hash of 64-bit words */
static uint64_t hash(uint64_t state, uint64_t word)
{
    return (state ^ word) * UINT64_C(1099511628211);
}

/* Hash of every bit of the solution: of each part, then of the parts in rank order. Valid on rank
 * 0. */
static uint64_t checksum(const grid_t * grid, const double *u)
{
    const uint64_t start = UINT64_C(14695981039346656037);
    uint64_t part = start, whole = start;
    uint64_t *parts = NULL;
    int x, y, i;

    for (y = 1; y <= grid->ny; y++)
        for (x = 1; x <= grid->nx; x++) {
            uint64_t bits;
            memcpy(&bits, &u[AT(grid, x, y)], sizeof(bits));
            part = hash(part, bits);
        }
    if (grid->rank == 0) {
        parts = malloc((size_t) grid->size * sizeof(*parts));
        if (!parts) {
            fprintf(stderr, "halo: not enough memory for %d checksums\n", grid->size);
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
        }
    }
    MPI_Gather(&part, 1, MPI_UINT64_T, parts, 1, MPI_UINT64_T, 0, grid->comm);
    for (i = 0; grid->rank == 0 && i < grid->size; i++)
        whole = hash(whole, parts[i]);
    free(parts);
    return whole;
}

/* ---- the output file ---- */

/* Receives the part of process `rank` into the whole field. */
static void receive_part(const grid_t * grid, int points, int rank, double *whole)
{
    int sizes[2] = { points, points }, lengths[2], starts[2], coords[2], first;
    MPI_Datatype part;

    MPI_Cart_coords(grid->comm, rank, 2, coords);
    for (int d = 0; d < 2; d++) {
        lengths[d] = split(points, grid->dims[d], coords[d], &first);
        starts[d] = first - 1;
    }
    MPI_Type_create_subarray(2, sizes, lengths, starts, MPI_ORDER_C, MPI_DOUBLE, &part);
    MPI_Type_commit(&part);
    MPI_Recv(whole, 1, part, rank, 0, grid->comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&part);
}

static int write_text(const char *file_name, int points, const double *whole)
{
    FILE *file = fopen(file_name, "w");
    int failed = !file;

    for (int y = 0; !failed && y < points; y++)
        for (int x = 0; !failed && x < points; x++)
            failed = fprintf(file, "%.17g%c", whole[(size_t) y * points + x],
                             x + 1 < points ? ' ' : '\n') < 0;
    if (file && fclose(file))
        failed = 1;
    if (failed)
        fprintf(stderr, "halo: cannot write %s: %s\n", file_name, strerror(errno));
    return !failed;
}

/* Rank 0 gathers the whole field and writes it. The result, true on success, is valid on rank 0. */
static int write_solution(const grid_t * grid, const parameters_t * parameters, const double *u)
{
    const int points = parameters->points;
    double *whole = NULL;
    MPI_Datatype inner;
    MPI_Request request;
    int sizes[2] = { grid->ny + 2, grid->nx + 2 };
    int lengths[2] = { grid->ny, grid->nx };
    int starts[2] = { 1, 1 };
    int written = 1;

    MPI_Type_create_subarray(2, sizes, lengths, starts, MPI_ORDER_C, MPI_DOUBLE, &inner);
    MPI_Type_commit(&inner);
    MPI_Isend(u, 1, inner, 0, 0, grid->comm, &request);
    if (grid->rank == 0) {
        whole = malloc((size_t) points * (size_t) points * sizeof(double));
        if (!whole) {
            fprintf(stderr, "halo: not enough memory to gather %d x %d points\n", points, points);
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
        }
        for (int rank = 0; rank < grid->size; rank++)
            receive_part(grid, points, rank, whole);
        written = write_text(parameters->file_name, points, whole);
        free(whole);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&inner);
    return written;
}

/* ---- main program ---- */

/* The scheme is of second order with an error of about 0.46 h^2; the second term is the error of
 * the last step. */
static double error_bound(const parameters_t * parameters)
{
    double h = 1.0 / (parameters->points + 1);
    return h * h + 100.0 * parameters->tolerance;
}

/* Rank 0 prints the result; the exit code is valid there. */
static int run(const parameters_t * parameters, const grid_t * grid)
{
    double *u = new_field(grid);
    double residual, error, start, seconds;
    uint64_t sum;
    int steps, good = 1;

    MPI_Barrier(grid->comm);
    start = MPI_Wtime();
    steps = solve(grid, parameters, u, &residual);
    seconds = MPI_Wtime() - start;

    error = largest_error(grid, u);
    sum = checksum(grid, u);
    if (parameters->file_name[0])
        good = write_solution(grid, parameters, u);
    free(u);
    if (grid->rank != 0)
        return EXIT_OK;

    printf("halo: %d x %d points on %d x %d processes, %d steps\n", parameters->points,
           parameters->points, grid->dims[1], grid->dims[0], steps);
    printf("residual %a, error %a (%.3e, bound %.3e)\n", residual, error, error,
           error_bound(parameters));
    printf("checksum %016" PRIx64 "\n", sum);
    printf("time %.3f s\n", seconds);
    if (!(residual <= parameters->tolerance)) {
        fprintf(stderr, "halo: no convergence after %d steps: residual %.3e, required %.3e\n",
                steps, residual, parameters->tolerance);
        good = 0;
    } else if (!(error <= error_bound(parameters))) {
        fprintf(stderr, "halo: wrong result: error %.3e exceeds the bound\n", error);
        good = 0;
    }
    if (good)
        printf("result correct\n");
    return good ? EXIT_OK : EXIT_FAILED;
}

int main(int argc, char **argv)
{
    parameters_t parameters = {.exit_code = -1,.points = 256,.max_steps = 20000,
        .tolerance = 1e-10
    };
    grid_t grid;
    int rank, exit_code;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        read_arguments(argc, argv, &parameters);
    broadcast_parameters(&parameters);
    exit_code = parameters.exit_code;
    if (exit_code < 0) {
        if (make_grid(parameters.points, &grid)) {
            exit_code = run(&parameters, &grid);
            MPI_Bcast(&exit_code, 1, MPI_INT, 0, grid.comm);
            free_grid(&grid);
        } else {
            exit_code = EXIT_USAGE;
        }
    }
    MPI_Finalize();
    return exit_code;
}
