-- A table of 10,000 rows, the same on every machine.
drop table if exists item;
create table item (id integer primary key, name text not null);
insert into item select id, md5(id::text) from generate_series(1, 10000) as id;
vacuum analyze item;
checkpoint;
