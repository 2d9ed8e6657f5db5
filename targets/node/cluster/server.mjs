// The workloads of targets/README.md on node:http, in one worker process per CPU, by node:cluster.
import cluster from 'node:cluster';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';

const BODY_MAX = 1 << 20;
const RESTARTS_MAX = 10;

// Without the file this throws, and Node ends with 1; the primary does so before there is any worker.
const file = readFileSync(`${process.env.ASSETS || '.'}/one-file.js`);

function send(response, status, type, body) {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

function hello(request, response) {
  send(response, 200, 'text/plain', 'hello world');
}

function oneFile(request, response) {
  send(response, 200, 'text/javascript', file);
}

function wait(request, response) {
  setTimeout(hello, 10, request, response);
}

function cpu(request, response) {
  let hash = Buffer.from('orchestrate');
  for (let i = 0; i < 1000; i++) hash = createHash('sha256').update(hash).digest();
  send(response, 200, 'text/plain', hash.toString('hex'));
}

function increment(request, response) {
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size <= BODY_MAX) chunks.push(chunk);
  });
  request.on('end', () => {
    if (size > BODY_MAX) return send(response, 413, 'text/plain', 'too large\n');
    let answer;
    try {
      const object = JSON.parse(Buffer.concat(chunks).toString());
      if (typeof object.n !== 'number') throw new TypeError('no number n');
      object.n += 1;
      answer = JSON.stringify(object); // throws too, of what is nested too deeply
    } catch {
      return send(response, 400, 'text/plain', 'expected a JSON object with a number n\n');
    }
    send(response, 200, 'application/json', answer);
  });
}

const routes = new Map([
  ['GET /', hello],
  ['GET /file', oneFile],
  ['GET /wait', wait],
  ['GET /cpu', cpu],
  ['POST /json', increment],
]);

function answer(request, response) {
  const { method, url } = request;
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const route = routes.get(`${method === 'HEAD' ? 'GET' : method} ${path}`);
  if (route) route(request, response);
  else send(response, 404, 'text/plain', 'not found\n');
}

function supervise(count) {
  const workers = new Set();
  let restarts = 0;
  let exitCode; // set once it stops

  function start() {
    workers.add(cluster.fork());
  }

  function stop(code) {
    exitCode = code;
    for (const worker of workers) worker.process.kill();
  }

  cluster.on('exit', (worker, code, signal) => {
    workers.delete(worker);
    if (exitCode === undefined) {
      console.error(`worker ${worker.process.pid} ended by ${signal ?? code}`);
      if (++restarts <= RESTARTS_MAX) start();
      else stop(1);
    }
    if (workers.size === 0) process.exit(exitCode);
  });

  process.on('SIGTERM', () => stop(0));
  for (let i = 0; i < count; i++) start();
}

if (cluster.isPrimary) {
  supervise(Number(process.env.CPUS) || cpus().length);
} else {
  const server = createServer(answer);
  server.listen({ host: process.env.HOST || '127.0.0.1', port: process.env.PORT || 8080, backlog: 4096 });
}
