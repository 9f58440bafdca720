import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { findEmbedded } from '../../db/embedded/embedded.ts';
import type { TestBody } from '../../testing/harness.ts';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';
import { random } from '../../testing/random/seed.ts';
import { CHUNK_BYTES } from '../contract.ts';

/** Key of the advisory lock at which transactions of an import wait. */
const GATE = 7_700_077;

/** Once an import has passed `at`, its transaction waits before the commit for as long as somebody holds the gate's lock. */
const GATES = `
  create table import_gate (at int);
  insert into import_gate values (0);
  create function wait_at_gate() returns trigger language plpgsql security definer as $$
  begin
    if (case new.status when 'undoing' then new.undone + new.kept else new.position end) > (select at from import_gate) then
      perform pg_advisory_xact_lock_shared(${GATE});
    end if;
    return new;
  end $$;
  create trigger wait_at_gate before update on imports for each row
    when (new.status in ('checking', 'running', 'undoing')) execute function wait_at_gate()`;
const NO_GATES = 'drop trigger wait_at_gate on imports; drop function wait_at_gate; drop table import_gate';

/** A program on its own data folder, which is killed with -9 while it imports. */
export class KilledProgram {
  private readonly dataDir = temporaryDataFolder({ prepared: true });
  private program: Program | undefined;
  private key = '';
  private readonly pick = random(1);
  /** The id of the company. */
  company = '';

  async start(): Promise<void> {
    this.program = await startProgram(['--empty', '--data-dir', this.dataDir]);
    await this.onDatabase(GATES);
  }

  /** Creates a company for the imports that follow. */
  async newCompany(): Promise<void> {
    this.company = String((await this.json(['companies', 'create', '--name', 'Crash shop'])).company_id);
    const options = ['--company', this.company, '--name', 'load', '--scope', '*', '--requests-per-hour', '0'];
    this.key = (await this.json(['keys', 'create', ...options])).key;
  }

  /** Ends the program, runs the doctor on what it left, and returns the report. */
  async stop(): Promise<TestBody> {
    await this.onDatabase(NO_GATES);
    await this.program!.end('SIGTERM');
    return this.json(['doctor']);
  }

  async onDatabase(text: string, values: unknown[] = []): Promise<TestBody[]> {
    const database = await this.connect();
    try {
      return (await database.query<TestBody>(text, values)).rows;
    } finally {
      await database.end();
    }
  }

  async upload(format: string, file: Buffer): Promise<number> {
    const { id } = await this.call('POST', '/imports', { format, file_name: 'file.csv' });
    for (let at = 0, n = 0; at < file.length; at += CHUNK_BYTES, n++) {
      const data = file.subarray(at, at + CHUNK_BYTES).toString('base64');
      await this.call('POST', `/imports/${id}/chunks`, { n, data });
    }
    return id;
  }

  /** Checks and runs an import without a kill. */
  async imported(id: number): Promise<TestBody> {
    for (const phase of ['check', 'run']) {
      await this.onDatabase('update import_gate set at = 2147483647');
      await this.call('POST', `/imports/${id}/${phase}`, {});
      await this.ended(id);
    }
    return this.ended(id);
  }

  /**
   * Runs a phase of `total` steps over `kills` kills, and returns the import at its end. Each kill comes when a further part is done: within
   * the transaction, or at some time after it.
   */
  async phase(
    id: number,
    name: 'check' | 'run' | 'undo',
    { total, kills }: { total: number; kills: number },
  ): Promise<TestBody> {
    let done = 0;
    for (let kill = 0; kill < kills; kill++) {
      const gate = await this.connect();
      await gate.query('select pg_advisory_lock($1)', [GATE]);
      await gate.query('update import_gate set at = $1', [
        Math.floor((total * (kill + 0.1 + this.pick(80) / 100)) / kills),
      ]);
      if (kill === 0) await this.call('POST', `/imports/${id}/${name}`, {});
      const waits = await this.waitsAtGate(gate, id);
      if (waits && this.pick(2) === 1) {
        await gate.query('select pg_advisory_unlock($1)', [GATE]);
        await sleep(this.pick(50));
      }
      // If the phase ended before that, its result is returned below.
      if (waits) {
        await this.program!.end('SIGKILL');
        done++;
      }
      // The database server may have ended with its program.
      await gate.end().catch(() => {});
      if (!waits) break;
      this.program = await startProgram(['--data-dir', this.dataDir]);
      // The dead process holds its lease for 30 s of the database's time; the test expires it at once.
      await this.onDatabase(
        "update imports set lease_until = clock_timestamp() - interval '1 second' where status in ('checking', 'running', 'undoing')",
      );
    }
    expect(done).toBeGreaterThan(0);
    return this.ended(id);
  }

  /** Returns whether the import waits at the gate; false if it has ended. */
  private async waitsAtGate(gate: pg.Client, id: number): Promise<boolean> {
    for (;;) {
      const { rows } = await gate.query(
        "select 1 from pg_locks where locktype = 'advisory' and objid = $1 and not granted",
        [GATE],
      );
      if (rows.length > 0) return true;
      if (isOver(await this.call('GET', `/imports/${id}`))) return false;
      await sleep(5);
    }
  }

  private async ended(id: number): Promise<TestBody> {
    for (;;) {
      const row = await this.call('GET', `/imports/${id}`);
      if (isOver(row)) return row;
      await sleep(20);
    }
  }

  private async connect(): Promise<pg.Client> {
    const database = new pg.Client(await findEmbedded(this.dataDir));
    // The server may end with the program while the connection is open.
    database.on('error', () => {});
    await database.connect();
    return database;
  }

  private async json(args: string[]): Promise<TestBody> {
    const outcome = await tradeloom([...args, '--json'], { TRADELOOM_DATA_DIR: this.dataDir });
    expect(outcome.stderr).toBe('');
    return JSON.parse(outcome.stdout);
  }

  private async call(method: string, path: string, body?: unknown): Promise<TestBody> {
    const response = await fetch(`${this.program!.origin}/commerce/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': this.key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const result = (await response.json()) as TestBody;
    expect(response.status, JSON.stringify(result)).toBeLessThan(300);
    return result.data;
  }
}

function isOver({ status }: TestBody): boolean {
  return !['checking', 'running', 'undoing'].includes(status);
}
