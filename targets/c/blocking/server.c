// One thread and blocking sockets: accepts a connection, reads one request, answers it, closes, and only then takes the
// next. Since all others wait, a client gets LIMIT seconds for all of it, and no call waits longer than that.

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 4096, LIMIT = 3, HEAD_MAX = 8192 };

static struct {
    char *bytes;
    size_t length;
} file;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void read_file(const char *folder) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/one-file.js", folder);
    FILE *from = fopen(path, "r");
    struct stat facts;
    if (!from || fstat(fileno(from), &facts) < 0) fail(path);
    file.bytes = malloc(facts.st_size + 1);
    if (!file.bytes) fail(path);
    file.length = fread(file.bytes, 1, facts.st_size, from);
    if (ferror(from)) fail(path);
    fclose(from);
}

// ---- The client's time.

static time_t limit;

static time_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static bool is_late(void) {
    return seconds() > limit;
}

static void limit_time(int fd) {
    struct timeval timeout = {.tv_sec = LIMIT};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    limit = seconds() + LIMIT;
}

// ---- The request.

enum status { OK, FILE_OK, NOT_FOUND, BAD_REQUEST, HEAD_TOO_LARGE, GONE };

struct request {
    enum status status;
    bool head;        // wants only the head of the answer
    bool coded;       // a body of unknown length comes with it
    long long length; // of its body; -1 if nothing was said
    bool behind;      // what should not have been sent was read behind it
};

static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Whether it may stand in a head: printable ASCII, and in a field tabs and other bytes too.
static bool is_text(const char *text, const char *end, bool in_field) {
    for (; text < end; text++) {
        unsigned char byte = *text;
        bool printable = byte >= ' ' && byte < 0x7f;
        if (!printable && !(in_field && (byte == '\t' || byte > 0x7f))) return false;
    }
    return true;
}

static bool parse_first_line(char *line, struct request *r) {
    char *target = strchr(line, ' ');
    char *version = target ? strchr(target + 1, ' ') : NULL;
    if (!version || target == line || version == target + 1) return false;
    *target++ = *version++ = '\0';
    if (line[strspn(line, token)] != '\0') return false;
    if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0) return false;

    target[strcspn(target, "?")] = '\0';
    r->head = strcmp(line, "HEAD") == 0;
    bool get = r->head || strcmp(line, "GET") == 0;
    r->status = get && strcmp(target, "/") == 0 ? OK : get && strcmp(target, "/file") == 0 ? FILE_OK : NOT_FOUND;
    return true;
}

// Of the fields only those matter that tell of a body: the connection ends in any case.
static bool parse_field(char *line, struct request *r) {
    size_t name = strspn(line, token);
    if (name == 0 || line[name] != ':') return false;
    line[name] = '\0';
    const char *value = line + name + 1 + strspn(line + name + 1, " \t");
    if (strcasecmp(line, "Transfer-Encoding") == 0) r->coded = true;
    if (strcasecmp(line, "Content-Length") == 0) {
        size_t digits = strspn(value, "0123456789");
        if (digits == 0 || digits > 18 || value[digits + strspn(value + digits, " \t")] != '\0') return false;
        long long length = atoll(value);
        if (r->length >= 0 && r->length != length) return false;
        r->length = length;
    }
    return true;
}

// Reads and parses line by line, until the empty one.
static struct request read_request(int fd) {
    static char head[HEAD_MAX];
    struct request r = {.length = -1}, bad = {.status = BAD_REQUEST}, gone = {.status = GONE};
    char *line = head, *end = head;
    bool begun = false;
    while (end < head + HEAD_MAX) {
        ssize_t got = recv(fd, end, head + HEAD_MAX - end, 0);
        if (got <= 0 || is_late()) return gone;
        end += got;
        for (;;) {
            char *newline = memchr(line, '\n', end - line), *stop = newline ? newline : end;
            if (stop > line && stop[-1] == '\r') stop--;
            if (!is_text(line, stop, begun)) return bad;
            if (!newline) break;
            *stop = '\0';
            bool empty = stop == line;
            if (empty && begun) {
                r.behind = newline + 1 < end;
                return r;
            }
            if (!empty) { // empty lines before a request are passed over (RFC 9112, 2.2)
                if (begun ? !parse_field(line, &r) : !parse_first_line(line, &r)) return bad;
                begun = true;
            }
            line = newline + 1;
        }
    }
    return (struct request){.status = HEAD_TOO_LARGE};
}

// ---- The answer.

static bool send_all(int fd, const char *data, size_t length) {
    while (length > 0) {
        ssize_t sent = send(fd, data, length, 0);
        if (sent < 0 || is_late()) return false;
        data += sent;
        length -= sent;
    }
    return true;
}

static bool answer(int fd, const struct request *r) {
    static const struct {
        const char *status, *type, *body;
    } contents[] = {
        [OK] = {"200 OK", "plain", "hello world"},
        [FILE_OK] = {"200 OK", "javascript", ""},
        [NOT_FOUND] = {"404 Not Found", "plain", "not found\n"},
        [BAD_REQUEST] = {"400 Bad Request", "plain", "bad request\n"},
        [HEAD_TOO_LARGE] = {"431 Request Header Fields Too Large", "plain", "head too large\n"},
    };
    const char *body = contents[r->status].body;
    bool is_file = r->status == FILE_OK;
    char date[32], text[256];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime(&now));
    int length = snprintf(text, sizeof text,
                          "HTTP/1.1 %s\r\nDate: %s\r\nContent-Type: text/%s\r\nContent-Length: %zu\r\n"
                          "Connection: close\r\n\r\n%s",
                          contents[r->status].status, date, contents[r->status].type, is_file ? file.length : strlen(body),
                          r->head ? "" : body);
    return send_all(fd, text, length) && (!is_file || r->head || send_all(fd, file.bytes, file.length));
}

// Closing with unread input would reset the connection, and the reset could overtake the answer. So where more may come
// it is read and dropped, until the client closes.
static void drain(int fd) {
    char dropped[16384];
    shutdown(fd, SHUT_WR);
    while (!is_late() && recv(fd, dropped, sizeof dropped, 0) > 0) continue;
}

static void serve(int fd) {
    struct request r = read_request(fd);
    if (r.status == GONE || !answer(fd, &r)) return;
    if (r.status > NOT_FOUND || r.coded || r.length > 0 || r.behind) drain(fd);
}

static int listen_on(const char *host, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
    int error = getaddrinfo(host, port, &hints, &found);
    if (error) {
        fprintf(stderr, "%s:%s: %s\n", host, port, gai_strerror(error));
        exit(1);
    }
    int fd = socket(found->ai_family, SOCK_STREAM, 0), on = 1;
    if (fd < 0) fail("socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, found->ai_addr, found->ai_addrlen) < 0) fail("bind");
    if (listen(fd, BACKLOG) < 0) fail("listen");
    freeaddrinfo(found);
    return fd;
}

int main(void) {
    const char *host = getenv("HOST"), *port = getenv("PORT"), *assets = getenv("ASSETS");
    signal(SIGPIPE, SIG_IGN); // a client that has gone is told by send
    read_file(assets ? assets : ".");
    int listener = listen_on(host ? host : "127.0.0.1", port ? port : "8080");
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            perror("accept"); // no memory, say: it may pass
            sleep(1);
            continue;
        }
        limit_time(fd);
        serve(fd);
        close(fd);
    }
}
