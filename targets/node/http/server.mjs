// The workloads of targets/README.md on node:http, in one process.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const BODY_MAX = 1 << 20;

// Without the file this throws, and Node ends with 1.
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

const server = createServer((request, response) => {
  const { method, url } = request;
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const route = routes.get(`${method === 'HEAD' ? 'GET' : method} ${path}`);
  if (route) route(request, response);
  else send(response, 404, 'text/plain', 'not found\n');
});

server.listen({ host: process.env.HOST || '127.0.0.1', port: process.env.PORT || 8080, backlog: 4096 });
