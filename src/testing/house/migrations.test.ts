import { describe, expect, it } from 'vitest';
import { readMigration } from '../../db/migrating/migration-files.ts';
import { blockingStatements, outsideStatements } from './migrations.ts';
import { filesUnder, readText } from './sources.ts';

const migrations = filesUnder('src/db/migrations').map((path) =>
  readMigration(path.slice(path.lastIndexOf('/') + 1), readText(path)),
);

describe('migrations', () => {
  it('rewrite, block and empty no existing table, but where they say why', () => {
    const found = migrations.flatMap((migration) =>
      blockingStatements(migration).map((line) => `${migration.name}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  it('build and drop indexes concurrently outside of transactions, and do nothing else there', () => {
    expect(migrations.flatMap(outsideStatements)).toEqual([]);
    const column = 'alter table orders add column if not exists y int';
    const index = 'create index concurrently if not exists orders_x on orders (total)';
    const text = `${index};\n${column};`;
    expect(outsideStatements(readMigration('0087_x.sql', `-- migrate: outside-transaction\n${text}`))).toEqual([
      column,
    ]);
    expect(outsideStatements(readMigration('0087_x.sql', text))).toEqual([]);
  });

  it.each([
    ['create index orders_x on orders (total)', 'blocks writes'],
    ['create unique index on public.orders (total)', 'blocks writes'],
    ['alter table orders alter column total type numeric', 'goes through the table'],
    ['alter table orders add constraint orders_x check (total > 0)', 'goes through the table'],
    ['alter table orders alter note set not null', 'goes through the table'],
    ['alter table orders add column y int generated always as (total * 2) stored', 'goes through the table'],
    ['alter table orders add column y timestamptz not null default clock_timestamp()', 'goes through the table'],
    ['alter table orders add column y bigserial', 'goes through the table'],
    ['alter table orders drop column note', 'drops'],
    ['alter table orders rename column note to notes', 'renames'],
    ['alter table orders rename to sales', 'renames'],
    ['drop table orders', 'drops'],
    ['truncate orders', 'drops'],
    ['update orders set note = null', 'unbounded'],
    ['update orders o set note = null where o.note is not null', 'unbounded'],
    ['delete from orders', 'unbounded'],
    ['with gone as (delete from orders where total = 0 returning id) insert into x select id from gone', 'unbounded'],
    ['with x as (update lists set name = name) delete from orders', 'unbounded'],
    ['do $$ begin if true then update orders set note = null; end if; end $$', 'unbounded'],
    ['reindex table orders', 'blocks writes'],
    ['cluster orders using orders_pkey', 'goes through the table'],
    ['vacuum full orders', 'goes through the table'],
    ['lock table orders', 'blocks writes'],
  ])('name %s', (statement, why) => {
    expect(blockingStatements(readMigration('0087_x.sql', `${statement};`))).toEqual([expect.stringContaining(why)]);
  });

  it.each([
    'create table x (id bigint primary key); create index on x (id); alter table x add check (id > 0); delete from x',
    'alter table orders add column y int not null default 0',
    'alter table orders add column y text, add column z jsonb',
    'alter table orders add constraint orders_x check (total > 0) not valid',
    "update companies set name = 'x'; alter table campaigns add column y int check (y > 0)",
    'create function f() returns trigger language plpgsql as $$ begin delete from orders; return null; end $$',
    'drop index orders_x',
  ])('let %s pass', (text) => {
    expect(blockingStatements(readMigration('0087_x.sql', text))).toEqual([]);
  });

  it('let an index pass that is built concurrently, outside of a transaction', () => {
    const text = 'create index concurrently if not exists orders_x on orders (total);';
    expect(blockingStatements(readMigration('0087_x.sql', `-- migrate: outside-transaction\n${text}`))).toEqual([]);
  });

  it('let a statement pass by a directive with a reason, for that statement alone', () => {
    const text = (directive: string): string => `${directive}\ndrop table orders;\ndelete from customers;`;
    const found = (directive: string): string[] => blockingStatements(readMigration('0087_x.sql', text(directive)));
    expect(found('')).toHaveLength(2);
    expect(found('-- migrate: blocks orders: nobody has read it since version 3')).toEqual([
      expect.stringContaining('delete from customers'),
    ]);
    expect(() => found('-- migrate: blocks orders')).toThrow('unknown directive');
    expect(found('-- migrate: blocks orders: x\n-- migrate: blocks contacts: nothing does')).toContainEqual(
      expect.stringContaining('contacts'),
    );
  });
});
