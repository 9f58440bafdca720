import { type ChildProcess, fork } from 'node:child_process';
import { loadavg } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { adminEndpoints } from '../src/endpoints.ts';
import { plainSchema } from '../src/http/api/plain-schema.ts';
import { type Ids, RECIPES } from '../src/testing/recipes.ts';
import { addressOf, bodyOf, ENDPOINTS } from '../src/testing/records.ts';
import { FILLINGS, largestOf } from './blocks/largest.ts';
import { loopFiguresOf, messageFrom } from './load/child-process.ts';
import type { Target } from './server/target.ts';

interface SampleRequest {
  method: string;
  /** Includes the API's base path. */
  path: string;
  /** As it is printed. */
  name: string;
  body?: string;
}

interface Result {
  status: number;
  text: string;
}

/** Every endpoint with the largest bodies that it accepts, and the lists with 100 records on their first page. */
function samplesOf(ids: Ids, { companyId }: Target['shop']): SampleRequest[] {
  const samples = ENDPOINTS.flatMap(({ side, endpoint }): SampleRequest[] => {
    const address = endpoint.scope === 'public' ? null : addressOf(endpoint, ids);
    if (address === null) return [];
    const { method } = endpoint;
    const name = `${method} ${side}${endpoint.path}`;
    const path = `/${side}/v1${address}`;
    const sample = bodyOf(endpoint);
    if (sample !== undefined && endpoint.rawBody === undefined)
      return FILLINGS.map((filling) => {
        const body = JSON.stringify(largestOf(plainSchema(endpoint.body!), sample, filling));
        return { method, path, name: `${name} (${filling})`, body };
      });
    return method === 'GET' ? [{ method, path: withPage(path, endpoint.query !== undefined), name }] : [];
  });
  const admin = adminEndpoints.flatMap((endpoint): SampleRequest[] => {
    const address = addressOf(endpoint, ids);
    if (address === null || endpoint.method !== 'GET' || endpoint.contentType !== undefined) return [];
    const path = withPage(`/admin/api/${companyId}${address}`, endpoint.query?.properties.per_page !== undefined);
    return [{ method: 'GET', path, name: `GET admin${endpoint.path}` }];
  });
  // Writes come first, so that the reads find records.
  return [...samples.filter(({ body }) => body), ...samples.filter(({ body }) => !body), ...admin];
}

const withPage = (path: string, isList: boolean): string =>
  isList ? `${path}${path.includes('?') ? '&' : '?'}per_page=100` : path;

async function send({ port, shop, adminCookie }: Target, { method, path, body }: SampleRequest): Promise<Result> {
  const byKey = {
    'x-api-key': shop.key,
    authorization: `Bearer ${shop.key}`,
    'x-company-id': String(shop.companyId),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: path.startsWith('/admin') ? { cookie: `tradeloom=${adminCookie}` } : byKey,
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: await response.text() };
}

/** Creates records for the paths, by the recipes of the tests. */
async function makeRecords(target: Target): Promise<Ids> {
  const ids: Ids = { company_id: target.shop.companyId };
  for (const { side, resource, body } of RECIPES) {
    const sent = { method: 'POST', path: `/${side}/v1/${resource}`, name: resource };
    const { status, text } = await send(target, { ...sent, body: JSON.stringify(body(ids, 'largest')) });
    if (status > 201) throw new Error(`${resource}: ${text}`);
    const made = JSON.parse(text) as { data: { id: number } } & Record<string, number | string>;
    const name = Object.keys(made).find((key) => key.endsWith('_id') || key === 'event_type');
    ids[resource] = side === 'commerce' ? made.data.id : made[name!]!;
  }
  return ids;
}

/** The minimum of several rounds counts: other work on the machine only adds time. */
async function measure(
  server: ChildProcess,
  target: Target,
  sample: SampleRequest,
  rounds: number,
  over: number,
): Promise<void> {
  let result = await send(target, sample);
  let [block, cpu] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    await loopFiguresOf(server);
    result = await send(target, sample);
    const figures = await loopFiguresOf(server);
    block = Math.min(block, figures.longestBlockMs);
    cpu = Math.min(cpu, figures.cpuMs);
    if (block <= over) return;
  }
  const sent = ((sample.body?.length ?? 0) / 1_024).toFixed(0);
  process.stdout.write(
    `${block.toFixed(0).padStart(5)} ms  ${cpu.toFixed(0).padStart(5)} ms of the processor  ${String(result.status)}  ${sent.padStart(5)} KiB in  ${(Buffer.byteLength(result.text) / 1_024).toFixed(0).padStart(6)} KiB out  ${sample.name}\n`,
  );
}

async function run({ only = '', over, rounds }: { only?: string; over: number; rounds: number }): Promise<void> {
  const server = fork(new URL('./server/server.ts', import.meta.url), ['crowd:2000']);
  try {
    const target = await messageFrom<Target>(server, 'The server');
    const samples = samplesOf(await makeRecords(target), target.shop);
    process.stdout.write(
      `load ${loadavg()[0]!.toFixed(1)}; requests that block the event loop for more than ${over} ms\n`,
    );
    for (const sample of samples.filter(({ name }) => name.includes(only)))
      await measure(server, target, sample, rounds, over);
  } finally {
    if (server.connected) server.disconnect();
  }
}

function wholeNumber(text: string): number {
  const n = Number(text);
  if (Number.isInteger(n) && n >= 0 && n <= 1_000) return n;
  throw new InvalidArgumentError('It takes a whole number from 0 to 1,000.');
}

await new Command('blocks')
  .description(
    'Find the requests that keep the event loop from others, with the largest bodies and responses there may be.',
  )
  .option('--only <text>', 'endpoints whose name has this')
  .option('--over <ms>', 'show those that block it for longer', wholeNumber, 5)
  .option('--rounds <n>', 'how often each is measured', wholeNumber, 5)
  .action(run)
  .parseAsync();
