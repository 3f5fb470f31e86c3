// Checks what the workbook and a GPU need, and prints what to do about each missing item.
#include "commands/commands.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum health { GOOD, NOTE, BAD }; // NOTE: the workbook works without it

static int faults;

// Prints one line of the report and, unless GOOD, the remedy.
static void report(enum health health, const char *what, const char *found, const char *advice)
{
    static const char *const words[] = {"ok", "note", "BAD"}, *const tints[] = {"green", "yellow", "red"};
    char *line = text_format("%s%-4s%s %-9s %s", colour(tints[health]), words[health], colour("off"), what, found);

    if (*colour("off"))
        printf("%s\n", line);
    else
        print_wrapped(line);
    free(line);
    if (health != GOOD) {
        line = text_format("-> %s", advice);
        print_wrapped(line);
        free(line);
    }
    faults += health == BAD;
}

// A command's output, or only its first line; the caller frees it. exit: its status.
static char *output_of(char *const argv[], bool first_line, int *exit)
{
    struct job job = {.argv = argv, .limited = true, .capture = true};

    *exit = process_run(&job).exit;
    if (first_line)
        job.output[strcspn(job.output, "\n")] = 0;
    return job.output;
}

static double version_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);

    return at ? strtod(at + strlen(word), NULL) : 0;
}

// Returns the toolkit's version, 0 if there is none.
static double check_toolkit(void)
{
    char *argv[] = {course.nvcc, "--version", NULL};
    int exit;
    char *text = output_of(argv, false, &exit), *found;
    double version = exit == 0 ? version_after(text, "release ") : 0;

    found =
        version > 0 ? text_format("CUDA %.1f, %s", version, course.nvcc) : text_format("%s does not run", course.nvcc);
    report(version >= 12 ? GOOD : BAD, "toolkit", found,
           "install the CUDA Toolkit 12 or newer, https://developer.nvidia.com/cuda-downloads; "
           "then `cmake --preset default`, with -DWORKBOOK_NVCC=/path/to/nvcc if it is in an unusual place");
    free(found);
    free(text);
    return version;
}

// A toolkit supports host compilers up to some version; only a compilation shows whether it accepts this one.
static void check_compiler(bool can_try)
{
    char *version[] = {course.cxx, "--version", NULL};
    char *source = text_format("%s/doctor.cu", course.build), *object = text_format("%s/doctor.o", course.build);
    char *compile[] = {course.nvcc, "-ccbin", course.cxx, "-c", source, "-o", object, NULL};
    int exit;
    char *found = output_of(version, true, &exit), *text;

    if (exit != 0) {
        report(BAD, "compiler", course.cxx, "it does not run: install g++, then `cmake --fresh --preset default`");
    } else if (can_try) {
        text = NULL;
        if (file_write(source, "__global__ void kernel(int *p) { *p = 1; }\nint main(void) { return 0; }\n"))
            text = output_of(compile, false, &exit);
        report(text && exit == 0 ? GOOD : BAD, "compiler", found,
               "nvcc does not compile with it, see below; install a version that this toolkit supports and set it: "
               "`cmake --fresh --preset default -DCMAKE_CXX_COMPILER=g++-12`");
        if (text && exit != 0)
            printf("%snvcc ended with status %d\n", text, exit);
        free(text);
    } else {
        report(NOTE, "compiler", found, "install the rest first: only then can nvcc be tried with it");
    }
    remove(source);
    remove(object);
    free(found);
    free(object);
    free(source);
}

// The path of a system file; this file's tests put WORKBOOK_ROOT before it.
static char *system_path(const char *path)
{
    const char *root = getenv("WORKBOOK_ROOT");

    return text_format("%s%s", root ? root : "", path);
}

static char *nvidia_smi(const char *query, int *exit)
{
    char *argv[] = {"nvidia-smi", (char *)query, query ? "--format=csv,noheader" : NULL, NULL};

    return output_of(argv, query != NULL, exit);
}

// Whether there is a device, even one that may not be used. A device node without a driver, which NVIDIA's libraries
// create when root starts them, does not count.
static bool has_device(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno == EACCES || errno == EPERM;
}

// Whether there is a working GPU.
static bool check_gpu(void)
{
    int exit;
    char *name = nvidia_smi("--query-gpu=name", &exit), *device = system_path("/dev/nvidiactl");
    bool there = has_device(device);

    if (exit == 0 && !*course.gpu)
        report(NOTE, "GPU", name, "the tree was configured without it; to use it: `cmake --fresh --preset default`");
    else if (exit == 0)
        report(GOOD, "GPU", name, "");
    else if (there || *course.gpu)
        report(BAD, "GPU", "there is one, but nvidia-smi cannot reach it",
               "the driver was changed since the computer was started, or is missing in this container: restart, "
               "or start the container with GPUs; to do without: `cmake --fresh --preset default -DWORKBOOK_GPU=off`");
    else
        report(GOOD, "GPU", "none: the SIMT machine grades, and nothing is timed", "");
    free(device);
    free(name);
    return exit == 0;
}

