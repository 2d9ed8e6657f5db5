<?php
// As it was published: `readfile` writes the file and returns how long it is, and `echo` writes that too.
header('Content-Type: text/javascript');
echo readfile(getenv('ASSETS') . '/one-file.js');
