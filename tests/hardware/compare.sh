#!/bin/sh
# Compares the SIMT machine's counts for a chapter's solutions with Nsight Compute's counts on a GPU:
#
#     sh compare.sh RECORD DIFFERENCES DIRECTORY
#
# RECORD is NN-topic.csv (from record.sh), DIFFERENCES lists the figures that differ and why, DIRECTORY holds the
# solutions' programs. All other figures must be equal, and every listed difference must still exist. Without a RECORD
# the status is 77, skipped.
set -eu
record=$1 differences=$2 programs=$3
if [ ! -f "$record" ]; then
    echo "skipped: there is no $record; on a GPU, sh tests/hardware/record.sh makes it"
    exit 77
fi
json=$(mktemp)
trap 'rm -f "$json"' EXIT
# The grid of persistent kernels depends on the number of multiprocessors; one host thread polls the same every time.
export SIMT_MULTIPROCESSORS=132 SIMT_THREADS=1 SIMT_CHECK=none
failures=0

for step in $(sed -n 's/^\([0-9][0-9]-[^,]*\),.*/\1/p' "$record" | sort -u); do
    n=$(sed -n "s/^$step,\([0-9]*\),.*/\1/p" "$record" | head -1)
    "$programs/$step" --check --n "$n" --json "$json" > /dev/null
    awk -v step="$step" -v json="$json" -v differences="$differences" '
        function counter(name) { return counters["\"" name "\""] + 0 }
        function check(what, recorded, counted) {
            differ = recorded != counted
            if (differ == ((step "," what) in known)) { agreed++; return }
            bad++
            printf "%s: %s: recorded %d, counted %d%s\n", step, what, recorded, counted,
                   differ ? "" : ", but listed as a difference"
        }
        BEGIN {
            FS = ","
            while ((getline line < json) > 0) {
                count = split(line, parts, /[{,}] */)
                for (i = 1; i <= count; i++)
                    if (split(parts[i], pair, ": ") == 2) { gsub(/^ */, "", pair[1]); counters[pair[1]] = pair[2] }
            }
            while ((getline line < differences) > 0)
                if (line !~ /^#/ && split(line, parts, ",") > 2) known[parts[1] "," parts[2]] = 1
        }
        $1 == "step" { for (i = 3; i <= NF; i++) name[i] = $i }
        $1 == step { for (i = 3; i <= NF; i++) metric[name[i]] = $i }
        END {
            op = "l1tex__t_requests_pipe_lsu_mem_global_op_"
            sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
            sass = "smsp__sass_inst_executed_op_shared_"
            check("load requests", metric[op "ld.sum"], counter("global_load_requests"))
            check("load sectors", metric[sectors "ld.sum"], counter("global_load_sectors"))
            check("store requests", metric[op "st.sum"], counter("global_store_requests"))
            check("store sectors", metric[sectors "st.sum"], counter("global_store_sectors"))
            check("atomic requests", metric[op "atom.sum"] + metric[op "red.sum"], counter("global_atomic_requests"))
            check("shared loads", metric[sass "ld.sum"], counter("shared_load_requests"))
            check("shared stores", metric[sass "st.sum"], counter("shared_store_requests"))
            passes = counter("shared_load_wavefronts") + counter("shared_store_wavefronts")
            ideal = counter("shared_load_wavefronts_ideal") + counter("shared_store_wavefronts_ideal")
            check("shared wavefronts", metric["smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"],
                  passes + counter("shared_atomic_wavefronts"))
            check("shared wavefronts; ideal", metric["memory_l1_wavefronts_shared_ideal"],
                  ideal + counter("shared_atomic_wavefronts_ideal"))
            if ("smsp__sass_inst_executed_op_tma.sum" in metric) { # chapter 10
                check("bulk copies", metric["smsp__sass_inst_executed_op_tma.sum"], counter("bulk_copies"))
                check("bytes of bulk loads", metric["l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum"],
                      counter("bulk_load_bytes"))
                check("bytes of bulk stores", metric["l1tex__m_l1tex2xbar_write_bytes_pipe_tma.sum"],
                      counter("bulk_store_bytes"))
                check("tensor instructions", metric["smsp__inst_executed_pipe_tensor.sum"], counter("tensor_instructions"))
                check("tensor operations", metric["sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum"],
                      counter("tensor_flops"))
                own = counter("shared_atomics") ? counter("shared_atomic_requests") - counter("peer_requests") : 0
                check("shared atomics of the own block", metric["smsp__sass_inst_executed_op_shared_atom.sum"], own)
            }
            printf "%s: %d of %d figures as expected\n", step, agreed, agreed + bad
            exit bad > 0
        }' "$record" || failures=$((failures + 1))
done
exit $((failures > 0))
