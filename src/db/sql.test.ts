import { expect, test } from 'vitest';
import { emptySql, joinSql, likeAnywhere, rawSql, sql, unprepared } from './sql.ts';

test('statements within a statement bring their text and their parameters, numbered in order', () => {
  const owned = (id: number) => sql`owner = ${id}`;
  const make = (limit: number, clause = emptySql) =>
    sql`select ${rawSql('a, b')} from t where ${owned(7)} ${clause} and c = any(${[1, 2]}) limit ${limit}`;
  expect(make(5).text).toBe('select a, b from t where owner = $1  and c = any($2) limit $3');
  expect(make(5).values).toEqual([7, [1, 2], 5]);
  const narrowed = make(6, sql`and ${joinSql([sql`d = ${'x'}`, sql`e = ${null}`], ' or ')}`);
  expect(narrowed.text).toBe('select a, b from t where owner = $1 and d = $2 or e = $3 and c = any($4) limit $5');
  expect(narrowed.values).toEqual([7, 'x', null, [1, 2], 6]);
  // The same shapes again, now from the cache.
  expect(make(8).values).toEqual([7, [1, 2], 8]);
  expect(make(8).text).toBe(make(5).text);
});

test('the same text has the same name, wherever it is written; another text another', () => {
  const one = sql`select 1 where ${1}`;
  const twin = sql`select 1 where ${2}`;
  expect(one.name).toMatch(/^s[0-9a-f]{20}$/);
  expect(twin.name).toBe(one.name);
  expect(sql`select 1 where not ${1}`.name).not.toBe(one.name);
});

test('what customers made the text of takes no name, whatever it becomes a part of', () => {
  const rules = unprepared(sql`c.email = ${'a'}`);
  const whole = sql`select 1 from contacts c where c.id = ${1} and ${joinSql([rules, sql`true`], ' and ')}`;
  expect([rules.name, whole.name]).toEqual([undefined, undefined]);
  expect(whole.text).toBe('select 1 from contacts c where c.id = $1 and c.email = $2 and true');
  expect(whole.values).toEqual([1, 'a']);
});

test('texts without end do not become prepared statements without end', () => {
  const names = new Set(Array.from({ length: 5_000 }, (_, i) => sql`select ${rawSql(String(i))}`.name));
  expect(names.size).toBeLessThan(2_002);
  expect(names).toContain(undefined);
});

test('wildcards in a part looked for are taken literally', () => {
  expect(likeAnywhere('50%_\\')).toBe('%50\\%\\_\\\\%');
});
