<?php
// The workloads of targets/README.md as a router script of PHP's built-in server, which runs it anew for each request.

function send(int $status, string $type, string $body): void
{
    http_response_code($status);
    header("Content-Type: $type");
    header('Content-Length: ' . strlen($body));
    echo $body;
}

function increment(): void
{
    $object = json_decode(file_get_contents('php://input'));
    $n = $object->n ?? null;
    if (!is_object($object) || !(is_int($n) || is_float($n) && is_finite($n))) {
        send(400, 'text/plain', "expected a JSON object with a number n\n");
        return;
    }
    $object->n = $n + 1;
    send(200, 'application/json', json_encode($object));
}

function digest(): string
{
    $digest = 'orchestrate';
    for ($i = 0; $i < 1000; $i++) {
        $digest = hash('sha256', $digest, true);
    }
    return bin2hex($digest);
}

// Nothing stays in memory from one request to the next, so the file is read for each.
function sendFile(): void
{
    $path = getenv('ASSETS') . '/one-file.js';
    if (!is_file($path)) {
        send(500, 'text/plain', "there is no file\n");
        return;
    }
    header('Content-Type: text/javascript');
    header('Content-Length: ' . filesize($path));
    readfile($path);
}

$method = $_SERVER['REQUEST_METHOD'] === 'HEAD' ? 'GET' : $_SERVER['REQUEST_METHOD'];
$path = explode('?', $_SERVER['REQUEST_URI'], 2)[0];

if (!in_array($_SERVER['SERVER_PROTOCOL'], ['HTTP/1.0', 'HTTP/1.1'])) {
    send(400, 'text/plain', "not HTTP/1\n");
    return;
}
switch ("$method $path") {
    case 'GET /':
        send(200, 'text/plain', 'hello world');
        break;
    case 'GET /file':
        sendFile();
        break;
    case 'GET /cpu':
        send(200, 'text/plain', digest());
        break;
    case 'POST /json':
        increment();
        break;
    default:
        send(404, 'text/plain', "not found\n");
}
