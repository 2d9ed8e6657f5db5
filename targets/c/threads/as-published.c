// The server of a socket tutorial, with its faults: a listen queue of 5, a request of which one read must be enough, one
// answer per connection, and in it 200 bytes of which most are NULs, without a length.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void *serve(void *fd) {
    static const char answer[200] = "HTTP/1.1 200 OK\nContent-Type: text/plain\n\nhello world";
    int client = (intptr_t)fd;
    char request[1024];
    if (read(client, request, sizeof request) > 0) {
        puts("a request has come");
        fflush(stdout);
        if (write(client, answer, sizeof answer) < 0) perror("write");
    }
    close(client);
    return NULL;
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
    for (;;) {
        pthread_t thread;
        int client = accept(listener, NULL, NULL);
        if (client < 0) continue;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)client) == 0) pthread_detach(thread);
        else close(client);
    }
}
