// As it was published: the file is kept as a string, and encoded for each request anew.
import 'dart:convert';
import 'dart:io';

Future<void> main() async {
  final settings = Platform.environment;
  final String file;
  try {
    file = File('${settings['ASSETS']}/one-file.js').readAsStringSync();
  } on FileSystemException catch (error) {
    stderr.writeln(error);
    exit(1);
  }
  final host = settings['HOST'] ?? '127.0.0.1';
  final port = int.parse(settings['PORT'] ?? '8080');
  final server = await HttpServer.bind(host, port, backlog: 4096);
  server.listen((request) {
    final isGet = request.method == 'GET' || request.method == 'HEAD';
    final isFile = isGet && request.uri.path == '/file';
    final body = utf8.encode(isFile ? file : 'not found\n');
    request.response
      ..statusCode = isFile ? HttpStatus.ok : HttpStatus.notFound
      ..contentLength = body.length
      ..persistentConnection = request.persistentConnection
      ..headers.date = DateTime.now()
      ..headers.set(HttpHeaders.contentTypeHeader, isFile ? 'text/javascript' : 'text/plain')
      ..add(body)
      ..close().ignore();
  }, onError: (_) {});
}
