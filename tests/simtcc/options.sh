#!/bin/sh
# simtcc's treatment of options, through a made-up nvcc that prints its words, one per line, and the variables
# that it reads.
. "$SOURCE/tests/simtcc/prefix.sh"
cd "$scratch" || exit 1
mv "$prefix" "it's here"
prefix="$scratch/it's here"
simtcc=$prefix/bin/simtcc
mkdir tmp
export TMPDIR="$scratch/tmp"

# toolkit DIRECTORY VERSION ARCHITECTURE...: an nvcc that only prints.
toolkit() {
    mkdir -p "$1/bin"
    folder=$1 version=$2
    shift 2
    {
        echo '#!/bin/sh'
        echo "case \$1 in"
        echo "--version) echo 'Cuda compilation tools, release $version, V$version.1'; exit ;;"
        echo "--list-gpu-arch) printf 'compute_%s\\n' $*; exit ;;"
        echo "esac"
        echo 'printf "<%s>\n" "$@"'
        echo 'for word; do case $word in *settings.cpp) sed "s/^/source: /" "$word" ;; FAIL) exit 7 ;; esac; done'
    } >"$folder/bin/nvcc"
    chmod +x "$folder/bin/nvcc"
}
toolkit "$scratch/13" 13.0 75 80 86 87 88 89 90 100 110 103 120 121
toolkit "$scratch/12" 12.4 50 52 60 61 70 75 80 86 90
toolkit "$scratch/11" 11.8 35 50 80 90
toolkit "$scratch/20" 20.0 100 120
NVCC=$scratch/13/bin/nvcc
export NVCC

# words: the expected words for the `simtcc` call after `--`; before it, one pattern for a whole line each.
gives() {
    patterns=
    while [ "$1" != -- ]; do
        patterns="$patterns$1
"
        shift
    done
    shift
    "$simtcc" "$@" >said 2>&1 || bad "exit $?: simtcc $*"
    # One process for all patterns, which are basic regular expressions, as in grep.
    printf '%s' "$patterns" | awk '
        FNR == NR { line[++lines] = $0; next }
        {
            wanted = !/^!/; sub(/^!/, ""); shown = $0; found = 0
            gsub(/[+?(){}|]/, "\\\\&")
            for (i = 1; i <= lines; i++) found = found || line[i] ~ ("^" $0 "$")
            if (found != wanted) print (wanted ? "lacks" : "has") " \047" shown "\047"
        }' said - >misses
    [ ! -s misses ] || { bad "simtcc $*: $(cat misses)"; sed 's/^/    /' said; }
}
# Guilty: files that do not exist, and forbidden options.
missing() {
    (failures=0; gives "$@" >/dev/null; [ "$failures" = 1 ])
}
refuses() {
    pattern=$1
    shift
    expect 1 "^simtcc: error: $pattern" "$simtcc" "$@"
    [ "$(echo "$output" | wc -l)" = 1 ] || bad "more than one line: simtcc $*"
}
code() {
    gives '<-gencode>' "<arch=compute_$1,code=\\[$2\\]>" -- a.cu $3
}

# The usual call, and its link.
gives '<a.cu>' '<-o>' '<a>' '<-lineinfo>' '<-no-compress>' '<-cudart>' '<none>' '<-lpthread>' '<-ldl>' \
    "<.*/it's here/bin/../lib/libsimt.a>" -- a.cu -o a
missing '<a[.]cu>' '<b[.]cu>' -- a.cu && missing '!<a.*>' -- a.cu || bad "gives finds no mistake"
gives '!.*libsimt.*' '!<-ldl>' '<-c>' '<none>' -- -c a.cu
for phase in -c --compile -dw -lib --lib -shared --shared -E -M -MM -ptx --ptx -cubin -fatbin; do
    gives '!.*libsimt.*' "<$phase>" -- $phase a.cu
done
gives '<.*libsimt.a>' '<-run>' -- -run a.cu
gives '<.*libsimt.a>' '<-dryrun>' -- -dryrun a.cu
gives '<.*libsimt.a>' -- a.o b.o
gives '!.*libsimt.*' '<--list-gpu-code>' -- --list-gpu-code
gives '!<-lineinfo>' '<-G>' -- -G a.cu
expect 7 '<FAIL>' "$simtcc" -c FAIL
expect 7 '<FAIL>' "$simtcc" FAIL

