<?php
// What the published figure was measured on: not the file, but a greeting after a nap, whatever is asked for.
usleep(200_000);
echo 'Hello, world!';
