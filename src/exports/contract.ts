import Type from 'typebox';
import type { Endpoint } from '../http/api/endpoint.ts';

export const exportEverything = {
  method: 'GET',
  path: '/export',
  scope: 'company:write',
  confirm: true,
  tag: 'Company',
  summary: 'Everything of a company as a ZIP archive',
  description:
    'A file of JSON Lines and one of CSV for each table, and `manifest.json`; all of one moment, without secrets. Sent while it is read, one at a time.',
  contentType: 'application/zip',
  streams: true,
  data: Type.String(),
  status: 200,
} as const satisfies Endpoint;

export const exportEndpoints: readonly Endpoint[] = [exportEverything];
