// The kqueue server of a tutorial, with its faults: a listen queue of 5, and connections that are closed after one answer
// while most of the request is still unread.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
// Older systems want sys/types.h before this one.
#include <sys/event.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(1);
}

int main(void) {
    const char *host = getenv("HOST"), *port = getenv("PORT");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port ? atoi(port) : 8080)};
    if (inet_pton(AF_INET, host ? host : "127.0.0.1", &address.sin_addr) != 1) fail("HOST");
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (listener < 0) fail("socket");
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");
    if (listen(listener, 5) < 0) fail("listen");
    signal(SIGPIPE, SIG_IGN);

    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello world";
    struct kevent change, events[64];
    int queue = kqueue();
    EV_SET(&change, listener, EVFILT_READ, EV_ADD, 0, 0, NULL);
    if (queue < 0 || kevent(queue, &change, 1, NULL, 0, NULL) < 0) fail("kqueue");
    for (;;) {
        int ready = kevent(queue, NULL, 0, events, 64, NULL);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].ident;
            if (fd == listener) {
                int client = accept(listener, NULL, NULL);
                if (client < 0) continue;
                EV_SET(&change, client, EVFILT_READ, EV_ADD, 0, 0, NULL);
                if (kevent(queue, &change, 1, NULL, 0, NULL) < 0) close(client);
            } else {
                char request[16];
                if (read(fd, request, sizeof request) > 0 && write(fd, answer, strlen(answer)) < 0) perror("write");
                close(fd);
            }
        }
    }
}
