// The words that check.c knows, as data: what a submission must not say, and what it may. Words of a list are parted by
// blanks. For check.c alone, and compiled into the runner: a list that is read could be edited.
#ifndef JUDGE_WORDS_H
#define JUDGE_WORDS_H

// ---- refused wherever they stand, and why
static const struct {
    const char *words, *why;
} refused[] = {
    {"case_seed random_bits random_in", "generates the input again on the host; read it from device memory instead"},
    {"harness finish fail judge begin_case before_run after_run read_options write_json check_expectations "
     "verdict_record evaluate_relation evaluate_sum check_ints check_floats check_untouched begin_counted open_record "
     "write_record say_not_done todo_line poison_note",
     "belongs to the harness, which a submission must not call or change"},
    {"exit _exit _Exit quick_exit at_quick_exit atexit on_exit exit_group longjmp siglongjmp _longjmp setjmp sigsetjmp "
     "_setjmp jmp_buf sigjmp_buf setcontext makecontext swapcontext pthread_exit thrd_exit errx verr verrx "
     "error_at_line argp_parse",
     "leaves the program without its verdict; return from the function instead"},
    {"getenv secure_getenv setenv putenv unsetenv clearenv environ __environ",
     "reads or changes the environment, which belongs to the grader"},
    {"fork vfork popen posix_spawn posix_spawnp execv execve execvp execl execlp execle execvpe execveat fexecve "
     "ptrace syscall prctl dlsym dlvsym dlopen dlmopen dl_iterate_phdr mprotect mmap mremap process_vm_readv "
     "process_vm_writev",
     "calls the system; an exercise never needs to"},
    {"sigaction sigprocmask pthread_sigmask sigaltstack bsd_signal sysv_signal SIGSEGV SIGABRT SIGBUS SIGFPE SIGALRM "
     "SIGILL SIGSYS SIGXCPU setitimer",
     "handles signals; a program that crashes must crash"},
    {"fopen freopen fdopen tmpfile ofstream ifstream fstream filebuf open64 openat creat dup dup2 dup3 pread pwrite "
     "readv writev dprintf vdprintf sendfile splice",
     "opens a file; an exercise needs none"},
    {"__attribute__ __attribute constructor destructor ifunc weakref init_priority gnu _Pragma __declspec",
     "changes how the program is linked"},
    {"cudaMallocManaged __managed__ cudaMallocHost cudaHostAlloc cudaHostRegister cudaMallocFromPoolAsync "
     "cudaLaunchHostFunc cudaStreamAddCallback cudaDeviceReset",
     "gives the host access to the device's data; kernels must do the work, in device memory"},
};

// Names that begin so belong to the grader.
static const char *const prefixes[] = {
    "drive_",  "simt_",     "__libc", "__cudaReg", "__cudaUnreg",       "__wrap_",
    "__real_", "__start",   "_start", "_dl_",      "__builtin_longjmp", "__builtin_setjmp",
    "TODO_",   "WORKBOOK_", "RECORD_"};

// ---- refused where they are a call of the host's: good names for a variable, a type or a kernel
static const char system_calls[] = "open read write close";

// Before a name: it is a variable's.
static const char types[] = "* int unsigned long short char float double size_t float4 int4 uint4 bool";

// Not to be defined by a submission: its function would replace the C library's, which the harness calls.
static const char library_functions[] =
    "memcmp memcpy memset memmove malloc calloc realloc free fabs fabsf log2 ceil floor printf fprintf vfprintf "
    "snprintf vsnprintf puts fputs fputc putc fwrite fflush write read open close strcmp strlen strncmp strtoull "
    "strtod qsort sysconf abort raise";

// ---- asm: in its strings no name of the linker, and no instruction of the host
static const char asm_words[] = "asm __asm__ __asm";
static const char *const no_ptx[] = {
    "syscall", "sysenter", "int $",        "svc ",    ".globl",   ".section",      ".symver", ".text", ".set ", "_Z",
    "%%r",     "call *",   ".pushsection", ".incbin", ".include", "%%e",           ".byte",   ".word", ".long", ".quad",
    ".short",  ".ascii",   ".inst",        ".hword",  ".octa",    ".intel_syntax", "@PLT",    "jmp",   "movq",  "lea "};

// ---- directives
static const char directives[] = "include define pragma if ifdef ifndef elif else endif error warning";
static const char pragmas[] = "unroll nounroll nv_diag_suppress nv_diagnostic GCC"; // of GCC's, unroll alone

// ---- headers that may be added: CUDA's, by their beginnings, those of C, as NAME.h or cNAME, and some of C++
static const char *const cuda_headers[] = {"cuda", "cooperative_groups", "device_", "sm_", "vector_", "curand", "nv/",
                                           "crt/"};
static const char c_headers[] =
    "assert ctype errno float inttypes limits math stdbool stddef stdint stdio stdlib string time";
static const char cpp_headers[] = "algorithm limits type_traits utility numeric";
static const char algorithms[] = "cub thrust"; // never: they are to be written

// ---- names that a macro may not take: main and the drivers use them
static const char of_main[] =
    "main if else for while do switch case default break continue return goto int unsigned void "
    "char float double long short const static struct enum union sizeof __device__ __global__ "
    "__host__ __FILE__ NULL stderr stdout";

enum { ENOUGH = 256 }; // elements, rows, bins: from here on a size is no easier than another

#endif
