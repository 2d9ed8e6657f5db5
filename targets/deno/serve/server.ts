// The workloads of targets/README.md on Deno.serve.
import { createHash } from "node:crypto";

const BODY_MAX = 1 << 20;

// Without the file this throws, and Deno ends with 1.
const file = Deno.readFileSync(`${Deno.env.get("ASSETS") || "."}/one-file.js`);

function reply(status: number, type: string, body: BodyInit): Response {
  return new Response(body, { status, headers: { "content-type": type } });
}

function hello(): Response {
  return reply(200, "text/plain", "hello world");
}

async function wait(): Promise<Response> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  return hello();
}

function cpu(): Response {
  let hash = createHash("sha256").update("orchestrate").digest();
  for (let i = 1; i < 1000; i++) hash = createHash("sha256").update(hash).digest();
  return reply(200, "text/plain", hash.toString("hex"));
}

/** The whole body; null if it is too large or broken off. */
async function read(request: Request): Promise<string | null> {
  const length = request.headers.get("content-length");
  if (Number(length) > BODY_MAX) return null;
  try {
    if (length !== null) return await request.text();
    let text = "";
    for await (const piece of request.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.length > BODY_MAX) return null;
    }
    return text;
  } catch {
    return null;
  }
}

async function increment(request: Request): Promise<Response> {
  const body = await read(request);
  if (body === null) return reply(413, "text/plain", "too large\n");
  let object;
  try {
    object = JSON.parse(body);
  } catch {
    object = null;
  }
  if (typeof object?.n !== "number") return reply(400, "text/plain", "expected a JSON object with a number n\n");
  object.n += 1;
  return Response.json(object);
}

async function notFound(request: Request): Promise<Response> {
  await read(request); // or the connection would not be kept
  return reply(404, "text/plain", "not found\n");
}

const routes = new Map<string, (request: Request) => Response | Promise<Response>>([
  ["GET /", hello],
  ["GET /file", () => reply(200, "text/javascript", file)],
  ["GET /wait", wait],
  ["GET /cpu", cpu],
  ["POST /json", increment],
]);

export function answer(request: Request): Response | Promise<Response> {
  const method = request.method === "HEAD" ? "GET" : request.method;
  const path = URL.parse(request.url)?.pathname;
  return (routes.get(`${method} ${path}`) ?? notFound)(request);
}

if (import.meta.main) {
  const hostname = Deno.env.get("HOST") || "127.0.0.1";
  const port = Number(Deno.env.get("PORT") || 8080);
  Deno.serve({ hostname, port, tcpBacklog: 4096, onListen() {} }, answer);
}
