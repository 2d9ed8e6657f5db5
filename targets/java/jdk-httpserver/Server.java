import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The workloads of targets/README.md on the HTTP server of the JDK. */
public final class Server {
    private static final int BACKLOG = 4096;
    private static final byte[] HELLO = "hello world".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOT_FOUND = "not found\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BAD_REQUEST = "not HTTP/1\n".getBytes(StandardCharsets.US_ASCII);

    private static byte[] file;

    public static void main(String[] arguments) throws Exception {
        file = Files.readAllBytes(Path.of(setting("ASSETS", "."), "one-file.js"));
        String host = setting("HOST", "127.0.0.1");
        int port = Integer.parseInt(setting("PORT", "8080"));
        HttpServer server = HttpServer.create(new InetSocketAddress(host, port), BACKLOG);
        server.setExecutor(executor(setting("THREADS", "platform")));
        server.createContext("/", Server::answer);
        server.start();
    }

    private static String setting(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }

    /** A thread per request: kept for the next ones, or a virtual one. Java 17, for which this is compiled, lacks these. */
    private static ExecutorService executor(String threads) throws ReflectiveOperationException {
        if (threads.equals("virtual")) {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        }
        return Executors.newCachedThreadPool();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().close(); // reads what came of it; without this call the connection would not be kept
            String method = exchange.getRequestMethod();
            boolean isGet = method.equals("GET") || method.equals("HEAD");
            if ("close".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Connection"))) {
                exchange.getResponseHeaders().set("Connection", "close"); // the server closes, but leaves it to us to say so
            }
            if (!exchange.getProtocol().startsWith("HTTP/1.")) {
                exchange.getResponseHeaders().set("Connection", "close");
                send(exchange, 400, "text/plain", BAD_REQUEST);
                return;
            }
            switch (isGet ? exchange.getRequestURI().getRawPath() : "") {
                case "/" -> send(exchange, 200, "text/plain", HELLO);
                case "/file" -> send(exchange, 200, "text/javascript", file);
                case "/wait" -> {
                    Thread.sleep(10);
                    send(exchange, 200, "text/plain", HELLO);
                }
                case "/cpu" -> send(exchange, 200, "text/plain", hash());
                default -> send(exchange, 404, "text/plain", NOT_FOUND);
            }
        } catch (InterruptedException | NoSuchAlgorithmException error) {
            throw new IOException(error);
        }
    }

    private static byte[] hash() throws NoSuchAlgorithmException {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        byte[] hash = "orchestrate".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 1000; i++) {
            hash = sha256.digest(hash);
        }
        return HexFormat.of().formatHex(hash).getBytes(StandardCharsets.US_ASCII);
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
