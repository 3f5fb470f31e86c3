#!/bin/sh
# Records on a GPU the cost of one warp's access patterns:
#
#     sh tests/hardware/patterns.sh FILE
#
# builds patterns.cu, runs it under Nsight Compute and writes to FILE the table of patterns.awk. Needs nvcc and ncu on PATH.
set -eu
. "${0%/*}/tools.sh"
need nvcc ncu
file=$1
work=$(mktemp -d)
nvcc -O3 -arch=native -I common tests/hardware/patterns.cu -o "$work/patterns"
shared=smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum,memory_l1_wavefronts_shared_ideal
sectors=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
sectors=$sectors,l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum
"$work/patterns" > "$work/rows"
ncu --clock-control none --csv --metrics $shared,$sectors "$work/patterns" > "$work/ncu"
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%Y-%m-%d), Nsight Compute: patterns.sh"
    echo "instruction,mask,what,a value for each pattern"
    grep '^"[0-9]' "$work/ncu" | sed 's/^"//; s/"$//; s/","/\t/g' | awk -F '\t' -v rows="$work/rows" '
        { gsub(",", "", $NF); id = $1 + 0; value = $NF + 0
          if ($(NF - 2) ~ /sectors/) sectors[id] += value
          else if ($(NF - 2) ~ /ideal/) ideal[id] = value
          else passes[id] = value }
        END { n = 0; while ((getline row < rows) > 0) {
                  masks = split(row, part, ",")
                  printf "%s,%s", part[1], part[2]
                  for (m = 3; m <= masks; m++) { printf ",%s %d %d %d", part[m], passes[n], ideal[n], sectors[n]; n++ }
                  print "" } }' | awk -f "${0%/*}/patterns.awk"
} > "$file"
rm -r "$work"
