#!/bin/sh
# simtcc: nvcc, for programs that run on the SIMT machine. It changes what nvcc makes:
#
#   device code    PTX of one architecture, not compressed, and machine code, in which the machine
#                  reads how many registers a thread takes
#   the link       libsimt.a instead of the CUDA runtime, and no library that needs a GPU; device
#                  code of several files (-rdc=true) by nvcc's own device linker
#   refused        what the machine cannot run, in one line that says what to do
#
# Every other option goes to nvcc unchanged. read_words parses the options, `keep` collects nvcc's, run_nvcc calls it.
set -u
version=@PROJECT_VERSION@
line_feed='
'

fail() {
    printf 'simtcc: error: %s\n' "$*" >&2
    exit 1
}

note() {
    printf 'simtcc: %s\n' "$*" >&2
}

# ---- words, stored with quotes so that they may contain any character

# quoted WORD: in a form that the shell reads back.
quoted() {
    printf "%s\n" "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"
}

keep() {
    for word; do
        case $word in
        *\'*) words="$words $(quoted "$word")" ;;
        *) words="$words '$word'" ;; # without a process
        esac
    done
}

# split_words: the words of its input, with quotes and backslashes as in nvcc's options files.
split_words() {
    xargs -n 1 printf '%s\n' | {
        words=
        while IFS= read -r word; do
            [ -z "$word" ] || keep "$word"
        done
        printf '%s' "$words"
    }
}

# ---- options of nvcc that take the next word, unless a = follows the name

with_value="
-arbin -arch -ccbin -code -compress-mode -cudadevrt -cudart -D -ddp -default-stream
-device-entity-has-hidden-visibility -diag-error -diag-suppress -diag-warn -dopt -dp -e
-fdevice-time-trace -fmad -frandom-seed -ftemplate-backtrace-limit -ftemplate-depth -ftz -gencode
-hls -I -idp -include -isystem -jtd -keep-dir -L -l -ldir -m -maxrregcount -MF -MT -o -odir -Ofc
-opt-info -optf -prec-div -prec-sqrt -qpp-config -rdc -run-args -sanitize -split-compile
-split-compile-extended -static-global-template-stub -std -t -target-dir -time -U -Werror -x
-Xarchive -Xcompiler -Xcudafe -Xlinker -Xnvlink -Xptxas --archive-options --archiver-binary
--compiler-bindir --compiler-options --compress-mode --cudadevrt --cudart --default-stream
--define-macro --dependency-drive-prefix --dependency-output --dependency-target-name
--device-entity-has-hidden-visibility --diag-error --diag-suppress --diag-warn --dopt
--drive-prefix --entries --fdevice-time-trace --fmad --frandom-seed --ftemplate-backtrace-limit
--ftemplate-depth --ftz --generate-code --gpu-architecture --gpu-code --host-linker-script
--include-path --input-drive-prefix --jump-table-density --keep-dir --libdevice-directory
--library --library-path --linker-options --machine --maxrregcount --nvlink-options
--Ofast-compile --optimization-info --optimize --options-file --output-directory --output-file
--pre-include --prec-div --prec-sqrt --ptxas-options --qpp-config --relocatable-device-code
--run-args --sanitize --split-compile --split-compile-extended --static-global-template-stub --std
--system-include --target-directory --threads --time --undefine-macro --Werror --x
"

takes_value() {
    case $with_value in
    *[\ $line_feed]"$1"[\ $line_feed]*) ;;
    *) return 1 ;;
    esac
}

# ---- what the words request

words=         # nvcc's
inputs=0       # files among them
phase=link     # link, object, ptx, cubin, fatbin, text, archive, shared
codes=         # requested device code: sm_75 compute_75 ...
alone=         # and by -code
archs=         # requested virtual architectures: 80 90a ...
lines=-lineinfo # how source lines get into the PTX
debug=         # the program's debug information is requested
linked=        # device code of several files is linked
watched=yes    # the linker's messages are read: nvcc only links
ccbin=         # the host's compiler
settings=      # lines NAME=VALUE for the program, the last one given first

