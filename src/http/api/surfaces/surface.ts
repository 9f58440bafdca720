import type { FastifyRequest } from 'fastify';
import type { Holder } from '../../../access/authenticator.ts';
import type { AppError } from '../../../errors.ts';
import type { ApiResponse, Endpoint, Visitor } from '../endpoint.ts';
import type { HttpPort } from '../port.ts';

/** Turns a response's data into JSON text; compiled once per endpoint. */
export type DataSerializer = (response: ApiResponse) => string;

/**
 * What differs between the two APIs: who is asked for what in which order, and the envelopes. Everything else is
 * the one pipeline in server.ts.
 */
export interface Surface {
  name: 'commerce' | 'marketing' | 'admin';
  /** The same router stands under each of them. */
  prefixes: string[];
  /** Headers of every response. */
  headers: Record<string, string>;
  /** Handles what is under its prefixes and no route: of several surfaces with the same prefix, one does. */
  handlesUnknown: boolean;
  /** Whether its requests are kept for the company's developers. */
  recordsRequests: boolean;
  /** Whether what its requests write is in the audit log, with who made them. */
  audits: boolean;
  /**
   * Whether responses are compressed where the client can read that. Only of a surface whose cookie no other site's
   * request carries: lengths of compressed secrets beside an attacker's words would tell of them (BREACH).
   */
  compresses: boolean;
  /** What must hold of any request before it is asked who made it; throws AppError. */
  checkSender(request: FastifyRequest): void;
  /** Who makes the request. Throws AppError where nobody known does. Without a promise when all needed is in memory. */
  findHolder(port: HttpPort, request: FastifyRequest): Holder | Promise<Holder>;
  /** What handlers are told of who makes the request, besides the caller. */
  visitorOf?(request: FastifyRequest): Visitor;
  /** What else must hold of the headers once the key is known; throws AppError. */
  checkHolder(request: FastifyRequest, holder: Holder): void;
  /** What must hold of the request besides (version); throws AppError. Called once the rate is counted. */
  checkRequest(request: FastifyRequest): void;
  /** Throws AppError when the holder may not use the endpoint. */
  checkScope(holder: Holder, endpoint: Endpoint, port: HttpPort, request: FastifyRequest): void;
  /** The success body. */
  success(endpoint: Endpoint, json: string, response: ApiResponse, requestId: string): string;
  /** The error body with its status. */
  failure(error: AppError, requestId: string): { status: number; body: string };
}

/** What the pipeline hangs on a request between its hooks. */
export interface RequestState {
  requestId: string;
  holder: Holder | null;
}
