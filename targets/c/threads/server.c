// One thread per connection, and blocking sockets: a connection's thread reads a request, answers it, and reads the next,
// until the client closes or asks for it.

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 4096, STACK = 128 * 1024, HEAD_MAX = 8192, DRAIN_SECONDS = 3 };

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

// ---- Requests.

struct connection {
    int fd;
    char *at, *end; // in `in`: what was read and not yet looked at
    char in[HEAD_MAX];
    time_t dated; // the second that `date` tells
    char date[32];
};

enum status { OK, FILE_OK, NOT_FOUND, BAD_REQUEST, HEAD_TOO_LARGE, GONE };

struct request {
    enum status status;
    bool head;        // wants only the head of the answer
    bool is_1_1;      // HTTP/1.1, where connections stay open unless told otherwise
    bool keep, close; // the connection is to stay open; is to be closed, which goes before
    bool coded;       // a body of unknown length comes with it
    long long length; // of its body; -1 if nothing was said
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
    r->keep = r->is_1_1 = version[7] == '1';

    target[strcspn(target, "?")] = '\0';
    r->head = strcmp(line, "HEAD") == 0;
    bool get = r->head || strcmp(line, "GET") == 0;
    r->status = get && strcmp(target, "/") == 0 ? OK : get && strcmp(target, "/file") == 0 ? FILE_OK : NOT_FOUND;
    return true;
}

// Whether a list such as `keep-alive, Upgrade` has this word.
static bool has_option(const char *list, const char *option) {
    for (; *list != '\0'; list += strcspn(list, ",")) {
        list += strspn(list, ", \t");
        size_t length = strcspn(list, ", \t");
        if (length == strlen(option) && strncasecmp(list, option, length) == 0) return true;
    }
    return false;
}

static bool parse_field(char *line, struct request *r) {
    size_t name = strspn(line, token);
    if (name == 0 || line[name] != ':') return false;
    line[name] = '\0';
    const char *value = line + name + 1 + strspn(line + name + 1, " \t");
    if (strcasecmp(line, "Connection") == 0) {
        if (has_option(value, "close")) r->close = true;
        if (has_option(value, "keep-alive")) r->keep = true;
    } else if (strcasecmp(line, "Transfer-Encoding") == 0) {
        r->coded = true;
    } else if (strcasecmp(line, "Content-Length") == 0) {
        size_t digits = strspn(value, "0123456789");
        if (digits == 0 || digits > 18 || value[digits + strspn(value + digits, " \t")] != '\0') return false;
        long long length = atoll(value);
        if (r->length >= 0 && r->length != length) return false;
        r->length = length;
    }
    return true;
}

// Reads and parses line by line, until the empty one; what was read behind it stays in `in` for the next request.
static struct request read_request(struct connection *c) {
    struct request r = {.length = -1}, bad = {.status = BAD_REQUEST}, gone = {.status = GONE};
    memmove(c->in, c->at, c->end - c->at);
    c->end -= c->at - c->in;
    c->at = c->in;
    bool begun = false;
    for (;;) {
        char *newline = memchr(c->at, '\n', c->end - c->at), *stop = newline ? newline : c->end;
        if (stop > c->at && stop[-1] == '\r') stop--;
        if (!is_text(c->at, stop, begun)) return bad;
        if (newline) {
            char *line = c->at;
            c->at = newline + 1;
            *stop = '\0';
            if (stop > line) {
                if (begun ? !parse_field(line, &r) : !parse_first_line(line, &r)) return bad;
                begun = true;
            } else if (begun) { // empty lines before a request are passed over (RFC 9112, 2.2)
                r.keep = r.keep && !r.close && !r.coded;
                return r;
            }
        } else {
            if (c->end == c->in + HEAD_MAX) return (struct request){.status = HEAD_TOO_LARGE};
            ssize_t got = recv(c->fd, c->end, c->in + HEAD_MAX - c->end, 0);
            if (got <= 0) return gone;
            c->end += got;
        }
    }
}

// ---- Answers.

static bool send_all(int fd, const char *data, size_t length) {
    while (length > 0) {
        ssize_t sent = send(fd, data, length, 0);
        if (sent < 0) return false;
        data += sent;
        length -= sent;
    }
    return true;
}

static const char *date(struct connection *c) {
    time_t now = time(NULL);
    struct tm tm;
    if (now != c->dated) strftime(c->date, sizeof c->date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm));
    c->dated = now;
    return c->date;
}

static bool answer(struct connection *c, const struct request *r) {
    static const struct {
        const char *status, *type, *body;
    } contents[] = {
        [OK] = {"200 OK", "plain", "hello world"},
        [FILE_OK] = {"200 OK", "javascript", ""},
        [NOT_FOUND] = {"404 Not Found", "plain", "not found\n"},
        [BAD_REQUEST] = {"400 Bad Request", "plain", "bad request\n"},
        [HEAD_TOO_LARGE] = {"431 Request Header Fields Too Large", "plain", "head too large\n"},
    };
    const char *connection = !r->keep ? "Connection: close\r\n" : r->is_1_1 ? "" : "Connection: keep-alive\r\n";
    const char *body = contents[r->status].body;
    bool is_file = r->status == FILE_OK;
    char text[256];
    int length = snprintf(text, sizeof text,
                          "HTTP/1.1 %s\r\nDate: %s\r\nContent-Type: text/%s\r\nContent-Length: %zu\r\n%s\r\n%s",
                          contents[r->status].status, date(c), contents[r->status].type,
                          is_file ? file.length : strlen(body), connection, r->head ? "" : body);
    return send_all(c->fd, text, length) && (!is_file || r->head || send_all(c->fd, file.bytes, file.length));
}

// ---- Connections.

// Passes over a body. False when the connection ended in it.
static bool skip(struct connection *c, long long length) {
    while (length > c->end - c->at) {
        length -= c->end - c->at;
        c->at = c->end = c->in;
        ssize_t got = recv(c->fd, c->in, HEAD_MAX, 0);
        if (got <= 0) return false;
        c->end += got;
    }
    if (length > 0) c->at += length;
    return true;
}

// Closing with unread input would reset the connection, and the reset could overtake the answer. So where more may come
// it is read and dropped, until the client closes or is silent for long.
static void drain(struct connection *c) {
    struct timeval timeout = {.tv_sec = DRAIN_SECONDS};
    setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    shutdown(c->fd, SHUT_WR);
    while (recv(c->fd, c->in, HEAD_MAX, 0) > 0) continue;
}

static void *serve(void *fd) {
    struct connection c = {.fd = (intptr_t)fd};
    c.at = c.end = c.in;
    struct request r;
    do {
        r = read_request(&c);
        if (r.status == GONE || !skip(&c, r.length) || !answer(&c, &r)) break;
        if (r.status > NOT_FOUND || r.coded || (!r.keep && c.at < c.end)) drain(&c);
    } while (r.keep);
    close(c.fd);
    return NULL;
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
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // accepted sockets inherit it
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
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    for (;;) {
        pthread_t thread;
        int fd = accept(listener, NULL, NULL);
        if (fd < 0 && errno != ECONNABORTED) usleep(10000); // no file is left, say: that passes when a connection closes
        if (fd >= 0 && pthread_create(&thread, &attributes, serve, (void *)(intptr_t)fd) != 0) close(fd);
    }
}