refuse_late() {
    fail "$1: the SIMT machine runs PTX, which device code that is optimized while it is linked has" \
        "not become. Use -rdc=true without it"
}

# read_archs TEXT: those of -arch=... or -gencode arch=...,code=...
read_archs() {
    case $1 in
    lto_* | *=lto_* | *,lto_* | *\[lto_*) refuse_late "link-time optimization ($1)" ;;
    esac
    old=$IFS IFS=', '
    set -f
    for word in $1; do
        word=${word#arch=} word=${word#compute_}
        word=${word#sm_}
        case $word in
        *[!0-9a-z]*) ;; # of code=[...]
        [0-9]*) archs="$archs $word" ;;
        esac
    done
    set +f
    IFS=$old
    case $1 in
    *code=*) codes="$codes $(printf '%s' "${1#*code=}" | tr ',[]' '   ')" ;;
    sm_*) codes="$codes $1 compute_${1#sm_}" ;; # its PTX, too
    *) codes="$codes $1" ;;
    esac
}

# note_alone: a device of compute capability 9.0 runs neither machine code of another architecture nor PTX
# of a newer one.
note_alone() {
    for word in ${alone:-$codes}; do
        case $word in
        sm_90 | sm_90a | compute_90a) return ;;
        compute_*[!0-9]* | sm_*) ;;
        compute_*) [ "${word#compute_}" -gt 90 ] || return ;;
        *) return ;; # native, all
        esac
        named=$word
    done
    [ -z "${named:-}" ] || note "code for $named alone does not run on a device of compute capability 9.0," \
        "as the machine's is (cudaErrorNoKernelImageForDevice); add -gencode arch=compute_90,code=sm_90"
}

# is_left_out LIBRARY: whether it, cublas or /somewhere/libcublas.so, is the runtime or another library of the
# toolkit that needs a GPU. The program's calls into it are then missing at the link, and `explain` reports which
# library had them.
is_left_out() {
    base=${1##*/}
    base=${base#lib}
    base=${base%%.*}
    case ${base%_static} in
    cudart | cudadevrt | cuda | culibos | nvrtc | nvJitLink | nvidia-ml | cufile) ;;
    cublas | cublasLt | cusparse | cusparseLt | cusolver | cusolverMg | cufft | cufftw) ;;
    curand | cudnn | nccl | nvjpeg) ;;
    nppc | nppial | nppicc | nppidei | nppif | nppig | nppim | nppist | nppisu | nppitc | npps) ;;
    *) return 1 ;;
    esac
}

set_setting() {
    case $1 in
    SIMT_[A-Z]*=*) settings=$1$line_feed$settings ;;
    *) fail "--setting $1: expected a variable of simt(7) and its value, as SIMT_THREADS=1" ;;
    esac
}

# What nvcc must produce.
read_phase() {
    case $1 in
    -c | --compile | -dw | --device-w) phase=object ;;
    -dc | --device-c | -dlink | --device-link) phase=object linked=yes ;;
    -ptx | --ptx) phase=ptx ;;
    -cubin | --cubin) phase=cubin ;;
    -fatbin | --fatbin) phase=fatbin ;;
    -lib | --lib) phase=archive ;;
    -shared | --shared) phase=shared ;;
    -E | --preprocess | -cuda | --cuda | -optix-ir | --optix-ir | -ltoir | --ltoir) phase=text ;;
    -M | --generate-dependencies | -MM | --generate-nonsystem-dependencies) phase=text ;;
    -r | --relocatable-link) phase=archive ;;
    -dryrun | --dryrun | -v | --verbose | -clean | --clean-targets | -run | --run) watched= ;;
    -G | --device-debug) lines= debug=yes ;;
    -g | --debug) debug=yes ;;
    esac
}

