import { createHash } from 'node:crypto';

/**
 * SQL text with its parameters. `name` is the server-side prepared statement's name: the same text has the same name.
 * Without one it is parsed each time.
 */
export interface Statement {
  readonly text: string;
  readonly name: string | undefined;
  readonly values: unknown[];
}

/**
 * Statements kept prepared at most; each costs memory in every connection. The program has some hundreds of its own,
 * composition multiplies them, and there is no limit to the rules that customers make.
 */
const MAX_NAMES = 2_000;

const nameByText = new Map<string, string>();

function nameOf(text: string): string | undefined {
  let name = nameByText.get(text);
  if (name === undefined && nameByText.size < MAX_NAMES) {
    name = `s${createHash('sha1').update(text).digest('hex').slice(0, 20)}`;
    nameByText.set(text, name);
  }
  return name;
}

/** A statement without its values: made once for each template and what is spliced into it. */
class Shape {
  /** The pieces between the parameters. */
  readonly strings: readonly string[];
  /** Whether it may be prepared under a name. */
  readonly named: boolean;
  private prepared: { text: string; name: string | undefined } | undefined;

  constructor(strings: readonly string[], named = true) {
    this.strings = strings;
    this.named = named;
  }

  prepare(): { text: string; name: string | undefined } {
    if (this.prepared === undefined) {
      const text = this.strings.reduce((before, piece, i) => `${before}$${i}${piece}`);
      this.prepared = { text, name: this.named ? nameOf(text) : undefined };
    }
    return this.prepared;
  }
}

class SqlStatement implements Statement {
  readonly shape: Shape;
  readonly values: unknown[];

  constructor(shape: Shape, values: unknown[]) {
    this.shape = shape;
    this.values = values;
  }

  get text(): string {
    return this.shape.prepare().text;
  }

  get name(): string | undefined {
    return this.shape.prepare().name;
  }
}

/** Shapes of one template, by the shapes of the statements among its values (null for a parameter). */
interface Composition {
  parts: (Shape | null)[];
  shape: Shape;
}

/** Compositions of one template kept at most. */
const MAX_COMPOSITIONS = 32;

const compositions = new WeakMap<TemplateStringsArray, Composition[]>();

/**
 * A statement written as SQL: sql`select … where id = ${id}`. Values become parameters. A value that is itself a
 * statement is spliced in as text with its own parameters, so that optional clauses can be composed.
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Statement {
  let known = compositions.get(strings);
  if (known === undefined) {
    known = [];
    compositions.set(strings, known);
  }
  let found = known.find(({ parts }) => parts.every((part, i) => part === shapeOf(values[i])));
  if (found === undefined) {
    const parts = values.map(shapeOf);
    const named = parts.every((part) => part === null || part.named);
    found = { parts, shape: new Shape(splice(strings, parts), named) };
    if (named && known.length < MAX_COMPOSITIONS) known.push(found);
  }
  return new SqlStatement(found.shape, flatten(values));
}

function flatten(values: unknown[]): unknown[] {
  if (!values.some((value) => value instanceof SqlStatement)) return values;
  const flat: unknown[] = [];
  for (const value of values) {
    if (value instanceof SqlStatement) flat.push(...value.values);
    else flat.push(value);
  }
  return flat;
}

function shapeOf(value: unknown): Shape | null {
  return value instanceof SqlStatement ? value.shape : null;
}

function splice(strings: readonly string[], parts: (Shape | null)[]): string[] {
  const spliced = [strings[0]!];
  parts.forEach((part, i) => {
    const after = strings[i + 1]!;
    if (part === null) {
      spliced.push(after);
    } else {
      spliced[spliced.length - 1] += part.strings[0]!;
      spliced.push(...part.strings.slice(1));
      spliced[spliced.length - 1] += after;
    }
  });
  return spliced;
}

const rawShapes = new Map<string, Shape>();

/** Text known at development time (a table or column name): never a user's. */
export function rawSql(text: string): Statement {
  let shape = rawShapes.get(text);
  if (shape === undefined) {
    shape = new Shape([text]);
    rawShapes.set(text, shape);
  }
  return new SqlStatement(shape, []);
}

/**
 * Returns the statement as one whose text depends on customers' input (the rules of a segment): neither it nor a
 * statement that contains it is prepared, so that it takes no name from the program's own.
 */
export function unprepared(statement: Statement): Statement {
  const { shape, values } = statement as SqlStatement;
  return new SqlStatement(new Shape(shape.strings, false), values);
}

export const emptySql = rawSql('');

/**
 * A column of rows that are sent as arrays, for a select list next to an `unnest` of all of them: a single value, sent
 * and parsed once, where all rows have the same.
 * @param type PostgreSQL's name of the column's type
 */
export function sentColumn(values: readonly unknown[], type: string): Statement {
  const first = values[0];
  if (values.every((value) => value === first)) return sql`${first}::${rawSql(type)}`;
  return sql`unnest(${values}::${rawSql(type)}[])`;
}

/** Joins statements with a separator such as ` and `. */
export function joinSql(statements: readonly Statement[], separator: string): Statement {
  return statements.reduce(
    (joined, next, i) => (i === 0 ? next : sql`${joined}${rawSql(separator)}${next}`),
    emptySql as Statement,
  );
}

/** The LIKE pattern that finds `part` anywhere, its wildcards taken literally. */
export function likeAnywhere(part: string): string {
  return `${likeEnd(part)}%`;
}

/** The LIKE pattern of texts that end with `part`, its wildcards taken literally. */
export function likeEnd(part: string): string {
  return `%${part.replace(/[\\%_]/g, (c) => `\\${c}`)}`;
}
