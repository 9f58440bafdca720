import { ApiError } from '../../../client/src/client.ts';
import type { Scope } from '../../access/scopes.ts';
import type { Api } from './api.ts';
import type { EndpointTool } from './tools.ts';

/** Returns a request that shows whether a key has a scope, without any effect. */
function probeOf(tools: readonly EndpointTool[]): EndpointTool | undefined {
  const isHarmless = ({ endpoint, isWrite }: EndpointTool): boolean => {
    const { method, params, query, body, bodyOptional } = endpoint;
    if (isWrite) return method === 'POST' && body !== undefined && !bodyOptional;
    return method === 'GET' && params === undefined && ((query?.required as string[]) ?? []).length === 0;
  };
  return tools.find(isHarmless);
}

/**
 * Returns which scopes of the tools the key has. Throws where the server cannot be reached, does not know the key, or knows
 * it as that of another company.
 */
export async function grantedScopes(
  api: Api,
  companyId: number,
  tools: readonly EndpointTool[],
): Promise<ReadonlySet<Scope>> {
  await checkCompany(api, companyId);
  const groups = [...Map.groupBy(tools, ({ scope }) => scope)];
  const granted = await Promise.all(
    groups.map(async ([scope, ofScope]) => {
      const probe = probeOf(ofScope);
      return probe !== undefined && (await has(api, probe)) ? scope : null;
    }),
  );
  const scopes = new Set(granted.filter((scope) => scope !== null));
  if (scopes.size === 0) throw new Error('The API key has no scope of a tool');
  return scopes;
}

/** The commerce API takes no company. The marketing API refuses that of another key, whatever its scopes, before it looks for the path. */
async function checkCompany({ marketing }: Api, companyId: number): Promise<void> {
  try {
    await marketing.request('GET', '/');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return;
    if (error.status !== 401) throw error;
    throw new Error(`The API key is unknown or not of company ${companyId}, which --company or X-Company-ID names`, {
      cause: error,
    });
  }
}

/** A body that every endpoint refuses, after it has checked the scope. */
const NO_OBJECT: unknown[] = [];

async function has(api: Api, { side, endpoint, isWrite }: EndpointTool): Promise<boolean> {
  const query = endpoint.query?.properties.per_page === undefined ? {} : { per_page: 1 };
  try {
    const path = Object.fromEntries(Object.keys(endpoint.params?.properties ?? {}).map((name) => [name, '1']));
    await api[side].request(endpoint.method, endpoint.path, isWrite ? { path, body: NO_OBJECT } : { query });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401 || error.status === 403) return false;
    if (isWrite && (error.status === 400 || error.status === 422)) return true;
    throw error;
  }
}