# read_value NAME VALUE WORD...: an option with its value; the words are as written.
read_value() {
    name=$1 value=$2
    shift 2
    case $name$value in
    -Xcompiler*-g* | --compiler-options*-g*) debug=yes ;;
    esac
    case $name in
    -arch | --gpu-architecture | -gencode | --generate-code) read_archs "$value" ;;
    -code | --gpu-code) alone="$alone $(printf '%s' "$value" | tr ',[]' '   ')" ;;
    -compress-mode | --compress-mode) ;;
    -cudart | --cudart | -cudadevrt | --cudadevrt) ;;
    -rdc | --relocatable-device-code) [ "$value" = false ] || linked=yes; keep "$@" ;;
    -l | --library) read_libraries "$value" ;;
    -ccbin | --compiler-bindir) ccbin=$value; keep "$@" ;;
    -optf | --options-file) read_file "$value" ;;
    --setting) set_setting "$value" ;;
    *) keep "$@" ;;
    esac
}

# read_libraries LIST: of -l, split at commas.
read_libraries() {
    for library in $(printf '%s' "$1" | tr ',' ' '); do
        is_left_out "$library" || keep "-l$library"
    done
}

read_file() {
    [ -r "$1" ] || fail "$1: this options file cannot be read"
    eval "read_words $(split_words <"$1")"
}

# read_alone WORD: an option without a value, or a file.
read_alone() {
    case $1 in
    -dlto | --dlink-time-opt | -lto | --lto | -gen-opt-lto | --gen-opt-lto) refuse_late "$1" ;;
    -ewp | --extensible-whole-program) fail "$1: use -rdc=true" ;;
    -lineinfo | --generate-line-info | -no-compress | --no-compress) ;; # added to all
    --check | --trace) fail "$1: its value is missing; it is written $1=VALUE" ;;
    --profile) set_setting SIMT_PROFILE=text ;;
    -link | -lib | -ltoir | -[!l]* | -) read_phase "$1"; keep "$1" ;;
    -l?*) read_libraries "${1#-l}" ;;
    *.a | *.so | *.so.[0-9]*) is_left_out "$1" || keep_input "$1" ;;
    *) keep_input "$1" ;;
    esac
}

keep_input() {
    inputs=$((inputs + 1))
    case $1 in
    *.o | *.a | *.so) grep -qs __cudaRegisterLinkedBinary "$1" && linked=yes ;;
    esac
    keep "$1"
}

read_words() {
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help) usage; exit 0 ;;
        -V | --version) show_version; exit 0 ;;
        --check=*) set_setting "SIMT_CHECK=${1#*=}" ;;
        --profile=*) set_setting "SIMT_PROFILE=${1#*=}" ;;
        --trace=*) set_setting "SIMT_TRACE=${1#*=}" ;;
        --setting=*) set_setting "${1#*=}" ;;
        *)
            if takes_value "$1" || [ "$1" = --setting ]; then
                [ $# -gt 1 ] || fail "$1: its value is missing"
                read_value "$1" "$2" "$1" "$2"
                shift
            elif takes_value "${1%%=*}" && [ "${1%%=*}" != "$1" ]; then
                read_value "${1%%=*}" "${1#*=}" "$1"
            else
                read_alone "$1"
            fi ;;
        esac
        shift
    done
}

# ---- nvcc

# is_nvcc FILE: whether it is executable, and not this script under another name.
is_nvcc() {
    [ -x "$1" ] && [ ! -d "$1" ] && ! grep -qs '^# simtcc: nvcc, for programs' "$1"
}

# named_nvcc: the one that NVCC names, unless it is this script, as after `make NVCC=simtcc`.
named_nvcc() {
    nvcc=$(command -v -- "$NVCC" || command -v -- "${NVCC%% *}") ||
        fail "NVCC=$NVCC cannot be called; set it to the path of nvcc, as /usr/local/cuda/bin/nvcc"
    is_nvcc "$nvcc"
}

# A script called nvcc may call simtcc in turn, which would never end.
count_depth() {
    export SIMTCC_DEPTH=$((${SIMTCC_DEPTH:-0} + 1))
    [ "$SIMTCC_DEPTH" -lt 9 ] || again
}

