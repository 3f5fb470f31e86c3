// A submission that corrupts its messages to the judge: linked with a graded program, whose messages pass through here.
// A seed selects one message in eight, which gets changed bytes, is truncated or is sent twice. The seed is LANG, since
// a submission inherits little else. The judge may refuse it, or end as the program ends; it must not crash, hang, or
// call it right if nothing was computed.
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t state;

static uint64_t bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static ssize_t send_bytes(int socket, unsigned char *bytes, size_t size)
{
    struct iovec piece = {bytes, size};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    return syscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL);
}

// The corrupted half may well fail on an unexpected answer: then it ends with 7. So a signal that the runner reports
// is the judge's.
static void give_up(int number)
{
    (void)number;
    _exit(7);
}

__attribute__((constructor)) static void be_quiet(void)
{
    signal(SIGSEGV, give_up);
    signal(SIGBUS, give_up);
    signal(SIGABRT, give_up);
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    (void)number, (void)action, (void)old; // the client's own
    return 0;
}

// Changes a few bytes: to any value, or to an edge case of a length, an index or an address.
static void change(unsigned char *bytes, size_t size)
{
    static const uint64_t edges[] = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1ull << 44, ~0ull};

    for (uint64_t k = bits() % 4 + 1; k > 0 && size >= 8; k--) {
        uint64_t value = bits() % 2 ? bits() : edges[bits() % (sizeof edges / sizeof *edges)];
        memcpy(bytes + bits() % (size - 7), &value, (size_t[]){1, 2, 4, 8}[bits() % 4]);
    }
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    static unsigned char bytes[1 << 16];
    size_t size = 0;

    (void)flags;
    if (!state)
        state = 0x9e3779b97f4a7c15u * (strtoull(getenv("LANG") ? getenv("LANG") : "1", NULL, 10) + 1);
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        memcpy(bytes + size, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
        size += message->msg_iov[i].iov_len;
    }
    if (bits() % 8 == 0)
        switch (bits() % 8) {
        case 0: send_bytes(socket, bytes, size); break;                // twice
        case 1: send_bytes(socket, bytes, bits() % (size + 1)); break; // a part of it, then all
        default: change(bytes, size);
        }
    return send_bytes(socket, bytes, size) < 0 ? -1 : (ssize_t)size;
}
