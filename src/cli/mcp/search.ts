import type { Api } from './api.ts';
import type { EndpointTool } from './tools.ts';

const OF_EACH = 5;

/** Returns the first matches of every list that has `search`, by the path of the list. */
export async function searchRecords(
  api: Api,
  tools: readonly EndpointTool[],
  text: string,
): Promise<Record<string, { total: number; items: Record<string, unknown>[] }>> {
  const lists = tools.filter(
    ({ endpoint: { method, params, query } }) =>
      method === 'GET' &&
      params === undefined &&
      query?.properties.search !== undefined &&
      query.properties.page !== undefined,
  );
  const found = await Promise.all(
    lists.map(async ({ side, endpoint: { path } }) => {
      const { items, pagination } = await api[side].page(path, { query: { search: text, per_page: OF_EACH } });
      return [path, { total: pagination.total, items }] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, { total }]) => total > 0));
}