find_nvcc() {
    [ -n "${NVCC:-}" ] && named_nvcc && return
    old=$IFS IFS=:
    set -f
    set -- "${CUDA_HOME:+$CUDA_HOME/bin}" "${CUDA_PATH:+$CUDA_PATH/bin}" $PATH
    set +f
    IFS=$old
    for folder in "$@" /usr/local/cuda/bin /usr/local/cuda-*/bin /opt/cuda/bin; do
        nvcc=$folder/nvcc
        [ -n "$folder" ] && is_nvcc "$nvcc" && return
    done
    fail "nvcc was not found. Install the CUDA Toolkit, version 12 or newer, without a driver" \
        "(https://developer.nvidia.com/cuda-downloads), or set NVCC to the path of nvcc"
}

again() {
    fail "$nvcc calls simtcc again; set NVCC to the path of nvcc itself"
}

check_version() {
    said=$("$nvcc" --version 2>&1)
    case $said in
    'simtcc '*) again ;;
    esac
    toolkit=
    case $said in
    *'release '[0-9]*) toolkit=${said##*release } toolkit=${toolkit%%[!0-9.]*} ;;
    esac
    case ${toolkit%%.*} in
    '' | [0-9] | 1[01])
        fail "$nvcc is of CUDA '$toolkit'; 12 or newer is needed. Set NVCC to the path of one" ;;
    esac
}

# choose_arch: the newest requested architecture that the emulated device, of compute capability 9.0, can run; else the
# oldest. By default 80, the first with asynchronous copies.
choose_arch() {
    arch=
    for word in $archs; do
        new=${word%%[a-z]*} number=${arch%%[a-z]*}
        if [ -z "$arch" ] || { [ "$new" -le 90 ] && [ "$new" -gt "$number" ]; } ||
            { [ "$number" -gt 90 ] && [ "$new" -lt "$number" ]; } || [ "$word" = "$number" ]; then # 90, not 90a
            arch=$word
        fi
    done
    arch=${arch:-80} number=${arch:-80}
    number=${number%%[a-z]*}
}

# meet_toolkit: raises it to one that this nvcc supports, or lowers it to the last.
meet_toolkit() {
    known=
    for word in $("$nvcc" --list-gpu-arch); do
        word=${word#compute_}
        case $word in *[!0-9]*) ;; *) known="$known $word" ;; esac
    done
    other=
    for word in $known; do # the least of those that are enough, else the greatest
        if [ -z "$other" ] || { [ "$word" -ge "$number" ] && [ "$word" -lt "$other" ]; } ||
            { [ "$other" -lt "$number" ] && [ "$word" -gt "$other" ]; }; then
            other=$word
        fi
    done
    other=${other:-$number}
    [ "$number" = "$other" ] && return
    note "this nvcc has no compute_$arch; compiled for compute_$other"
    arch=$other number=$other
}

# The device code. Machine code for the emulated device is not run: it shows how many registers a thread takes.
keep_code() {
    choose_arch
    meet_toolkit
    virtual=compute_$arch real=
    case "$known " in
    *" 90 "*) [ "$number" -gt 90 ] || real=,sm_90${arch#"$number"} ;;
    esac
    case $phase in
    ptx) keep -gencode "arch=$virtual,code=$virtual" $lines ;;
    cubin) keep -gencode "arch=$virtual,code=sm_$arch" $lines ;;
    text) keep -gencode "arch=$virtual,code=[$virtual$real]" $lines ;;
    *)
        note_alone
        keep -gencode "arch=$virtual,code=[$virtual$real]" $lines -no-compress
        [ -n "$debug" ] || keep -Xcompiler -g1 ;; # lines of the host's code, for reports
    esac
}

