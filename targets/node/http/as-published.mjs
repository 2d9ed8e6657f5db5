// The hello world of many a write-up on Node: its answer has a newline more, and neither type nor length.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const { method, url } = request;
  if ((method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === '/') {
    response.writeHead(200);
    response.end('hello world\n');
  } else {
    response.writeHead(404, { 'Content-Type': 'text/plain', 'Content-Length': 10 });
    response.end('not found\n');
  }
});

server.listen({ host: process.env.HOST || '127.0.0.1', port: process.env.PORT || 8080, backlog: 4096 });
