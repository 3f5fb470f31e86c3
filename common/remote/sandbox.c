// What a graded program may do: compute, read files, and write to the files that it inherited. On Linux a filter of
// system calls ends it when it tries to start processes, send signals, open connections, change files or limits; the
// filter refuses every unknown call. It needs no rights, lasts as long as the program, and is inherited by threads.
#include "remote/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// The process is killed if it makes one of these calls.
#ifdef __x86_64__
static const unsigned refused_old[] = {SYS_fork,   SYS_vfork, SYS_creat, SYS_unlink,  SYS_rename,   SYS_renameat,
                                       SYS_mkdir,  SYS_rmdir, SYS_link,  SYS_symlink, SYS_chmod,    SYS_chown,
                                       SYS_lchown, SYS_mknod, SYS_utime, SYS_utimes,  SYS_futimesat};
#endif
static const unsigned refused[] = {SYS_kill,
                                   SYS_tkill,
                                   SYS_rt_sigqueueinfo,
                                   SYS_rt_tgsigqueueinfo,
                                   SYS_pidfd_send_signal,
                                   SYS_ptrace,
                                   SYS_process_vm_writev,
                                   SYS_socket,
                                   SYS_socketpair,
                                   SYS_connect,
                                   SYS_bind,
                                   SYS_unlinkat,
                                   SYS_renameat2,
                                   SYS_mkdirat,
                                   SYS_linkat,
                                   SYS_symlinkat,
                                   SYS_truncate,
                                   SYS_fchmod,
                                   SYS_fchmodat,
                                   SYS_fchown,
                                   SYS_fchownat,
                                   SYS_mknodat,
                                   SYS_utimensat,
                                   SYS_mount,
                                   SYS_umount2,
                                   SYS_setxattr,
                                   SYS_lsetxattr,
                                   SYS_fsetxattr,
                                   SYS_shmget,
                                   SYS_msgget,
                                   SYS_semget,
                                   SYS_setsid,
                                   SYS_setpgid,
                                   SYS_io_uring_setup,
                                   SYS_memfd_create,
                                   SYS_unshare,
                                   SYS_setns,
                                   SYS_bpf,
                                   SYS_perf_event_open,
                                   SYS_keyctl,
                                   SYS_add_key};

// Reported as missing, so that libc uses the older call, whose flags the filter can read.
static const unsigned unknown[] = {SYS_clone3, SYS_openat2};

// What the machine, the harness and the C library need. Every call that this file does not list fails with EPERM,
// including those of later kernels.
static const unsigned allowed[] = {SYS_futex,
                                   SYS_mprotect,
                                   SYS_madvise,
                                   SYS_mincore,
                                   SYS_mmap,
                                   SYS_munmap,
                                   SYS_mremap,
                                   SYS_brk,
                                   SYS_read,
                                   SYS_write,
                                   SYS_readv,
                                   SYS_writev,
                                   SYS_pread64,
                                   SYS_lseek,
                                   SYS_close,
                                   SYS_fstat,
                                   SYS_newfstatat,
                                   SYS_statx,
                                   SYS_faccessat,
                                   SYS_faccessat2,
                                   SYS_readlinkat,
                                   SYS_getcwd,
                                   SYS_getdents64,
                                   SYS_sendmsg, // through inherited sockets: it cannot open any
                                   SYS_recvfrom,
                                   SYS_dup,
                                   SYS_dup3,
                                   SYS_ppoll,
                                   SYS_rt_sigaction,
                                   SYS_rt_sigprocmask,
                                   SYS_rt_sigreturn,
                                   SYS_sigaltstack,
                                   SYS_restart_syscall,
                                   SYS_exit,
                                   SYS_exit_group,
                                   SYS_wait4,
                                   SYS_execve, // the program itself; a program that it executes stays in the sandbox
                                   SYS_set_tid_address,
                                   SYS_set_robust_list,
                                   SYS_rseq,
                                   SYS_membarrier,
                                   SYS_sched_yield,
                                   SYS_sched_getaffinity,
                                   SYS_nanosleep,
                                   SYS_clock_nanosleep,
                                   SYS_clock_gettime,
                                   SYS_clock_getres,
                                   SYS_gettimeofday,
                                   SYS_times,
                                   SYS_getrusage,
                                   SYS_sysinfo,
                                   SYS_uname,
                                   SYS_getrandom,
                                   SYS_getpid,
                                   SYS_getppid,
                                   SYS_gettid,
                                   SYS_getuid,
                                   SYS_geteuid,
                                   SYS_getgid,
                                   SYS_getegid};
