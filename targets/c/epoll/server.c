// One thread, one epoll, non-blocking sockets. A request costs one recv and one send: nothing is allocated for it, and a
// connection is told to epoll once. Input is read into one buffer that all connections share, so that it stays in the
// cache; only what is left of an unfinished request is kept with its connection.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifdef CPU
void hash(char hex[64]); // cpu.c
#endif

enum { HEAD_MAX = 8192, IN_SIZE = 32768, REQUEST_MIN = 14, ANSWER_MAX = 192, EVENTS = 512 };

// ---- Answers: written once at the start; only their date changes, once a second.

enum status { OK, FILE_OK, CPU_OK, NOT_FOUND, BAD_REQUEST, HEAD_TOO_LARGE, STATUSES };
enum field { KEEP, KEEP_1_0, CLOSE, FIELDS };

static const struct {
    const char *status, *type, *body;
} contents[] = {
    [OK] = {"200 OK", "plain", "hello world"},
    [FILE_OK] = {"200 OK", "javascript", ""}, // the bytes of the file follow from where they lie, never copied here
    [CPU_OK] = {"200 OK", "plain", "0000000000000000000000000000000000000000000000000000000000000000"}, // room for the hash
    [NOT_FOUND] = {"404 Not Found", "plain", "not found\n"},
    [BAD_REQUEST] = {"400 Bad Request", "plain", "bad request\n"},
    [HEAD_TOO_LARGE] = {"431 Request Header Fields Too Large", "plain", "head too large\n"},
};

static const char *fields[] = {"", "Connection: keep-alive\r\n", "Connection: close\r\n"};

static struct answer {
    size_t head, whole, date;
    char text[ANSWER_MAX];
} answers[STATUSES][FIELDS];

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

static void write_answers(void) {
    for (int s = 0; s < STATUSES; s++) {
        for (int f = 0; f < FIELDS; f++) {
            struct answer *a = &answers[s][f];
            size_t body = strlen(contents[s].body);
            a->whole = snprintf(a->text, ANSWER_MAX,
                                "HTTP/1.1 %s\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: text/%s\r\n"
                                "Content-Length: %zu\r\n%s\r\n%s",
                                contents[s].status, contents[s].type, s == FILE_OK ? file.length : body, fields[f],
                                contents[s].body);
            a->head = a->whole - body;
            a->date = strstr(a->text, "Date: ") + strlen("Date: ") - a->text;
        }
    }
}

static void keep_date(void) {
    static time_t written;
    time_t now = time(NULL);
    if (now == written) return;
    written = now;
    char date[32];
    struct tm tm;
    size_t length = strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm));
    for (int s = 0; s < STATUSES; s++)
        for (int f = 0; f < FIELDS; f++) memcpy(answers[s][f].text + answers[s][f].date, date, length);
}

// ---- Requests.

struct request {
    bool get, head, keep, coded; // head: GET's answer is wanted without its body
    int minor;
    const char *target;
    size_t target_length;
    uint64_t body;
};

enum parsed { WHOLE, PARTIAL, BAD };

static const bool token[256] = {
    ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1, ['!'] = 1, ['#'] = 1, ['$'] = 1, ['%'] = 1, ['&'] = 1,
    ['\''] = 1,        ['*'] = 1,         ['+'] = 1,         ['-'] = 1, ['.'] = 1, ['^'] = 1, ['_'] = 1, ['`'] = 1,
    ['|'] = 1,         ['~'] = 1,
};

