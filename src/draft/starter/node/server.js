// A first server: answers `GET /` with `hello world`.
'use strict';
const http = require('node:http');

const server = http.createServer((request, response) => {
  const isAsked = request.url.split('?')[0] === '/' && ['GET', 'HEAD'].includes(request.method);
  const body = isAsked ? 'hello world' : 'not found';
  response.writeHead(isAsked ? 200 : 404, {
    'Content-Type': 'text/plain',
    'Content-Length': Buffer.byteLength(body),
  });
  request.resume();
  response.end(body);
});

server.listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
