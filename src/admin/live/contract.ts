import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';

/**
 * Not in any list of endpoints: its response does not end, and it is read by a browser's EventSource, not by a client generated from the
 * contracts.
 */
export const readLive = {
  method: 'GET',
  path: '/live',
  scope: 'session',
  tag: 'Live',
  summary: 'Stream changes',
  description:
    'Server-Sent Events: `ready` once, then `change` with the kinds that changed. Last-Event-ID continues where an earlier stream ended, in any process.',
  contentType: 'text/event-stream',
  data: Type.String(),
  status: 200,
} as const satisfies Endpoint;
