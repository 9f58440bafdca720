import { HIDDEN } from '../access/audit-addresses.ts';
import type { Tx } from '../db/pool.ts';
import { joinSql, rawSql, type Statement, sql } from '../db/sql.ts';
import type { StaffTexts } from '../db/table.ts';
import { SEPARATORS, type WordText } from '../marketing/contacts/erasure/personal-texts.ts';
import { TABLES } from '../tables.ts';

/*
 * Names, rules and filters that people of the shop wrote. The person's addresses are replaced in them, and the rest stays. Texts of
 * messages are left alone: an address there is the shop's own, which a customer of the shop may have as well.
 */

interface Place extends StaffTexts {
  table: string;
}

const PLACES: readonly Place[] = TABLES.flatMap(({ name, staffTexts }) =>
  staffTexts === undefined ? [] : { ...staffTexts, table: name },
);
const AT_ONCE = 20;

/** Returns the place after the last row that was scanned. */
export async function eraseWords(tx: Tx, companyId: number, wanted: WordText[], after: string): Promise<string | null> {
  const [at = 0, id = 0] = after.split(' ').map(Number);
  const place = PLACES[at];
  if (place === undefined) return null;
  const rows = await findWords(tx, companyId, place, { wanted, after: id });
  const found = rows.filter(({ n }) => n !== null);
  if (found.length > 0) await tx.query(sql`select set_config('tradeloom.erasing', 'on', true)`);
  for (const { id, n } of found) await replaceWord(tx, companyId, place, { id, word: wanted[n! - 1]! });
  if (found.length > 0) await tx.query(sql`select set_config('tradeloom.erasing', 'off', true)`);
  return rows.length === 0 ? `${at + 1} 0` : `${at} ${rows.at(-1)!.id}`;
}

/** Returns the next rows, each with the numbers (from 1) of the texts that it has. */
function findWords(
  tx: Tx,
  companyId: number,
  { table, key: id = 'id', columns, rowsPerSlice = AT_ONCE }: Place,
  { wanted, after }: { wanted: WordText[]; after: number },
): Promise<{ id: number; n: number | null }[]> {
  const [from, key] = [rawSql(table), rawSql(id)];
  const texts = Object.entries(columns).map(([name, kind]) => ({
    kind,
    text: rawSql(kind === 'text' ? `t.${name}` : `t.${name}::text`),
  }));
  const all = joinSql(
    texts.map(({ text }) => text),
    `, ' ', `,
  );
  const has = texts.map(({ text, kind }) => sql`${text} ~* ${rawSql(kind === 'flow' ? 'w.whole' : 'w.pattern')}`);
  // A pattern takes some 10 ms for a long text, so that it is only tried where its part was found.
  return tx.query(sql`
    with slice as materialized (
      select distinct ${key} as id from ${from} where company_id = ${companyId} and ${key} > ${after} order by 1 limit ${rowsPerSlice}
    ),
    words as materialized (
      select t.ctid as place, t.${key} as id, translate(lower(concat(${all})), ${SEPARATORS}, '') as words
      from slice s join ${from} t on t.company_id = ${companyId} and t.${key} = s.id
    ),
    likely as materialized (
      select x.place, x.id, w.* from words x
      join unnest(${wanted.map(({ part }) => part)}::text[], ${wanted.map(({ pattern }) => pattern)}::text[],
        ${wanted.map(({ whole }) => whole)}::text[]) with ordinality as w (part, pattern, whole, n) on strpos(x.words, w.part) > 0
    ),
    found as (
      select distinct w.id, w.n from likely w join ${from} t on t.ctid = w.place and t.company_id = ${companyId}
      where ${joinSql(has, ' or ')}
    )
    select s.id, f.n from slice s left join found f on f.id = s.id order by s.id`);
}

async function replaceWord(
  tx: Tx,
  companyId: number,
  { table, key = 'id', columns }: Place,
  { id, word: { pattern, whole } }: { id: number; word: WordText },
): Promise<void> {
  const replaced = (text: Statement, wanted: string): Statement =>
    sql`regexp_replace(${text}, ${wanted}, ${HIDDEN}, 'gi')`;
  const set = Object.entries(columns).map(([name, kind]) => {
    const column = rawSql(name);
    if (kind === 'text') return sql`${column} = ${replaced(column, pattern)}`;
    const text = rawSql(`${name}::text`);
    if (kind === 'json') return sql`${column} = ${replaced(text, pattern)}::jsonb`;
    if (kind === 'flow') return sql`${column} = ${exceptWebhooks(column, sql`${replaced(text, whole)}::jsonb`)}`;
    return sql`${column} = array(select ${replaced(rawSql('x.one'), pattern)} from unnest(${column}) with ordinality as x (one, n) order by n)`;
  });
  await tx.query(sql`
    update ${rawSql(table)} set ${joinSql(set, ', ')} where company_id = ${companyId} and ${rawSql(key)} = ${id}`);
}

/** The definition after a replacement, with its webhook steps as they were. */
function exceptWebhooks(before: Statement, after: Statement): Statement {
  return sql`(select after || jsonb_build_object('steps', (
      select coalesce(jsonb_agg(case when old.step ->> 'type' = 'webhook' then old.step else new.step end order by old.n), '[]')
      from jsonb_array_elements(${before} -> 'steps') with ordinality as old (step, n)
      join jsonb_array_elements(after -> 'steps') with ordinality as new (step, n) using (n)))
    from (select ${after} as after) x)`;
}
