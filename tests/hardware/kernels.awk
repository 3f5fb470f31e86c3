# The kernels of a file of tests/simt/checks as they are launched: FILE,KERNEL,VERDICT,SUM|COMMAND, where SUM is what out[0]
# must be, or -. Given cubin, launch and file; test_checks.c says what the comments mean.
function clear() { verdict = "innocent"; shape = "1 32 0"; data = "written"; cluster = 0; sum = "-" }
BEGIN { clear() }
!/^\/\// && !/__global__/ { clear() }
/^\/\/ (guilty|information):/ { verdict = substr($2, 1, length($2) - 1) }
/^\/\/ launch:/ { shape = $3 " " $4 " " ($5 == "" ? 0 : $5) }
/^\/\/ data:/ { data = $3 }
/^\/\/ sum:/ { sum = $3 }
/^\/\/ cluster:/ { cluster = $3 }
/^extern "C" __global__ void / {
    name = $5
    sub(/\(.*/, "", name)
    print file "," name "," verdict "," sum "|" launch " " cubin " " name " " shape " " data " " cluster
    clear()
}
