// The workloads of targets/README.md on the HTTP server of dart:io, in one isolate.
import 'dart:convert';
import 'dart:io';

const bodyMax = 1 << 20;

final helloWorld = utf8.encode('hello world');
final notFound = utf8.encode('not found\n');
final tooLarge = utf8.encode('too large\n');
final noNumber = utf8.encode('expected a JSON object with a number n\n');

late final List<int> file;

Future<void> main() async {
  final settings = Platform.environment;
  try {
    file = File('${settings['ASSETS']}/one-file.js').readAsBytesSync();
  } on FileSystemException catch (error) {
    stderr.writeln(error);
    exit(1);
  }
  final host = settings['HOST'] ?? '127.0.0.1';
  final port = int.parse(settings['PORT'] ?? '8080');
  final server = await HttpServer.bind(host, port, backlog: 4096);
  server.listen(serve, onError: (_) {}); // errors of single connections: each ends its own
}

Future<void> serve(HttpRequest request) async {
  try {
    await answer(request);
  } on IOException {
    // The client has gone.
  }
}

Future<void> answer(HttpRequest request) async {
  final method = request.method == 'HEAD' ? 'GET' : request.method;
  switch ('$method ${request.uri.path}') {
    case 'GET /':
      return send(request, HttpStatus.ok, 'text/plain', helloWorld);
    case 'GET /file':
      return send(request, HttpStatus.ok, 'text/javascript', file);
    case 'GET /wait':
      await Future<void>.delayed(const Duration(milliseconds: 10));
      return send(request, HttpStatus.ok, 'text/plain', helloWorld);
    case 'POST /json':
      return increment(request);
    default:
      return send(request, HttpStatus.notFound, 'text/plain', notFound);
  }
}

Future<void> increment(HttpRequest request) async {
  final body = BytesBuilder(copy: false);
  await for (final part in request) {
    if (body.length <= bodyMax) body.add(part);
  }
  if (body.length > bodyMax) return send(request, HttpStatus.requestEntityTooLarge, 'text/plain', tooLarge);
  final answer = incremented(body.takeBytes());
  if (answer == null) return send(request, HttpStatus.badRequest, 'text/plain', noNumber);
  return send(request, HttpStatus.ok, 'application/json', answer);
}

/// The same object with its n increased by one, or null where there is none.
List<int>? incremented(List<int> body) {
  try {
    final Object? object = jsonDecode(utf8.decode(body));
    if (object is! Map<String, dynamic>) return null;
    final n = object['n'];
    if (n is! num || !n.isFinite) return null;
    object['n'] = n + 1;
    return utf8.encode(jsonEncode(object));
  } on FormatException {
    return null;
  } on StackOverflowError {
    return null; // nested too deep: else it would end the program
  }
}

/// Sends an answer; to HEAD dart:io leaves out the body by itself, and it reads what is left of the request's.
Future<void> send(HttpRequest request, int status, String type, List<int> body) {
  final response = request.response;
  response.statusCode = status;
  response.contentLength = body.length;
  response.persistentConnection = request.persistentConnection; // says `keep-alive` to HTTP/1.0
  response.headers
    ..date = DateTime.now()
    ..set(HttpHeaders.contentTypeHeader, type);
  response.add(body);
  return response.close();
}
