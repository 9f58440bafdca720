import { type ClientOptions, createClient } from '../../../client/src/client.ts';
import type { Side } from './tools.ts';

interface CallOptions {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

interface PageOf {
  items: Record<string, unknown>[];
  pagination: { page: number; total: number; total_pages: number };
}

/** One of the APIs, called with paths known only at run time. */
export interface LooseSurface {
  request(method: string, path: string, options?: CallOptions): Promise<{ data: unknown; status: number }>;
  page(path: string, options?: CallOptions): Promise<PageOf>;
}

export type Api = Record<Side, LooseSurface>;

/** The typed client without its types: the tools' arguments were checked against the schemas of their endpoints. */
export function apiOf(options: ClientOptions): Api {
  return createClient(options) as unknown as Api;
}
