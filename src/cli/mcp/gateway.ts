import { createHash } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../../access/scopes.ts';
import { systemClock } from '../../clock.ts';
import { type Api, apiOf } from './api.ts';
import { createConfirmations } from './confirmations.ts';
import { grantedScopes } from './granted-scopes.ts';
import { createMcpServer } from './server.ts';
import type { EndpointTool } from './tools.ts';

export interface GatewayOptions {
  /** Where the APIs are. */
  origin: string;
  tools: readonly EndpointTool[];
  allowWrites: boolean;
}

/** A key's scopes seldom change; a call with one that was revoked is refused by the API itself. */
const SCOPES_MS = 60_000;
const MAX_KEYS = 1_000;

/** MCP servers by key: what each may do is requested from the API once a minute. */
export interface Gateway {
  /** Whether the key was checked within the last minute. */
  isKnown(apiKey: string, companyId: number): boolean;
  /** Throws where the server cannot be reached or does not know the key. */
  check(apiKey: string, companyId: number): Promise<void>;
  serverFor(apiKey: string, companyId: number): Promise<McpServer>;
}

export function createGateway({ origin, tools, allowWrites }: GatewayOptions): Gateway {
  const confirmations = createConfirmations(systemClock);
  const offered = tools.filter(({ isWrite }) => allowWrites || !isWrite);
  const known = new LRUCache<string, { api: Api; scopes: Promise<ReadonlySet<Scope>> }>({
    max: MAX_KEYS,
    ttl: SCOPES_MS,
  });

  function find(apiKey: string, companyId: number): { api: Api; scopes: Promise<ReadonlySet<Scope>> } {
    const id = idOf(apiKey, companyId);
    let found = known.get(id);
    if (found === undefined) {
      const api = apiOf({ origin, apiKey, companyId, headers: { 'User-Agent': 'tradeloom-mcp' } });
      found = { api, scopes: grantedScopes(api, companyId, offered) };
      known.set(id, found);
      // The next request tries again.
      found.scopes.catch(() => known.delete(id));
    }
    return found;
  }

  return {
    isKnown: (apiKey, companyId) => known.has(idOf(apiKey, companyId)),
    async check(apiKey, companyId) {
      await find(apiKey, companyId).scopes;
    },
    async serverFor(apiKey, companyId) {
      const { api, scopes } = find(apiKey, companyId);
      return createMcpServer({ api, apiKey, tools: offered, scopes: await scopes, allowWrites, confirmations });
    },
  };
}

function idOf(apiKey: string, companyId: number): string {
  return createHash('sha256').update(`${companyId} ${apiKey}`).digest('base64');
}
