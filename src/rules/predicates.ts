import { joinSql, likeEnd, rawSql, type Statement, sql } from '../db/sql.ts';
import type { Rule } from './language.ts';
import { equalityOperand, orderOperand, textOperand, textsOfNumber, toMoment, toNumber } from './values.ts';

/**
 * SQL expressions for one value, one for each type as which a comparison may interpret it: null if the value has another type,
 * absent if it always has. The counterparts of the functions in values.ts.
 */
export interface Reading {
  /** Whether there is a value. */
  present: Statement;
  /** numeric: equivalent to float8 here (see NUMBER in values.ts), and faster to read from jsonb. */
  number?: Statement;
  /** The same as bigint, if the value always is one, so that an index can be used. */
  whole?: Statement;
  /** float8, milliseconds since 1970 */
  moment?: Statement;
  /** timestamptz instead of `moment`; fractions of a second are ignored. */
  second?: Statement;
  /** The text by which texts and booleans are compared. */
  text?: Statement;
  /** Texts only, for searches. */
  string?: Statement;
  /** `number` is parsed from `text`. */
  spelled?: true;
}

const DAY_MS = 24 * 3_600_000;
/** The predicate that holds for no value. */
export const NEVER = rawSql('false');

/** A value that is a text in the database. */
export function textReading(value: Statement): Reading {
  return {
    present: sql`${value} is not null`,
    number: sql`rule_number(${value})`,
    moment: sql`rule_moment(${value})`,
    text: value,
    string: value,
    spelled: true,
  };
}

/** An id in a column of type bigint. */
export function idReading(column: string): Reading {
  return { present: sql`${rawSql(column)} is not null`, number: rawSql(column), whole: rawSql(column) };
}

/** A moment to the second, as shown in records. */
export function timeReading(column: Statement, present: Statement = rawSql('true')): Reading {
  const text = sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;
  return { present, second: column, text, string: text };
}

/** A positive comparison of one value, with a rule that `checkRules` accepted; null counts as false. */
export function predicateSql(rule: Rule, reading: Reading, now: Date): Statement {
  const { comparison, value: wanted } = rule;
  switch (comparison) {
    case 'exists':
      return reading.present;
    case 'equals':
      return among([wanted], reading);
    case 'in':
      return among(wanted as unknown[], reading);
    case 'contains':
      return textual(reading, wanted, (text, part) => sql`position(${part}::text in ${text}) > 0`);
    case 'starts_with':
      return textual(reading, wanted, (text, part) => sql`starts_with(${text}, ${part}::text)`);
    case 'ends_with':
      return textual(reading, wanted, (text, part) => sql`${text} like ${likeEnd(part)}::text`);
    case 'greater_than':
      return ordered(reading, '>', wanted);
    case 'greater_than_or_equal':
      return ordered(reading, '>=', wanted);
    case 'less_than':
      return ordered(reading, '<', wanted);
    case 'less_than_or_equal':
      return ordered(reading, '<=', wanted);
    case 'between': {
      const [low, high] = wanted as unknown[];
      return bothHold(ordered(reading, '>=', low), ordered(reading, '<=', high));
    }
    case 'before':
      return compareMoment(reading, '<', toMoment(wanted)!);
    case 'after':
      return compareMoment(reading, '>', toMoment(wanted)!);
    case 'within_last_days': {
      const since = now.getTime() - toNumber(wanted)! * DAY_MS;
      return bothHold(compareMoment(reading, '>=', since), compareMoment(reading, '<=', now.getTime()));
    }
    default:
      throw new Error(`${comparison} is no positive comparison`);
  }
}

/**
 * A positive comparison of a jsonb value by its type; branches that are not taken cost nothing. `unquoted` is the value as
 * text; `elements` compares an array's elements, and is absent if nested arrays are not compared.
 */