static bool is(const char *text, size_t length, const char *word) {
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

static bool parse_length(const char *value, const char *end, uint64_t *length) {
    if (value == end || end - value > 18) return false;
    uint64_t n = 0;
    for (; value < end; value++) {
        if (*value < '0' || *value > '9') return false;
        n = n * 10 + (*value - '0');
    }
    *length = n;
    return true;
}

static void parse_connection(const char *value, const char *end, bool *close, bool *keep) {
    while (value < end) {
        const char *comma = memchr(value, ',', end - value);
        const char *stop = comma ? comma : end, *last = stop;
        while (value < last && (*value == ' ' || *value == '\t')) value++;
        while (last > value && (last[-1] == ' ' || last[-1] == '\t')) last--;
        if (is(value, last - value, "close")) *close = true;
        if (is(value, last - value, "keep-alive")) *keep = true;
        value = comma ? comma + 1 : end;
    }
}

// Reads one head from *at, and moves *at behind it when it is whole.
static enum parsed parse(const char **at, const char *end, struct request *r) {
    const char *p = *at, *method = p;
    while (p < end && token[(unsigned char)*p]) p++;
    if (p == end) return PARTIAL;
    if (*p != ' ' || p == method) return BAD;
    r->head = p - method == 4 && memcmp(method, "HEAD", 4) == 0;
    r->get = r->head || (p - method == 3 && memcmp(method, "GET", 3) == 0);

    r->target = ++p;
    while (p < end && (unsigned char)*p > ' ' && *p != 0x7f) p++;
    if (p == end) return PARTIAL;
    if (*p != ' ' || p == r->target) return BAD;
    r->target_length = p - r->target;

    static const char version[] = "HTTP/1.";
    size_t there = end - ++p < 7 ? end - p : 7;
    if (memcmp(p, version, there) != 0) return BAD;
    if (end - p < 9) return PARTIAL;
    if (p[7] != '0' && p[7] != '1') return BAD;
    r->minor = p[7] - '0';
    p += 8;
    if (*p == '\r') p++;
    if (p == end) return PARTIAL;
    if (*p++ != '\n') return BAD;

    bool close = false, keep = false, sized = false;
    for (;;) {
        if (p < end && *p == '\r') p++;
        if (p == end) return PARTIAL;
        if (*p == '\n') break;
        if (p[-1] == '\r') return BAD;

        const char *name = p;
        while (p < end && token[(unsigned char)*p]) p++;
        if (p == end) return PARTIAL;
        if (*p != ':' || p == name) return BAD;
        size_t length = p++ - name;
        const char *newline = memchr(p, '\n', end - p);
        if (!newline) return PARTIAL;
        const char *value = p, *last = newline;
        p = newline + 1;
        if (last > value && last[-1] == '\r') last--;
        while (value < last && (*value == ' ' || *value == '\t')) value++;
        while (last > value && (last[-1] == ' ' || last[-1] == '\t')) last--;

        if (is(name, length, "connection")) {
            parse_connection(value, last, &close, &keep);
        } else if (is(name, length, "content-length")) {
            uint64_t before = r->body;
            if (!parse_length(value, last, &r->body) || (sized && before != r->body)) return BAD;
            sized = true;
        } else if (is(name, length, "transfer-encoding")) {
            r->coded = true;
        }
    }
    *at = p + 1;
    r->keep = !close && !r->coded && (r->minor == 1 || keep);
    return WHOLE;
}

static enum status route(const struct request *r) {
    const char *query = memchr(r->target, '?', r->target_length);
    size_t length = query ? (size_t)(query - r->target) : r->target_length;
    if (!r->get) return NOT_FOUND;
    if (length == 1 && *r->target == '/') return OK;
    if (length == 5 && memcmp(r->target, "/file", 5) == 0) return FILE_OK;
#ifdef CPU
    if (length == 4 && memcmp(r->target, "/cpu", 4) == 0) return CPU_OK;
#endif
    return NOT_FOUND;
}

// ---- Connections.

struct connection {
    int fd;
    uint32_t watched;      // what epoll was told
    bool closing;          // to be closed once everything is sent
    bool draining;         // and not before the client: what it still sends is dropped, lest a reset overtake the answer
    bool waiting;          // `part` holds what has not been looked at, behind a request for the file
    uint64_t body;         // bytes of a body still to be skipped
    char *part;            // the beginning of a request, IN_SIZE bytes once there was one
    size_t part_length;
    char *unsent;          // what the socket had no room for
    size_t unsent_length, unsent_at;
    size_t file_left;      // bytes at the end of the file that come behind it
    struct connection *next;
};

static int epoll, listener, spare;
static struct connection *unused;
static char in[IN_SIZE];
static char out[(IN_SIZE / REQUEST_MIN + 1) * ANSWER_MAX]; // room for every answer that one `in` can ask for

static void end(struct connection *c) {
    close(c->fd);
    free(c->part);
    free(c->unsent);
    c->next = unused;
    unused = c;
}

// Tells epoll what is waited for, if it does not know: once for a connection whose answers always find room.
static void watch(struct connection *c, uint32_t events) {
    if (c->watched == events) return;
    struct epoll_event event = {.events = events, .data.ptr = c};
    if (epoll_ctl(epoll, c->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c->fd, &event) < 0) {
        end(c);
        return;
    }
    c->watched = events;
}

static bool is_sent(const struct connection *c) {
    return !c->unsent && c->file_left == 0;
}

// Sends `length` bytes and what is left of the file behind them, as far as there is room. Returns how many of the bytes
// went, or -1 when the connection broke.
static ssize_t send_once(struct connection *c, const char *data, size_t length) {
    ssize_t sent;
    if (c->file_left == 0) {
        sent = send(c->fd, data, length, MSG_NOSIGNAL);
    } else {
        struct iovec parts[] = {{(char *)data, length}, {file.bytes + file.length - c->file_left, c->file_left}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        sent = sendmsg(c->fd, &message, MSG_NOSIGNAL);
    }
    if (sent < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (sent <= (ssize_t)length) return sent;
    c->file_left -= sent - length;
    return length;
}

// Sends all of it, or keeps the rest. False when the connection broke.
static bool answer(struct connection *c, const char *data, size_t length) {
    ssize_t sent = send_once(c, data, length);
    if (sent < 0 || sent == (ssize_t)length) return sent >= 0;
    c->unsent_length = length - sent;
    c->unsent_at = 0;
    c->unsent = malloc(c->unsent_length);
    if (!c->unsent) return false;
    memcpy(c->unsent, data + sent, c->unsent_length);
    return true;
}

// Sends on what was kept. False when the connection broke.
static bool flush(struct connection *c) {
    if (!c->unsent) return send_once(c, NULL, 0) >= 0;
    ssize_t sent = send_once(c, c->unsent + c->unsent_at, c->unsent_length - c->unsent_at);
    if (sent < 0) return false;
    c->unsent_at += sent;
    if (c->unsent_at == c->unsent_length) {
        free(c->unsent);
        c->unsent = NULL;
    }
    return true;
}

// Keeps what is left of `in`. False when there is no memory.
static bool keep(struct connection *c, const char *rest, size_t length) {
    if (!c->part) c->part = malloc(IN_SIZE);
    if (!c->part) return false;
    memcpy(c->part, rest, length);
    c->part_length = length;
    return true;
}

// Answers every whole request in `in`, in order, into `out`, up to one for the file, which goes behind `out`; keeps what
// is left. Returns the bytes in `out`.
static size_t process(struct connection *c, size_t length) {
    const char *p = in, *stop = in + length;
    size_t filled = 0;
    c->part_length = 0;
    while (p < stop && !c->closing) {
        if (c->body > 0) {
            size_t skipped = c->body < (uint64_t)(stop - p) ? c->body : (uint64_t)(stop - p);
            c->body -= skipped;
            p += skipped;
            continue;
        }
        if (*p == '\r' || *p == '\n') { // empty lines before a request are passed over (RFC 9112, 2.2)
            p++;
            continue;
        }
        struct request r = {0};
        const char *begin = p;
        enum parsed parsed = parse(&p, stop, &r);
        enum status status = parsed == BAD ? BAD_REQUEST : HEAD_TOO_LARGE;
        if (parsed == PARTIAL && stop - p <= HEAD_MAX && keep(c, p, stop - p)) break;
        if (parsed == WHOLE && p - begin <= HEAD_MAX) status = route(&r);
        c->body = r.body;
        c->closing = status > NOT_FOUND || !r.keep;
        c->draining = c->closing && (status > NOT_FOUND || r.coded || r.body > 0 || p < stop);
        struct answer *a = &answers[status][c->closing ? CLOSE : r.minor == 0 ? KEEP_1_0 : KEEP];
        size_t size = r.head ? a->head : a->whole;
        memcpy(out + filled, a->text, size);
#ifdef CPU
        if (status == CPU_OK && !r.head) hash(out + filled + a->head);
#endif
        filled += size;
        if (status == FILE_OK && !r.head && file.length > 0) {
            c->file_left = file.length;
            c->waiting = p < stop && !c->closing;
            if (c->waiting && !keep(c, p, stop - p)) c->closing = true;
            break;
        }
    }
    return filled;
}

// Reads once, unless something waits that was read before, and answers what that completes; what is still in the socket
// makes epoll call again. False when the connection is to be closed.
static bool serve(struct connection *c) {
    size_t had = c->part_length;
    if (had > 0) memcpy(in, c->part, had);
    if (!c->waiting) {
        ssize_t got = recv(c->fd, in + had, IN_SIZE - had, 0);
        if (got < 0) return errno == EAGAIN || errno == EINTR;
        if (got == 0) return false;
        had += got;
    }
    c->waiting = false;
    if (c->closing) return true;
    size_t filled = process(c, had);
    return filled == 0 || answer(c, out, filled);
}

// What has arrived is read only once all of the answers before it are sent.
static void attend(struct connection *c) {
    bool open = is_sent(c) ? serve(c) : flush(c);
    while (open && c->waiting && is_sent(c)) open = serve(c);
    if (open && c->closing && is_sent(c)) open = c->draining && shutdown(c->fd, SHUT_WR) == 0;
    if (open) watch(c, is_sent(c) ? EPOLLIN : EPOLLOUT);
    else end(c);
}

static void accept_all(void) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            if (errno != EMFILE || spare < 0) return;
            close(spare); // no file is left: take the connection only to refuse it, else it would wake us for ever
            int refused = accept(listener, NULL, NULL);
            if (refused >= 0) close(refused);
            spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
            if (refused < 0) return; // nobody was waiting: Linux looks for a file first
            continue;
        }
        struct connection *c = unused;
        if (c) unused = c->next;
        else if (!(c = malloc(sizeof *c))) {
            close(fd);
            continue;
        }
        *c = (struct connection){.fd = fd};
        attend(c); // the request is often there already; one that closes then never needs epoll
    }
}

static int listen_on(const char *host, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
    int error = getaddrinfo(host, port, &hints, &found);
    if (error) {
        fprintf(stderr, "%s:%s: %s\n", host, port, gai_strerror(error));
        exit(1);
    }
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0) fail("socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // accepted sockets inherit it
    if (bind(fd, found->ai_addr, found->ai_addrlen) < 0) fail("bind");
    if (listen(fd, 4096) < 0) fail("listen");
    freeaddrinfo(found);
    return fd;
}

int main(void) {
    const char *host = getenv("HOST"), *port = getenv("PORT"), *assets = getenv("ASSETS");
    read_file(assets ? assets : ".");
    write_answers();
    listener = listen_on(host ? host : "127.0.0.1", port ? port : "8080");
    spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN}, events[EVENTS];
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0) fail("epoll");
    for (;;) {
        int ready = epoll_wait(epoll, events, EVENTS, -1);
        if (ready < 0 && errno != EINTR) fail("epoll_wait");
        keep_date();
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr) attend(events[i].data.ptr);
            else accept_all();
        }
    }
}
