// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Conjugate gradients for the Laplace equation on a cube, preconditioned by a multigrid cycle: two
// programs that make the calls per process of two well-known benchmarks on 28 processes.
//
//     solver cg SOLVES     as HPCG: four levels, Gauss-Seidel smoothing, one MPI_Wait for each message
//     solver amg SOLVES    as AMG 2006: five levels, Jacobi smoothing, one MPI_Waitall for each
//                          exchange, and a set-up that gathers sizes on every level
//
// calls per process and solve   Irecv, Isend   Waitall   Allreduce   Allgather   Allgatherv   Bcast
//     HPCG                             17329     17329         555           -            -       1
//     solver cg                        17020     17020         557           -            -       1
//     AMG 2006                           833       350          88          10            5       -
//     solver amg                         800       350          88          10            5       -
//
// The cube is cut into one slab for each rank. The plane between two slabs is sent in several pieces,
// which gives two ranks as many messages as processes with many neighbors have. All runs with the same
// number of ranks have bitwise the same residual, with and without tools.
//
// At the end, each rank prints a line of JSON: the residual, the solving time of the slowest rank in
// seconds, the seconds of its MPI_Finalize (in which tools write their reports), and its maximum
// resident memory in KiB.

#include "memory.hpp"

#include <mpi.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Mix {
    std::string name;
    int iterations;
    std::vector<int> pieces;  // of a plane, for each level
    bool waits_for_each;
    bool is_gauss_seidel;
    bool gathers_sizes;
};

const Mix mixes[] = {
    {"cg", 185, {9, 8, 8, 8}, true, true, false},
    {"amg", 25, {3, 2, 2, 2, 2}, false, false, true},
};

constexpr int finest = 32;  // points of a slab in each direction

using Field = std::vector<double>;

