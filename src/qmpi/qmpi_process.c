/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "mpiimpl.h"
#include "mpii_qmpi.h"

/* Names processes so that all processes give one the same name: by its world, as the process
 * manager calls it, and its rank there. How a group knows them depends on the device. */

#ifdef MPIR_LPID_H_INCLUDED
#define LPID(group_, rank_) MPIR_Group_rank_to_lpid(group_, rank_)
#else
#define LPID(group_, rank_) (group_)->lrank_to_lpid[rank_].lpid
#endif

#if defined(MPIDI_CH3_PRE_H_INCLUDED)

#include "mpidimpl.h"

static const char *find_world(MPIR_Group * group, int rank, int *world_rank)
{
    const int64_t lpid = LPID(group, rank);
    MPIDI_PG_iterator iterator;
    MPIDI_PG_t *pg;

    MPIDI_PG_Get_iterator(&iterator);
    while (MPIDI_PG_Has_next(&iterator)) {
        MPIDI_PG_Get_next(&iterator, &pg);
        for (int i = 0; i < MPIDI_PG_Get_size(pg); i++) {
            if (pg->vct[i].lpid == lpid) {
                *world_rank = i;
                return pg->id;
            }
        }
    }
    return NULL;
}

#elif defined(MPIR_LPID_H_INCLUDED)

static const char *find_world(MPIR_Group * group, int rank, int *world_rank)
{
    const MPIR_Lpid lpid = LPID(group, rank);

    *world_rank = MPIR_LPID_WORLD_RANK(lpid);
    return MPIR_Worlds[MPIR_LPID_WORLD_INDEX(lpid)].namespace;
}

#else

/* The device knows no names of other worlds. */
static const char *find_world(MPIR_Group * group, int rank, int *world_rank)
{
    const uint64_t lpid = LPID(group, rank);

    *world_rank = lpid;
    return lpid < MPIR_Process.size ? MPIR_pmi_job_id() : NULL;
}

#endif

/* A name that stays when the device forgets the world. */
static const char *lasting(const char *name)
{
    typedef struct Name {
        struct Name *next;
        char text[];
    } Name;
    static MPL_initlock_t lock = MPL_INITLOCK_INITIALIZER;
    static Name *first = NULL;
    Name *known;

    MPL_initlock_lock(&lock);
    for (known = first; known && strcmp(known->text, name); known = known->next);
    if (!known) {
        known = MPII_QMPI_allocate(1, sizeof(*known) + strlen(name) + 1);
        strcpy(known->text, name);
        known->next = first;
        first = known;
    }
    MPL_initlock_unlock(&lock);
    return known->text;
}

const char *MPIR_QMPI_world_of(MPIR_Group * group, int rank, int *world_rank)
{
    const char *name;

    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    name = find_world(group, rank, world_rank);
    if (name)
        name = lasting(name);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return name;
}
