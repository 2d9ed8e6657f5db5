// The workloads of targets/README.md on Fastify, in one process.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Fastify from 'fastify';

// Without the file this throws, and Node ends with 1.
const file = readFileSync(`${process.env.ASSETS || '.'}/one-file.js`);

// A number is wanted: by default Fastify would make one of a string.
const app = Fastify({ ajv: { customOptions: { coerceTypes: false } } });

app.get('/', async (request, reply) => reply.type('text/plain').send('hello world'));

app.get('/file', async (request, reply) => reply.type('text/javascript').send(file));

app.get('/wait', async (request, reply) => {
  await setTimeout(10);
  return reply.type('text/plain').send('hello world');
});

app.get('/cpu', async (request, reply) => {
  let hash = Buffer.from('orchestrate');
  for (let i = 0; i < 1000; i++) hash = createHash('sha256').update(hash).digest();
  return reply.type('text/plain').send(hash.toString('hex'));
});

// Bodies are parsed as JSON here, whatever type they state, and nowhere else: where nothing takes them it is 404.
app.removeAllContentTypeParsers();
app.register(async (scope) => {
  // What cannot be parsed is no object, so the schema refuses it; an error told from here would also close the connection.
  scope.addContentTypeParser('*', { parseAs: 'string' }, async (request, text) => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  });

  const body = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };
  scope.post('/json', { schema: { body } }, async (request) => {
    request.body.n += 1;
    return request.body;
  });
});

await app.listen({ host: process.env.HOST || '127.0.0.1', port: Number(process.env.PORT) || 8080, backlog: 4096 });