usage() {
    cat <<'END'
Usage: simtcc [options] file...

nvcc, for programs that run on the SIMT machine: on a computer without a GPU, checked for races,
wrong addresses, uninitialised reads and missed barriers. It takes all options of nvcc, but for
those of link-time optimization (-dlto), and:

  --check=LIST           what is checked: none, or some of memory,race,init,sync,leaks,acquire,origin
  --profile[=FORM]       what the kernels cost is shown at the end: text, json:FILE, ...
  --trace=KERNEL,FORM    what a kernel did, event by event: text, perfetto:FILE, ...
  --setting NAME=VALUE   any setting of the machine, such as SIMT_SCHEDULE=random:1
  --help, --version      this text; the versions of simtcc and of nvcc

The first four are written into the program. The environment that it runs in comes first:
SIMT_CHECK=none ./prog. NVCC names the nvcc to call.

  simtcc prog.cu -o prog && ./prog

simtcc(1) has the details, simt(7) the settings.
END
}

show_version() {
    echo "simtcc $version"
    find_nvcc
    count_depth
    "$nvcc" --version
}

# ---- the link

# The folder of this script, with links resolved.
here() {
    me=$(command -v -- "$0")
    while [ -h "$me" ]; do
        to=$(ls -ld -- "$me")
        to=${to#*" -> "}
        case $to in
        /*) me=$to ;;
        *) me=${me%/*}/$to ;;
        esac
    done
    case $me in */*) ;; *) me=./$me ;; esac
    CDPATH= cd -- "${me%/*}/" && pwd -P
}

find_library() {
    bin=$(here)
    library=$bin/@SIMT_LIBRARY_FROM_BIN@/libsimt.a
    [ -r "$library" ] || fail "$library is missing: install the SIMT machine again"
    keep -I "$bin/@SIMT_HEADERS_FROM_BIN@" # after the program's own
}

scratch=
clean_up() {
    [ -z "$scratch" ] || rm -rf -- "$scratch"
}

make_scratch() {
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/simtcc.XXXXXX") || exit 1
}

# An object with the settings, simt_defaults of simt.h.
keep_settings() {
    [ -n "$settings" ] || return 0
    source=$scratch/settings.cpp object=$scratch/settings.o
    {
        echo 'extern "C" const char simt_defaults[] ='
        printf '%s' "$settings" | sed 's/[\\"]/\\&/g; s/.*/"&\\n"/'
        echo ';'
    } >"$source"
    "$nvcc" ${ccbin:+-ccbin} ${ccbin:+"$ccbin"} -c "$source" -o "$object" || exit
    keep "$object"
}

# explain: the linker's messages, without those about names that the machine does not have. These go into
# $scratch/missing, as "KIND NAME".
explain() {
    awk -v missing="$scratch/missing" '
    function kind(name) {
        if (name ~ /^__cudaRegisterLinkedBinary/) return "rdc"
        if (match(name, /^(cublas|cusparse|cusolver|cufft|curand|cudnn|cufile)/))
            return substr(name, 1, RLENGTH)
        if (match(name, /^(nccl|npp|nvjpeg|nvml|nvrtc|nvJitLink)/))
            return substr(name, 1, RLENGTH)
        if (name ~ /^cuMem(Map|Unmap|Create|Release|Address|[GS]etAccess|GetAllocation|Export|Import|Retain)/)
            return "virtual"
        if (name ~ /^cu[A-Z][A-Za-z0-9_]*$/) return "driver"
        return name ~ /^(__)?cuda[A-Z][A-Za-z0-9_]*$/ ? "runtime" : ""
    }
    function show(line) { if (line != "") print line }
    /undefined reference to/ {
        name = $0
        sub(/.*undefined reference to ./, "", name)
        sub(/.$/, "", name)
        if (kind(name)) { print kind(name), name >missing; known = 1; held = ""; next }
    }
    /: in function .*:$/ { held = $0; next }
    /more undefined references to|^collect2: error:/ && known && !others { next }
    { show(held); held = ""; print; others += /error|undefined/ }
    END { show(held) }'
}

# why KIND NAMES: explains what these names are, and what to do.
why() {
    case $1 in
    driver) echo "$2: a part of the driver API that the SIMT machine does not have; use its" \
        "common part or the runtime API: cuMemAlloc, cudaMalloc" ;;
    virtual) echo "$2: virtual memory management, which maps memory at addresses that a program chooses;" \
        "the SIMT machine gives all memory a fixed address: use cuMemAlloc or cuMemAllocAsync" ;;
    runtime) echo "$2: the SIMT machine does not have it; leave this part of the program out" ;;
    *) echo "$2: of $1, a library that needs a GPU; write a kernel in its place, or leave this" \
        "part out" ;;
    esac
}

