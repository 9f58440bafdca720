import pg from 'pg';
import { PipelinedTurn } from './pipelined.ts';
import { PlainTurn } from './plain.ts';
import type { Turn } from './turn.ts';

/**
 * How statements are sent: `pipelined` with our own messages on top of pg's connection, or `plain` with pg's own queries, which take a round
 * trip each. Both have the same results and errors; `plain` is for a version of pg or a proxy with which `pipelined` does not work.
 */
export type Wire = 'pipelined' | 'plain';

export function createClient(wire: Wire, settings: pg.ClientConfig): pg.Client {
  return new pg.Client({ ...settings, pipeline: wire === 'pipelined' });
}

export function createTurn(wire: Wire): Turn {
  return wire === 'pipelined' ? new PipelinedTurn() : new PlainTurn();
}
