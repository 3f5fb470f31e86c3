#!/bin/sh
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --time=04:00:00
# Grades a course with Slurm: a part of the students in each task. At the top of a configured tree that all nodes see:
#
#     sbatch docs/course-slurm.sh export.zip week3 --assignment due.txt
#     build/workbook grade --merge week3/part* --out week3/all         # when all tasks have ended
#
# A stopped task continues when it is submitted again: PARTS=8 sbatch --array=3 docs/course-slurm.sh ....
set -eu
class=$1
out=$2
shift 2
part=$SLURM_ARRAY_TASK_ID
exec build/workbook grade "$class" --shard "$part/${PARTS:-$SLURM_ARRAY_TASK_COUNT}" --out "$out/part$part" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" --resume "$@"
