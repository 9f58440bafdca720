import type { Db } from '../db/pool.ts';
import { type Page, type PageBehind, pageBehind, pageOf } from '../lib/paging.ts';
import type { LoggedRequest, RequestQuery } from './contract.ts';
import * as queries from './queries.ts';

export type RequestLogService = ReturnType<typeof createRequestLogService>;

/** The latest requests of a company's API keys, for people. */
export function createRequestLogService({ db }: { db: Db }) {
  return {
    async listRequests(companyId: number, query: RequestQuery): Promise<Page<LoggedRequest>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const filters = filtersOf(query);
      const [total, rows] = await Promise.all([
        queries.countRequests(lane, companyId, filters),
        queries.listRequests(lane, companyId, filters, page),
      ]);
      return { rows: rows.map(loggedRequest), total, ...page };
    },

    /** Returns a part of the list, for an export. */
    async walkRequests(
      companyId: number,
      query: RequestQuery,
      place: string | null,
      limit: number,
    ): Promise<PageBehind<LoggedRequest>> {
      const from = { before: place === null ? null : Number(place), limit };
      const rows = await queries.walkRequests(db.lists(companyId), companyId, filtersOf(query), from);
      return pageBehind(rows, limit, loggedRequest, ({ id }) => String(id));
    },
  };
}

function filtersOf(query: RequestQuery): queries.RequestFilters {
  return {
    keyId: query.key_id ?? null,
    hundreds: query.status === undefined ? null : Number(query.status[0]),
    method: query.method ?? null,
    path: query.path ?? null,
    error: query.error ?? null,
    requestId: query.request_id ?? null,
  };
}

function loggedRequest(row: queries.RequestRow): LoggedRequest {
  return { ...row, at: row.at.toISOString() };
}
