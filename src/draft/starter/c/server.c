/* A first server: a thread for each connection, which answers each head with `hello world` and looks at no more of it. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ANSWER[] =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/plain\r\n"
    "Content-Length: 11\r\n"
    "\r\n"
    "hello world";

static void *serve(void *argument)
{
    int connection = (int)(long)argument;
    char heads[16384];
    size_t have = 0;
    for (;;) {
        ssize_t count = read(connection, heads + have, sizeof heads - have - 1);
        if (count <= 0) {
            break;
        }
        have += (size_t)count;
        heads[have] = 0;
        char *rest = heads;
        for (char *end; (end = strstr(rest, "\r\n\r\n")) != NULL; rest = end + 4) {
            if (write(connection, ANSWER, sizeof ANSWER - 1) < 0) {
                have = sizeof heads;
                break;
            }
        }
        if (have >= sizeof heads - 1) {
            break;
        }
        have -= (size_t)(rest - heads);
        memmove(heads, rest, have);
    }
    close(connection);
    return NULL;
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_port = htons((unsigned short)atoi(getenv("PORT")));
    address.sin_addr.s_addr = inet_addr(getenv("HOST"));
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 4096) < 0) {
        perror("cannot listen");
        return 1;
    }
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) {
            continue;
        }
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(long)connection) == 0) {
            pthread_detach(thread);
        } else {
            close(connection);
        }
    }
}
