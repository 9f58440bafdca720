import { readFileSync } from 'node:fs';
import type { TestBody, TestCompany, TestServer } from '../../testing/harness.ts';
import { CHUNK_BYTES } from '../contract.ts';

/** Returns a sample file in the format that a service exports. */
export function sample(name: string): string {
  return readFileSync(new URL(`samples/${name}.csv`, import.meta.url), 'utf8');
}

/** Imports a file through the API, and runs the worker's turns itself. */
export class TestImports {
  private readonly server: TestServer;
  readonly shop: TestCompany;

  constructor(server: TestServer, shop: TestCompany) {
    this.server = server;
    this.shop = shop;
  }

  async call(method: string, path: string, body?: object): Promise<TestBody> {
    const response = await this.shop.commerce(method, path, body);
    if (response.status > 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
    return response.body.data;
  }

  async upload(format: string, file: string | Buffer, name = 'file.csv'): Promise<number> {
    const { id } = await this.call('POST', '/imports', { format, file_name: name });
    const bytes = Buffer.from(file);
    for (let at = 0, n = 0; at < bytes.length; at += CHUNK_BYTES, n++) {
      const data = bytes.subarray(at, at + CHUNK_BYTES).toString('base64');
      await this.call('POST', `/imports/${id}/chunks`, { n, data });
    }
    return id;
  }

  /** Lets the worker finish what is open, and returns the import. */
  async settled(id: number): Promise<TestBody> {
    const worker = this.server.app.workers.find(({ name }) => name === 'imports')!;
    for (let turn = 0; turn < 5_000; turn++) {
      const row = await this.call('GET', `/imports/${id}`);
      if (!['checking', 'running', 'undoing'].includes(row.status)) return row;
      await worker.runOnce();
    }
    throw new Error('the import does not end');
  }

  async check(id: number, options: object = {}): Promise<TestBody> {
    await this.call('POST', `/imports/${id}/check`, options);
    return this.settled(id);
  }

  async run(id: number): Promise<TestBody> {
    await this.call('POST', `/imports/${id}/run`);
    return this.settled(id);
  }

  async undo(id: number): Promise<TestBody> {
    await this.call('POST', `/imports/${id}/undo`);
    return this.settled(id);
  }

  /** Uploads, checks and runs. Throws if the check did not predict what the run did. */
  async import(format: string, file: string, options: object = {}): Promise<TestBody> {
    const id = await this.upload(format, file);
    const checked = await this.check(id, options);
    if (checked.status !== 'checked') throw new Error(`${checked.status}: ${checked.error}`);
    const done = await this.run(id);
    for (const count of ['created', 'updated', 'unchanged', 'skipped', 'refused', 'suppressed']) {
      if (checked[count] !== done[count]) {
        throw new Error(`${count}: the check said ${checked[count]}, the run did ${done[count]}`);
      }
    }
    return done;
  }

  async findings(id: number, phase: 'check' | 'run' | 'undo' = 'run'): Promise<TestBody[]> {
    return (await this.call('GET', `/imports/${id}/findings?phase=${phase}`)).findings;
  }
}
