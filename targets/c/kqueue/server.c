// One thread, one kqueue, non-blocking sockets: what c/epoll is, for the systems that have kqueue. A connection has a buffer
// for what it asks and one for the answers; it waits for input or for room, never for both.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
// Older systems want sys/types.h before this one.
#include <sys/event.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 4096, HEAD_MAX = 8192, ANSWER_MAX = 192, OUT_SIZE = 16 * ANSWER_MAX, EVENTS = 512 };

// ---- Answers: written once at the start; only their date changes, once a second.

enum status { OK, FILE_OK, NOT_FOUND, BAD_REQUEST, HEAD_TOO_LARGE, STATUSES };
enum field { KEEP, KEEP_1_0, CLOSE, FIELDS };

static const struct {
    const char *status, *type, *body;
} contents[] = {
    [OK] = {"200 OK", "plain", "hello world"},
    [FILE_OK] = {"200 OK", "javascript", ""}, // the bytes of the file follow, from where they lie
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
    return NOT_FOUND;
}

// ---- Connections.

enum waited { NOTHING, INPUT, ROOM };

struct connection {
    int fd;
    enum waited watched; // what kqueue was told
    bool closing;        // to be closed once everything is sent
    bool draining;       // and not before the client: what it still sends is dropped, lest a reset overtake the answer
    uint64_t body;       // bytes of a body still to be skipped
    size_t file_left;    // bytes at the end of the file, to be sent behind what is in `out`
    size_t in_length, out_length, out_at;
    char in[HEAD_MAX];
    char out[OUT_SIZE];
};

static int queue, listener, spare;

static void end(struct connection *c) {
    close(c->fd); // by that kqueue forgets it
    free(c);
}

// Tells kqueue what is waited for, if it does not know: once for a connection whose answers always find room.
static bool watch(struct connection *c, enum waited what) {
    static const int filters[] = {[INPUT] = EVFILT_READ, [ROOM] = EVFILT_WRITE};
    if (c->watched == what) return true;
    struct kevent changes[2];
    int count = 0;
    if (c->watched != NOTHING) EV_SET(&changes[count++], c->fd, filters[c->watched], EV_DELETE, 0, 0, c);
    EV_SET(&changes[count++], c->fd, filters[what], EV_ADD, 0, 0, c);
    c->watched = what;
    return kevent(queue, changes, count, NULL, 0, NULL) == 0;
}

// Answers the whole requests in `in`, in order, into `out`: as many as find room, and up to one for the file.
static void answer(struct connection *c) {
    const char *p = c->in, *stop = c->in + c->in_length;
    while (p < stop && !c->closing && c->file_left == 0 && c->out_length + ANSWER_MAX <= OUT_SIZE) {
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
        enum parsed parsed = parse(&p, stop, &r);
        if (parsed == PARTIAL && stop - p < HEAD_MAX) break;
        enum status status = parsed == WHOLE ? route(&r) : parsed == BAD ? BAD_REQUEST : HEAD_TOO_LARGE;
        c->body = r.body;
        c->closing = status > NOT_FOUND || !r.keep;
        c->draining = c->closing && (status > NOT_FOUND || r.coded || r.body > 0 || p < stop);
        struct answer *a = &answers[status][c->closing ? CLOSE : r.minor == 0 ? KEEP_1_0 : KEEP];
        size_t size = r.head ? a->head : a->whole;
        memcpy(c->out + c->out_length, a->text, size);
        c->out_length += size;
        if (status == FILE_OK && !r.head) c->file_left = file.length;
    }
    c->in_length = c->closing ? 0 : stop - p;
    memmove(c->in, p, c->in_length);
}

static bool is_sent(const struct connection *c) {
    return c->out_length == 0 && c->file_left == 0;
}

// Sends what there is room for. False when the connection broke.
static bool send_once(struct connection *c) {
    size_t length = c->out_length - c->out_at;
    struct iovec parts[] = {{c->out + c->out_at, length}, {file.bytes + file.length - c->file_left, c->file_left}};
    ssize_t sent = writev(c->fd, parts, 2);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    if ((size_t)sent < length) {
        c->out_at += sent;
    } else {
        c->out_at = c->out_length = 0;
        c->file_left -= sent - length;
    }
    return true;
}

// Reads once. False when the client closed.
static bool receive(struct connection *c) {
    ssize_t got = recv(c->fd, c->in + c->in_length, HEAD_MAX - c->in_length, 0);
    if (got > 0 && !c->closing) c->in_length += got;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

// Goes on until it has to wait; what is still in the socket makes kqueue call again. False when the connection is to be
// closed.
static bool proceed(struct connection *c) {
    bool has_read = false;
    for (;;) {
        answer(c);
        if (!is_sent(c)) {
            if (!send_once(c)) return false;
            if (!is_sent(c)) return watch(c, ROOM);
            if (c->closing && (!c->draining || shutdown(c->fd, SHUT_WR) < 0)) return false;
        } else {
            if (has_read) return watch(c, INPUT);
            if (!receive(c)) return false;
            has_read = true;
        }
    }
}

static void accept_all(void) {
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            if (errno != EMFILE || spare < 0) return;
            close(spare); // no file is left: take the connection only to refuse it, else it would wake us for ever
            int refused = accept(listener, NULL, NULL);
            if (refused >= 0) close(refused);
            spare = open("/dev/null", O_RDONLY);
            if (refused < 0) return;
            continue;
        }
        struct connection *c = calloc(1, sizeof *c);
        if (!c) {
            close(fd);
            continue;
        }
        c->fd = fd;
        fcntl(fd, F_SETFL, O_NONBLOCK);
        if (!proceed(c)) end(c); // the request is often there already; one that closes then never needs kqueue
    }
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
    if (listen(fd, BACKLOG) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0) fail("listen");
    freeaddrinfo(found);
    return fd;
}

int main(void) {
    const char *host = getenv("HOST"), *port = getenv("PORT"), *assets = getenv("ASSETS");
    signal(SIGPIPE, SIG_IGN); // a client that has gone is told by writev
    read_file(assets ? assets : ".");
    write_answers();
    listener = listen_on(host ? host : "127.0.0.1", port ? port : "8080");
    spare = open("/dev/null", O_RDONLY);
    queue = kqueue();
    struct kevent event, events[EVENTS];
    EV_SET(&event, listener, EVFILT_READ, EV_ADD, 0, 0, NULL);
    if (queue < 0 || kevent(queue, &event, 1, NULL, 0, NULL) < 0) fail("kqueue");
    for (;;) {
        int ready = kevent(queue, NULL, 0, events, EVENTS, NULL);
        if (ready < 0 && errno != EINTR) fail("kevent");
        keep_date();
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].udata;
            if (!c) accept_all();
            else if (!proceed(c)) end(c);
        }
    }
}
