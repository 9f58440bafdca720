import type pg from 'pg';
import { errorKind, type Span } from '../../lib/tracing/spans.ts';
import type { Statement } from '../sql.ts';
import { reported, type StatementResult, type Turn } from './turn.ts';
import { parameterOf, parserOf } from './values.ts';

interface Member {
  text: string;
  name: string;
  values: (string | Buffer | null)[];
  resolve: (result: StatementResult) => void;
  reject: (error: unknown) => void;
}

/** The extended protocol for every statement, as in pipelined.ts: without values, pg would use the simple one. */
type ExtendedQuery = pg.QueryConfig<(string | Buffer | null)[]> & { queryMode: 'extended' };

/** The last query of each connection: the next one is given to pg after its end. */
const lastQueries = new WeakMap<pg.Client, Promise<void>>();

/** A turn that only uses the public interface of pg, which sends a statement after the response to the one before it. */
export class PlainTurn implements Turn {
  span: Span | null = null;
  settled: (() => void) | undefined;
  private readonly members: Member[] = [];
  private failure: unknown;

  get statements(): readonly Pick<Member, 'text' | 'values'>[] {
    return this.members;
  }

  add({ text, name = '', values: given }: Statement): Promise<StatementResult> {
    const values = given.map(parameterOf);
    return new Promise((resolve, reject) => {
      this.members.push({ text, name, values, resolve, reject });
    });
  }

  sendOn(client: pg.Client): void {
    let sent = lastQueries.get(client) ?? Promise.resolve();
    for (const member of this.members) {
      // As in pipelined.ts, nothing runs after a failure: a statement would run outside of a transaction that did not begin.
      sent = sent.then(() => (this.failure === undefined ? this.run(client, member) : member.reject(this.failure)));
    }
    lastQueries.set(client, sent);
    void sent.then(() => {
      this.span?.end();
      this.settled?.();
      this.settled = undefined;
    });
  }

  /** Never rejects. */
  private async run(client: pg.Client, { text, name, values, resolve, reject }: Member): Promise<void> {
    const query: ExtendedQuery = { text, values, queryMode: 'extended', types: { getTypeParser: parserOf } };
    if (name !== '') query.name = name;
    try {
      const { rows, command } = await client.query(query);
      resolve({ rows, tag: command });
    } catch (reason) {
      const error = reported(reason);
      this.failure = error;
      this.span?.fail(errorKind(error));
      reject(error);
    }
  }
}
