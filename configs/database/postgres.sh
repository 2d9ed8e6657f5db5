#!/bin/sh
# PostgreSQL as a service of a matrix: `init` makes an empty cluster, `serve` runs it, `ready` asks whether it takes queries, and
# `load` fills it. OUT, HOST and PORT stand in the environment.
#
# Its programs are those beside the `initdb` on PATH, else the newest where Debian puts them. It does not run as root: then it runs
# as the user `postgres`, with its data in the home of that user, since it has no way into the folders of root.
set -eu

initdb=$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)
bin=$(dirname "$(readlink -f "$initdb")") # what is on PATH may be a link to it
data=$OUT/data
as=
if [ "$(id -u)" = 0 ]; then
	data=$(getent passwd postgres | cut -d: -f6)/orchestrate
	as='setpriv --reuid=postgres --regid=postgres --init-groups'
fi
here=$(pwd)

case $1 in
init)
	cd /
	$as rm -rf "$data"
	# Who can connect to it may read it: it holds made-up rows, listens on the loopback alone, and ends with the run.
	$as "$bin/initdb" --pgdata="$data" --username=bench --auth=trust --encoding=UTF8 --locale=C --no-sync
	;;
serve)
	cd /
	exec $as "$bin/postgres" -D "$data" -h "$HOST" -p "$PORT" -k "" -c max_connections=100 -c autovacuum=off
	;;
ready)
	exec "$bin/pg_isready" --quiet --host="$HOST" --port="$PORT" --username=bench --dbname=postgres
	;;
load)
	exec "$bin/psql" --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --host="$HOST" --port="$PORT" --username=bench \
		--dbname=postgres --file="$here/database/schema.sql"
	;;
esac
