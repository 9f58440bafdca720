import pg from 'pg';
import { serialize } from 'pg-protocol';
import { errorKind, type Span } from '../../lib/tracing/spans.ts';
import type { Statement } from '../sql.ts';
import { reported, type StatementResult, type Turn } from './turn.ts';
import {
  type Columns,
  columnsFrom,
  emptyRow,
  knownColumns,
  NO_COLUMNS,
  noteColumns,
  parameterOf,
  readRow,
} from './values.ts';

// Internals of pg's connection, and what pg expects of a running query; its types leave both out.
declare module 'pg' {
  interface Connection {
    /** Texts of prepared statements, by name. */
    parsedStatements: Record<string, string>;
    /** Texts of statements whose Parse is in flight, by name. */
    submittedNamedStatements: Record<string, string>;
  }
}

/** One of the statements, in flight. */
interface Member {
  text: string;
  name: string;
  values: (string | Buffer | null)[];
  columns: Columns | undefined;
  result: StatementResult;
  /** Set when its rows could not be parsed. */
  unreadable: { error: unknown } | undefined;
  resolve: (result: StatementResult) => void;
  reject: (error: unknown) => void;
}

/**
 * Statements sent together, with one Sync after the last. PostgreSQL flushes its responses at a Sync: one Sync per
 * statement would wake this process as often. Where one statement fails, those after it are skipped and fail with the
 * same error, so more than one belong in a transaction. Replaces pg's own query, which sends a Sync of its own. Results
 * are returned once the Sync is confirmed, because a single statement commits only then.
 */
export class PipelinedTurn extends pg.Query implements Turn {
  private readonly members: Member[] = [];
  private done = 0;
  /** Name of the statement whose response is next: pg records by it what is prepared. */
  name = '';
  text = '';
  /** Ends the driver's `query_timeout`, where there is one. */
  callback: (() => void) | undefined;
  span: Span | null = null;
  settled: (() => void) | undefined;

  constructor() {
    super('');
  }

  get statements(): readonly Pick<Member, 'text' | 'values'>[] {
    return this.members;
  }

  add(statement: Statement): Promise<StatementResult> {
    const { text, name = '' } = statement;
    const values = statement.values.map(parameterOf);
    return new Promise((resolve, reject) => {
      const result: StatementResult = { rows: [], tag: '' };
      this.members.push({ text, name, values, columns: undefined, result, unreadable: undefined, resolve, reject });
    });
  }

  sendOn(client: pg.Client): void {
    client.query(this);
  }

  /** Writes all messages as one buffer, not one at a time. */
  override submit = (connection: pg.Connection): void => {
    this.await(0);
    const messages = this.members.flatMap((member) => messagesOf(member, connection));
    messages.push(serialize.sync());
    // On a broken connection every statement fails when the connection ends.
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages));
  };

  /** From here on, received rows belong to this statement. */
  private await(index: number): void {
    this.done = index;
    const next = this.members[index];
    if (next === undefined) return;
    this.name = next.name;
    this.text = next.text;
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.members[this.done]!.columns = columnsFrom(fields);
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const member = this.members[this.done]!;
    const row = emptyRow(member.columns!);
    try {
      readRow(member.columns!, fields, row);
    } catch (error) {
      member.unreadable ??= { error };
    }
    member.result.rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }, connection: pg.Connection): void {
    const member = this.members[this.done]!;
    member.result.tag = text;
    if (member.name !== '') {
      noteColumns(connection, member.name, member.columns ?? NO_COLUMNS);
    }
    this.await(this.done + 1);
  }

  /** The response to a text without a statement. */
  handleEmptyQuery(): void {
    this.await(this.done + 1);
  }

  handleReadyForQuery(): void {
    for (const member of this.members) settle(member);
    this.finish();
  }

  /** An error of the statement whose response is next, of the Sync after the last, or of the whole connection. */
  handleError(reason: unknown, connection: pg.Connection): void {
    const error = reported(reason);
    this.span?.fail(errorKind(error));
    const failed = Math.min(this.done, this.members.length - 1);
    for (const member of this.members.slice(0, failed)) settle(member);
    for (const { name, reject } of this.members.slice(failed)) {
      // Skipped or refused by the server, so not prepared by this turn.
      delete connection.submittedNamedStatements[name];
      reject(error);
    }
    this.finish();
  }

  private finish(): void {
    this.span?.end();
    this.callback?.();
    this.settled?.();
    this.settled = undefined;
    this.emit('end');
  }
}

function messagesOf(member: Member, connection: pg.Connection): Buffer[] {
  const { text, name, values } = member;
  const bind = serialize.bind({ statement: name, values });
  const prepared = name !== '' && connection.parsedStatements[name] !== undefined;
  if (prepared) member.columns = knownColumns(connection, name);
  if (member.columns !== undefined) return [bind, serialize.execute()];
  const messages = [bind, serialize.describe({ type: 'P' }), serialize.execute()];
  if (prepared || (name !== '' && connection.submittedNamedStatements[name] !== undefined)) return messages;
  if (name !== '') connection.submittedNamedStatements[name] = text;
  return [serialize.parse({ text, name }), ...messages];
}

function settle({ result, unreadable, resolve, reject }: Member): void {
  if (unreadable === undefined) resolve(result);
  else reject(unreadable.error);
}
