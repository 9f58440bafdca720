import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterKey } from '../access/master-key.ts';

export const MANIFEST_FILE = 'manifest.json';
export const MANIFEST_VERSION = 2;

export interface ExportedTable {
  table: string;
  rows: number;
}

/** What was exported, or loaded. */
export interface Exported {
  company_id: number;
  name: string;
  tables: ExportedTable[];
}

/** The content of an export's manifest.json. */
export interface Manifest extends Exported {
  version: number;
  exported_at: string;
  /** The last migration of the exported database. */
  schema: string;
  /** The time up to which events are in the totals of contacts; null if none are. */
  events_added_up_to: string | null;
  key_fingerprint: string;
}

/** Returns a fingerprint that shows whether two installations have the same master key, and reveals nothing else about it. */
export function keyFingerprint(masterKey: MasterKey): string {
  return createHmac('sha256', masterKey.tokenKey).update('tradeloom export').digest('hex').slice(0, 32);
}

/** Throws where the folder has no export, or one of another version. */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST_FILE), 'utf8');
  } catch (cause) {
    throw new Error(`${folder} has no ${MANIFEST_FILE}: it is no complete export`, { cause });
  }
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.version !== MANIFEST_VERSION)
    throw new Error(`The export has version ${manifest.version}: this program reads version ${MANIFEST_VERSION}`);
  return manifest;
}
