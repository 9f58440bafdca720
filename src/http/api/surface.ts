import type { FastifyRequest } from 'fastify';
import type { KeyHolder } from '../../access/authenticator.ts';
import type { AppError } from '../../errors.ts';
import type { ApiResponse, Endpoint } from './endpoint.ts';

/** Turns a response's data into JSON text; compiled once per endpoint. */
export type DataSerializer = (response: ApiResponse) => string;

/**
 * What differs between the two APIs: who is asked for what in which order, and the envelopes. Everything else is
 * the one pipeline in server.ts.
 */
export interface Surface {
  name: 'commerce' | 'marketing';
  /** The same router stands under each of them. */
  prefixes: string[];
  /** Headers of every response. */
  headers: Record<string, string>;
  /** The key of the request, as text; null when there is none. */
  keyOf(request: FastifyRequest): string | null;
  /** What else must hold of the headers once the key is known; throws AppError. */
  checkHolder(request: FastifyRequest, holder: KeyHolder): void;
  /** What must hold of the request besides (version); throws AppError. Called once the rate is counted. */
  checkRequest(request: FastifyRequest): void;
  /** Throws AppError when the key lacks the endpoint's scope. */
  checkScope(holder: KeyHolder, endpoint: Endpoint): void;
  /** The success body. */
  success(endpoint: Endpoint, json: string, response: ApiResponse, requestId: string): string;
  /** The error body with its status. */
  failure(error: AppError, requestId: string): { status: number; body: string };
}

/** What the pipeline hangs on a request between its hooks. */
export interface RequestState {
  requestId: string;
  holder: KeyHolder | null;
}