# nvcc receives every word unchanged, whatever its characters.
gives "<-DA=it's \"a\" .b [*]>" '<a  b.cu>' '<>' '<-I>' '<-c>' -- "-DA=it's \"a\" \$b *" 'a  b.cu' '' -I -c
gives '<-Xcompiler>' '<-rdc=true>' '<.*libsimt.a>' -- -Xcompiler -rdc=true a.cu # the compiler's own
gives '<-o>' '<-dc>' '<--check=x>' -- a.cu -o -dc -D --check=x
gives '<-std=c++17>' '<-O3>' '<--use_fast_math>' '<-maxrregcount=32>' '<-link>' '<-Werror>' '<all-warnings>' \
    -- -std=c++17 -O3 --use_fast_math -maxrregcount=32 -link -Werror all-warnings a.cu

# Architectures: one that the emulated device can run and that this nvcc supports.
code 80 compute_80,sm_90 ''
code 86 compute_86,sm_90 -arch=sm_86
code 86 compute_86,sm_90 '-arch sm_86'
code 75 compute_75,sm_90 '--gpu-architecture=compute_75 --gpu-code=sm_75,sm_80'
code 90 compute_90,sm_90 '-gencode arch=compute_75,code=sm_75 -gencode=arch=compute_90,code=[sm_90,compute_90]'
code 89 compute_89,sm_90 '-gencode arch=compute_120,code=sm_120 --generate-code arch=compute_89,code=sm_89'
code 90a compute_90a,sm_90a -arch=sm_90a
code 90 compute_90,sm_90 '-gencode arch=compute_90a,code=sm_90a -gencode arch=compute_90,code=[sm_90,compute_90]'
code 100 compute_100 '-arch=sm_120 -gencode arch=compute_100,code=sm_100'
for all in native all all-major; do code 80 compute_80,sm_90 -arch=$all; done
# What a device of compute capability 9.0 cannot run gets a line; with PTX, or with its own code, it runs.
for words in '-arch=compute_75 -code=sm_75' '-gencode arch=compute_80,code=[sm_80,sm_86]' -arch=sm_120; do
    gives 'simtcc: code for .* alone does not run on a device of compute capability 9.0.*cudaErrorNoKernel.*' -- a.cu $words
done
for words in -arch=sm_75 -arch=compute_75 -arch=all '-gencode arch=compute_80,code=[sm_80,compute_80]' '-c -arch=sm_90a' \
    '-gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90' '-arch=compute_75 -code=sm_75,compute_75'; do
    gives '!simtcc: code for.*' -- a.cu $words
done
gives '!<-arch.*>' '!.*code=sm_75.*' '!<-code.*>' -- a.cu -arch=compute_75 -code=sm_75
code 75 compute_75,sm_90 '-arch=sm_35'
gives 'simtcc: this nvcc has no compute_35; compiled for compute_75' -- a.cu -arch=sm_35
gives '<arch=compute_86,code=compute_86>' '!<-no-compress>' '<-lineinfo>' -- -ptx a.cu -arch=sm_86
gives '<arch=compute_80,code=sm_80>' -- -cubin a.cu
gives '!.*compress-mode.*' '!<size>' -- -compress-mode size --compress-mode=none a.cu
NVCC=$scratch/12/bin/nvcc
code 52 compute_52,sm_90 -arch=sm_52
code 80 compute_80,sm_90 ''
NVCC=$scratch/20/bin/nvcc
code 100 compute_100 '' # no sm_90 there
NVCC=$scratch/11/bin/nvcc
refuses ".*/11/bin/nvcc is of CUDA '11.8'; 12 or newer is needed" a.cu
NVCC=$scratch/gone
refuses 'NVCC=.*/gone cannot be called' a.cu
NVCC=$scratch/13/bin/nvcc

# The runtime and libraries that need a GPU are left out; others stay.
gives '!.*cudart_static.*' '!<-lcuda>' '!.*cublas.*' '!.*curand.*' '<-lm>' '<-lcudautils>' '<libmine.a>' '<-L>' '<-lcudart>' -- a.cu -lcudart \
    -lcuda -lcublas_static -l cublasLt,m -lcurand /opt/lib64/libcublas.so.13 libcudart_static.a -lcudautils libmine.a -L -lcudart
gives '!<-cudart=.*>' '!<shared>' -- a.cu -cudart=shared --cudart shared -cudadevrt none

# Calls that cannot work.
for option in -dlto -lto -arch=lto_90; do
    refuses '.*optimized while it is linked.* Use -rdc=true' $option a.cu
