// What a graded program may not do: start processes, send signals, open connections, change files. On Linux a filter of
// system calls ends it when it tries; it needs no rights, lasts as long as the program, and threads inherit it.
#include "process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Ended when called at all.
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

// Said not to exist, so that libc takes the older call, whose flags can be seen.
static const unsigned unknown[] = {SYS_clone3, SYS_openat2};

enum { MOST = 200 };

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

// When what was loaded equals value, the program's action is `action`.
static void on(struct program *p, unsigned value, unsigned action)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    add(p, BPF_RET | BPF_K, action, 0, 0);
}

// When the call is number: ended if some (or: unless all) of these bits are set in the argument.
static void on_bits(struct program *p, unsigned number, int argument, unsigned bits, bool set)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add(p, BPF_JMP | BPF_JSET | BPF_K, bits, set ? 0 : 1, set ? 1 : 0);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

bool sandbox_close(void)
{
    const unsigned write = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    struct program p = {.count = 0};

    load(&p, offsetof(struct seccomp_data, arch));
    add(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    add(&p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    load(&p, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        on(&p, refused[i], SECCOMP_RET_KILL_PROCESS);
#ifdef __x86_64__
    for (size_t i = 0; i < sizeof refused_old / sizeof *refused_old; i++)
        on(&p, refused_old[i], SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        on(&p, unknown[i], SECCOMP_RET_ERRNO | ENOSYS);
    on_bits(&p, SYS_clone, 0, CLONE_THREAD, false);
    on_bits(&p, SYS_openat, 2, write, true);
#ifdef __x86_64__
    on_bits(&p, SYS_open, 1, write, true);
#endif
    add(&p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);

    struct sock_fprog filter = {p.count, p.at};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