#ifdef __x86_64__
static const unsigned allowed_old[] = {SYS_stat, SYS_lstat, SYS_access, SYS_readlink,  SYS_poll,
                                       SYS_dup2, SYS_time,  SYS_pipe,   SYS_arch_prctl};
#endif

// The uses of fcntl and ioctl by the C library. Others send signals to any process (F_SETOWN, F_SETSIG).
static const unsigned file_commands[] = {F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC};
static const unsigned terminal_questions[] = {TCGETS, TIOCGWINSZ};

enum { MOST = 420 };

struct program {
    struct sock_filter at[MOST];
    unsigned short count;
};

static void add(struct program *p, unsigned short code, unsigned k, unsigned char yes, unsigned char no)
{
    p->at[p->count++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct program *p, size_t offset)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

// If the loaded word equals value, the program's action is `action`.
static void on(struct program *p, unsigned value, unsigned action)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    add(p, BPF_RET | BPF_K, action, 0, 0);
}

// For call number: ends the program if some (or: unless all) of these bits are set in the argument.
static void filter_bits(struct program *p, unsigned number, int argument, unsigned bits, bool set)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add(p, BPF_JMP | BPF_JSET | BPF_K, bits, set ? 0 : 1, set ? 1 : 0);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static void filter_calls(struct program *p, const unsigned *calls, size_t count, unsigned action)
{
    for (size_t i = 0; i < count; i++)
        on(p, calls[i], action);
}

// For call number: ends the program unless the argument, of 64 bits, is value.
static void filter_value(struct program *p, unsigned number, int argument, unsigned value)
{
    size_t low = offsetof(struct seccomp_data, args) + 8 * (size_t)argument;

    add(p, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 6);
    load(p, low);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 3);
    load(p, low + 4);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
}

// For call number: allowed if the argument, an int, is one of the values, else refused.
static void filter_values(struct program *p, unsigned number, int argument, const unsigned *values, unsigned char count)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, number, 0, count + 3);
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    for (unsigned char i = 0; i < count; i++)
        add(p, BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

#define COUNT(calls) (sizeof(calls) / sizeof *(calls))

bool sandbox_close(void)
{
    const unsigned write = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    struct program p = {.count = 0};

    load(&p, offsetof(struct seccomp_data, arch));
    add(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    add(&p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    load(&p, offsetof(struct seccomp_data, nr));
    filter_calls(&p, allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
    filter_calls(&p, refused, COUNT(refused), SECCOMP_RET_KILL_PROCESS);
    filter_calls(&p, unknown, COUNT(unknown), SECCOMP_RET_ERRNO | ENOSYS);
#ifdef __x86_64__
    filter_calls(&p, allowed_old, COUNT(allowed_old), SECCOMP_RET_ALLOW);
    filter_calls(&p, refused_old, COUNT(refused_old), SECCOMP_RET_KILL_PROCESS);
#endif
    filter_value(&p, SYS_tgkill, 0, (unsigned)getpid()); // abort() of its own
    filter_value(&p, SYS_prlimit64, 2, 0);               // limits may be read, not set
    filter_values(&p, SYS_fcntl, 1, file_commands, COUNT(file_commands));
    filter_values(&p, SYS_ioctl, 1, terminal_questions, COUNT(terminal_questions));
    filter_bits(&p, SYS_clone, 0, CLONE_THREAD, false);
    filter_bits(&p, SYS_openat, 2, write, true);
#ifdef __x86_64__
    filter_bits(&p, SYS_open, 1, write, true);
#endif
    add(&p, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);

    struct sock_fprog filter = {p.count, p.at};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

const char *sandbox_missing(void)
{
    enum { CREATE_RULESET = 444, QUERY_VERSION = 1, ACTION_AVAILABLE = 2 };
    unsigned action = SECCOMP_RET_KILL_PROCESS;

    if (syscall(SYS_seccomp, ACTION_AVAILABLE, 0, &action) != 0)
        return "no seccomp: a submission can start processes, open connections and change your files";
    if (syscall(CREATE_RULESET, NULL, 0, QUERY_VERSION) <= 0)
        return "no Landlock: a submission can read every file that you can read";
    return NULL;
}
