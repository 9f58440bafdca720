import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Command, Option } from 'commander';
import { originOf } from '../../../client/src/origin.ts';
import { wholeNumber } from '../numbers.ts';
import { UsageError, withExample } from '../output.ts';
import type { EndpointTool } from './tools.ts';

interface Flags {
  url: string;
  key?: string;
  company: number;
  allowWrites?: true;
  only?: string[];
  http?: number;
  host: string;
  publicHost?: string[];
  json?: true;
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

export function mcpCommand(): Command {
  const command = new Command('mcp')
    .description(
      'Serve the endpoints of a running server as tools for an AI assistant (Model Context Protocol), over standard input and output or HTTP. Read-only, with the scopes of its API key.',
    )
    .addOption(
      new Option('--url <address>', 'where the server is')
        .env('TRADELOOM_URL')
        .default('http://127.0.0.1:3000')
        .argParser(addressOf),
    )
    .addOption(new Option('--key <key>', 'the API key; over HTTP each request brings its own').env('TRADELOOM_KEY'))
    .option('--company <id>', 'the company of the key', wholeNumber, 1)
    .option('--allow-writes', 'also offer tools that write; each call must be confirmed')
    .option('--only <tag>', 'only tools of this resource, such as Products; may be repeated', collect)
    .option('--http <port>', 'streamable HTTP at /mcp on this port, 0 for a free one', wholeNumber)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--public-host <name>', 'a host name under which a reverse proxy reaches it; may be repeated', collect)
    .option('--json', 'accepted for uniformity')
    .action(run);
  return withExample(command, 'tradeloom mcp --key tl_live_…');
}

async function run(flags: Flags): Promise<void> {
  const [{ createGateway }, { toolsOf }, endpoints] = await Promise.all([
    import('./gateway.ts'),
    import('./tools.ts'),
    import('../../endpoints.ts'),
  ]);
  const all = [
    ...toolsOf('commerce', endpoints.commerceEndpoints),
    ...toolsOf('marketing', endpoints.marketingEndpoints),
  ];
  const tools = chosen(all, flags.only);
  const gateway = createGateway({ origin: flags.url, allowWrites: flags.allowWrites === true, tools });
  if (flags.http === undefined) {
    if (flags.key === undefined) throw new UsageError('The API key is missing. Set --key or TRADELOOM_KEY');
    const { key } = flags;
    await gateway.check(key, flags.company);
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    serveStdio(() => gateway.serverFor(key, flags.company), { onerror: warn });
    return;
  }
  const { createMcpHttp } = await import('./http.ts');
  const server = createMcpHttp({
    gateway,
    companyId: flags.company,
    hosts: flags.publicHost ?? [],
    onError: warn,
  });
  server.listen(flags.http, flags.host);
  await once(server, 'listening');
  const { address, port, family } = server.address() as AddressInfo;
  process.stdout.write(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp\n`);
}

function addressOf(text: string): string {
  try {
    return originOf(text);
  } catch (error) {
    throw new UsageError(`--url: ${(error as Error).message}`);
  }
}

function chosen(tools: EndpointTool[], only: string[] | undefined): EndpointTool[] {
  if (only === undefined) return tools;
  const wanted = only.map((tag) => tag.toLowerCase());
  const unknown = wanted.find((tag) => !tools.some(({ endpoint }) => endpoint.tag.toLowerCase() === tag));
  if (unknown !== undefined) {
    const tags = [...new Set(tools.map(({ endpoint }) => endpoint.tag))];
    throw new UsageError(`--only: unknown resource ${unknown}. Resources: ${tags.join(', ')}`);
  }
  return tools.filter(({ endpoint }) => wanted.includes(endpoint.tag.toLowerCase()));
}

/** Standard output belongs to the protocol. */
function warn(error: Error): void {
  process.stderr.write(`${error.message}\n`);
}
