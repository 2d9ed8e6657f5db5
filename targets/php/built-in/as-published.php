<?php
// As it was published: `readfile` writes the file and returns how long it is, and `echo` writes that too.
if (!preg_match('~^(GET|HEAD) /file(\?|$)~', "$_SERVER[REQUEST_METHOD] $_SERVER[REQUEST_URI]")) {
    http_response_code(404);
    return;
}
header('Content-Type: text/javascript');
echo readfile(getenv('ASSETS') . '/one-file.js');
