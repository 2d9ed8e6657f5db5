// A picture server: `static` of targets/README.md on node:http. Usage: node server.mjs -src FOLDER
import { close, createReadStream, fstat, open } from 'node:fs';
import { createServer } from 'node:http';
import { extname, posix } from 'node:path';

const TYPES = new Map([
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.jpe', 'image/jpeg'],
  ['.jfif', 'image/jpeg'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.gif', 'image/gif'],
  ['.tif', 'image/tiff'],
  ['.tiff', 'image/tiff'],
]);
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

const [option, folder] = process.argv.slice(2);
if (option !== '-src' || !folder) {
  console.error('usage: node server.mjs -src FOLDER');
  process.exit(1);
}

function sendText(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': body.length });
  response.end(body);
}

function sendError(response, error) {
  if (MISSING.has(error?.code)) sendText(response, 404, 'not found\n');
  else sendText(response, 500, 'not a file that can be read\n');
}

function sendFile(request, response, name) {
  open(name, (error, fd) => {
    if (error) return sendError(response, error);
    fstat(fd, (error, status) => {
      if (error || !status.isFile()) {
        close(fd);
        return sendError(response, error);
      }
      const type = TYPES.get(extname(name)) ?? 'text/plain';
      response.writeHead(200, { 'Content-Type': type, 'Content-Length': status.size });
      if (request.method === 'HEAD' || status.size === 0) {
        close(fd);
        return response.end();
      }
      const stream = createReadStream(name, { fd, end: status.size - 1 });
      stream.on('error', () => response.destroy());
      stream.pipe(response);
      // A client that leaves must leave no open file. While an answer waits for its turn, only its request tells of that.
      if (request.destroyed) stream.destroy();
      else request.on('close', () => stream.destroy());
    });
  });
}

/** The path that a URL asks for, decoded once and without `//` and `.`; null if it climbs, or cannot be decoded or named. */
function pathOf(url) {
  try {
    const path = decodeURIComponent(url.split('?', 1)[0]);
    const climbs = path.split(/[/\\]/).includes('..');
    return climbs || path.includes('\0') ? null : posix.normalize(path);
  } catch {
    return null;
  }
}

const server = createServer((request, response) => {
  const path = pathOf(request.url);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (path === null) sendText(response, 400, 'bad path\n');
  else if (isRead && path === '/favicon.ico') sendText(response, 200, '');
  else if (isRead && path.startsWith('/static/')) sendFile(request, response, folder + path.slice('/static'.length));
  else sendText(response, 404, 'not found\n');
});

server.listen({ host: process.env.HOST || '127.0.0.1', port: process.env.PORT || 8080, backlog: 4096 });
