import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endWithProcess } from '../server/endings.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Shop {
  companyId: string;
  call(method: string, path: string, body?: object): Promise<ImportState>;
}

export interface ImportState {
  id: number;
  status: string;
  position: number;
  error: string | null;
  created: number;
  refused: number;
}

/** The program as a customer starts it, in a process of its own, on an empty database. */
export async function startShop(dataDir: string, nodeOptions: string[]) {
  const command = [...nodeOptions, MAIN, 'start', '--port', '0', '--empty', '--data-dir', dataDir];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  endWithProcess(stop);
  const origin = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /^Admin app +(http:\/\/\S+)\/admin\//m.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`The program did not start: ${said}`)));
  });
  const company = await json(dataDir, ['companies', 'create', '--name', 'Bench']);
  const companyId = String(company.company_id);
  const rights = ['--name', 'bench', '--scope', '*', '--requests-per-hour', '0'];
  const { key } = await json(dataDir, ['keys', 'create', '--company', companyId, ...rights]);
  const shop: Shop = {
    companyId,
    async call(method, path, body) {
      const response = await fetch(`${origin}/commerce/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-api-key': String(key) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const result = (await response.json()) as { data: ImportState };
      if (response.status > 299) throw new Error(`${method} ${path}: ${JSON.stringify(result)}`);
      return result.data;
    },
  };
  return { pid: child.pid!, shop, stop };
}

async function json(dataDir: string, args: string[]): Promise<Record<string, unknown>> {
  const env = { ...process.env, TRADELOOM_DATA_DIR: dataDir, TRADELOOM_PRINT_SECRETS: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, '--json'], { env });
  return JSON.parse(stdout) as Record<string, unknown>;
}
