# The kernels of a file of tests/simt/checks with their launch commands: FILE,KERNEL,VERDICT,SUM|COMMAND, where SUM is
# the expected out[0], or -. Variables: cubin, launch, file; test_checks.c explains the comments.
function clear() { verdict = "innocent"; shape = usual; data = "written"; cluster = clusters; sum = "-" }
BEGIN { head = 1; usual = "1 32 0"; clusters = 0; clear() }
head && !/^\/\// { head = 0; usual = shape; clusters = cluster; clear() }
!/^\/\// && !/__global__/ && !/^TWINS/ { clear() }
/^\/\/ (guilty|information):/ { verdict = substr($2, 1, length($2) - 1) }
/^\/\/ launch:/ { shape = $3 " " $4 " " ($5 == "" ? 0 : $5) }
/^\/\/ data:/ { data = $3 }
/^\/\/ sum:/ { sum = $3 }
/^\/\/ cluster:/ { cluster = $3 }
function show(name, verdict, sum) {
    print file "," name "," verdict "," sum "|" launch " " cubin " " name " " shape " " data " " cluster
}
/^extern "C" __global__ void / {
    sub(/\(.*/, "", $5)
    show($5, verdict, sum)
    clear()
}
/^TWINS/ {
    split($0, twins, /[(), ]+/)
    show(twins[2], verdict, "-")
    show(twins[3], "innocent", sum)
    clear()
}
