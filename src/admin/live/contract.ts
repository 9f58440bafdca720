import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';

/**
 * Is in no list of endpoints: its response does not end, and whoever reads it is a browser's EventSource, no client made from
 * the contracts.
 */
export const readLive = {
  method: 'GET',
  path: '/live',
  scope: 'session',
  tag: 'Live',
  summary: 'Be told what changes',
  description:
    'Server-Sent Events: `ready` once, then `change` with the kinds that changed. Last-Event-ID continues where an earlier stream ended, in any process.',
  contentType: 'text/event-stream',
  data: Type.String(),
  status: 200,
} as const satisfies Endpoint;
