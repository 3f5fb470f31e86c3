#include "remote/message.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

int message_send(int socket, enum message_kind kind, const void *head, size_t head_size, const void *more, size_t size)
{
    uint32_t begin[4] = {kind, (uint32_t)(head_size + size), 0, 0};
    struct iovec pieces[] = {{begin, offsetof(struct message, bytes)}, {(void *)head, head_size}, {(void *)more, size}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 3};
    ssize_t sent;

    if (head_size + size > MAX_MESSAGE)
        return -1;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)(offsetof(struct message, bytes) + head_size + size) ? 0 : -1;
}

int message_receive(int socket, struct message *m)
{
    ssize_t got;

    do
        got = recv(socket, m, sizeof *m, 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return -1;
    return got < (ssize_t)offsetof(struct message, bytes) || m->size != (size_t)got - offsetof(struct message, bytes);
}