done
refuses '-ewp: use -rdc=true' -ewp a.cu
refuses '-shared: device code of several files' -shared -rdc=true a.cu

# Device code of several files: nvcc links it if it links a runtime, which is the machine.
for option in -rdc=true '-rdc true' --relocatable-device-code=true; do
    gives '<-cudart>' '<static>' '<-L>' '<.*tmp/simtcc.*>' '!<none>' '!<.*libsimt.a>' -- $option a.cu
done
for option in -dc --device-c -dlink; do
    gives "<$option>" '<a.cu>' '<none>' '!<-L>' -- $option a.cu
done
for option in -rdc=false '--relocatable-device-code false'; do
    gives '<a.cu>' '<none>' '<.*libsimt.a>' -- $option a.cu
done
echo 'calls __cudaRegisterLinkedBinary_1' >parts.o
gives '<static>' -- parts.o
refuses 'no input file'
refuses '-o: its value is missing' a.cu -o
refuses '--check: its value is missing' a.cu --check
refuses '--setting THREADS=1: expected' a.cu --setting THREADS=1
refuses '--setting SIMT_THREADS: expected' a.cu --setting=SIMT_THREADS

# Settings: the last value of a name wins, whatever its characters.
gives 'source: "SIMT_CHECK=none\\n"' 'source: "SIMT_TRACE=a\\\\b\\"c\\n"' 'source: "SIMT_PROFILE=text\\n"' \
    '<.*settings.o>' -- \
    a.cu --check=race --profile '--trace=a\b"c' --setting SIMT_THREADS=2 --setting=SIMT_CHECK=none
[ "$(grep -c SIMT_CHECK said)" = 2 ] && grep -m 1 SIMT_CHECK said | grep -q none || bad "the last setting is not the first"
gives '!.*settings.*' -- -c a.cu --check=race # only when it is linked
gives '<-ccbin>' '<my g++>' -- -ccbin 'my g++' --check=race a.cu
[ "$(grep -c '^<my g++>' said)" = 2 ] || bad "-ccbin does not compile the settings"
ls tmp | grep . && bad "a temporary folder is left behind"

# Files of options, and nvcc's variables: their words are handled as the others, once.
printf '%s\n' "-DB='two words' -arch=sm_89" '-c "b c.cu"' >options.txt
gives '<-DB=two words>' '<b c.cu>' '<-c>' '<arch=compute_89,.*>' '!.*optf.*' -- -optf options.txt
gives '<b c.cu>' -- --options-file=options.txt
echo -dlto >bad.txt
refuses "-dlto: " a.cu -optf bad.txt
refuses 'gone.txt: this options file' a.cu -optf gone.txt
export NVCC_PREPEND_FLAGS="-DFIRST='a b'" NVCC_APPEND_FLAGS='-arch=sm_89'
gives '<-DFIRST=a b>' '<arch=compute_89,.*>' -- a.cu
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS

# Which nvcc: CUDA_HOME, CUDA_PATH, PATH; never this script under another name.
look() {
    version=$1
    shift
    expect 0 "release $version" env -u NVCC -u CUDA_HOME -u CUDA_PATH "$@" "$simtcc" --version
}
mkdir other && ln -s "$simtcc" other/nvcc
look 13.0 CUDA_HOME="$scratch/13" "PATH=$scratch/12/bin:$PATH"
look 12.4 CUDA_PATH="$scratch/12"
look 12.4 "PATH=$scratch/other:$scratch/12/bin:$PATH"
for name in "$simtcc" "$scratch/other/nvcc" "$scratch/other/nvcc -O2"; do # as with `make NVCC=simtcc`
    expect 0 'release 12.4' env NVCC="$name" CUDA_HOME="$scratch/12" "$simtcc" --version
done
mkdir loop && printf '#!/bin/sh\nexec "%s" "$@"\n' "$simtcc" >loop/nvcc && chmod +x loop/nvcc
expect 1 'simtcc: error: .*loop/nvcc calls simtcc again' env NVCC="$scratch/loop/nvcc" "$simtcc" a.cu
expect 0 "<.*/it's here/bin/../lib/libsimt.a>" other/nvcc a.cu # found behind a link, too
expect 0 "^simtcc $VERSION\$" "$simtcc" --version
expect 0 '^Usage: simtcc ' "$simtcc" --help
rm "$prefix/lib/libsimt.a"
refuses '.*/libsimt.a is missing' a.cu
finish