export function jsonPredicateSql(
  rule: Rule,
  value: Statement,
  unquoted: Statement,
  now: Date,
  elements?: Statement,
): Statement {
  const present = rawSql('true');
  const readings: [string, Reading][] = [
    ['string', { ...textReading(unquoted), present }],
    ['number', { present, number: sql`(${value})::numeric` }],
    ['boolean', { present, text: unquoted }],
    ['object', { present }],
  ];
  if (elements === undefined) readings.push(['array', { present }]);
  const branches = readings
    .map(([type, reading]) => ({ type, holds: predicateSql(rule, reading, now) }))
    .filter(({ holds }) => holds !== NEVER)
    .map(({ type, holds }) => sql`when ${rawSql(`'${type}'`)} then ${holds}`);
  if (elements !== undefined && elements !== NEVER) branches.push(sql`when 'array' then ${elements}`);
  return branches.length === 0 ? NEVER : sql`case jsonb_typeof(${value}) ${joinSql(branches, ' ')} end`;
}

type Order = '<' | '<=' | '>' | '>=';

function ordered(reading: Reading, order: Order, wanted: unknown): Statement {
  const operand = orderOperand(wanted)!;
  if (operand.kind === 'moment') return compareMoment(reading, order, operand.value as number);
  if (reading.number === undefined) return NEVER;
  return sql`${reading.number} ${rawSql(order)} ${operand.value}::numeric`;
}

/** @param limit milliseconds since 1970 */
function compareMoment(reading: Reading, order: Order, limit: number): Statement {
  if (reading.second !== undefined) return compareSecond(reading.second, order, limit);
  return reading.moment === undefined ? NEVER : sql`${reading.moment} ${rawSql(order)} ${limit}::float8`;
}

/**
 * Compares as if the column were truncated to seconds, without truncating it for every row: `limit` is moved to the next second
 * instead.
 */
function compareSecond(column: Statement, order: Order, limit: number): Statement {
  const isAbove = order === '>' || order === '>=';
  const whole = Math.ceil(limit / 1_000);
  const isPast = Number.isInteger(limit / 1_000) && (order === '>' || order === '<=');
  const bound = new Date((isPast ? whole + 1 : whole) * 1_000);
  return sql`${column} ${rawSql(isAbove ? '>=' : '<')} ${bound}`;
}

function bothHold(one: Statement, other: Statement): Statement {
  return one === NEVER || other === NEVER ? NEVER : sql`(${one} and ${other})`;
}

function textual(reading: Reading, wanted: unknown, holds: (text: Statement, part: string) => Statement): Statement {
  return reading.string === undefined ? NEVER : holds(reading.string, textOperand(wanted)!);
}

function among(wanted: unknown[], reading: Reading): Statement {
  const operands = wanted.map((choice) => equalityOperand(choice)!);
  const numbers = operands.filter((operand) => operand.kind === 'number').map((operand) => operand.value as number);
  const texts = operands.filter((operand) => operand.kind === 'text').map((operand) => operand.value as string);
  // A number equals the texts that parse to it: searching for those is much faster than parsing each text.
  if (reading.spelled) return anyOf(reading.text, texts.concat(numbers.flatMap(textsOfNumber)), 'text');
  const byNumber =
    reading.whole === undefined
      ? anyOf(reading.number, numbers, 'numeric')
      : anyOf(reading.whole, numbers.filter(Number.isSafeInteger), 'bigint');
  const byText = anyOf(reading.text, texts, 'text');
  if (byNumber === NEVER || byText === NEVER) return byNumber === NEVER ? byText : byNumber;
  return sql`(${byNumber} or ${byText})`;
}

/** A single choice uses `=`, which every index supports. */
function anyOf(
  expression: Statement | undefined,
  choices: (number | string)[],
  type: 'numeric' | 'bigint' | 'text',
): Statement {
  if (expression === undefined || choices.length === 0) return NEVER;
  return choices.length === 1
    ? sql`${expression} = ${choices[0]}::${rawSql(type)}`
    : sql`${expression} = any(${choices}::${rawSql(type)}[])`;
}
