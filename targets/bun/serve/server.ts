// The workloads of targets/README.md on Bun.serve.

// Without the file this throws, and Bun ends with 1.
const file = await Bun.file(`${process.env.ASSETS || "."}/one-file.js`).bytes();

function reply(request: Request, status: number, type: string, body: BodyInit): Response {
  const headers: Record<string, string> = { "content-type": type };
  // Bun closes when asked to, without saying so, and leaves answers to HEAD undated.
  if (request.headers.get("connection")?.toLowerCase().includes("close")) headers["connection"] = "close";
  if (request.method === "HEAD") headers["date"] = new Date().toUTCString();
  return new Response(body, { status, headers });
}

function hello(request: Request): Response {
  return reply(request, 200, "text/plain", "hello world");
}

function oneFile(request: Request): Response {
  return reply(request, 200, "text/javascript", file);
}

async function wait(request: Request): Promise<Response> {
  await Bun.sleep(10);
  return hello(request);
}

function cpu(request: Request): Response {
  let hash = Bun.SHA256.hash("orchestrate");
  for (let i = 1; i < 1000; i++) hash = Bun.SHA256.hash(hash);
  return reply(request, 200, "text/plain", hash.toHex());
}

async function increment(request: Request): Promise<Response> {
  const object = await request.json().catch(() => null);
  if (typeof object?.n !== "number") return reply(request, 400, "text/plain", "expected a JSON object with a number n\n");
  object.n += 1;
  return reply(request, 200, "application/json", JSON.stringify(object));
}

function notFound(request: Request): Response {
  return reply(request, 404, "text/plain", "not found\n");
}

Bun.serve({
  hostname: process.env.HOST || "127.0.0.1",
  port: process.env.PORT || 8080,
  reusePort: process.env.REUSE_PORT === "1",
  development: false,
  maxRequestBodySize: 1 << 20,
  routes: {
    "/": { GET: hello },
    "/file": { GET: oneFile },
    "/wait": { GET: wait },
    "/cpu": { GET: cpu },
    "/json": { POST: increment },
  },
  fetch: notFound,
});
