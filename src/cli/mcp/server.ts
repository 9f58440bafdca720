import {
  acceptedContent,
  type CallToolResult,
  inputRequired,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ApiError, TradeloomError } from '../../../client/src/client.ts';
import manifest from '../../../package.json' with { type: 'json' };
import type { Scope } from '../../access/scopes.ts';
import type { Api } from './api.ts';
import { argumentsOf } from './arguments.ts';
import type { Confirmations } from './confirmations.ts';
import { searchRecords } from './search.ts';
import { soldOutProducts } from './sold-out.ts';
import { type EndpointTool, optionsOf } from './tools.ts';

export interface McpDeps {
  api: Api;
  /** The key of the caller: confirmations are bound to it. */
  apiKey: string;
  tools: readonly EndpointTool[];
  scopes: ReadonlySet<Scope>;
  allowWrites: boolean;
  confirmations: Confirmations;
}

const INSTRUCTIONS =
  'Tools of a shop and its marketing: each calls one endpoint of the API, with the scopes of its API key. Lists have pages (page, per_page up to 100) and a total. Amounts are in the currency of the shop, times in UTC. A product with variants is not sold itself: orders, stock and inventory are about its variants, which lists of products show with include=variants. Tools that write do nothing until the call is confirmed: show the person what will be done first. A campaign that is complete and has a scheduled_at to come, from postCampaigns or patchCampaignsById, is scheduled and goes out by itself at that moment; any other new campaign is a draft until postCampaignsSendById.';

/** Longer results are refused: they would fill a model's context with data that it did not mean to read. */
const MAX_RESULT = 200_000;

/** An MCP server with the tools that the key may use. See docs/design/api.md. */
export function createMcpServer(deps: McpDeps): McpServer {
  const { api, tools, scopes, allowWrites } = deps;
  const server = new McpServer({ name: 'tradeloom', version: manifest.version }, { instructions: INSTRUCTIONS });
  const offered = tools.filter((tool) => scopes.has(tool.scope) && (allowWrites || !tool.isWrite));
  for (const tool of offered) {
    const { name, title, description, isWrite, endpoint } = tool;
    const inputSchema = compiledSchemaOf(tool);
    const annotations = {
      readOnlyHint: !isWrite,
      destructiveHint: endpoint.method === 'DELETE',
      idempotentHint: !isWrite,
      openWorldHint: false,
    };
    server.registerTool(name, { title, description, inputSchema, annotations }, (args, context) =>
      isWrite ? confirmed(server, deps, tool, args, context) : resultOf(() => call(api, tool, args)),
    );
  }
  const readOnly = { readOnlyHint: true, openWorldHint: false };
  if (scopes.has('products:read')) {
    server.registerTool(
      'soldOutProducts',
      {
        title: 'Products that sold out in a period',
        description:
          'Which products sold out between two moments, by their stock movements, and when. `complete` is false where more products or movements exist than were looked at.',
        inputSchema: SOLD_OUT_INPUT,
        annotations: readOnly,
      },
      ({ from, to, limit = 200 }) => {
        const period = { from: new Date(from), to: new Date(to) };
        if (!(period.from < period.to)) return failure('`from` must be before `to`');
        return resultOf(() => soldOutProducts(api, { ...period, limit, readsLocations: scopes.has('inventory:read') }));
      },
    );
  }
  server.registerTool(
    'search',
    {
      title: 'Search everything',
      description:
        'Records of every list that can be searched: products, customers, contacts and others, five of each.',
      inputSchema: SEARCH_INPUT,
      annotations: readOnly,
    },
    ({ text }) => resultOf(() => searchRecords(api, offered, text)),
  );
  return server;
}

const MOMENT = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC' };
const SOLD_OUT_INPUT = argumentsOf<{ from: string; to: string; limit?: number }>({
  type: 'object',
  properties: {
    from: MOMENT,
    to: MOMENT,
    limit: { type: 'integer', minimum: 1, maximum: 1_000, description: 'Products to look at; 200 where absent' },
  },
  required: ['from', 'to'],
  additionalProperties: false,
});