# names_of KIND: up to five names of this kind in $scratch/missing.
names_of() {
    sed -n "s/^$1 //p" "$scratch/missing" | sort -u | awk '
        NR <= 5 { list = list (NR > 1 ? ", " : "") $0 }
        END { print list (NR > 5 ? ", ..." : "") }'
}

# keep_absent: an object with a function for each missing name. When called, it reports what is missing and returns "not
# supported"; one of a library ends the program, which would continue with garbage.
keep_absent() {
    {
        printf '#include <cstdio>\n#include <cstdlib>\n'
        sort -u "$scratch/missing" | while read -r kind name; do
            after='return 801'
            case $kind in
            driver | runtime | virtual) ;;
            *) after='exit(1)' ;;
            esac
            printf 'extern "C" int %s() { fputs("simt: error: %s\\n", stderr); %s; }\n' \
                "$name" "$(why "$kind" "$name")" "$after"
        done
    } >"$scratch/absent.cpp"
    "$nvcc" ${ccbin:+-ccbin} ${ccbin:+"$ccbin"} -c "$scratch/absent.cpp" -o "$scratch/absent.o"
}

# attempt WORD...: calls nvcc. Its messages go into $scratch/said, missing names into $scratch/missing.
attempt() {
    : >"$scratch/missing"
    {
        { "$nvcc" "$@" 2>&1 1>&3 3>&-; echo $? >"$scratch/status"; } | explain >"$scratch/said"
    } 3>&1
    read -r status <"$scratch/status"
    return "$status"
}

# link WORD...: calls nvcc. A program that calls a missing function is still linked, since it may never reach that call.
link() {
    attempt "$@"
    status=$?
    [ ! -s "$scratch/missing" ] || ! grep -q '^rdc ' "$scratch/missing" || fail "a library holds device code that was compiled with" \
        "-rdc=true or -dc; link with -rdc=true"
    if [ -s "$scratch/missing" ] && keep_absent; then
        for kind in $(cut -d ' ' -f 1 "$scratch/missing" | sort -u); do
            note "warning: refused when called: $(why "$kind" "$(names_of "$kind")")"
        done
        attempt "$@" "$scratch/absent.o"
        status=$?
    fi
    [ ! -s "$scratch/said" ] || cat "$scratch/said" >&2
    return $status
}

# The machine. nvcc links device code only if it links a runtime, so the machine has the runtime's name there.
keep_machine() {
    if [ -n "$linked" ]; then
        ln -s "$library" "$scratch/libcudart_static.a" || exit
        keep -cudart static -L "$scratch" -lm
    else
        keep -cudart none "$library" -lpthread -lm -ldl
    fi
}

run_nvcc() {
    unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS # read already
    [ "$phase" = link ] || eval "exec \"\$nvcc\" -cudart none $words"
    make_scratch
    keep_settings
    keep_machine
    if [ -n "$watched" ]; then
        eval "link $words"
    else
        eval "\"\$nvcc\" $words"
    fi
}

# read_variable TEXT: the words of an environment variable.
read_variable() {
    [ -z "$1" ] || eval "read_words $(printf '%s\n' "$1" | split_words)"
}

main() {
    [ $# -gt 0 ] || fail "no input file; simtcc --help says more"
    read_variable "${NVCC_PREPEND_FLAGS:-}"
    read_words "$@"
    read_variable "${NVCC_APPEND_FLAGS:-}"
    find_nvcc
    count_depth
    check_version
    [ "$inputs" -gt 0 ] || eval "exec \"\$nvcc\" $words"
    find_library
    keep_code
    [ "$phase$linked" != sharedyes ] ||
        fail "-shared: device code of several files is linked into a program only. Link it there"
    run_nvcc
}

main "$@"
