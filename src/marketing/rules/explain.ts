import { joinSql, rawSql, type Statement, sql, unprepared } from '../../db/sql.ts';
import { isGroup, type Rule, type RuleGroup } from '../../rules/language.ts';
import { compileToSql } from './compile.ts';
import { isBought, parseContactField } from './fields.ts';
import { listBought, summariseHistory } from './history-selection.ts';
import { customJson } from './looked-up-selection.ts';
import { measuredJson } from './measures.ts';
import type { Compiling } from './selection.ts';
import type { Summary } from './summary.ts';

/** A rule or a group, and its path, such as `rules.0.rules.1`. */
export interface Node {
  path: string;
  node: Rule | RuleGroup;
}

/** All rules and groups inside the group; a group comes before its contents. */
export function nodesOf(group: RuleGroup, path = ''): Node[] {
  return group.rules.flatMap((node, i) => {
    const at = `${path}rules.${i}`;
    return [{ path: at, node }, ...(isGroup(node) ? nodesOf(node, `${at}.`) : [])];
  });
}

/**
 * A statement that returns one row for the contact, with the same evaluation as segments: `member`, `holds` of each node, and `found`,
 * the values that its rules compare (null for groups). No row if the contact does not exist.
 */
export function compileExplanation(
  compiling: Compiling,
  contactId: number,
  rules: RuleGroup,
  nodes: Node[],
): Statement {
  const ofContact = { ...compiling, among: [contactId] };
  const holds = (group: RuleGroup): Statement => sql`coalesce(${compileToSql(ofContact, group)}, false)`;
  const each = nodes.map(({ node }) => holds(isGroup(node) ? node : { rules: [node] }));
  const found = nodes.map(({ node }) => (isGroup(node) ? rawSql('null::jsonb') : foundBy(ofContact, node)));
  return unprepared(sql`
    select ${holds(rules)} as member, array[${joinSql(each, ', ')}]::boolean[] as holds,
      to_jsonb(array[${joinSql(found, ', ')}]::jsonb[]) as found
    from contacts c where c.company_id = ${compiling.companyId} and c.id = ${contactId}`);
}

const OF_HISTORY: Summary = {
  n: rawSql('h.n'),
  amount: rawSql('h.amount'),
  first: rawSql('h.first_at'),
  last: rawSql('h.last_at'),
};

/** The value that the rule compares, as jsonb. */
function foundBy(compiling: Compiling, rule: Rule): Statement {
  const field = parseContactField(rule.field);
  if (field === null) throw new Error(`There is no field ${rule.field} of a contact`);
  switch (field.kind) {
    case 'history': {
      if (isBought(field.measure)) return listBought(compiling, field.measure, rule);
      const value = measuredJson(compiling, field.measure, OF_HISTORY);
      return sql`(select ${value} from (${summariseHistory(compiling, field, rule)}) h)`;
    }
    case 'custom':
      return customJson(compiling, field);
    case 'text':
      return sql`to_jsonb(${rawSql(`c.${field.column}`)})`;
    case 'time':
      return sql`to_jsonb(to_char(${rawSql(`c.${field.column}`)} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))`;
    case 'id':
      return rawSql('to_jsonb(c.id)');
    case 'tags':
      return rawSql('to_jsonb(c.tags)');
    case 'lists':
      return sql`(select coalesce(jsonb_agg(m.list_id order by m.list_id), '[]') from list_memberships m
        join lists l on l.company_id = m.company_id and l.id = m.list_id and l.deleted_at is null
        where m.company_id = ${compiling.companyId} and m.contact_id = c.id and m.status = 'active')`;
    case 'property':
      return sql`c.properties #> ${field.path}::text[]`;
  }
}