const SEARCH_INPUT = argumentsOf<{ text: string }>({
  type: 'object',
  properties: { text: { type: 'string', minLength: 1, maxLength: 200 } },
  required: ['text'],
  additionalProperties: false,
});

type InputSchema = ReturnType<typeof argumentsOf<Record<string, unknown>>>;
/** Cached, because compiling those of 159 tools takes 200 ms, and over HTTP each request has a server of its own. */
const compiled = new WeakMap<EndpointTool, InputSchema>();

function compiledSchemaOf(tool: EndpointTool): InputSchema {
  let schema = compiled.get(tool);
  if (schema === undefined) {
    schema = argumentsOf<Record<string, unknown>>(schemaOf(tool));
    compiled.set(tool, schema);
  }
  return schema;
}

/** For a tool that writes, adds `confirm`, the token of its description. */
function schemaOf({ inputSchema, isWrite }: EndpointTool): object {
  if (!isWrite) return inputSchema;
  const confirm = {
    type: 'string',
    maxLength: 40,
    description: 'The token that the first call gave; leave it out there',
  };
  return { ...inputSchema, properties: { ...(inputSchema.properties as object), confirm } };
}

/** Runs a write once a person has agreed: through the client's own prompt where it has one, else by a second call with a token. */
async function confirmed(
  server: McpServer,
  { api, apiKey, confirmations }: McpDeps,
  tool: EndpointTool,
  { confirm, ...args }: Record<string, unknown>,
  context: ServerContext,
) {
  const run = (): Promise<CallToolResult> => resultOf(() => call(api, tool, args));
  const pending = { apiKey, tool: tool.name, args };
  if (typeof confirm === 'string') {
    if (confirmations.take(confirm, pending)) return run();
    return failure(
      'The token is unknown, used, expired, or that of another call. Call without `confirm` for a new one.',
    );
  }
  const description = describe(tool, args);
  if (server.server.getClientCapabilities()?.elicitation !== undefined) {
    const responses = context.mcpReq.inputResponses;
    if (acceptedContent<{ confirm?: unknown }>(responses, 'confirm')?.confirm === true) return run();
    if (responses?.confirm !== undefined) return failure('Nothing was done: the person did not agree.');
    const question = inputRequired.elicit({ message: description, requestedSchema: AGREEMENT });
    return inputRequired({ inputRequests: { confirm: question } });
  }
  const token = confirmations.ask(pending);
  const hint = `Nothing was done yet. Show this to the person; when they agree, call ${tool.name} again with the same arguments and "confirm": "${token}" within ten minutes.`;
  return { content: [{ type: 'text' as const, text: `${description}\n\n${hint}` }] };
}

const AGREEMENT = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Do it', default: false } },
  required: ['confirm'],
};

function describe({ title, endpoint }: EndpointTool, args: Record<string, unknown>): string {
  return `${title} (${endpoint.method} ${endpoint.path}):\n${JSON.stringify(args, null, 2).slice(0, 4_000)}`;
}

async function call(api: Api, tool: EndpointTool, args: Record<string, unknown>): Promise<unknown> {
  const { method, path } = tool.endpoint;
  if (tool.endpoint.query?.properties.page !== undefined) return api[tool.side].page(path, optionsOf(tool, args));
  return (await api[tool.side].request(method, path, optionsOf(tool, args))).data;
}

/** Returns the result of the work as JSON; a refusal by the API becomes an error that a model can act on. */
async function resultOf(work: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    const text = JSON.stringify(await work());
    if (text.length > MAX_RESULT) return failure(`The result has ${text.length} characters: ask for fewer records.`);
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    if (!(error instanceof TradeloomError)) throw error;
    if (!(error instanceof ApiError)) return failure(error.message);
    const { status, code, message, fields, fix, requestId } = error;
    return failure(JSON.stringify({ status, code, message, fields, fix, request_id: requestId }));
  }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
