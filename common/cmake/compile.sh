# Compiles as `NVCC ARGUMENTS...` would, in two thirds of the time if the program is in the style of C: first with
# lean/cuda_runtime.h in front of the toolkit's. A program that names the C++ library or what is built on it, and one that
# fails so, is compiled without, and only what that says is shown.
#
#     sh compile.sh NVCC ARGUMENTS... FILE.cu ARGUMENTS...
nvcc=$1
shift
for argument; do
    case $argument in
    *.cu) source=$argument ;;
    esac
done

if ! grep -qwE 'std|cub' -- "$source"; then
    said=$(
        "$nvcc" -I "$(dirname -- "$0")/lean" "$@" 2>&1
        status=$?
        echo end # keeps the line feeds in front of it
        exit $status
    ) && {
        printf '%s' "${said%end}" >&2
        exit 0
    }
fi
exec "$nvcc" "$@"
