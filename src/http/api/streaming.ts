import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fastJson from 'fast-json-stringify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import { recordAuditEntry } from '../../access/audit.ts';
import { shareOf } from '../../access/authenticator.ts';
import type { Caller } from '../../caller.ts';
import { type Held, JsonPages, Streamed, StreamedText } from '../../lib/streamed.ts';
import { type ExportEntry, exportEntryOf } from './audit.ts';
import type { ApiResponse, Endpoint, Route } from './endpoint.ts';
import type { HttpPort } from './port.ts';
import type { CallReader } from './read-call.ts';
import { JSON_TYPE } from './serializer.ts';
import type { Surface } from './surfaces/surface.ts';

/** Handles an endpoint whose response is sent while it is read. Where it fails, nothing has been sent. */
export function streamingHandlerOf(port: HttpPort, surface: Surface, route: Route, readCall: CallReader) {
  const { endpoint } = route;
  if (endpoint.method !== 'GET') throw new Error(`${endpoint.path} streams and is no GET`);
  // Customers who export their own data leave no entry among what staff has done.
  const entryOf = endpoint.scope === 'store' ? () => null : exportEntryOf(endpoint);
  const write = endpoint.contentType === undefined ? streamWriterOf(endpoint.data) : null;

  return async (request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<FastifyReply> => {
    return sendStreamed(port, request, reply, caller, async () => {
      const call = readCall(request, reply, caller);
      const { data, ...response } = route.present(await route.handle(call));
      const entry = entryOf(call);
      const { status } = endpoint;
      if (write === null) {
        if (!(data instanceof StreamedText)) throw new Error(`${endpoint.path} must give a StreamedText`);
        reply.header('Content-Disposition', `attachment; filename="${data.fileName}"`);
        const { contentType } = endpoint;
        const type = contentType === 'text/csv' ? `${contentType}; charset=utf-8` : contentType!;
        return { pieces: data.pieces, type, status, entry, ...data.held };
      }
      if (!(data instanceof Streamed)) throw new Error(`${endpoint.path} must give a Streamed`);
      const { before, after } = envelopeOf(surface, endpoint, { data, ...response }, caller.requestId);
      return { pieces: around(before, write(data), after), type: JSON_TYPE, status, entry };
    });
  };
}

interface Begun extends Held {
  pieces: AsyncIterable<string | Uint8Array>;
  type: string;
  status: number;
  /** Null: none is recorded. */
  entry: ExportEntry | null;
}

/**
 * Sends pieces while they are read, within the company's limit of streams. The audit log has its entry before anything is sent. If `begin`
 * fails, nothing has been sent.
 */
export async function sendStreamed(
  port: HttpPort,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  begin: () => Promise<Begun>,
): Promise<FastifyReply> {
  const hold = request.server.limits.beginStream(shareOf(request.holder ?? caller));
  try {
    const { pieces, type, status, entry, close, limitMs } = await begin();
    if (request.method !== 'HEAD' && entry !== null) await recordExport(port, caller, { entry, close });
    const onError = logCut(port, request, caller);
    // A buffering proxy reads faster than its client, and hides that the client has gone.
    reply.code(status).header('Content-Type', type).header('X-Accel-Buffering', 'no');
    return reply.send(streamOf(pieces, { onError, onEnd: hold.release, close, limitMs }));
  } catch (error) {
    hold.release();
    throw error;
  }
}

async function recordExport(
  { db }: HttpPort,
  { companyId, actor, now: at }: Caller,
  { entry, close }: { entry: ExportEntry } & Pick<Begun, 'close'>,
): Promise<void> {
  try {
    await db.tenantTx(companyId, (tx) => recordAuditEntry(tx, companyId, { ...entry, at, actor }));
  } catch (error) {
    await close?.();
    throw error;
  }
}

/** Logs a stream that fails after the status was sent. */
export function logCut(port: HttpPort, request: FastifyRequest, caller: Caller): (error: unknown) => void {
  return (error) =>
    port.log.error(
      { err: error, request_id: caller.requestId, route: request.routeOptions.url },
      'a response was cut off',
    );
}

async function* around(before: string, pieces: AsyncIterable<string>, after: string): AsyncGenerator<string> {
  if (before !== '') yield before;
  yield* pieces;
  if (after !== '') yield after;
}

/** Placeholder for the data in an envelope; it cannot occur in JSON. */
const PLACEHOLDER = '\u0000';

/** The text before and after the data of a successful response. */
export interface Envelope {
  before: string;
  after: string;
}

export function envelopeOf(surface: Surface, endpoint: Endpoint, response: ApiResponse, requestId: string): Envelope {
  const [before, after] = surface.success(endpoint, PLACEHOLDER, response, requestId).split(PLACEHOLDER);
  return { before: before!, after: after! };
}

/**
 * Returns a short response as one text. A long one is a stream: other requests are served between two pieces, and the next piece is made
 * once the client has taken the previous ones.
 */
export function bodyOf(
  pieces: Generator<string, void>,
  { before, after }: Envelope,
  onError: (error: unknown) => void,
): string | Readable {
  const first = pieces.next().value ?? '';
  const second = pieces.next();
  if (second.done === true) return before + first + after;
  return streamOf(inTurns([before + first, second.value], pieces, after), { onError, onEnd: () => {} });
}

async function* inTurns(made: string[], pieces: Iterable<string>, after: string): AsyncGenerator<string> {
  for (const some of [made, pieces]) {
    for (const piece of some) {
      yield piece;
      await setImmediate();
    }
  }
  if (after !== '') yield after;
}

/*
 * Responses that are sent while they are read. An endpoint whose response has no size limit (an export of everything about a person) takes
 * three steps:
 *
 * 1. Its contract is a GET with `streams: true`; `data` describes the whole object, as for any other endpoint.
 * 2. Its handler first checks everything that may be refused (not_found), and returns a `Streamed` (src/lib/streamed.ts): the object's
 * fields, each a value, or `JsonPages` for an unlimited array. `keysetPages` (src/db/keyset-pages.ts) reads such pages with one short
 * statement each.
 * 3. Nothing else: this file and limits.ts handle the envelope, back-pressure, the end if the client disconnects or stalls, and the limits
 * per company and process.
 *
 * The status is sent before the last page is read. If a page cannot be read, the connection is cut: the incomplete text is not valid JSON,
 * so no client accepts it.
 */

/** Shorter texts are collected and sent together. */
const CHUNK_LENGTH = 16_384;

/** Writes such responses as JSON in pieces: values by their schema, arrays page by page. */
export function streamWriterOf(schema: TSchema): (response: Streamed) => AsyncGenerator<string> {
  const properties = Object.entries((schema as TObject).properties);
  const writers = new Map<string, (value: unknown) => string>();
  const write = (name: string, property: TSchema, value: unknown): string => {
    let writer = writers.get(name);
    // Compiled on first use, like the validators.
    if (writer === undefined) {
      writer = fastJson(property as object) as (value: unknown) => string;
      writers.set(name, writer);
    }
    return writer(value);
  };

  return async function* pieces({ fields }) {
    let text = '';
    let separator = '{';
    for (const [name, property] of properties) {
      const value = (fields as Record<string, unknown>)[name];
      if (value === undefined) continue;
      text += `${separator}${JSON.stringify(name)}:`;
      separator = ',';
      if (!(value instanceof JsonPages)) {
        text += write(name, property, value);
        continue;
      }
      let before = '[';
      for await (const page of value.pages) {
        if (page.length === 0) continue;
        text += before + page.join(',');
        before = ',';
        if (text.length < CHUNK_LENGTH) continue;
        yield text;
        text = '';
      }
      text += before === '[' ? '[]' : ']';
    }
    yield `${separator === '{' ? '{' : text}}`;
  };
}

/** Maximum bytes waiting for the client, in addition to the piece being written. */
const WAITING_BYTES = 65_536;
/** A client that reads nothing for this long has gone, or keeps others from streaming. */
const STALL_MS = 30_000;

export interface SendOptions {
  /** Called if the response ended early through no fault of the client. */
  onError: (error: unknown) => void;
  /** Called once, however the response ended. */
  onEnd: () => void;
  /** Closes the source of the pieces. Called when the stream is destroyed, even if nothing was read or a piece is still awaited. */
  close?: (() => Promise<void>) | undefined;
  /** Time limit for the whole response. */
  limitMs?: number | undefined;
  stallMs?: number;
}

/** The client read nothing for too long. */
class Stalled extends Error {}

/**
 * Converts the pieces to a stream. The next piece is requested once the client has read the previous ones, and none after the stream is
 * destroyed, which the server does when the client disconnects.
 */
export function streamOf(
  pieces: AsyncIterable<string | Uint8Array>,
  { onError, onEnd, close, limitMs, stallMs = STALL_MS }: SendOptions,
): Readable {
  const iterator = pieces[Symbol.asyncIterator]();
  let isFilling = false;
  let stall: NodeJS.Timeout | undefined;

  /** Fills the buffer up to its limit. */
  async function fill(): Promise<void> {
    let isHungry = true;
    while (isHungry && !stream.destroyed) {
      const next = await iterator.next();
      if (stream.destroyed) return;
      isHungry = stream.push(next.done === true ? null : next.value);
    }
    isFilling = false;
    if (!stream.destroyed) stall = setTimeout(() => stream.destroy(new Stalled('The client takes nothing')), stallMs);
  }

  // A generator that has not started ends without its `finally`, and one that awaits something ends only after it: hence `close`.
  async function end(): Promise<void> {
    await Promise.all([close?.(), iterator.return?.()]);
  }

  const stream = new Readable({
    highWaterMark: WAITING_BYTES,
    read() {
      clearTimeout(stall);
      if (isFilling) return;
      isFilling = true;
      fill().catch((error: Error) => stream.destroy(error));
    },
    destroy(error, done) {
      clearTimeout(stall);
      clearTimeout(limit);
      end().then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      );
    },
  });
  const limit =
    limitMs === undefined
      ? undefined
      : setTimeout(() => stream.destroy(new Error(`It was not taken whole within ${limitMs / 1_000} s`)), limitMs);
  stream.once('error', (error) => {
    if (!(error instanceof Stalled)) onError(error);
  });
  stream.once('close', onEnd);
  return stream;
}