static void check_driver(double toolkit)
{
    int exit;
    char *driver = nvidia_smi("--query-gpu=driver_version", &exit), *text = nvidia_smi(NULL, &exit);
    double cuda = version_after(text, "CUDA Version: ");
    char *found = text_format("%s, for CUDA up to %.1f", driver, cuda);
    // Within one major version, programs of a newer toolkit run on an older driver.
    bool old = cuda > 0 && (int)cuda < (int)toolkit;

    report(old ? BAD : GOOD, "driver", found,
           "it is older than the toolkit: update the driver, or install a toolkit of its version beside this one, "
           "then run `cmake --fresh --preset default -DWORKBOOK_NVCC=/usr/local/cuda-VERSION/bin/nvcc`");
    free(found);
    free(text);
    free(driver);
}

// Checks Nsight Compute, and whether this user may read the GPU's counters.
static void check_profiler(void)
{
    char *path = system_path("/proc/driver/nvidia/params"), *params = file_read(path);
    bool admin_only = params && strstr(params, "RmProfilingAdminOnly: 1");
    char *near = text_format(
        "%.*sncu", (int)(strrchr(course.nvcc, '/') ? strrchr(course.nvcc, '/') + 1 - course.nvcc : 0), course.nvcc);
    char *argv[] = {file_is(near) ? near : "ncu", "--version", NULL};
    int exit;

    free(output_of(argv, true, &exit));
    if (exit != 0)
        report(NOTE, "profiler", "Nsight Compute (ncu) was not found",
               "only pages that compare with it need it: install nsight-compute of the toolkit");
    else if (admin_only && geteuid() != 0)
        report(NOTE, "profiler", "ncu is there, but the GPU's counters are for root alone",
               "`echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 | sudo tee "
               "/etc/modprobe.d/nvidia-profiling.conf`, then restart; or run ncu with sudo");
    else
        report(GOOD, "profiler", "ncu may read the GPU's counters", "");
    free(near);
    free(params);
    free(path);
}

// Checks the layers of the sandbox in which graded programs run.
static void check_sandbox(void)
{
    const char *missing = process_unguarded();

    report(missing ? NOTE : GOOD, "sandbox", missing ? missing : "graded programs are kept from files and processes",
           "it needs Linux 5.13 or newer with Landlock in the boot option lsm=, see /sys/kernel/security/lsm; "
           "a container needs a seccomp profile that allows the calls landlock_* and seccomp. "
           "Until then grade others' programs as a user who can read nothing else");
}

// Whether files can be written, including the compiler's.
static bool check_disk(void)
{
    const char *set = getenv("TMPDIR"), *temporary = set && *set ? set : "/tmp";
    struct statvfs disk;
    double free_mb, needed = 200; // building all steps and solutions takes about 100 MB
    char *found;

    if (statvfs(course.build, &disk) != 0 || access(course.build, W_OK) != 0) {
        report(BAD, "disk", course.build, "it cannot be written; make it yours, or configure into another directory");
        return false;
    }
    free_mb = (double)disk.f_bavail * (double)disk.f_frsize / 1e6;
    found = text_format("%.0f MB free for %s", free_mb, course.build);
    report(free_mb >= needed ? GOOD : BAD, "disk", found, "a complete build takes about 100 MB: make room");
    free(found);
    if (access(temporary, W_OK | X_OK) != 0)
        report(BAD, "temporary", temporary, "the compiler cannot write there: make this folder, or `unset TMPDIR`");
    return free_mb >= needed && access(temporary, W_OK | X_OK) == 0;
}

static void check_terminal(void)
{
    char *found = text_format("%d columns, %s, %s", terminal_width(), terminal_utf8() ? "UTF-8" : "ASCII",
                              *colour("off") ? "colours" : "no colours");

    report(GOOD, "terminal", found, "");
    free(found);
}

int command_doctor(int argc, char **argv)
{
    double toolkit;
    bool disk;

    if (argc > 0)
        return usage_error("doctor ", "takes no argument, was given", argv[0]);
    toolkit = check_toolkit();
    disk = check_disk();
    check_compiler(toolkit > 0 && disk);
    if (check_gpu()) {
        check_driver(toolkit);
        check_profiler();
    }
    check_sandbox();
    check_terminal();
    printf("\n%s\n", faults == 0 ? "The workbook has everything it needs." : "Fix what is BAD first.");
    return faults > 0;
}