// The slab of this rank on one level, with a layer of points around it: zeros at the boundary of the
// cube, the neighbor's points where slabs touch. Coarse operators are sums over blocks of 2 x 2 x 2
// points.
class Level {
  public:
    Level(int points, int pieces_, double scale_, const Mix &mix_)
        : n(points), row(points + 2), plane(row * row), pieces(pieces_), scale(scale_), mix(mix_)
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        solution = right_side = residual = zero();
    }

    Field zero() const { return Field(static_cast<std::size_t>(plane) * row); }

    template <typename Visit>
    void each_point(Visit visit) const
    {
        for (int z = 1; z <= n; z++)
            for (int y = 1; y <= n; y++)
                for (int x = 1; x <= n; x++)
                    visit(z * plane + y * row + x);
    }

    template <typename Visit>
    void each_point_backwards(Visit visit) const
    {
        for (int z = n; z >= 1; z--)
            for (int y = n; y >= 1; y--)
                for (int x = n; x >= 1; x--)
                    visit(z * plane + y * row + x);
    }

    double neighbours(const Field &u, int i) const
    {
        const double *at = &u[static_cast<std::size_t>(i)];
        return at[-1] + at[1] + at[-row] + at[row] + at[-plane] + at[plane];
    }

    // Updates the planes of the neighbors.
    void exchange(Field &u)
    {
        std::vector<MPI_Request> requests;
        exchange_with(rank - 1, &u[0], &u[static_cast<std::size_t>(plane)], requests);
        exchange_with(rank + 1, &u[static_cast<std::size_t>(plane) * (n + 1)],
                      &u[static_cast<std::size_t>(plane) * n], requests);
        if (!requests.empty())
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    void apply(Field &u, Field &result)
    {
        exchange(u);
        each_point([&](int i) { result[i] = scale * (6 * u[i] - neighbours(u, i)); });
    }

    void find_residual(Field &u, const Field &f)
    {
        exchange(u);
        each_point([&](int i) { residual[i] = f[i] - scale * (6 * u[i] - neighbours(u, i)); });
    }

    void smooth(Field &u, const Field &f)
    {
        exchange(u);
        if (mix.is_gauss_seidel) {
            const auto relax = [&](int i) { u[i] = (f[i] / scale + neighbours(u, i)) / 6; };
            each_point(relax);
            each_point_backwards(relax);
        } else {
            each_point([&](int i) { residual[i] = f[i] / scale - 6 * u[i] + neighbours(u, i); });
            each_point([&](int i) { u[i] += 0.8 / 6 * residual[i]; });
        }
    }

    // Every process learns the number of points of all others, and their outermost points.
    void gather_sizes()
    {
        const long own[] = {static_cast<long>(n) * n * n, 7L * n * n * n};
        long sum;
        for (long number : own)
            MPI_Allreduce(&number, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        std::vector<long> all(static_cast<std::size_t>(ranks));
        for (long number : own)
            MPI_Allgather(&number, 1, MPI_LONG, all.data(), 1, MPI_LONG, MPI_COMM_WORLD);
        std::vector<int> counts, displacements;
        for (int i = 0; i < ranks; i++) {
            counts.push_back(n);
            displacements.push_back(i * n);
        }
        std::vector<int> points(static_cast<std::size_t>(n), rank),
            of_all(static_cast<std::size_t>(n * ranks));
        MPI_Allgatherv(points.data(), n, MPI_INT, of_all.data(), counts.data(),
                       displacements.data(), MPI_INT, MPI_COMM_WORLD);
    }

    int n, row, plane;
    Field solution, right_side, residual;

  private:
    void exchange_with(int neighbour, double *theirs, double *mine,
                       std::vector<MPI_Request> &requests)
    {
        if (neighbour < 0 || neighbour >= ranks)
            return;
        for (int piece = 0; piece < pieces; piece++) {
            const int begin = plane * piece / pieces, count = plane * (piece + 1) / pieces - begin;
            MPI_Request pair[2];
            MPI_Irecv(theirs + begin, count, MPI_DOUBLE, neighbour, piece, MPI_COMM_WORLD,
                      &pair[0]);
            MPI_Isend(mine + begin, count, MPI_DOUBLE, neighbour, piece, MPI_COMM_WORLD, &pair[1]);
            if (mix.waits_for_each)
                MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
            else
                requests.insert(requests.end(), pair, pair + 2);
        }
    }

    int pieces;
    double scale;
    const Mix &mix;
    int rank, ranks;
};

class Solver {
  public:
    explicit Solver(const Mix &mix_) : mix(mix_)
    {
        int points = finest;
        double scale = 1;
        for (int pieces : mix.pieces) {
            levels.emplace_back(points, pieces, scale, mix);
            points /= 2;
            scale *= 4;
        }
        if (mix.gathers_sizes) {
            for (Level &level : levels)
                level.gather_sizes();
        } else {
            MPI_Bcast(&points, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }

    // Solves for the right side 1; returns the norm of the residual.
    double solve()
    {
        Level &level = levels[0];
        Field x = level.zero(), r = level.zero(), p = level.zero(), ap = level.zero();
        level.each_point([&](int i) { r[i] = 1; });
        if (mix.gathers_sizes)
            dot(r, r);
        double before = 0;
        for (int k = 0; k < mix.iterations; k++) {
            level.right_side = r;
            cycle(0);
            const Field &z = level.solution;
            const double rz = dot(r, z), beta = k == 0 ? 0 : rz / before;
            level.each_point([&](int i) { p[i] = z[i] + beta * p[i]; });
            level.apply(p, ap);
            const double alpha = rz / dot(p, ap);
            level.each_point([&](int i) {
                x[i] += alpha * p[i];
                r[i] -= alpha * ap[i];
            });
            dot(r, r);
            before = rz;
            // An exact solution would give 0/0: restart.
            if (rz < 1e-20) {
                level.each_point([&](int i) {
                    r[i] = 1;
                    x[i] = 0;
                });
                before = 1;
                std::fill(p.begin(), p.end(), 0.);
            }
        }
        return std::sqrt(dot(r, r));
    }

  private:
    double dot(const Field &a, const Field &b)
    {
        double own = 0, all;
        levels[0].each_point([&](int i) { own += a[i] * b[i]; });
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return all;
    }

    // One V-cycle for the level's right side, from zero.
    void cycle(std::size_t number)
    {
        Level &level = levels[number];
        std::fill(level.solution.begin(), level.solution.end(), 0.);
        level.smooth(level.solution, level.right_side);
        if (number + 1 == levels.size())
            return;
        Level &coarse = levels[number + 1];
        level.find_residual(level.solution, level.right_side);
        std::fill(coarse.right_side.begin(), coarse.right_side.end(), 0.);
        each_pair(level, coarse, [&](int i, int j) { coarse.right_side[j] += level.residual[i]; });
        cycle(number + 1);
        each_pair(level, coarse, [&](int i, int j) { level.solution[i] += coarse.solution[j]; });
        level.smooth(level.solution, level.right_side);
    }

    // Each point of a level, with the point of the next level that its block of 2 x 2 x 2 becomes.
    template <typename Visit>
    static void each_pair(const Level &fine, const Level &coarse, Visit visit)
    {
        for (int z = 1; z <= fine.n; z++)
            for (int y = 1; y <= fine.n; y++)
                for (int x = 1; x <= fine.n; x++)
                    visit(z * fine.plane + y * fine.row + x,
                          (z + 1) / 2 * coarse.plane + (y + 1) / 2 * coarse.row + (x + 1) / 2);
    }

    const Mix &mix;
    std::vector<Level> levels;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const std::string name = argc > 1 ? argv[1] : "";
    const int solves = argc > 2 ? std::atoi(argv[2]) : 1;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (const Mix &mix : mixes) {
        if (mix.name != name)
            continue;
        double residual = 0, longest = 0;
        const auto begin = Clock::now();
        for (int i = 0; i < solves; i++)
            residual = Solver(mix).solve();
        const double own = seconds_since(begin);
        MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        const auto end = Clock::now();
        MPI_Finalize();
        std::printf(
            "{\"residual\": \"%a\", \"seconds\": %.9f, \"finalize\": %.9f, "
            "\"peak_kib\": %ld}\n",
            residual, longest, seconds_since(end), bench::memory_in_kib("VmHWM"));
        return 0;
    }
    if (rank == 0)
        std::fputs("usage: solver cg|amg SOLVES\n", stderr);
    MPI_Finalize();
    return 2;
}
